import { expect, it } from '@jest/globals';
import { branchScene, NO_CACHE } from './branch-scene.js';
import { resultsIn } from './memory-scene.js';

it('keeps both attempts, the first as the model was given it (C3 55)', async () => {
  const { run, memory, model } = await branchScene({ isPrivate: true });
  const attempts = [
    await run({ runId: '7', runAttempt: '1', env: NO_CACHE }),
    await run({ runId: '7', runAttempt: '2', env: NO_CACHE }),
  ];
  expect(resultsIn(memory())).toEqual(['Answer 0.', 'Answer 1.']);
  expect([...memory().matchAll(/ run=(\S+) /g)].map(([, at]) => at)).toEqual(['7/1', '7/2']);
  expect(new Set(attempts.map(({ outputs }) => outputs['memory-entry-id'])).size).toBe(2);
  expect(resultsIn(model.prompts()[1]?.system ?? '')).toEqual(['Answer 0.']);
});
