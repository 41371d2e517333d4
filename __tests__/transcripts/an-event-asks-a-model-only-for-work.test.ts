import { expect, it } from '@jest/globals';
import { loadWebhook, type Payload, type PayloadPatch } from '../helpers/webhooks.js';
import { REVIEWER } from './review-scene.js';
import { routesOf, type StageEvent, told } from './stage.js';
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
