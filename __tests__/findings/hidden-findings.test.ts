import { describe, expect, it } from '@jest/globals';
import { rightsOf } from '../../src/event/trust.js';
import { commentableLines, lineFingerprint } from '../../src/findings/change/diff-lines.js';
import { ShownFiles } from '../../src/findings/decide/evidence.js';
import {
  describeHidden,
  findHiddenPlaces,
  raiseHidden,
} from '../../src/findings/decide/hidden-findings.js';
import type { Ledger, LedgerContext } from '../../src/findings/decide/ledger.js';
import type { FindingContext } from '../../src/findings/decide/take-finding.js';
import { takeSettlement } from '../../src/findings/decide/take-settlement.js';
import type { KnownFinding } from '../../src/findings/known-finding.js';
import { formatKnownFindings } from '../../src/findings/post/finding-texts.js';
import { parseDiff } from '../../src/lib/text/diff.js';
import { finding } from './change.js';
import { known, ledgerOf } from './threads.js';

const BAD = "if (user === 'root\u200B') grant(user);";
const GOOD = BAD.replace('\u200B', '');
const OLD = "if (old === 'root\u200B') keep(old);";

/** A change of one file whose last lines are these. */
function changeOf(added: readonly string[], path = 'src/a.ts'): string {
  const body = added.map((line) => `+${line}\n`).join('');
  return `--- a/${path}\n+++ b/${path}\n@@ -1,2 +1,${added.length + 1} @@\n ${OLD}\n-removed\u200B();\n${body}`;
}

const MOVED = `diff --git a/a\u200Bb.ts b/a\u200Bc.ts
similarity index 100%
rename from a\u200Bb.ts
rename to a\u200Bc.ts
`;

/** The finding of the rule on the bad line. */
function ofRule(parts: Partial<KnownFinding> = {}): KnownFinding {
  const place = { path: 'src/a.ts', line: 2, code: BAD, key: lineFingerprint(BAD) };
  return known({ rule: 'hidden-line', ...place, ...parts });
}

function contextOf(diff: string, more: Partial<LedgerContext> = {}): Partial<LedgerContext> {
  return { lines: commentableLines(diff), hasAllFiles: true, ...more };
}

describe('findHiddenPlaces', () => {
  it('looks at added lines alone, with the number that they have', () => {
    expect(findHiddenPlaces(parseDiff(changeOf([GOOD, BAD])))).toEqual([
      {
        rule: 'hidden-line',
        path: 'src/a.ts',
        line: 3,
        text: BAD,
        problem: 'invisible characters (<U+200B>)',
      },
    ]);
  });

  it.each([
    ['a new file', '--- /dev/null\n+++ b/a\u200Bb.ts\n@@ -0,0 +1 @@\n+x\n', 1],
    ['a renamed file', MOVED, 1],
    ['a changed file', '--- a/a\u200Bb.ts\n+++ b/a\u200Bb.ts\n@@ -1 +1 @@\n-x\n+y\n', 0],
    ['a deleted file', '--- a/a\u200Bb.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n', 0],
  ])('counts in the name of %s', (_, diff, expected) => {
    const places = findHiddenPlaces(parseDiff(diff));
    expect(places.filter(({ rule }) => rule === 'hidden-name')).toHaveLength(expected);
  });

  it('takes the line break of Windows for none', () => {
    expect(findHiddenPlaces(parseDiff(changeOf([`${GOOD}\r`])))).toEqual([]);
  });
});

function scopeOf(diff: string, earlier: readonly KnownFinding[], parts: Partial<FindingContext>) {
  const lines = commentableLines(diff);
  return {
    ledger: ledgerOf(earlier, { lines, hasAllFiles: true }),
    lines,
    fresh: undefined,
    overrides: {},
    isRead: () => true,
    run: 'run',
    shown: new ShownFiles(),
    hasTitles: true,
    isInScope: () => true,
    isLaterReview: false,
    ...parts,
  };
}

