import { describe, expect, it } from '@jest/globals';
import { featuresOf } from '../../src/review/features.js';
import type { KnownFinding } from '../../src/review/known.js';
import { sketchOf } from '../../src/review/likeness.js';
import { type Candidate, candidateOf, candidateOfPlaced, findMatch } from '../../src/review/match.js';
import { finding, LINES, placed } from './change.js';
import { known } from './threads.js';

const CODE = 'query("SELECT " + user.id);';
const TEXT = 'User id reaches the SQL query unescaped\nThe id is put into the query as it is; bind it.';
const OTHER_TEXT = 'Timeout is counted in seconds\nThe retry waits a thousand times too long.';

type Told = Partial<Candidate> & ({ readonly text: string } | { readonly sketch: string });

function candidate(parts: Told): Candidate {
  return { path: 'src/auth.ts', line: 10, isPresent: true, code: CODE, ...parts };
}

function match(...candidates: readonly Candidate[]) {
  const found = findMatch(
    finding({ code: CODE }),
    candidates.map((one, index) => [one, index] as const),
  );
  return found === undefined ? undefined : [found.verdict, found.place, found.of];
}

describe('the earlier finding that matches a new one', () => {
  it.each<[string, Candidate, unknown]>([
    ['is one in other words on the same line', candidate({ text: TEXT }), ['same', 'line', 0]],
    [
      'is one of which only a sketch is kept',
      candidate({ sketch: sketchOf(featuresOf(TEXT)) }),
      ['same', 'line', 0],
    ],
    [
      'causes a question if another defect is on the same line',
      candidate({ text: OTHER_TEXT }),
      ['ask', 'line', 0],
    ],
    [
      'causes a question if the sketch is empty and the line the same',
      candidate({ sketch: '' }),
      ['ask', 'line', 0],
    ],
    [
      'is one whose line has gone, and whose code is here',
      candidate({ text: TEXT, line: undefined, isPresent: false }),
      ['same', 'line', 0],
    ],
    [
      'is none with other words elsewhere',
      candidate({ text: OTHER_TEXT, line: 40, code: 'line 39;' }),
      undefined,
    ],
    [
      'is not found in another file while the first one is open',
      candidate({ text: TEXT, path: 'src/b.ts' }),
      undefined,
    ],
    [
      'is one of a file that was deleted',
      candidate({ text: TEXT, path: 'src/b.ts', line: undefined, isPresent: false }),
      ['same', 'elsewhere', 0],
    ],
    ['is none of which nothing can be read', candidate({ sketch: '*' }), undefined],
  ])('%s', (_, one, expected) => {
    expect(match(one)).toEqual(expected);
  });

  it('is preferably one that is the same, before one that needs a question, and then the most similar', () => {
    const near = candidate({ text: `${TEXT}\n${OTHER_TEXT}`, line: 11, code: 'return user;' });
    expect(match(candidate({ text: OTHER_TEXT }), candidate({ text: TEXT }))).toEqual(['same', 'line', 1]);
    expect(match(candidate({ text: `${TEXT} ${OTHER_TEXT}` }), candidate({ text: TEXT }), near)?.[2]).toBe(1);
    expect(match()).toBeUndefined();
  });
});

describe('an earlier finding in the newest version', () => {
  it.each<[string, Partial<KnownFinding>, Partial<Candidate>]>([
    ['is where GitHub says', { line: 12 }, { line: 12, isPresent: true }],
    ['is where its code is now', { line: undefined }, { line: 10, isPresent: true }],
    [
      'is nowhere once its code is removed',
      { line: undefined, code: 'exec(user.id);' },
      { line: undefined, isPresent: false },
    ],
    [
      'is in the file of the new name',
      { path: 'src/old-name.ts', line: undefined, code: 'const v5 = five();' },
      { path: 'src/new-name.ts', line: 5, isPresent: true },
    ],
    [
      'keeps the name of a file that is not in the diff',
      { path: 'src/b.ts', line: undefined },
      { path: 'src/b.ts', isPresent: false },
    ],
    [
      'is not found by a line that says nothing',
      { line: undefined, code: '}' },
      { line: undefined, isPresent: false },
    ],
    ['is not found by an unknown line', { line: undefined, code: '' }, { line: undefined, isPresent: false }],
  ])('%s', (_, parts, expected) => {
    expect(candidateOf(known(parts), LINES)).toMatchObject(expected);
  });

  it('is a finding of this run if the comparison is within the run', () => {
    expect(candidateOfPlaced(placed({ title: 'T', body: 'B', trigger: 'W' }))).toEqual({
      path: 'src/auth.ts',
      line: 10,
      isPresent: true,
      code: CODE,
      text: 'T\nB\nW',
    });
  });
});
