import { describe, expect, it } from '@jest/globals';
import { numberDiff } from '../../src/lib/text/diff.js';
import { text } from '../helpers/model-server.js';
import { loadWebhook } from '../helpers/webhooks.js';
import { runWatched } from '../hostile/watched-run.js';
import { CHANGE, calls, commentOnPull, LOGGED, push, REVIEWER, submit } from './review-scene.js';
import {
  ANSWER,
  DIFF,
  expectNoEntry,
  expectTranscript,
  routesOf,
  type StageOptions,
  seen,
  steady,
  told,
  troubles,
} from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

const CREATED = { name: 'issue_comment', action: 'created' };

it('a comment is answered, and the reply is updated when the same event is run again', async () => {
  const stage = await setStageInProcess({ event: CREATED, base: {} });
  const inputs = { agent: 'builtin/ask' };
  const first = await stage.run({ inputs });
  expect(first.exitCode).toBe(0);
  expect(troubles(first)).toEqual([]);
  const again = await stage.run({ inputs, runAttempt: '2' });
  expect(again.outputs['comment-url']).toBe(first.outputs['comment-url']);
  expect(stage.repo.comments.map(({ issue, body }) => [issue, body.includes(ANSWER)])).toEqual([
    [1, true],
  ]);

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

it('a comment is answered in the conversation of a pull request', async () => {
  const stage = await setStageInProcess();
  const step = await stage.run(commentOnPull(stage, 'You are totally right!'));
  expect(step.exitCode).toBe(0);
  expect(troubles(step)).toEqual([]);
  expect(stage.repo.comments).toMatchObject([{ issue: 2 }]);
  const message = stage.model.prompts()[0]?.messages.join() ?? '';
  expect(message).toContain('The comment is on: pull request #2 by Codertocat');
  expect(message).toContain(numberDiff(DIFF).trimEnd());
  expect(message).toContain(
    '<third-party-text source="comment by Codertocat">\nYou are totally right!\n',
  );
});

it('an answer to a comment names its commit, which may be newer than the comment', async () => {
  const stage = await setStageInProcess();
  const comment = commentOnPull(stage, 'Is this safe?');
  push(stage, 'beef'.repeat(10), { diff: DIFF });
  await stage.run(comment);
  expect(stage.repo.comments.map(({ body }) => body)).toEqual([
    expect.stringContaining('About commit `beefbee`. Written by the agent'),
  ]);
});

const OPENED = { name: 'issues', action: 'opened' };

it('an issue is triaged into the summary, and by default no comment is written', async () => {
  const stage = await setStageInProcess({ event: OPENED, base: {} });
  const step = await stage.run({ inputs: { agent: 'builtin/triage' } });
  expect(step.exitCode).toBe(0);
  const [prompt] = stage.model.prompts();
  expect(prompt?.system).toMatch(/^A new issue has arrived\. You sort it for the maintainers/);
  expectTranscript(
    'an-issue-is-answered-only-where-that-is-asked-for',
    `${seen(step, stage)}\n${steady(prompt?.messages.join('\n') ?? '')}\n`,
  );
});

it('`comment: always` on an issue writes a comment, and later runs update it', async () => {
  const stage = await setStageInProcess({ event: OPENED });
  const inputs = { comment: 'always' };
  for (const _ of [1, 2]) await stage.run({ inputs });
  expect(stage.repo.comments.map(({ issue }) => issue)).toEqual([1]);
});

it('a stranger’s text in an issue is kept apart from what later runs load', async () => {
  const stage = await setStageInProcess({
    event: { name: 'issues', action: 'labeled', patch: { 'issue.user.login': 'octocat' } },
  });
  const first = await stage.run();
  expect(first.exitCode).toBe(0);
  expectTranscript('an-issue-by-a-stranger-is-remembered-in-two-entries', seen(first, stage));
  const second = await stage.run();
  expect(troubles(second)).toEqual([]);
  // What was computed says nothing about another issue.
  expect(second.outputs['memory-loaded']).toBe('0');
  expect(stage.model.prompts()[1]?.system).not.toContain(ANSWER);
});

/** An issue by somebody who may only read, in a repository with three labels. */
async function opened(add: string) {
  const stage = await setStageInProcess({
    event: OPENED,
    role: 'read',
    model: [
      calls({ name: 'set_labels', input: { add } }),
      text('**Kind**: bug, since it worked before.'),
    ],
  });
  stage.repo.talk.labels.push('bug', 'question', 'security');
  const step = await runWatched(stage, {
    isUntrusted: true,
    inputs: {
      agent: 'builtin/triage',
      'min-permission': 'none',
      'labels-allowed': 'bug, question',
      'memory-store': 'branch',
    },
  });
  expect(step).toMatchObject({
    exitCode: 0,
    outputs: { conclusion: 'success', 'memory-saved': 'true' },
  });
  return { stage, step };
}

it('existing labels in the list are set, and the run remembers in quarantine', async () => {
  const { stage, step } = await opened('bug');
  expect(troubles(step)).toEqual([]);
  expect([...stage.repo.talk.labelsOf.values()]).toEqual([['bug']]);
  const files = stage.github.files('Codertocat/Hello-World', 'axe-memory');
  expect(Object.keys(files).filter((path) => path.endsWith('triage.md'))).toEqual([
    'apart/triage.md',
  ]);
  expectTranscript('a-stranger-s-issue-is-triaged-within-the-list-of-labels', seen(step, stage));
});

it('without a permission the run fails, with the answer in the summary and the permission to add in one line', async () => {
  const stage = await setStageInProcess({ github: { readOnly: true } });
  const step = await stage.run({ inputs: { 'memory-store': 'cache' } });
  expect(step.exitCode).toBe(1);
  expect(troubles(step)).toMatchObject([
    { message: expect.stringContaining('`pull-requests: write`') },
  ]);
  expectTranscript(
    'a-token-that-may-not-comment-fails-the-run-and-loses-nothing',
    seen(step, stage),
  );
});

it('without a permission no comment and no warning is written if comments are off', async () => {
  const stage = await setStageInProcess();
  const step = await stage.run({ inputs: { comment: 'never' } });
  expect(step.exitCode).toBe(0);
  expect(troubles(step)).toEqual([]);
  expect(stage.repo.comments).toEqual([]);
  expect(routesOf(stage).filter((route) => route.includes('comment'))).toEqual([]);
});

describe('publishing', () => {
  const body = { message: 'Resource not accessible by integration' };
  const DENIED = { status: 403, body, times: 99 } as const;
  const FILES = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files';
  const COMPARE = 'GET /repos/{owner}/{repo}/compare/{basehead}';
  const REVIEW = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
  const COMMENT = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';

  const REVIEWS: StageOptions = {
    base: { 'axe/agents/reviewer.toml': REVIEWER },
    diff: CHANGE,
    model: [calls(LOGGED, submit('One thing.')), text('Reviewed.')],
  };

  it.each<[string, string, StageOptions]>([
    ['review', REVIEW, REVIEWS],
    ['comment', COMMENT, {}],
  ])(
    'a run fails if its %s could not be posted, with the reason in one line',
    async (_, route, options) => {
      const stage = await setStageInProcess(options);
      stage.github.fail({ route, ...DENIED });
      const step = await stage.run();
      expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
      expect(troubles(step)).toMatchObject([{ level: 'error' }]);
      expect(told({ annotations: troubles(step) })[0]).toMatch(
        /Resource not accessible.*The run failed because of it\.$/,
      );
      expect(step.summary).toMatch(/^### reviewer: failure · /);
    },
  );

  it.each([
    ['an agent that posts reviews', REVIEWS],
    ['an agent that comments', {}],
  ])('a run that could read nothing fails before a model is called: %s', async (_, options) => {
    const stage = await setStageInProcess(options);
    for (const route of [FILES, COMPARE]) stage.github.fail({ route, ...DENIED });
    const step = await stage.run();
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
    expect(stage.model.requests()).toEqual([]);
    expect(told(step)).toEqual([
      expect.stringMatching(
        /^error: nothing of pull request #2 could be read: .*`contents: read`/s,
      ),
    ]);
  });
});

it.each(['', ' \n\t'])('the answer %j is a failure', async (answer) => {
  const stage = await setStageInProcess({
    model: [text(answer, { inputTokens: 812, outputTokens: 1 })],
  });
  const step = await stage.run({ inputs: { model: 'openai/gpt-4o' } });
  expect(step.exitCode).toBe(1);
  expect(stage.repo.comments).toEqual([]);
  expectNoEntry(step);
  expectTranscript('an-empty-answer-fails-the-step-and-is-not-remembered', seen(step, stage));
});
