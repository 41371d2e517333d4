import { expect, it } from '@jest/globals';
import { AxeError } from '../../src/lib/errors.js';
import { reviewRemarks } from '../../src/publish/answer-text.js';
import { completed, exhausted } from '../helpers/reports.js';

it('the remarks of a review are empty for a run that ended by itself', () => {
  expect(reviewRemarks(completed('Fine.'))).toEqual([]);
});

it('the remarks of a review state that a limit ended the run', () => {
  expect(reviewRemarks(exhausted('cost', 'So far.'))).toEqual([
    expect.stringMatching(
      /^Cut short: .*\. Not everything was looked at; the next review goes over it again\.$/,
    ),
  ]);
});

it('the remarks of a review state that the last reply was cut off', () => {
  const error = new AxeError('the answer was cut at 12 output tokens');
  const { stats } = completed('');
  const outcome = { kind: 'incomplete', answer: 'So f', error, stats } as const;
  expect(reviewRemarks(outcome)).toEqual([
    'Cut short: the answer was cut at 12 output tokens. Not everything was looked at; the next review goes over it again.',
  ]);
});

it('the remarks of a review do not call an answer cut short that the model had completed', () => {
  const outcome = { ...exhausted('cost', 'All of it.'), isAnswered: true } as const;
  expect(reviewRemarks(outcome)).toEqual([expect.stringMatching(/^The last reply went over a limit: .*\.$/)]);
});
