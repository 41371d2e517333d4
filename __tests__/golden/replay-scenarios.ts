import { describe, expect, it } from '@jest/globals';
import { DEVIATIONS, withoutErrorDetails, withRoomForThoughts } from './deviations.js';
import { asNewerAxe } from './newer-axe.js';
import { recordedOutcome, replay } from './replay.js';
import { loadScenario, type Scenario, scenarioNames } from './scenario.js';

/** How many test files replay the scenarios, so that they run side by side. */
export const PARTS = 2;

/** Declares the tests of one part of the scenarios, from 1 on. */
export function replayScenarios(part: number): void {
  for (const { name, scenario } of partOf(part)) {
    describe(`the command line does what axe did in ${name}`, () => {
      for (const step of scenario.steps) {
        const deviation = DEVIATIONS[`${name.slice(0, 2)}/${step.n}`];
        const title = `${step.n} ${step.what}`;
        it(
          deviation === undefined ? title : `${title}; ours differs: ${deviation.because}`,
          async () => {
            const axe = withRoomForThoughts(asNewerAxe(recordedOutcome(step)));
            const ours = await replay(scenario, step);
            expect(withoutErrorDetails(ours)).toEqual({ ...axe, ...deviation?.instead(axe) });
          },
        );
      }
    });
  }
}

interface Named {
  readonly name: string;
  readonly scenario: Scenario;
}

/** Every part gets scenarios with about as many steps: the longest first, each for the part that has the fewest so far. */
function partOf(part: number): readonly Named[] {
  const parts = Array.from({ length: PARTS }, () => ({ steps: 0, scenarios: [] as Named[] }));
  const all = scenarioNames().map((name) => ({ name, scenario: loadScenario(name) }));
  for (const one of all.toSorted((a, b) => b.scenario.steps.length - a.scenario.steps.length)) {
    const shortest = parts.reduce((least, other) => (other.steps < least.steps ? other : least));
    shortest.scenarios.push(one);
    shortest.steps += one.scenario.steps.length;
  }
  return parts[part - 1]?.scenarios ?? [];
}
