import { expect, it } from '@jest/globals';
import { loadWebhook, payloadField } from '../helpers/webhooks.js';
import {
  expectTranscript,
  routesOf,
  type Stage,
  type StageOptions,
  seen,
  setStage,
  troubles,
} from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

/** A comment below an issue, or below the pull request of the same number. */
async function commented(
  body: string,
  options: Omit<StageOptions, 'event'> = {},
  set = setStageInProcess,
): Promise<Stage> {
  const patch = { 'comment.body': body };
  return await set({ ...options, event: { name: 'issue_comment', action: 'created', patch } });
}

const REACT = 'POST /issues/comments/492700400/reactions';

it('`/axe help` is answered with all commands, once for several agents, in three requests and a reaction', async () => {
  const stage = await commented('/axe help', {}, setStage);
  const step = await stage.run();
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success' } });
  expect(troubles(step)).toEqual([]);
  expect(stage.model.requests()).toEqual([]);
  expect(routesOf(stage)).toHaveLength(4);
  expect(routesOf(stage)).toContain(REACT);
  expect(stage.repo.talk.reactions.map(({ content }) => content)).toEqual(['eyes']);
  await stage.run({ inputs: { agent: 'builtin/ask', 'trigger-phrase': '@axe' } });
  expect(stage.repo.comments).toHaveLength(1);
  expectTranscript('commands-in-comments-are-answered-without-a-model', seen(step, stage));
});

it.each(['@axe help', '/axe'])('%j is answered, too', async (body) => {
  const stage = await commented(body);
  const step = await stage.run({ inputs: { agent: 'builtin/ask', 'trigger-phrase': '@axe' } });
  expect(step.outputs['conclusion']).toBe('success');
  expect(stage.repo.comments.map((one) => one.body)).toEqual([expect.stringContaining('review full')]);
  expect(stage.model.requests()).toEqual([]);
});

it.each([
  ['/axe revew', '/axe revew', 'Did you mean `/axe review`?'],
  ['/axe puase', '/axe puase', 'Did you mean `/axe pause`?'],
  ['@axe hlep', 'hlep', 'Did you mean `/axe help`?'],
])('%j is answered with the nearest command', async (body, _, told) => {
  const stage = await commented(body);
  const step = await stage.run({ inputs: { 'trigger-phrase': '@axe' } });
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'skipped', reason: 'refused' } });
  expect(stage.repo.comments.map((one) => one.body)).toEqual([expect.stringContaining(told)]);
  expect(stage.repo.talk.reactions.map(({ content }) => content)).toEqual(['eyes']);
  expect(routesOf(stage)).toHaveLength(4);
  expect(stage.model.requests()).toEqual([]);
});

it('a question goes to the model', async () => {
  const stage = await commented('@axe why does this fail?');
  const step = await stage.run({ inputs: { 'trigger-phrase': '@axe' } });
  expect(step.outputs['conclusion']).toBe('success');
  expect(stage.model.requests()).toHaveLength(1);
});

it.each(['/axe help', '/axe revew', '/axe dismiss 9f2c4d'])(
  'a stranger who writes %j gets no answer, and no model is called',
  async (body) => {
    const stage = await commented(body, { role: 'read' });
    const step = await stage.run();
    expect(step).toMatchObject({ exitCode: 0, outputs: { reason: 'permission' } });
    expect([stage.repo.comments, stage.repo.talk.reactions, stage.model.requests()]).toEqual([[], [], []]);
  },
);

it('help is answered to people who can triage, and to no bot', async () => {
  const triaging = await commented('/axe help', { role: 'triage' });
  await triaging.run();
  expect(triaging.repo.comments).toHaveLength(1);
  const name = 'issue_comment';
  const bot = { 'comment.body': '/axe help', 'sender.type': 'Bot', 'comment.user.type': 'Bot' };
  const stage = await setStageInProcess({ event: { name, action: 'created', patch: bot } });
  const login = String(payloadField(stage.payload, 'sender.login'));
  const step = await stage.run({ inputs: { 'allow-bots': login } });
  expect(step.outputs['reason']).toBe('bot');
  expect(stage.repo.comments).toEqual([]);
});

it('the action does not answer its own answer', async () => {
  const stage = await commented('/axe help');
  await stage.run();
  const [answer] = stage.repo.comments;
  const payload = loadWebhook('issue_comment', 'created', { 'comment.body': answer?.body ?? '' });
  const step = await stage.run({ event: { name: 'issue_comment', payload } });
  expect(step.outputs['reason']).toBe('own-text');
  expect(stage.repo.comments).toHaveLength(1);
});
