import { expect, it } from '@jest/globals';
import { ANSWER, expectTranscript, seen, setStage, steady, troubles } from './stage.js';

const OPENED = { name: 'issues', action: 'opened' };

it('an issue is triaged into the summary, and by default no comment is written', async () => {
  const stage = await setStage({ event: OPENED, base: {} });
  const step = await stage.run({ inputs: { agent: 'builtin/triage' } });
  expect(step.exitCode).toBe(0);
  expect(troubles(step)).toEqual([]);
  expect(step.summary).toContain(ANSWER);
  expect(stage.repo.comments).toEqual([]);
  expect(step.outputs).toMatchObject({ conclusion: 'success', 'memory-saved': 'true' });
  const [prompt] = stage.model.prompts();
  expect(prompt?.system).toMatch(/^A new issue has arrived\. You sort it for the maintainers/);
  expectTranscript(
    'an-issue-is-answered-only-where-that-is-asked-for',
    `${seen(step, stage)}\n${steady(prompt?.messages.join('\n') ?? '')}\n`,
  );
});

it('`comment: always` writes a comment, and later runs update it', async () => {
  const stage = await setStage({ event: OPENED });
  const inputs = { comment: 'always' };
  const first = await stage.run({ inputs });
  await stage.run({ inputs });
  expect(first.outputs['comment-url']).toMatch(/\/issues\/1#issuecomment-1$/);
  expect(stage.repo.comments.map(({ issue }) => issue)).toEqual([1]);
});

it('a stranger’s text is kept apart from what later runs load', async () => {
  const stage = await setStage({
    event: { name: 'issues', action: 'labeled', patch: { 'issue.user.login': 'octocat' } },
  });
  const first = await stage.run();
  expect(first.exitCode).toBe(0);
  expect(first.log).toContain(
    'Trust:  untrusted, because it reads text by octocat, who is not known to have write access',
  );
  expect(first.outputs).toMatchObject({
    'memory-saved': 'true',
    'memory-entry': expect.stringContaining('trust=untrusted'),
  });
  expectTranscript('an-issue-by-a-stranger-is-remembered-in-two-entries', seen(first, stage));
  const second = await stage.run();
  expect(troubles(second)).toEqual([]);
  // Only what was computed is loaded.
  expect(second.outputs['memory-loaded']).toBe('1');
  expect(stage.model.prompts()[1]?.system).toContain('**Result:**');
  expect(stage.model.prompts()[1]?.system).not.toContain(ANSWER);
});
