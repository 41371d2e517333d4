import { describe, expect, it } from '@jest/globals';
import { rightsOf } from '../../src/event/trust.js';
import {
  type BufferedPublications,
  NO_PUBLICATIONS,
} from '../../src/findings/buffered-publications.js';
import {
  applyToLedger,
  type FindingChanges,
  type LedgerContext,
} from '../../src/findings/decide/ledger.js';
import type { KnownFinding, Settlement } from '../../src/findings/known-finding.js';
import { formatEarlierFindings } from '../../src/findings/post/finding-texts.js';
import { findingRecords } from '../../src/findings/post/record.js';
import { finding, LINES, placed } from './change.js';
import { CODE, HEAD, known, ledgerOf, lesson, otherKnown } from './threads.js';

const WORDS = { how: 'fixed', reason: 'It is bound.', evidence: [], by: '' } as const;
const FIXED: Settlement = { ...WORDS, finding: known(), isAgreed: true };
const FRAME = { head: HEAD, clean: (text: string) => text };

function act(
  earlier: readonly KnownFinding[],
  buffered: Partial<BufferedPublications> = {},
  about: Partial<LedgerContext> = {},
) {
  const ledger = ledgerOf(earlier, about);
  const all = { ...NO_PUBLICATIONS, ...buffered };
  const news = applyToLedger(ledger, all, new Set(earlier.map(({ id }) => id)), LINES);
  return { ledger, news, records: findingRecords({ ledger, news, buffered: all }, 'https://x/r') };
}

/** What there is of each kind, by handle. */
function countsOf({ fresh, kept, heldBack, ended, back, claimed }: FindingChanges): string {
  const counts = { fresh, kept, heldBack, ended, back, claimed };
  return Object.entries(counts)
    .flatMap(([name, { length }]) => (length === 0 ? [] : [`${length} ${name}`]))
    .join(', ');
}

const AGAIN = [{ of: known(), finding: finding({ code: CODE }) }];
const DISMISSED = [known({ state: 'dismissed' })];
const PASSED_ON: Settlement = { ...FIXED, how: 'dismissed', by: 'octocat' };
const UNAGREED = { ...FIXED, isAgreed: false };
const UNCLEAR = { finding: finding(), why: 'unclear', reason: 'R' } as const;
const MILD = { ...UNCLEAR, why: 'below-min-severity' } as const;
const DATA = placed({ category: 'data' });
const LOCK = placed({ title: 'The lock is held from the start' });
const ELSEWHERE = { lessons: [lesson()] };
const COMMITTED = known({ isGone: true, suggestion: 'return user;' });
const BY_WRITER = { isPushByWriter: true };
const SETTLED = known({ state: 'settled', by: 'model', why: 'fixed' });

