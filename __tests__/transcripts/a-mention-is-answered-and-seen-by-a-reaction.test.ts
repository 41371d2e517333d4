import { expect, it } from '@jest/globals';
import { seedReview } from '../helpers/github-review-seed.js';
import { text } from '../helpers/model-server.js';
import { loadWebhook, payloadField } from '../helpers/webhooks.js';
import { ANSWER, expectTranscript, type Stage, seen, setStage, steady, troubles } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

const MENTION = {
  name: 'issue_comment',
  action: 'created',
  patch: { 'comment.body': '> It is the cache.\n\n@axe is that so? See:\n```\nread: 0\n```' },
};
const INPUTS = { agent: 'builtin/ask', 'trigger-phrase': '@axe' };

/** What was asked of GitHub about reactions, in this order. */
function reacted({ github }: Stage): readonly unknown[] {
  return github.requests().flatMap(({ method, path, bytes }) => {
    if (!/\/reactions(?:\/\d+)?$/.test(path)) return [];
    return [method === 'POST' ? JSON.parse(bytes.toString()).content : method];
  });
}

it('the rest of the comment is the task, and a reaction at the start shows that it was seen', async () => {
  const stage = await setStage({ event: MENTION });
  const step = await stage.run({ inputs: INPUTS });
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success' } });
  expect(troubles(step)).toEqual([]);
  const [prompt] = stage.model.prompts();
  expect(reacted(stage)).toEqual(['eyes']);
  expectTranscript(
    'a-mention-is-answered-and-seen-by-a-reaction',
    `${seen(step, stage)}\n${steady(prompt?.messages.join('\n') ?? '')}\n`,
  );
});

it('a line with a link to the run states that there is no answer, and quotes no error', async () => {
  let isBroken = true;
  const broken = {
    kind: 'raw',
    status: 400,
    body: { error: { message: 'hunter2 is in /home/runner' } },
  } as const;
  const stage = await setStageInProcess({
    event: MENTION,
    model: () => (isBroken ? broken : text(ANSWER)),
  });
  await stage.run({ inputs: INPUTS });
  expect(stage.repo.comments.map(({ body }) => body)).toEqual([
    expect.stringMatching(
      /^<!-- axe-action \{"kind":"answer","v":1,"agent":"builtin\/ask\/reply\\u002d\d+"\} -->\nThere is no answer: the run failed\.\n\n<sub>.*\[this run\]\(\S+\/actions\/runs\/\d+\)<\/sub>$/,
    ),
  ]);
  isBroken = false;
  await stage.run({ inputs: INPUTS, runAttempt: '2' });
  expect(stage.repo.comments.map(({ body }) => body.includes(ANSWER))).toEqual([true]);
  isBroken = true;
  await stage.run({ inputs: INPUTS, runAttempt: '3' });
  expect(stage.repo.comments.map(({ body }) => body.includes(ANSWER))).toEqual([true]);
});

it('no reaction is added if comments are off, nor for people who cannot start a run', async () => {
  const model = () =>
    ({ kind: 'raw', status: 401, body: { error: { message: 'invalid key' } } }) as const;
  const silent = await setStageInProcess({ event: MENTION, model });
  await silent.run({ inputs: { ...INPUTS, comment: 'never' } });
  const stranger = await setStageInProcess({ event: MENTION, model, role: 'read' });
  await stranger.run({ inputs: INPUTS });
  expect([silent.repo.comments, stranger.repo.comments]).toEqual([[], []]);
});

it('a mention on a line is answered in its thread', async () => {
  const event = { name: 'pull_request_review_comment', action: 'created' };
  const stage = await setStageInProcess({ event });
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
  const answers = stage.repo.talk.reviewComments.filter(
    ({ inReplyTo }) => inReplyTo === comments[0],
  );
  expect(answers.map(({ body }) => body.includes(ANSWER))).toEqual([true]);
  expect(stage.repo.comments).toEqual([]);
  expect(step.log).toMatch(/^Answered in a thread of #\d+\. http/m);
});
