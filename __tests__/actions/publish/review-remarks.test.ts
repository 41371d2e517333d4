import { expect, it } from '@jest/globals';
import { reviewRemarks } from '../../../src/actions/publish/review-remarks.js';
import { AxeError } from '../../../src/core/errors.js';
import type { Scope } from '../../../src/core/review/scope.js';
import { completed, exhausted } from '../../helpers/reports.js';

const reviewing = { head: 'b'.repeat(40), filesTotal: 3 };
const before = { last: 'a'.repeat(40), wasCut: false };
const PART: Scope = {
  kind: 'since',
  from: before.last,
  before,
  change: { diff: '', files: [], filesTotal: 0 },
  hasMerge: false,
  ...reviewing,
};

const TASK = { sentence: 'Review.', message: 'Review.', warnings: [] };

it('says that a part was looked at, and that a limit ended it', () => {
  const part = 'Looked at what is new: aaaaaaa..bbbbbbb (0 of 3 files).';
  expect(reviewRemarks({ scope: PART, task: TASK }, completed('Fine.'))).toEqual([part]);
  expect(reviewRemarks({ scope: PART, task: TASK }, exhausted('cost', 'So far.'))).toEqual([
    part,
    expect.stringMatching(
      /^Cut short: .*\. Not everything was looked at; the next review goes over it again\.$/,
    ),
  ]);
});

it('says that the last reply was cut', () => {
  const error = new AxeError('the answer was cut at 12 output tokens');
  const { stats } = completed('');
  const outcome = { kind: 'incomplete', answer: 'So f', error, stats } as const;
  expect(reviewRemarks({ task: TASK }, outcome)).toEqual([
    'Cut short: the answer was cut at 12 output tokens. Not everything was looked at; the next review goes over it again.',
  ]);
});

it('says nothing of a whole review', () => {
  expect(
    reviewRemarks(
      { scope: { kind: 'full', why: 'again', before, ...reviewing }, task: TASK },
      completed('Fine.'),
    ),
  ).toEqual([]);
  expect(reviewRemarks({ task: TASK }, completed('Fine.'))).toEqual([]);
});

it('names what did not fit, and how many more', () => {
  const unseen = (number: number) => ({ task: { ...TASK, unseen: PATHS.slice(0, number) } });
  expect(reviewRemarks(unseen(1), completed('Fine.'))).toEqual([
    'Not shown to the model, or not whole: `src/0.ts` (it is too large for `max-diff-tokens`, or for GitHub to show).',
  ]);
  expect(reviewRemarks(unseen(7), completed('Fine.'))).toEqual([
    'Not shown to the model, or not whole: `src/0.ts`, `src/1.ts`, `src/2.ts`, `src/3.ts`, `src/4.ts` and 2 more (they are too large for `max-diff-tokens`, or for GitHub to show).',
  ]);
});

const PATHS = Array.from({ length: 7 }, (_, index) => `src/${index}.ts`);

it('does not call cut short what the model had ended', () => {
  const outcome = { ...exhausted('cost', 'All of it.'), isAnswered: true } as const;
  expect(reviewRemarks({ task: TASK }, outcome)).toEqual([
    expect.stringMatching(/^The last reply went over a limit: .*\.$/),
  ]);
});
