import { expect, it } from '@jest/globals';
import { loadWebhook } from '../helpers/webhooks.js';
import { ANSWER, DIFF, expectTranscript, REPO, seen, setStage, steady, troubles } from './stage.js';

const CREATED = { name: 'issue_comment', action: 'created' };

it('a comment is answered, and the reply is updated when the same event is run again', async () => {
  const stage = await setStage({ event: CREATED, base: {} });
  const inputs = { agent: 'builtin/ask' };
  const first = await stage.run({ inputs });
  expect(first.exitCode).toBe(0);
  expect(troubles(first)).toEqual([]);
  const again = await stage.run({ inputs, runAttempt: '2' });
  expect(again.outputs['comment-url']).toBe(first.outputs['comment-url']);
  expect(stage.repo.comments.map(({ issue, body }) => [issue, body.includes(ANSWER)])).toEqual([[1, true]]);

  const payload = loadWebhook('issue_comment', 'created', {
    'comment.id': 492700401,
    'comment.body': 'And this?',
  });
  await stage.run({ inputs, event: { name: 'issue_comment', payload } });
  expect(stage.repo.comments).toHaveLength(2);
  expectTranscript(
    'a-comment-is-answered-once',
    `${seen(first, stage)}\n${steady(stage.model.prompts()[0]?.messages.join('\n') ?? '')}\n`,
  );
});

it('a reply reports if the cache can only be read, and shows the entry', async () => {
  const stage = await setStage({ event: CREATED });
  const ref = 'refs/heads/master';
  const step = await stage.run({
    env: stage.cache.env({ ref, readableRefs: [ref], mayWrite: false }),
    inputs: { 'memory-store': 'cache' },
  });
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success', 'memory-saved': 'false' } });
  expect(step.annotations).toMatchObject([{ level: 'warning', title: 'Memory not saved' }]);
  expect(step.summary).toContain(
    '**Task:** Answer the comment by Codertocat on #1: Spelling error in the README file',
  );
});

it('a comment is answered in the conversation of a pull request', async () => {
  const payload = loadWebhook('issue_comment', 'created');
  const issue = payload['issue'] as Record<string, unknown>;
  issue['pull_request'] = { url: 'https://api.github.com/repos/Codertocat/Hello-World/pulls/1' };
  const stage = await setStage({ event: { name: 'issue_comment', payload } });
  const sha = stage.repo.branches.get(stage.repo.defaultBranch) ?? '';
  const side = { ref: 'topic', sha };
  stage.github.addPull(REPO, { number: 1, base: side, head: { ...side, repository: REPO } });
  stage.repo.comparisons.set(`${sha}...${sha}`, DIFF);
  const step = await stage.run();
  expect(step.exitCode).toBe(0);
  expect(troubles(step)).toEqual([]);
  expect(stage.repo.comments).toMatchObject([{ issue: 1 }]);
  const message = stage.model.prompts()[0]?.messages.join() ?? '';
  expect(message).toContain('The comment is on: pull request #1 by Codertocat');
  expect(message).toContain(DIFF);
  expect(message).toContain(
    '<third-party-text source="comment by Codertocat">\nYou are totally right! I\'ll get this fixed right away.\n</third-party-text>',
  );
});
