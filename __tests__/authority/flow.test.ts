import { writeFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { histories, isBroken, RULES } from './flow.js';

/** A tenth of what `npm run test:authority` draws. */
const HISTORIES = 2000;

/** Enough for each rule, which breaks a third of the histories or more. */
const WITHOUT = 60;

it('no run of our own is shown a stranger’s words, whatever runs carry on', async () => {
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(histories, async (steps) => {
      runs += steps.length;
      expect(await isBroken(steps)).toBe(false);
    }),
    { numRuns: HISTORIES },
  );
  expect(runs).toBeGreaterThan(15_000);
  const file = process.env['AUTHORITY_RUNS'];
  if (file !== undefined) writeFileSync(file, `${runs}`);
});

it.each(RULES)(
  'the rule of %s is needed: without it strangers’ words get through',
  async (rule) => {
    const drawn = fc.sample(histories, { numRuns: WITHOUT, seed: 1 });
    const broken = await Promise.all(drawn.map((steps) => isBroken(steps, rule)));
    expect(broken).toContain(true);
  },
);
