import { describe, expect, it } from '@jest/globals';
import { DEVIATIONS, withoutErrorDetails } from './deviations.js';
import { asNewerAxe } from './newer-axe.js';
import { recordedOutcome, replay } from './replay.js';
import { loadScenario, scenarioNames } from './scenario.js';

describe.each(scenarioNames())('the command line does what axe did in %s', (name) => {
  const scenario = loadScenario(name);
  for (const step of scenario.steps) {
    const deviation = DEVIATIONS[`${name.slice(0, 2)}/${step.n}`];
    const title = `${step.n} ${step.what}`;
    it(deviation === undefined ? title : `${title}; ours differs: ${deviation.because}`, async () => {
      const axe = asNewerAxe(recordedOutcome(step));
      const ours = await replay(scenario, step);
      expect(withoutErrorDetails(ours)).toEqual({ ...axe, ...deviation?.instead(axe) });
    });
  }
});

describe('the table of deviations', () => {
  it.each(Object.keys(DEVIATIONS))('names a recorded step: %s', (key) => {
    const [scenario, n] = key.split('/');
    const name = scenarioNames().find((candidate) => candidate.startsWith(`${scenario}-`)) ?? '';
    expect(loadScenario(name).steps.map((step) => step.n)).toContain(n);
  });
});
