import { expect, it } from '@jest/globals';
import { setStage, told, troubles } from './stage.js';

const NONE = { 'memory-store': 'none' };
const REMEDY = 'Choose another `memory-store`, or limit each run with `max-cost-usd`.';

it.each<[string, Readonly<Record<string, string>>, RegExp]>([
  [
    'a run',
    { 'max-cost-usd-per-pr': '2' },
    /^warning: `max-cost-usd-per-pr` is not held: `memory-store: none` keeps nothing/,
  ],
  [
    '`mode: validate`',
    {
      mode: 'validate',
      agent: 'builtin/pr-reviewer',
      'max-cost-usd-per-pr': '2',
      'max-cost-usd-per-day': '5',
    },
    /^warning: `max-cost-usd-per-pr` and `max-cost-usd-per-day` are not held/,
  ],
])('a limit without a store is reported by %s, with the remedy', async (_, inputs, line) => {
  const stage = await setStage();
  const step = await stage.run({ inputs: { ...NONE, ...inputs } });
  expect(step.exitCode).toBe(0);
  const lines = told({ annotations: troubles(step) });
  expect(lines).toEqual([expect.stringMatching(line)]);
  expect(lines[0]).toContain(REMEDY);
});

it('a limit with a store causes no warning', async () => {
  const stage = await setStage();
  const step = await stage.run({ inputs: { 'max-cost-usd-per-pr': '2' } });
  expect(troubles(step)).toEqual([]);
});
