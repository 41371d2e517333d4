import { expect, it } from '@jest/globals';
import { seedReview } from '../helpers/github-review-seed.js';
import { loadWebhook, payloadField } from '../helpers/webhooks.js';
import { ANSWER, expectTranscript, seen, setStage, steady, troubles } from './stage.js';

const MENTION = {
  name: 'issue_comment',
  action: 'created',
  patch: { 'comment.body': '> It is the cache.\n\n@axe is that so? See:\n```\nread: 0\n```' },
};
const INPUTS = { agent: 'builtin/ask', 'trigger-phrase': '@axe' };

it('takes the rest of the comment for the task, and reacts at the start and at the end', async () => {
  const stage = await setStage({ event: MENTION });
  const step = await stage.run({ inputs: INPUTS });
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success' } });
  expect(troubles(step)).toEqual([]);
  const [prompt] = stage.model.prompts();
  expect(prompt?.messages.join()).toMatch(/^user: is that so\? See:\n```\nread: 0\n```\n/);
  expect(stage.repo.talk.reactions.map(({ content }) => content)).toEqual(['eyes', 'rocket']);
  expect(stage.repo.comments.map(({ issue, body }) => [issue, body.includes(ANSWER)])).toEqual([[1, true]]);
  expectTranscript(
    'a-mention-is-answered-and-told-so-by-reactions',
    `${seen(step, stage)}\n${steady(prompt?.messages.join('\n') ?? '')}\n`,
  );
});

it('shows by its last reaction that there is no answer', async () => {
  const stage = await setStage({
    event: MENTION,
    model: () => ({ kind: 'raw', status: 401, body: { error: { message: 'invalid key' } } }),
  });
  const step = await stage.run({ inputs: INPUTS });
  expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
  expect(stage.repo.talk.reactions.map(({ content }) => content)).toEqual(['eyes', 'confused']);
});

it('is answered all the same where reactions are refused', async () => {
  const stage = await setStage({ event: MENTION });
  const route = 'POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions';
  const body = { message: 'Resource not accessible by integration' };
  stage.github.fail({ route, status: 403, body, times: 9 });
  const step = await stage.run({ inputs: INPUTS });
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success' } });
  expect(troubles(step)).toEqual([]);
  expect(step.log).toContain('No reaction on the comment:');
  expect(stage.repo.comments).toHaveLength(1);
});

it('on a line is answered in its thread', async () => {
  const event = { name: 'pull_request_review_comment', action: 'created' };
  const stage = await setStage({ event });
  const pull = Number(payloadField(stage.payload, 'pull_request.number'));
  const { comments } = seedReview(stage.repo, {
    pull,
    author: 'Codertocat',
    comments: [{ path: 'src/auth.ts', line: 11, body: '@axe why?' }],
  });
  const payload = loadWebhook(event.name, event.action, {
    'comment.id': comments[0] ?? 0,
    'comment.body': '@axe why?',
  });
  const step = await stage.run({ inputs: INPUTS, event: { name: event.name, payload } });
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success' } });
  expect(troubles(step)).toEqual([]);
  const answers = stage.repo.talk.reviewComments.filter(({ inReplyTo }) => inReplyTo === comments[0]);
  expect(answers.map(({ body }) => body.includes(ANSWER))).toEqual([true]);
  expect(stage.repo.comments).toEqual([]);
  expect(step.log).toMatch(/^Answered in a thread of #\d+\. http/m);
});
