import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { tempDir } from '../helpers/temp.js';
import { loadWebhook } from '../helpers/webhooks.js';
import { expectTranscript, HEAD, type StageEvent, seen, setStage, steady, troubles } from './stage.js';

const FORK = 'octocat/Hello-World';
/** GitHub's example of a label, as the event that has secrets sends it too. */
function labeled(): StageEvent {
  const payload = loadWebhook('pull_request', 'labeled', {
    'pull_request.head.repo.full_name': FORK,
    'pull_request.user.login': 'octocat',
  });
  return { name: 'pull_request_target', payload };
}

it('a fork’s pull request runs on the labelled commit, with tools that only read, and its text is kept apart', async () => {
  const stage = await setStage({ event: labeled() });
  const step = await stage.run({ inputs: { 'tools-allowed': 'write, execute, network' } });
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success' } });
  expect(troubles(step)).toEqual([]);
  expect(step.log).toContain('Trust:  untrusted, because the pull request comes from a fork');
  const [prompt] = stage.model.prompts();
  expect(prompt?.messages.join()).toContain(`Head commit: ${HEAD}`);
  expect(stage.repo.comments).toMatchObject([{ issue: 2 }]);
  expectTranscript(
    'a-fork-is-run-by-a-writers-label-and-stays-untrusted',
    `${seen(step, stage)}\n${steady(prompt?.messages.join('\n') ?? '')}\n`,
  );
});

it('a run next to a checkout of the fork is refused with the reason', async () => {
  const workspace = join(tempDir('checkout'), 'workspace');
  mkdirSync(join(workspace, '.git'), { recursive: true });
  writeFileSync(join(workspace, '.git/HEAD'), `${HEAD}\n`);
  const stage = await setStage({ event: labeled() });
  const step = await stage.run({ workspace });
  expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
  expect(step.annotations).toMatchObject([
    { level: 'error', message: expect.stringContaining('comes from a fork, are checked out') },
  ]);
  expect(stage.model.requests()).toEqual([]);
  expect(stage.repo.comments).toEqual([]);
});

it('a fork’s pull request runs for an allowed bot, and only for that one', async () => {
  const patch = { 'sender.login': 'dependabot[bot]', 'sender.type': 'Bot' };
  const stage = await setStage({ event: { name: 'pull_request', action: 'opened', patch } });
  const step = await stage.run({ inputs: { 'allow-bots': 'dependabot[bot]' } });
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success' } });
  expect(step.log).toContain('Trust:  untrusted, because a bot caused the event');
  const other = await stage.run({ inputs: { 'allow-bots': 'renovate[bot]' } });
  expect(other).toMatchObject({ exitCode: 0, outputs: { conclusion: 'skipped', reason: 'bot' } });
});
