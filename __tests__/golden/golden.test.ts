import { readdirSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { DEVIATIONS } from './deviations.js';
import { PARTS } from './replay-scenarios.js';
import { loadScenario, scenarioNames } from './scenario.js';

it.each(Object.keys(DEVIATIONS))('the table of deviations names a recorded step: %s', (key) => {
  const [scenario, n] = key.split('/');
  const name = scenarioNames().find((candidate) => candidate.startsWith(`${scenario}-`)) ?? '';
  expect(loadScenario(name).steps.map((step) => step.n)).toContain(n);
});

it('a file exists for each part of the scenarios', () => {
  const files = readdirSync(import.meta.dirname).filter((file) =>
    /^golden\.part-\d+\.test\.ts$/.test(file),
  );
  expect(files.sort()).toEqual(
    Array.from({ length: PARTS }, (_, index) => `golden.part-${index + 1}.test.ts`),
  );
});
