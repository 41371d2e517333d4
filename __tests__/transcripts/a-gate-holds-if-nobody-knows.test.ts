import { describe, expect, it } from '@jest/globals';
import { text } from '../helpers/model-server.js';
import { loadWebhook, type PayloadPatch, schedulePayload } from '../helpers/webhooks.js';
import { calls, reviewStage, submit, TIMING } from './review-scene.js';
import { AGENT, BASE, DIFF, type Stage, type StageOptions, told, troubles } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

const QUEUED = 'refs/heads/gh-readonly-queue/main/pr-2-929f8209d40f77f4abc622a499c93a83babdbe64';
const COMPARE = 'GET /repos/{owner}/{repo}/compare/{basehead}';
const BROKEN = { status: 404, body: { message: 'Not Found' } } as const;
const ONLY_MAJOR = { 'fail-on': 'findings:major' };

/** A merge queue of the repository of another event. */
function queue({ payload }: Stage, patch: PayloadPatch = {}) {
  const group = loadWebhook('merge_group', 'checks_requested', {
    'merge_group.head_ref': QUEUED,
    ...patch,
  });
  const { repository, sender } = payload;
  return { event: { name: 'merge_group', payload: { ...group, repository, sender } } };
}

describe('a merge queue', () => {
  const FOUND = [calls(TIMING, submit('One finding.')), text('One finding.')];
  const CLEAN = [calls(submit('Nothing.')), text('Nothing.')];

  it.each([
    ['an open finding', FOUND, ONLY_MAJOR, 1],
    ['an open finding that no gate names', FOUND, {}, 0],
    ['none', CLEAN, ONLY_MAJOR, 0],
  ] as const)('asks no model for a review, and ends by %s', async (_, replies, inputs, exit) => {
    const stage = await reviewStage([...replies]);
    await stage.run();
    const before = stage.model.requests().length;
    const step = await stage.run({ inputs: { ...inputs, 'check-run': 'true' }, ...queue(stage) });
    expect(step).toMatchObject({ exitCode: exit, outputs: { reason: 'merge-queue' } });
    expect(stage.model.requests()).toHaveLength(before);
    expect(stage.repo.talk.checkRuns).toMatchObject([
      { headSha: '2ffea6db159f6b6c47a24e778fb9ef40cf6b1c7d', name: 'reviewer' },
    ]);
  });

  it.each<[string, PayloadPatch, boolean, string]>([
    ['names no pull request', { 'merge_group.head_ref': 'refs/heads/x' }, false, 'names no pull'],
    ['cannot be read', {}, true, 'what is open on #2 could not be read'],
  ])('fails if its pull request %s', async (_, patch, isRefused, message) => {
    for (const inputs of [{}, ONLY_MAJOR]) {
      const stage = await reviewStage(CLEAN);
      const refusal = { status: 200, body: { data: null, errors: [{ message: 'No.' }] } } as const;
      if (isRefused) stage.github.fail({ route: 'POST /graphql', ...refusal, times: 99 });
      const step = await stage.run({ inputs, ...queue(stage, patch) });
      expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'incomplete' } });
      expect(step.outputs['reason']).toMatch(/findings/);
      expect(told(step).join('\n')).toContain(message);
      expect(stage.model.requests()).toEqual([]);
    }
  });

  it('fails an agent without reviews if its commits cannot be read', async () => {
    const stage = await setStageInProcess({ base: { 'axe/agents/reviewer.toml': AGENT } });
    stage.github.fail({ route: COMPARE, ...BROKEN, times: 99 });
    const step = await stage.run(queue(stage));
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
    expect(told(step).join('\n')).toContain('nothing of the merge group could be read');
    expect(stage.model.requests()).toEqual([]);
  });
});

const PUSH: StageOptions = {
  event: { name: 'push', patch: { ref: 'refs/heads/master', after: 'c'.repeat(40) } },
};

it.each([
  ['a push is read whole', true, 0, 'whole'],
  ['a push cannot be read', false, 1, 'none'],
])('`coverage` decides where %s', async (_, isRead, exitCode, coverage) => {
  const stage = await setStageInProcess({ ...PUSH, base: BASE, diff: DIFF });
  if (!isRead) stage.github.fail({ route: COMPARE, ...BROKEN, times: 99 });
  const step = await stage.run({ inputs: { 'fail-on': 'failure, coverage' } });
  expect(step).toMatchObject({ exitCode, outputs: { coverage } });
  expect(stage.model.requests()).toHaveLength(1);
});

it.each([
  ['red', 'findings:major', 1],
  ['red', 'coverage', 1],
  ['red', 'checks', 1],
  ['green', 'timeout', 0],
])('a run that fails before it knows its findings is %s with `%s`', async (_, gate, exitCode) => {
  const stage = await reviewStage([]);
  const step = await stage.run({ inputs: { agent: 'nobody', 'fail-on': gate } });
  expect(step).toMatchObject({ exitCode, outputs: { conclusion: 'failure' } });
  expect(stage.model.requests()).toEqual([]);
});

it.each([
  ['', 1],
  ['none', 0],
])(
  '`fail-on: %j` is what it says: empty is the default, and `none` is none',
  async (failOn, exitCode) => {
    const stage = await reviewStage([]);
    const step = await stage.run({ inputs: { agent: 'nobody', 'fail-on': failOn } });
    expect(step).toMatchObject({ exitCode, outputs: { conclusion: 'failure' } });
  },
);

it.each<[string, StageOptions, boolean]>([
  ['a schedule', { event: { name: 'schedule', payload: schedulePayload('0 6 * * 1') } }, true],
  ['a push', PUSH, true],
  ['a comment on an issue', { event: { name: 'issue_comment', action: 'created' } }, false],
  ['a pull request', {}, false],
])(
  'a gate of findings on an event without any has one warning: %s',
  async (_, options, isWarned) => {
    const base = { 'axe/agents/reviewer.toml': AGENT };
    const stage = await setStageInProcess({ ...options, base });
    const step = await stage.run({ inputs: { 'fail-on': 'failure, findings:major' } });
    expect(step.exitCode).toBe(0);
    expect(troubles(step).map(({ message }) => message)).toEqual(
      isWarned
        ? [expect.stringMatching(/^`findings:major` in `fail-on` can never fail a run on `/)]
        : [],
    );
    expect(stage.model.requests()).toHaveLength(1);
  },
);
