import { expect, it } from '@jest/globals';
import { startCacheServer } from '../helpers/cache-server.js';
import { startModelServer, text } from '../helpers/model-server.js';
import { runMain } from '../helpers/run-action.js';
import { allRemembering, countEntries, resultsIn, scheduledStep } from '../transcripts/memory-scene.js';
import { troubles } from '../transcripts/stage.js';

const RUNS = 20;

/** Of the twenty the last eight are the jobs of a matrix: one run, one attempt, one name. */
function runOf(index: number): string {
  return String(Math.min(index, RUNS - 8));
}

it('C3 36: twelve runs and a matrix of eight jobs in one run, all at once, lose no entry in the cache', async () => {
  const cache = await startCacheServer();
  const model = await startModelServer((_, index) => text(`Answer ${index}.`));
  const steps = await Promise.all(
    Array.from({ length: RUNS }, (_, index) =>
      runMain(scheduledStep({ model, cache }, { runId: runOf(index) })),
    ),
  );
  for (const step of steps) {
    expect(step).toMatchObject({ exitCode: 0, stderr: '' });
    expect(troubles(step)).toEqual([]);
    expect(step.outputs['memory-saved']).toBe('true');
  }
  const last = await runMain(
    scheduledStep({ model, cache }, { workspace: allRemembering(), inputs: { agent: 'ask' } }),
  );
  expect(last.outputs['memory-loaded']).toBe(String(RUNS));
  const { system = '' } = model.prompts().at(-1) ?? {};
  expect(countEntries(system)).toBe(RUNS);
  expect([...resultsIn(system)].sort()).toEqual(
    Array.from({ length: RUNS }, (_, index) => `Answer ${index}.`).sort(),
  );
});
