import { describe, expect, it } from '@jest/globals';
import { rightsOf } from '../../src/event/trust.js';
import { lineFingerprint } from '../../src/findings/change/diff-lines.js';
import { lessonsOf } from '../../src/findings/decide/duplicates.js';
import type { LedgerContext, RaiseResult } from '../../src/findings/decide/ledger.js';
import type { Finding } from '../../src/findings/finding.js';
import type { KeptFinding } from '../../src/findings/kept-finding.js';
import type { DuplicateClaim, Lesson } from '../../src/findings/known-finding.js';
import { dismissed } from '../helpers/marks.js';
import { finding } from './change.js';
import { CODE, ID, ledgerOf, lesson, NOW, OTHER } from './threads.js';

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
  const NEWEST = dismissed({ id: OTHER, decided: NOW.getTime() });

  it.each<[string, readonly KeptFinding[], readonly string[]]>([
    ['none of what was settled', [dismissed({ state: 'settled' })], []],
    ['none by anybody else', [dismissed({ by: 'model' })], []],
    ['none once it is back', [dismissed({ state: 'open' })], []],
    ['the newest first', [dismissed(), NEWEST], [OTHER, ID]],
  ])('are %s', (_, findings, expected) => {
    expect(lessonsOf(findings).map(({ id }) => id)).toEqual(expected);
  });

  it('have a title only of a trusted run', () => {
    const given = ['own', 'mixed', 'guest'] as const;
    const titles = given.map((words) => lessonsOf([dismissed({ words })])[0]?.title);
    expect(titles).toEqual([dismissed().title, '', '']);
  });
});
