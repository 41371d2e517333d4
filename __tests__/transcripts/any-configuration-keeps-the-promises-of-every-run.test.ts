import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyConfiguration } from '../configurations/choices.js';
import { brokenPromises } from '../configurations/promises.js';
import { openScene } from '../configurations/scene.js';
import { runMain } from '../helpers/run-action.js';

/** A sample of what `configurations/` draws in one process: each is a process of its own here. */
const RUNS = 10;

it('any configuration keeps the promises through the built action', async () => {
  const scene = await openScene();
  await fc.assert(
    fc.asyncProperty(anyConfiguration, async (chosen) => {
      expect(brokenPromises(chosen, await scene.run(chosen, runMain))).toEqual([]);
    }),
    { numRuns: RUNS },
  );
});
