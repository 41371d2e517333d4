import { expect, it } from '@jest/globals';
import { reviewRemarks } from '../../../src/actions/publishing/review-remarks.js';
import type { Scope } from '../../../src/axe/review/scope.js';
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

it('says that a part was looked at, and that a limit ended it', () => {
  const part = 'Looked at what is new: aaaaaaa..bbbbbbb (0 of 3 files).';
  expect(reviewRemarks({ scope: PART }, completed('Fine.'))).toEqual([part]);
  expect(reviewRemarks({ scope: PART }, exhausted('cost', 'So far.'))).toEqual([
    part,
    expect.stringMatching(
      /^Cut short: .*\. Not everything was looked at; the next review goes over it again\.$/,
    ),
  ]);
});

it('says nothing of a whole review', () => {
  expect(
    reviewRemarks({ scope: { kind: 'full', why: 'again', before, ...reviewing } }, completed('Fine.')),
  ).toEqual([]);
  expect(reviewRemarks({}, completed('Fine.'))).toEqual([]);
});
