import { expect, it } from '@jest/globals';
import { branchScene, NO_CACHE } from './branch-scene.js';
import { resultsIn } from './memory-scene.js';

it('C3 55: a second attempt of a run adds an entry, and receives that of the first', async () => {
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

it('C3 55: a second attempt of the failed jobs alone leaves the entries of the others unchanged', async () => {
  const { run, memory } = await branchScene({ isPrivate: true });
  const given = { runId: '7', env: NO_CACHE };
  await run({ ...given, runAttempt: '1', job: 'lint' });
  await run({ ...given, runAttempt: '1', job: 'review' });
  const before = memory();
  await run({ ...given, runAttempt: '2', job: 'review' });
  expect(memory().startsWith(before)).toBe(true);
  expect([...memory().matchAll(/ run=(\S+) job=(\S+) /g)].map(([, at, job]) => [at, job])).toEqual([
    ['7/1', 'lint'],
    ['7/1', 'review'],
    ['7/2', 'review'],
  ]);
  expect(new Set([...memory().matchAll(/ id=(\S+) /g)].map(([, id]) => id)).size).toBe(3);
});
