import { describe, expect, it } from '@jest/globals';
import { rightsOf, WORDS } from '../../src/event/trust.js';
import { lineFingerprint } from '../../src/findings/change/diff-lines.js';
import { lessonsOf } from '../../src/findings/decide/duplicates.js';
import type { LedgerContext, RaiseResult } from '../../src/findings/decide/ledger.js';
import type { Finding } from '../../src/findings/finding.js';
import type { DuplicateClaim, Lesson } from '../../src/findings/known-finding.js';
import type { FindingMark } from '../../src/findings/state-facts.js';
import { finding } from './change.js';
import {
  back,
  CODE,
  ended,
  ID,
  ledgerOf,
  lesson,
  NOW,
  OTHER,
  otherRaised,
  raised,
} from './threads.js';

describe('a finding that people have dismissed on another pull request', () => {
  const DRAFT = { code: CODE, category: 'data', title: 'Rows are read twice' } as const;
  const UNTELLING = { line: 11, code: 'return user;' };
  const ALIKE = { ...UNTELLING, title: 'Query built from an id' };
  const SECURITY = { category: 'security' } as const;

  it.each<
    [
      string,
      Partial<Finding>,
      Partial<Lesson>,
      DuplicateClaim,
      Partial<LedgerContext>,
      RaiseResult['kind'],
    ]
  >([
    ['is raised in another file', {}, { path: 'src/b.ts' }, {}, {}, 'raised'],
    [
      'is raised on an untelling line',
      UNTELLING,
      { key: lineFingerprint('return user;') },
      {},
      {},
      'raised',
    ],
    ['is raised if it is critical', { severity: 'critical' }, {}, {}, {}, 'raised'],
    ['is raised if it is about security', SECURITY, SECURITY, {}, {}, 'raised'],
    ['is raised on a change from outside', {}, {}, {}, { rights: rightsOf('fork') }, 'raised'],
    ['is asked about under a similar title', ALIKE, {}, {}, {}, 'ask'],
    ['is raised once that was answered', ALIKE, {}, { isNew: true }, {}, 'raised'],
  ])('%s', (_, ...[draft, parts, claim, about, kind]) => {
    const ledger = ledgerOf([], { ...about, lessons: [lesson(parts)] });
    const raising = ledger.raise(finding({ ...DRAFT, ...draft }), claim);
    expect(raising.kind).toBe(kind);
    // What is too bad to be held back is shown as dismissed before.
    const isNeverHeld =
      draft.severity === 'critical' || draft.category === 'security' || about.rights !== undefined;
    expect(raising.kind === 'raised' && raising.finding.dismissedOn !== undefined).toBe(
      isNeverHeld,
    );
  });
});

describe('the lessons of a state', () => {
  const DISMISSED = ended({ state: 'dismissed', by: 'person', why: 'phrase', login: 'octocat' });
  const NEWEST = { ...DISMISSED, id: OTHER, at: NOW.getTime() };

  it.each<[string, readonly FindingMark[], readonly string[]]>([
    ['none of what was settled', [raised(), { ...DISMISSED, state: 'settled' }], []],
    ['none by anybody else', [raised(), { ...DISMISSED, by: 'model' }], []],
    ['none of what nobody keeps', [DISMISSED], []],
    ['none once it is back', [back(), raised(), DISMISSED], []],
    ['the newest first', [raised(), DISMISSED, otherRaised(), NEWEST], [OTHER, ID]],
  ])('are %s', (_, marks, expected) => {
    expect(lessonsOf(marks.map((mark) => ({ ...mark, pull: 41 }))).map(({ id }) => id)).toEqual(
      expected,
    );
  });

  it('have a title only of a run of our own', () => {
    const titles = WORDS.map((words) => {
      return lessonsOf([raised({ words }), DISMISSED].map((mark) => ({ ...mark, pull: 41 })))[0]
        ?.title;
    });
    expect(titles).toEqual([raised().title, '', '', '']);
  });
});
