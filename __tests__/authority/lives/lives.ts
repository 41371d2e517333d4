import fc from 'fast-check';
import type { Severity } from '../../../src/findings/finding.js';
import { PUSH_NAMES } from './code.js';
import { STRANGER, WRITER } from './github.js';
import { GESTURE_NAMES } from './people.js';
import { type Breach, Judge, PROMISES } from './promises.js';
import type { Setup } from './runs.js';
import { FAULTS, type Fault } from './wire.js';
import { type Step, World } from './world.js';

export interface Life {
  readonly setup: Setup;
  readonly steps: readonly Step[];
}

type Does = Step['does'];

/** Most steps are reviews: without them nothing is read or said. */
const RUNS: readonly Does[] = [
  ...Array<Does>(8).fill('review'),
  'skip',
  'skip',
  'start',
  'start',
  'finish',
  'finish',
  'finish',
  'loseMemory',
];
const PUSHES: readonly Does[] = [
  ...PUSH_NAMES,
  'fix',
  'cut',
  'touch',
  'commitSuggestion',
  'commitSuggestion',
];
const GESTURES: readonly Does[] = [...GESTURE_NAMES, 'resolve', 'unresolve'];

const steps: fc.Arbitrary<Step> = fc.record({
  does: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...RUNS) },
    { weight: 4, arbitrary: fc.constantFrom(...PUSHES) },
    { weight: 4, arbitrary: fc.constantFrom(...GESTURES) },
  ),
  n: fc.nat(11),
  m: fc.nat(11),
  agent: fc.nat(1),
  who: fc.constantFrom(WRITER, WRITER, STRANGER),
  fault: fc.oneof(
    { weight: 8, arbitrary: fc.constant<Fault>('none') },
    { weight: 2, arbitrary: fc.constantFrom(...FAULTS) },
  ),
  mind: fc.constantFrom('good', 'good', 'good', 'sloppy', 'evil'),
});

const setups: fc.Arbitrary<Setup> = fc
  .record({
    word: fc.constantFrom('own', 'own', 'own', 'mixed', 'guest', 'fork', 'fork'),
    hasState: fc.constantFrom(true, true, false),
    canResolve: fc.constantFrom(true, true, false),
    authorMayWrite: fc.boolean(),
    maxComments: fc.constantFrom(10, 1),
    blockOn: fc.constantFrom<(Severity | undefined)[]>('major', 'critical', undefined),
    failOn: fc.constantFrom<(Severity | undefined)[]>(undefined, undefined, 'minor'),
    agents: fc.constantFrom(['x'], ['x'], ['x', 'y']),
  })
  .map((setup) => (setup.word === 'fork' ? { ...setup, authorMayWrite: false } : setup));

/** Lives of a pull request. */
export const lives: fc.Arbitrary<Life> = fc.record({
  setup: setups,
  steps: fc.array(steps, { minLength: 5, maxLength: 30, size: 'max' }),
});

/** A life that broke a promise, and after which step. */
interface BrokenLife {
  readonly step: number;
  readonly breaches: readonly Breach[];
}

/** Plays a life until a promise is broken; undefined if none is. */
export async function play({ setup, steps: all }: Life): Promise<BrokenLife | undefined> {
  const world = new World(setup);
  const judge = new Judge();
  for (const [index, step] of all.entries()) {
    await world.step(step);
    const breaches = judge.judge(world, step);
    if (breaches.length > 0) return { step: index + 1, breaches };
  }
  return undefined;
}

/** A broken life as a list that people can read, and write as a test. */
export function describeLife({ setup, steps: all }: Life, { step, breaches }: BrokenLife): string {
  const happened = all.slice(0, step).map(({ does, n, m, ...rest }, index) => {
    const { who, mind, fault, agent } = rest;
    return `${index + 1}. ${does} n: ${n}, m: ${m}, who: '${who}', mind: '${mind}', fault: '${fault}', agent: ${agent}`;
  });
  const broken = breaches.map(({ promise, text }) => `${promise}: ${PROMISES[promise]} ${text}`);
  return [JSON.stringify(setup), ...happened, ...broken].join('\n');
}
