// Stands in for `fast-check` in all tests (jest.config.js): by its path here, since its name leads
// to this file.
import { appendFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import type {
  Arbitrary,
  IAsyncProperty,
  IProperty,
  Parameters,
  StringConstraints,
} from 'fast-check';
import fc from '../../node_modules/fast-check/lib/fast-check.js';

/** What a property may choose for itself: seed and path are one setting for all of them. */
type Settings<Values> = Omit<Parameters<Values>, 'seed' | 'path'>;

const RUNS = 100;
const factor = wholeNumber('PROPERTY_RUNS', 1);
fc.configureGlobal({ seed: wholeNumber('PROPERTY_SEED', 20_260_101) });

/**
 * Properties draw the same values in every run, so a run fails because of a change and never by
 * chance. `PROPERTY_SEED=<number>` draws other values, `PROPERTY_RUNS=<factor>` draws that many
 * times more of them. With `PROPERTY_LOG=<file>`, each property that holds adds a line with its
 * test file and its number of draws.
 */
function assert<Values>(
  property: IAsyncProperty<Values>,
  settings?: Settings<Values>,
): Promise<void>;
function assert<Values>(property: IProperty<Values>, settings?: Settings<Values>): void;
function assert<Values>(
  property: IAsyncProperty<Values> | IProperty<Values>,
  settings: Settings<Values> = {},
): Promise<void> | void {
  if ('seed' in settings || 'path' in settings)
    throw new Error(
      'A property takes its seed from PROPERTY_SEED; write a found case as a test of its own.',
    );
  const numRuns = (settings.numRuns ?? RUNS) * factor;
  const held = fc.assert(property, { ...settings, numRuns });
  if (held === undefined) return log(numRuns);
  return held.then(() => log(numRuns));
}

function log(draws: number): void {
  const file = process.env['PROPERTY_LOG'];
  if (file === undefined) return;
  const { testPath, currentTestName } = expect.getState();
  appendFileSync(file, `${JSON.stringify({ testPath, test: currentTestName, draws })}\n`);
}

function wholeNumber(name: string, fallback: number): number {
  const text = process.env[name];
  if (text === undefined || text === '') return fallback;
  if (!/^-?\d+$/.test(text) || (name === 'PROPERTY_RUNS' && Number(text) < 1))
    throw new Error(
      `${name}=${text}: expected a whole number${name === 'PROPERTY_RUNS' ? ' from 1 on' : ''}`,
    );
  return Number(text);
}

/**
 * As fast-check's own, and it draws the same. For `binary`, fast-check puts all 1,112,064
 * characters in a map, in every test file anew, only to find the number of a character; here it is
 * computed.
 */
function string(constraints: StringConstraints = {}): Arbitrary<string> {
  return fc.string(
    constraints.unit === 'binary' ? { ...constraints, unit: binaryUnit } : constraints,
  );
}

const SURROGATES = { first: 0xd800, count: 0x800 };
const LAST_CODE_POINT = 0x10ffff;

const binaryUnit = fc.nat({ max: LAST_CODE_POINT - SURROGATES.count }).map(
  (number) => String.fromCodePoint(number < SURROGATES.first ? number : number + SURROGATES.count),
  (character) => {
    const point = typeof character === 'string' ? (character.codePointAt(0) ?? -1) : -1;
    const isSurrogate = point >= SURROGATES.first && point < SURROGATES.first + SURROGATES.count;
    if (point < 0 || isSurrogate || character !== String.fromCodePoint(point))
      throw new Error(`not one character: ${character}`);
    return point < SURROGATES.first ? point : point - SURROGATES.count;
  },
);

export default { ...fc, assert, string };
