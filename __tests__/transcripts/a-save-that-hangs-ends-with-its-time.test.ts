import { expect, it } from '@jest/globals';
import { jumpEnv } from '../helpers/clock-env.js';
import { type RunningStep, type StepResult, startStep } from '../helpers/run-action.js';
import { branchScene, earlierEntry, NO_CACHE } from './branch-scene.js';
import { expectNotSavedReported, resultsIn } from './memory-scene.js';

it('a commit that GitHub does not answer takes no longer than its time limit, in the post step either', async () => {
  const COMMIT = 'createCommitOnBranch';
  const scene = await branchScene({ branch: { 'ask.md': earlierEntry('Before.') } });
  scene.github.fail({ route: 'POST /graphql', contains: COMMIT, status: 'stall', times: 99 });
  let running: RunningStep | undefined;
  let hung = 0;
  // The time of the step jumps whenever it waits for the answer.
  scene.github.onRequest(({ bytes }) => {
    if (!bytes.includes(COMMIT)) return;
    hung += 1;
    running?.kill('SIGUSR2');
  });
  const run = async (start: () => RunningStep): Promise<StepResult> => {
    running = start();
    return await running.finished.finally(() => {
      running = undefined;
    });
  };

  const options = scene.step({ env: { ...NO_CACHE, ...jumpEnv(46_000) } });
  const main = await run(() => startStep('main', options));
  expect(expectNotSavedReported(main, 'Answer 0.')).toMatch(
    /: there was no answer in time; gave up after 3 attempts in 1\d\d s\. \S/,
  );
  expect(hung).toBe(3);

  const { workspace, state } = main;
  const post = await run(() => startStep('post', { ...options, workspace, state }));
  expect(post).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
  expect(post.log).toMatch(/^Memory: still not saved: .*\b\d attempts in 1\d\d s\b/m);
  expect(hung).toBe(6);
  expect(resultsIn(scene.memory())).toEqual(['Before.']);
});
