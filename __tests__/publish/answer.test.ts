import { expect, it } from '@jest/globals';
import { AxeError, type Warning } from '../../src/lib/errors.js';
import type { RunOutcome } from '../../src/lib/outcome.js';
import { reviewRemarks } from '../../src/publish/answer.js';
import { NOTHING_BUFFERED } from '../../src/review/buffered.js';
import { completed, exhausted, STATS } from '../helpers/reports.js';

const CUT = new AxeError('the answer was cut at 12 output tokens');

it.each<[string, RunOutcome, readonly RegExp[]]>([
  ['ended by itself', completed('Fine.'), []],
  [
    'was ended by a limit',
    exhausted('cost', 'So far.'),
    [/^Cut short: .*\. Not everything was reviewed; the next review covers it again\.$/],
  ],
  [
    'has a last reply that was cut off',
    { kind: 'incomplete', answer: 'So f', error: CUT, stats: STATS },
    [/^Cut short: the answer was cut at 12 output tokens\. Not everything was reviewed;/],
  ],
  [
    'had completed its answer',
    { ...exhausted('cost', 'All of it.'), isAnswered: true } as RunOutcome,
    [/^The last reply went over a limit: .*\.$/],
  ],
])('the remarks of a review whose run %s: %#', (_, outcome, remarks) => {
  expect(reviewRemarks(outcome, NOTHING_BUFFERED, [])).toEqual(
    remarks.map((remark) => expect.stringMatching(remark)),
  );
});

it('a review says that its pull request changes what steers it, and nothing of other warnings', () => {
  const warnings: readonly Warning[] = [
    { code: 'agent-changed-in-pull-request', message: 'the pull request changes `AGENTS.md`.' },
    { code: 'model-warning', message: 'It is slow.' },
  ];
  expect(reviewRemarks(completed('Fine.'), NOTHING_BUFFERED, warnings)).toEqual([
    'The pull request changes `AGENTS.md`.',
  ]);
});
