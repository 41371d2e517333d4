import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runMainHere } from '../helpers/run-main.js';
import { anyConfiguration } from './choices.js';
import { brokenPromises } from './promises.js';
import { openScene } from './scene.js';

/** The weekly `npm run soak` draws others for an hour. */
const RUNS = 40;

it('a run of any configuration keeps the promises of every run', async () => {
  const scene = await openScene();
  const conclusions = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(anyConfiguration, async (chosen) => {
      const observed = await scene.run(chosen, runMainHere);
      const { conclusion = '' } = observed.step.outputs;
      conclusions.set(conclusion, (conclusions.get(conclusion) ?? 0) + 1);
      expect(brokenPromises(chosen, observed)).toEqual([]);
    }),
    { numRuns: RUNS },
  );
  // Were every run to end in the same way, little would be shown.
  for (const conclusion of ['success', 'failure', 'skipped'])
    expect(conclusions.get(conclusion) ?? 0).toBeGreaterThan(RUNS / 20);
});
