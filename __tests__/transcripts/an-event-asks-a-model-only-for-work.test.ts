import { expect, it } from '@jest/globals';
import {
  loadWebhook,
  type Payload,
  type PayloadPatch,
  schedulePayload,
} from '../helpers/webhooks.js';
import { REVIEWER, submitting } from './review-scene.js';
import { AGENT, routesOf, type StageEvent, told, troubles } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

const NO_COMMIT = '0'.repeat(40);
const BASE = { 'axe/agents/reviewer.toml': REVIEWER };

function review(patch: PayloadPatch = {}, action = 'submitted'): StageEvent {
  const payload = loadWebhook('pull_request_review', 'submitted', patch);
  const { sender } = payload as { readonly sender: object };
  const { review: submitted } = payload as { readonly review: object };
  // The example is by two accounts, and by an app.
  const written: Payload = { ...payload, action, review: { ...submitted, user: sender } };
  return { name: 'pull_request_review', payload: written };
}

function deleted(ref: string): StageEvent {
  return { name: 'push', patch: { ref, after: NO_COMMIT } };
}

const running = (action: string): StageEvent => ({
  name: 'workflow_run',
  payload: { ...loadWebhook('workflow_run', 'completed'), action },
});

it.each<[string, StageEvent, string, string]>([
  ['an approval', review({ 'review.body': null }), 'no-text', 'has no text of its own'],
  [
    'comments on lines without a text above them',
    review({ 'review.body': '', 'review.state': 'commented' }),
    'no-text',
    'run on `pull_request_review_comment` too',
  ],
  [
    'a dismissed review',
    review({ 'review.body': '@axe why?' }, 'dismissed'),
    'no-change',
    'Write `types: [submitted]`',
  ],
  ['a deleted branch', deleted('refs/heads/topic'), 'subject-deleted', 'branch topic was deleted'],
  ['a deleted tag', deleted('refs/tags/v1'), 'subject-deleted', 'tag v1 was deleted'],
  ['a requested workflow', running('requested'), 'not-ended', 'has not ended (requested)'],
  ['a running workflow', running('in_progress'), 'not-ended', 'Write `types: [completed]`'],
  [
    'an event that nobody knows',
    { name: 'fork' },
    'unknown-event',
    'Run on one of `pull_request`, `pull_request_target`, `issues`, `issue_comment`, `pull_request_review`, `pull_request_review_comment`, `push`, `release`, `workflow_run`, `merge_group`, `schedule`, `workflow_dispatch`, `repository_dispatch` instead.',
  ],
])('%s starts no run and asks nobody', async (_, event, reason, notice) => {
  for (const phrase of ['', '@axe']) {
    const stage = await setStageInProcess({ event, base: BASE });
    const step = await stage.run({ inputs: { 'trigger-phrase': phrase } });
    expect(step.exitCode).toBe(0);
    expect(step.outputs).toMatchObject({ conclusion: 'skipped', reason });
    expect(told(step)).toEqual([expect.stringMatching(/^notice: /)]);
    expect(told(step)[0]).toContain(notice);
    expect(stage.model.requests()).toEqual([]);
    expect(routesOf(stage)).toEqual([]);
  }
});

it('a review with a text is answered', async () => {
  const event = review({ 'review.body': '@axe why?' });
  const stage = await setStageInProcess({ event, base: BASE });
  const step = await stage.run({ inputs: { 'trigger-phrase': '@axe' } });
  expect(step.outputs['conclusion']).toBe('success');
  expect(stage.model.requests()).toHaveLength(1);
});

it.each(['', '@axe', '/axe ask'])(
  '`/axe ask` asks whatever the phrase is (%j), and is no part of the task',
  async (phrase) => {
    const patch = { 'comment.body': '/axe ask Why does it fail?' };
    const event = { name: 'issue_comment', action: 'created', patch };
    const stage = await setStageInProcess({ event, base: { 'axe/agents/reviewer.toml': AGENT } });
    const step = await stage.run({ inputs: { 'trigger-phrase': phrase } });
    expect(step.outputs['conclusion']).toBe('success');
    const [{ messages } = { messages: [] }] = stage.model.prompts();
    expect(messages[0]).toMatch(/^user: Why does it fail\?/);
    expect(stage.model.requests()).toHaveLength(1);
  },
);

it('`/axe ask` without a question is answered without a model', async () => {
  const patch = { 'comment.body': '/axe ask' };
  const event = { name: 'issue_comment', action: 'created', patch };
  const stage = await setStageInProcess({ event, base: BASE });
  await stage.run({ inputs: { 'trigger-phrase': '@axe' } });
  expect(stage.repo.comments.at(-1)?.body).toContain('Write the question after it.');
  expect(stage.model.requests()).toEqual([]);
});

const NEW_BRANCH: StageEvent = {
  name: 'push',
  patch: { ref: 'refs/tags/v1', before: NO_COMMIT, after: 'c'.repeat(40) },
};
const PUSHED: StageEvent = {
  name: 'push',
  patch: { ref: 'refs/heads/master', after: 'c'.repeat(40) },
};

it.each<[string, StageEvent, boolean]>([
  ['a schedule', { name: 'schedule', payload: schedulePayload('0 6 * * 1') }, true],
  ['a manual start', { name: 'workflow_dispatch' }, true],
  ['a release', { name: 'release', action: 'published' }, true],
  ['a push without a diff', NEW_BRANCH, true],
  ['a push with one', PUSHED, false],
  ['a pull request', { name: 'pull_request', action: 'opened' }, false],
])(
  'you get a warning before the model is asked if a reviewer has no change to review: %s',
  async (_, event, isWarned) => {
    const stage = await setStageInProcess({ event, base: BASE, model: submitting('Nothing.') });
    const step = await stage.run();
    expect(step.exitCode).toBe(0);
    const warnings = troubles(step).filter(({ message }) => message.includes('brings no change'));
    expect(warnings).toHaveLength(isWarned ? 1 : 0);
    if (isWarned)
      expect(warnings[0]?.message).toContain('Run it on `pull_request`, or use an agent');
    const printed = step.log.indexOf('brings no change');
    expect(printed === -1 || printed < step.log.indexOf('Nothing.')).toBe(true);
  },
);
