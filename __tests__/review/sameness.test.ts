import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codeId, codeOfId, readCode } from '../../src/review/code.js';
import { type Features, featuresOf } from '../../src/review/features.js';
import { readSketch, sketchOf } from '../../src/review/likeness.js';
import { decide, type EarlierFinding, type FreshFinding } from '../../src/review/sameness.js';
import { FIRST_PAIRS, LATER_PAIRS, type Pair, type WordedFinding } from './pairs.js';

/** How the text of a finding is known: as it was written, or only as its sketch. */
type Reading = (text: string) => Features;

const FROM_TEXT: Reading = featuresOf;
const FROM_SKETCH: Reading = (text) => readSketch(sketchOf(featuresOf(text))) ?? featuresOf('');

const FIRST_COUNTS = { right: { same: 20, different: 15 }, asked: 16, wrong: 1 };
const LATER_COUNTS = { right: { same: 8, different: 8 }, asked: 8, wrong: 0 };

describe('deciding if two findings are the same', () => {
  it.each([
    ['the texts of both', FROM_TEXT, FROM_TEXT],
    ['the sketch of the old one', FROM_SKETCH, FROM_TEXT],
    ['the sketches of both', FROM_SKETCH, FROM_SKETCH],
  ])('gives the measured verdicts with %s', (_, old, fresh) => {
    expect(FIRST_PAIRS).toHaveLength(52);
    expect(LATER_PAIRS).toHaveLength(24);
    expect(countVerdicts(FIRST_PAIRS, { old, fresh })).toEqual(FIRST_COUNTS);
    expect(countVerdicts(LATER_PAIRS, { old, fresh })).toEqual(LATER_COUNTS);
  });

  it('is wrong about one pair, two faults of one call on one line', () => {
    const wrong = [...FIRST_PAIRS, ...LATER_PAIRS].filter((pair) => {
      const { verdict } = decidePair(pair, { old: FROM_TEXT, fresh: FROM_TEXT });
      return verdict !== 'ask' && verdict !== pair[0];
    });
    expect(wrong.map(([, , old, fresh]) => [old[3], fresh[3]])).toEqual([
      [
        '`sort()` without a comparator orders numbers as text.',
        '`sort` changes the array of the caller, who relies on its order.',
      ],
    ]);
  });
});

const TEXT = '`user` may be null when the lookup finds nothing; `user.name` then throws.';
const CODE = 'return user.name.trim();';

describe('the place of two findings', () => {
  it.each([
    ['the same line', { line: 10 }, 'line', 'same'],
    ['code that moved', { line: 90, isPresent: false }, 'line', 'same'],
    ['code that occurs twice', { line: 60 }, 'file', 'different'],
    ['code that moved to another file', { path: 'src/old.ts', isPresent: false }, 'elsewhere', 'same'],
    ['code that is in another file', { path: 'src/old.ts' }, 'elsewhere', 'different'],
    ['a line that is not known', { line: undefined, isPresent: false, code: 'else {' }, 'file', 'same'],
  ] as const)('is decided by %s', (_, old: Partial<Old>, place, verdict) => {
    expect(decide(known(old), fresh({ line: 10 }))).toMatchObject({ place, verdict });
  });

  it('never treats two closing braces as one line of code', () => {
    const old = known({ path: 'src/old.ts', code: '}', isPresent: false });
    expect(decide(old, fresh({ line: 10, code: '}' })).verdict).toBe('different');
  });
});

it('two findings on one line are never called different without a question', () => {
  const texts = [...FIRST_PAIRS, ...LATER_PAIRS].flatMap(([, , one, other]) => [one, other]);
  const worded = fc.oneof(
    fc.constantFrom(...texts.map(([, , code, text]) => ({ code, text }))),
    fc.record({ code: fc.string({ maxLength: 80 }), text: fc.string({ unit: 'grapheme', maxLength: 200 }) }),
  );
  fc.assert(
    fc.property(worded, worded, fc.boolean(), (one, other, isPresent) => {
      const place = { path: 'src/a.ts', line: 10 };
      const old = { ...place, isPresent, code: readCode(one.code), features: FROM_SKETCH(one.text) };
      const now = { ...place, code: readCode(other.code), features: featuresOf(other.text) };
      expect(['same', 'ask']).toContain(decide(old, now).verdict);
    }),
  );
});

describe('a present line whose text is unknown', () => {
  const old = known({ line: 12, code: 'const name = user.name;' });

  it('turns a decision by proximity into a question', () => {
    expect(decide(old, fresh({ line: 10 })).verdict).toBe('same');
    expect(decide({ ...old, code: codeOfId(old.code.id) }, fresh({ line: 10 })).verdict).toBe('ask');
  });

  it('changes nothing on exactly the same line', () => {
    const same = { ...old, line: 10, code: codeOfId(codeId(CODE)) };
    expect(decide(same, fresh({ line: 10 })).verdict).toBe('same');
  });
});

interface Old {
  readonly path: string;
  readonly line: number | undefined;
  readonly isPresent: boolean;
  readonly code: string;
}

function known(old: Partial<Old>): EarlierFinding {
  const { code, ...place } = { path: 'src/user.ts', line: 10, isPresent: true, code: CODE, ...old };
  return { ...place, code: readCode(code), features: featuresOf(TEXT) };
}

function fresh({ line, code = CODE }: { readonly line: number; readonly code?: string }): FreshFinding {
  return { path: 'src/user.ts', line, code: readCode(code), features: featuresOf(TEXT) };
}

interface Readings {
  readonly old: Reading;
  readonly fresh: Reading;
}

function countVerdicts(pairs: readonly Pair[], readings: Readings): typeof FIRST_COUNTS {
  const counts = { right: { same: 0, different: 0 }, asked: 0, wrong: 0 };
  for (const pair of pairs) {
    const { verdict } = decidePair(pair, readings);
    if (verdict === 'ask') counts.asked += 1;
    else if (verdict === pair[0]) counts.right[verdict] += 1;
    else counts.wrong += 1;
  }
  return counts;
}

/** Of a removed line only the id is known, as in a state file. */
function decidePair([, at, old, fresh]: Pair, readings: Readings): ReturnType<typeof decide> {
  const [path, line, code, text] = old;
  const stands = at === 'stands';
  const features = readings.old(text);
  return decide(
    { path, line, isPresent: stands, features, code: stands ? readCode(code) : codeOfId(codeId(code)) },
    readFresh(fresh, readings.fresh),
  );
}

function readFresh([path, line = 0, code, text]: WordedFinding, read: Reading): FreshFinding {
  return { path, line, code: readCode(code), features: read(text) };
}