describe('raiseHidden', () => {
  const raise = (
    diff: string,
    earlier: readonly KnownFinding[] = [],
    maxFindings = 100,
    parts: Partial<FindingContext> = {},
  ) => raiseHidden(findHiddenPlaces(parseDiff(diff)), scopeOf(diff, earlier, parts), maxFindings);

  it('places the finding on its line, with the line written out', () => {
    expect(raise(changeOf([BAD]))).toMatchObject([
      {
        finding: {
          title: "Hidden characters: `if (user === 'root<U+200B>') grant(user);`",
          category: 'security',
          severity: 'major',
          rule: 'hidden-line',
          code: BAD,
        },
        placement: { kind: 'line', path: 'src/a.ts', line: 2, side: 'RIGHT' },
      },
    ]);
  });

  it('shows of a long line what is around the first hidden character', () => {
    const [placed] = raise(changeOf([`${'a '.repeat(500)}b\u200B${' c'.repeat(500)}`]));
    expect(placed?.finding.title).toMatch(/^Hidden characters: `….{40}<U\+200B>.{50,60}…`$/);
  });

  it('has the severity that the agent sets for security', () => {
    const overrides = { security: 'critical' } as const;
    expect(raise(changeOf([BAD]), [], 100, { overrides })).toMatchObject([
      { finding: { severity: 'critical' } },
    ]);
  });

  it('raises nothing that is open or that a person decided, wherever the line moved', () => {
    const moved = changeOf([GOOD, BAD]);
    expect(raise(moved, [ofRule({ line: 3 })])).toEqual([]);
    expect(raise(moved, [ofRule({ line: 3, state: 'dismissed', by: 'person' })])).toEqual([]);
    expect(
      raise(moved, [known({ path: 'src/a.ts', line: 3, key: lineFingerprint(BAD) })]),
    ).toHaveLength(1);
  });

  it('fills a file up to ten, counts the rest once, and stops at the limit of the run', () => {
    const lines = Array.from({ length: 14 }, (_, index) => `const v${index} = '\u200Bx';`);
    const all = raise(changeOf(lines));
    expect(all.map(({ finding: { line } }) => line)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(all.filter(({ finding: { body } }) => body.includes('4 more places'))).toHaveLength(1);
    expect(raise(changeOf(lines), [], 3)).toHaveLength(3);
    const [first, ...others] = all.map(({ finding: one }) =>
      ofRule({ ...one, key: lineFingerprint(one.code ?? '') }),
    );
    expect(raise(changeOf(lines), others)).toMatchObject([{ finding: { line: first?.line } }]);
  });
});

describe('a finding of a rule in the ledger', () => {
  const draft = (parts: Partial<KnownFinding> = {}) => ({
    ...finding({ id: '00000000000000aa', handle: 'FNEW1', rule: 'hidden-line', path: 'src/a.ts' }),
    line: 2,
    code: BAD,
    ...parts,
  });

  it.each<[string, Partial<KnownFinding>, string]>([
    ['is kept while it is open', {}, 'kept'],
    ['is held back once a person dismissed it', { state: 'dismissed', by: 'person' }, 'held-back'],
    ['is held back once a person closed it', { state: 'settled', by: 'person' }, 'held-back'],
    [
      'is back if its line was gone as a person closed it',
      { state: 'settled', by: 'person', gone: true },
      'back',
    ],
    ['is back if it was settled by the rule', { state: 'settled', by: 'program' }, 'back'],
    ['is another one in another file', { path: 'src/b.ts' }, 'raised'],
    ['is another one on another line', { key: lineFingerprint(OLD) }, 'raised'],
    ['is another one than that of a model', { rule: undefined }, 'raised'],
    ['is another one than that of a name', { rule: 'hidden-name' }, 'raised'],
  ])('%s', (_, parts, kind) => {
    const ledger = ledgerOf([ofRule(parts)], contextOf(changeOf([BAD])));
    expect(ledger.raise(draft()).kind).toBe(kind);
  });

  it.each(['open', 'dismissed', 'settled'] as const)(
    'hides no finding of a model on its line, if it is %s',
    (state) => {
      const ledger = ledgerOf([ofRule({ state, by: 'person' })], contextOf(changeOf([BAD])));
      expect(ledger.raise(draft({ rule: undefined })).kind).toBe('raised');
      expect(ledger.raise(draft({ rule: undefined }), { sameAs: 'FQ7K2' }).kind).not.toBe('back');
    },
  );

  const BRACE = '}\u200B';
  const SPACES = { code: 'a()\u2028b()', key: lineFingerprint('a()\u2028b()') };
  const NAME = {
    rule: 'hidden-name',
    path: 'a\u200Bc.ts',
    line: 1,
    code: undefined,
    key: '',
  } as const;
  const LARGE = 'diff --git a/src/a.ts b/src/a.ts\nindex 1..2 100644\n';
  const DELETED = '--- a/a\u200Bc.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n';
  it.each<[string, string, Partial<KnownFinding>, Partial<LedgerContext>, string]>([
    ['open while its line stands', changeOf([BAD]), {}, {}, 'open'],
    ['settled once the character is gone', changeOf([GOOD]), { isGone: true }, {}, 'settled'],
    [
      'settled on a run of strangers',
      changeOf([GOOD]),
      { isGone: true },
      { rights: rightsOf('fork'), isFork: true },
      'settled',
    ],
    ['settled where spaces hid it', changeOf(['a() b()']), SPACES, {}, 'settled'],
    ['open on a line of signs', changeOf([BRACE]), { key: lineFingerprint(BRACE) }, {}, 'open'],
    ['open in a file that GitHub does not show', LARGE, {}, {}, 'open'],
    ['settled with its file', changeOf([BAD], 'src/b.ts'), { isGone: true }, {}, 'settled'],
    [
      'open if GitHub lists a part of the files',
      changeOf([BAD], 'src/b.ts'),
      { isGone: true },
      { hasAllFiles: false },
      'open',
    ],
    ['open if nothing is known of the change', '', {}, { lines: undefined }, 'open'],
    ['open while the file has its name', MOVED, NAME, {}, 'open'],
    ['settled once the file is deleted', DELETED, NAME, {}, 'settled'],
    [
      'settled once the file has another name',
      changeOf([BAD]),
      { ...NAME, path: 'src/a.ts' },
      {},
      'settled',
    ],
    ['dismissed for good', changeOf([GOOD]), { state: 'dismissed', isGone: true }, {}, 'dismissed'],
    ['open if a model raised it', changeOf([GOOD]), { rule: undefined, isGone: true }, {}, 'open'],
  ])('is %s', (_, diff, ...[parts, more, state]) => {
    const ledger: Ledger = ledgerOf([ofRule(parts)], contextOf(diff, more));
    ledger.endRepaired();
    expect(ledger.findings).toMatchObject([{ state }]);
    if (state === 'settled')
      expect(ledger.findings).toMatchObject([{ by: 'program', why: 'fixed' }]);
  });

  it.each(['fixed', 'wrong', 'dismissed'] as const)('is not ended by a model: %s', (how) => {
    const one = ofRule();
    const ledger = ledgerOf([one], contextOf(changeOf([BAD])));
    const settlement = { finding: one, how, reason: 'R', evidence: [], by: 'octocat' };
    expect(ledger.end({ ...settlement, isAgreed: true })).toBe('no model ends FQ7K2');
    expect(ledger.findings).toMatchObject([{ state: 'open' }]);
  });

  it('is refused to a model that wants to end it, with the reason', () => {
    const request = { finding: 'FQ7K2', how: 'wrong', reason: 'R', evidence: [] } as const;
    const { answer } = takeSettlement(request, [], scopeOf(changeOf([BAD]), [ofRule()], {}));
    expect(answer).toEqual({
      kind: 'refused',
      text: 'Not accepted: FQ7K2 was raised by a rule, which ends it when nothing is hidden there any more. Only people can dismiss it.',
    });
  });

  it('is not among the findings that a model is asked to end', () => {
    expect(formatKnownFindings(ledgerOf([ofRule({ isGone: true })]))).toBeUndefined();
  });
});

it('the prompt lists hidden places up to a limit, and says nothing without any', () => {
  const lines = Array.from({ length: 102 }, (_, index) => `v${index} = '\u200Bx'`);
  const text = describeHidden(findHiddenPlaces(parseDiff(changeOf(lines)))) ?? '';
  expect(text).toContain('\nsrc/a.ts:2: invisible characters (<U+200B>)\n');
  expect(text).toContain('\n... and 2 more\n');
  expect(describeHidden([])).toBeUndefined();
});