describe('what a run wants, held against the findings as they are now', () => {
  it.each<
    [
      string,
      readonly KnownFinding[],
      Partial<BufferedPublications>,
      Partial<LedgerContext>,
      string,
      readonly string[],
    ]
  >([
    ['a new finding', [], { findings: [placed()] }, {}, '1 fresh', ['open']],
    [
      'one that another run has posted',
      [known()],
      { findings: [placed()] },
      {},
      '1 kept',
      ['open'],
    ],
    [
      'one whose dismissal it passes on',
      [known()],
      { settlements: [PASSED_ON], findings: [placed()] },
      {},
      '1 heldBack, 1 ended',
      ['dismissed'],
    ],
    [
      'one that was dismissed',
      DISMISSED,
      { findings: [placed()] },
      {},
      '1 heldBack',
      ['dismissed'],
    ],
    ['two faults on one line', [], { findings: [placed(), LOCK] }, {}, '2 fresh', ['open', 'open']],
    [
      'another fault on the line of an open one',
      [known()],
      { findings: [LOCK] },
      {},
      '1 fresh',
      ['open', 'open'],
    ],
    ['one dismissed elsewhere', [], { findings: [DATA] }, ELSEWHERE, '1 heldBack', ['held-back']],
    ['an open one again', [known()], { repeated: AGAIN }, {}, '1 kept', ['open']],
    [
      'one again that was dismissed',
      DISMISSED,
      { repeated: AGAIN },
      {},
      '1 heldBack',
      ['dismissed'],
    ],
    ['an end', [known()], { settlements: [FIXED] }, {}, '1 ended', ['settled']],
    ['an end without a second look', [known()], { settlements: [UNAGREED] }, {}, '', ['open']],
    [
      'an end of what has ended meanwhile',
      [SETTLED],
      { settlements: [FIXED] },
      {},
      '',
      ['settled'],
    ],
    [
      'the same by a stranger',
      [SETTLED],
      { settlements: [FIXED] },
      { rights: rightsOf('fork') },
      '',
      ['settled'],
    ],
    ['a committed suggestion alone', [COMMITTED], {}, BY_WRITER, '1 ended', ['settled']],
    [
      'that of one opened by a person',
      [{ ...COMMITTED, by: 'person' }],
      {},
      BY_WRITER,
      '',
      ['open'],
    ],
    ['what a second look took out', [], { refuted: [UNCLEAR] }, {}, '', ['unclear']],
    ['what it found too mild to post', [], { refuted: [MILD] }, {}, '', ['held-back']],
  ])('is %s', (_, ...[earlier, buffered, about, expected, states]) => {
    const { news, records } = act(earlier, buffered, about);
    expect(countsOf(news)).toBe(expected);
    expect(records.map(({ state }) => state)).toEqual(states);
  });

  it('is told to other programs, each finding once and the worst first', () => {
    const held = { finding: finding({ severity: 'nit' }), of: lesson() };
    const earlier = [otherKnown({ state: 'dismissed' })];
    const { records } = act(earlier, { findings: [placed()], heldBack: [held, held] });
    expect(records.map(({ state, isNew, url }) => [state, isNew === true, url])).toEqual([
      ['dismissed', false, undefined],
      ['open', true, 'https://x/r'],
      ['held-back', false, undefined],
    ]);
  });
});

describe('the lines of a review about earlier findings', () => {
  const LINK =
    '[The query is built from the id](https://github.com/octocat/hello/pull/42#discussion_r1) · FQ7K2';
  const END = { rev: 2, by: 'model', state: 'settled' } as const;

  function linesOf(...given: Parameters<typeof act>) {
    const { ledger, news } = act(...given);
    return formatEarlierFindings({ ledger, news, ...FRAME }).map(({ line }) => line);
  }

  it.each([
    ['fixed', 'settled', '✅', 'settled by `aaaaaaa`'],
    ['suggestion', 'settled', '✅', 'settled: its suggestion was committed'],
    ['command', 'settled', '✅', 'settled: by a command'],
    ['wrong', 'settled', '✖️', 'settled: taken back'],
    ['words', 'dismissed', '✖️', 'dismissed: in a person’s own words'],
    ['thumbs-down', 'dismissed', '✖️', 'dismissed: 👎'],
  ] as const)('tell of an end: %s, %s', (why, state, mark, words) => {
    expect(linesOf([known({ ...END, why, state })])).toEqual([`- ${mark} ${LINK} — ${words}`]);
  });

  it('tell of what is open again, and what only a person can end', () => {
    expect(linesOf([SETTLED], { repeated: AGAIN })).toEqual([`- ↩️ ${LINK} — back as of aaaaaaa`]);
    expect(linesOf([known({ rev: 2, by: 'person' })])).toEqual([`- ↩️ ${LINK} — open again`]);
    expect(linesOf([known()], { settlements: [FIXED] }, { rights: rightsOf('fork') })).toEqual([
      `- ❔ ${LINK} — said to be over; a person has to resolve it`,
    ]);
  });

  it('tell of all that are open, and of one whose conversation a stranger closed', () => {
    expect(linesOf([known()])).toEqual([expect.stringMatching(/ — still open$/)]);
    expect(linesOf([known({ ...END, by: 'person', why: 'resolved', isMute: true })])).toEqual([]);
    expect(linesOf([known({ saw: { resolvedBy: 'reader', down: [] } })])).toEqual([
      '- 🟠 The query is built from the id · `src/auth.ts:10` · FQ7K2 — still open',
    ]);
    expect(linesOf([known({ ...END, why: 'wrong' }), otherKnown()])[0]).toBe(
      '- 🟠 Nobody awaits the result · `src/auth.ts:11` · FX3M9 — still open',
    );
  });
});
