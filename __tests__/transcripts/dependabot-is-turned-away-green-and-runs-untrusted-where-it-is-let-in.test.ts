import { expect, it } from '@jest/globals';
import { expectTranscript, type Stage, seen, setStage, troubles } from './stage.js';

/** A pull request that Dependabot opened. */
function opened(): Promise<Stage> {
  const bot = 'dependabot[bot]';
  const patch = {
    'sender.login': bot,
    'sender.type': 'Bot',
    'pull_request.user.login': bot,
    'pull_request.user.type': 'Bot',
    'pull_request.head.ref': 'dependabot/npm_and_yarn/left-pad-2.0.0',
  };
  return setStage({ event: { name: 'pull_request', action: 'opened', patch } });
}

it('the step passes with one notice that names the line to add', async () => {
  const stage = await opened();
  const step = await stage.run();
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'skipped', reason: 'bot' } });
  expect(step.annotations).toMatchObject([
    { level: 'notice', message: expect.stringContaining('`allow-bots: dependabot[bot]`') },
  ]);
  expect(stage.model.requests()).toEqual([]);
  expectTranscript('dependabot-is-turned-away-green', seen(step, stage));
});

it('an admitted run only reads, and remembers in quarantine', async () => {
  const stage = await opened();
  const inputs = { 'allow-bots': 'dependabot[bot]', 'memory-store': 'branch' };
  const step = await stage.run({ inputs });
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success', 'memory-saved': 'true' } });
  expect(troubles(step)).toEqual([]);
  const files = stage.github.files('Codertocat/Hello-World', 'axe-memory');
  expect(Object.keys(files).filter((path) => path.endsWith('reviewer.md'))).toEqual([
    'untrusted/reviewer.md',
  ]);
});

it('the error states where its key belongs, since it sees no other secrets', async () => {
  const stage = await opened();
  const inputs = { 'allow-bots': 'dependabot[bot]' };
  const step = await stage.run({ inputs, env: { ANTHROPIC_API_KEY: '' } });
  expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
  expect(step.annotations).toMatchObject([
    { level: 'error', message: expect.stringMatching(/ANTHROPIC_API_KEY[\s\S]*Dependabot/) },
  ]);
});
