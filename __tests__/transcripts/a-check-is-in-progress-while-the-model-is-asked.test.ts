import { expect, it } from '@jest/globals';
import { type ModelReply, text } from '../helpers/model-server.js';
import { CHANGE, calls, REVIEWER, submit, TIMING } from './review-scene.js';
import { HEAD, type StageOptions, setStage } from './stage.js';

const CLEAN: readonly ModelReply[] = [calls(submit('I found nothing wrong.')), text('Reviewed.')];
const INPUTS = { 'check-run': 'true' };

async function stageWith(model: StageOptions['model'] = CLEAN) {
  return await setStage({ base: { 'axe/agents/reviewer.toml': REVIEWER }, diff: CHANGE, model });
}

it('a check shows what is being read, and is completed by the same run', async () => {
  const stage = await stageWith();
  const seen: unknown[] = [];
  stage.model.onRequest(() => seen.push(stage.repo.talk.checkRuns.map((run) => ({ ...run }))));
  const step = await stage.run({ inputs: INPUTS });
  expect(seen.at(-1)).toMatchObject([
    { headSha: HEAD, name: 'reviewer', status: 'in_progress', title: 'Reading 1 file' },
  ]);
  expect(stage.repo.talk.checkRuns).toMatchObject([
    { status: 'completed', conclusion: 'success', title: 'No findings · whole' },
  ]);
  expect(step.summary).toMatch(/^\[Check of the commit\]\(https:\S+\)\n/m);
});

it('a check is ended by the post step of a run that was killed', async () => {
  const stage = await stageWith([{ kind: 'stall' }]);
  const options = { inputs: INPUTS };
  const running = stage.start(options);
  stage.github.onRequest(({ method, path }) => {
    if (method === 'POST' && path.endsWith('/check-runs')) running.kill('SIGKILL');
  });
  const main = await running.finished;
  expect(main.signal).toBe('SIGKILL');
  expect(stage.repo.talk.checkRuns).toMatchObject([{ status: 'in_progress' }]);
  const post = await stage.post(main, options);
  expect(post).toMatchObject({ exitCode: 0, stderr: '' });
  expect(stage.repo.talk.checkRuns).toMatchObject([
    { status: 'completed', conclusion: 'cancelled', title: 'Stopped before its end' },
  ]);
  await stage.post(main, options);
  expect(stage.repo.talk.checkRuns).toHaveLength(1);
});

it('a check is shared by the jobs of a matrix that run one agent, and none hides what another found', async () => {
  const stage = await stageWith([calls(TIMING, submit('Must not be merged.')), text('Reviewed.'), ...CLEAN]);
  const inputs = { ...INPUTS, 'block-on': 'major' };
  await stage.run({ inputs });
  await stage.run({ inputs });
  expect(stage.repo.talk.checkRuns).toMatchObject([
    { status: 'completed', conclusion: 'failure', title: '1 major open · whole' },
  ]);
});

it('a check shows that a run failed, or that one was cancelled', async () => {
  const failed = await stageWith([{ kind: 'raw', status: 401, body: { error: { message: 'no' } } }]);
  await failed.run({ inputs: INPUTS });
  expect(failed.repo.talk.checkRuns).toMatchObject([
    { status: 'completed', conclusion: 'neutral', title: 'The run failed' },
  ]);
  const cancelled = await stageWith([{ kind: 'stall' }]);
  const running = cancelled.start({ inputs: INPUTS });
  cancelled.model.onRequest(() => running.kill('SIGTERM'));
  const step = await running.finished;
  expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'cancelled' } });
  expect(cancelled.repo.talk.checkRuns).toMatchObject([
    { status: 'completed', conclusion: 'cancelled', title: 'Cancelled' },
  ]);
});
