import { expect, it } from '@jest/globals';
import { type ModelReply, text } from '../helpers/model-server.js';
import { loadWebhook } from '../helpers/webhooks.js';
import { CHANGE, calls, push, REVIEWER, SECOND, submit } from './review-scene.js';
import { HEAD, type StageEvent, type StageOptions, told } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

const CLEAN: readonly ModelReply[] = [calls(submit('I found nothing wrong.')), text('Reviewed.')];
const CHECK = { 'check-run': 'true' };

type Inputs = Readonly<Record<string, string>>;

async function stageWith(options: StageOptions = {}) {
  const base = { 'axe/agents/reviewer.toml': REVIEWER };
  return await setStageInProcess({ base, diff: CHANGE, model: [...CLEAN, ...CLEAN], ...options });
}

function pullRequest(action: string, patch: StageEvent['patch'] = {}): StageEvent {
  const payload = loadWebhook('pull_request', 'opened', patch);
  return { name: 'pull_request', payload: { ...payload, action } };
}

function labeled(name: string): StageEvent {
  const { payload = {} } = pullRequest('labeled');
  return { name: 'pull_request', payload: { ...payload, label: { name } } };
}

it.each<[string, StageOptions, Inputs, string]>([
  ['closed', { event: pullRequest('closed', { 'pull_request.state': 'closed' }) }, {}, 'is closed or merged'],
  [
    'closed',
    { event: pullRequest('labeled', { 'pull_request.state': 'closed' }) },
    {},
    'is closed or merged',
  ],
  ['no-change', { event: pullRequest('edited') }, {}, 'changes nothing in the diff'],
  ['no-change', { event: pullRequest('assigned') }, {}, 'Remove `assigned` from the `types:` of the event.'],
  ['nothing-to-review', { diff: '' }, {}, 'it changes no file'],
  ['nothing-to-review', {}, { paths: 'docs/**' }, '`paths` leaves out every file that it changes'],
])(
  'the run is skipped, with the reason, before a model is called: %s, %#',
  async (reason, options, inputs, why) => {
    const stage = await stageWith(options);
    const step = await stage.run({ inputs });
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'skipped', reason } });
    expect(stage.model.requests()).toEqual([]);
    expect(stage.repo.talk.reviews).toEqual([]);
    expect(told(step)).toEqual([expect.stringContaining(why)]);
    expect(step.summary).toContain(why);
  },
);

it('a label reviews no commit again', async () => {
  const stage = await stageWith();
  await stage.run();
  const asked = stage.model.requests().length;
  const again = await stage.run({ event: { name: 'pull_request', payload: labeled('bug').payload ?? {} } });
  expect(again.outputs).toMatchObject({ conclusion: 'skipped', reason: 'nothing-new' });
  expect(told(again)).toEqual([
    expect.stringContaining('Commit ec26c3e of pull request #2 was reviewed before.'),
  ]);
  expect(stage.model.requests()).toHaveLength(asked);
});

it('a merge of the base that brings no file is not reviewed, and its check holds the earlier findings', async () => {
  const stage = await stageWith();
  await stage.run({ inputs: CHECK });
  const asked = stage.model.requests().length;
  const step = await stage.run({ ...push(stage, SECOND, CHANGE, ''), inputs: CHECK });
  expect(step.outputs).toMatchObject({ conclusion: 'skipped', reason: 'nothing-new' });
  expect(stage.model.requests()).toHaveLength(asked);
  expect(stage.repo.talk.reviews).toHaveLength(1);
  expect(stage.repo.talk.checkRuns).toMatchObject([
    { headSha: HEAD, conclusion: 'success', title: 'No findings · whole' },
    {
      headSha: SECOND,
      conclusion: 'success',
      title: 'No findings · whole',
      summary: expect.stringMatching(/^Nothing to review has changed .* since ec26c3e\.$/),
    },
  ]);
});

it('the check is neutral if nothing was to be reviewed', async () => {
  const stage = await stageWith();
  await stage.run({ inputs: { ...CHECK, paths: 'docs/**' } });
  expect(stage.repo.talk.checkRuns).toMatchObject([
    { headSha: HEAD, status: 'completed', conclusion: 'neutral', title: 'Nothing was reviewed' },
  ]);
});
