import { describe, expect, it } from '@jest/globals';
import { rightsOf } from '../../src/event/trust.js';
import { commentableLines, lineFingerprint } from '../../src/findings/change/diff-lines.js';
import { isSuggestionCommitted } from '../../src/findings/decide/duplicates.js';
import type { LedgerContext, RaiseResult } from '../../src/findings/decide/ledger.js';
import type { Finding } from '../../src/findings/finding.js';
import type { KeptFinding } from '../../src/findings/kept-finding.js';
import type { DuplicateClaim, KnownFinding, Settlement } from '../../src/findings/known-finding.js';
import { loginsToCheck } from '../../src/findings/read/peoples-words.js';
import { pathsToLookUp, recordOn } from '../../src/findings/read/read-ledger.js';
import { reviewLine } from '../helpers/marks.js';
import { finding } from './change.js';
import {
  CODE,
  HEAD,
  ID,
  KEY,
  keptOne,
  known,
  ledgerOf,
  marked,
  OTHER,
  opening,
  otherKnown,
  read,
  recordOf,
  review,
  said,
  seen,
  THUMB,
  TOUCHED,
  thread,
  WITHOUT_FILE,
} from './threads.js';

describe('a finding held against the present change', () => {
  const LEFT = { lines: WITHOUT_FILE, hasAllFiles: true };
  const DELETED = {
    lines: commentableLines('--- a/src/auth.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n'),
  };
  const ON_FORK = { ...LEFT, isFork: true };
  const OPEN = { state: 'open', rev: 1 } as const;
  const UNTELLING = { line: 11, code: lineFingerprint('return user;') };
  const FIXED = { state: 'settled', by: 'model', why: 'fixed', rev: 2, gone: true } as const;
  const GONE_WITH_FILE = { ...FIXED, by: 'program', why: 'left' } as const;
  /** Two files add the line: nobody knows to which of them it moved. */
  const IN_TWO = {
    ...LEFT,
    lines: commentableLines(
      ['a.ts', 'b.ts']
        .map((to) => `--- /dev/null\n+++ b/${to}\n@@ -0,0 +1 @@\n+${CODE}\n`)
        .join(''),
    ),
  };

  /** The finding as a run reads it that finds no conversation. */
  function held(parts: Partial<KeptFinding>, about: Partial<LedgerContext> = {}) {
    const none = { threads: [], comments: [opening({ body: marked(parts.rev) })] };
    return read(none, { record: recordOf([keptOne(parts)]), ...about }).findings;
  }

  it.each<[string, Partial<KeptFinding>, Partial<LedgerContext>, Partial<KnownFinding>]>([
    [
      'is settled for good if its file left the change',
      {},
      LEFT,
      { state: 'settled', by: 'program', why: 'left', rev: 2, toldRev: 1, gone: true },
    ],
    ['is settled if its file is deleted', {}, DELETED, { state: 'settled', why: 'left' }],
    ['stays open if GitHub lists a part of the files', {}, { ...LEFT, hasAllFiles: false }, OPEN],
    ['stays open while its line is among the added ones', {}, IN_TWO, { ...OPEN, isGone: true }],
    ['stays open on a fork if it blocks', {}, ON_FORK, { state: 'open', isGone: true }],
    [
      'is settled on a fork if it is unsure',
      { confidence: 'unsure' },
      ON_FORK,
      { state: 'settled', why: 'left' },
    ],
    [
      'follows its file to another name',
      { path: 'gone.ts' },
      {},
      { path: 'src/auth.ts', line: 10 },
    ],
    [
      'follows no file by an untelling line',
      { ...UNTELLING, path: 'b.ts' },
      { hasAllFiles: true },
      { state: 'settled', why: 'left' },
    ],
    ['stays in a file that GitHub does not show', { path: 'logo.png' }, {}, { isGone: false }],
    ['is open if its fix is reverted', FIXED, {}, { why: 'reverted', rev: 3, toldRev: 2 }],
    ['is open if its file is back', GONE_WITH_FILE, {}, { state: 'open', why: 'reverted', rev: 3 }],
    ['stays settled while its file is away', GONE_WITH_FILE, LEFT, { state: 'settled', rev: 2 }],
    ['stays fixed if its line is untelling', { ...UNTELLING, ...FIXED }, {}, { state: 'settled' }],
    ['stays taken back', { ...FIXED, why: 'wrong' }, {}, { state: 'settled' }],
  ])('%s', (_, parts, about, expected) => {
    expect(held(parts, about)).toMatchObject([expected]);
  });

  /** A file of the change whose diff shows nothing of the line. */
  const OUTSIDE = { lines: TOUCHED };
  const ADDED = {
    lines: commentableLines('--- /dev/null\n+++ b/src/auth.ts\n@@ -0,0 +1,2 @@\n+one;\n+two;\n'),
  };
  const LARGE = { path: 'logo.png' };
  const ABOVE = `one;\n${CODE}\n`;
  const OLD = { side: 'LEFT', code: lineFingerprint('old(line, here);') } as const;
  const GONE = { state: 'open', isGone: true } as const;
  const UNCHANGED = { state: 'open', isGone: false, line: 10 } as const;
  const inHead = (text: string | null | undefined, path = 'src/auth.ts') => ({
    headFiles: new Map([[path, text]]),
  });

  it.each<[string, Partial<KeptFinding>, Partial<LedgerContext>, Partial<KnownFinding>]>([
    ['there, where the diff does not show it', {}, inHead(ABOVE), { isGone: false, line: 2 }],
    ['at the nearest of its lines', {}, inHead(`${CODE}\n\n\n\n\n\n\n${CODE}`), { line: 8 }],
    ['gone if it is nowhere', {}, inHead('one;\n'), GONE],
    ['gone if there is no such file', {}, inHead(null), GONE],
    ['as it was if the file could not be read', {}, inHead(undefined), UNCHANGED],
    ['gone on the old side, which no head has', OLD, inHead(undefined), GONE],
    ['there in a file that GitHub shows no diff of', LARGE, inHead(ABOVE, 'logo.png'), { line: 2 }],
    ['gone from a file that the change adds, unread', {}, { ...ADDED, ...inHead(undefined) }, GONE],
    ['gone from such a file', LARGE, inHead('one;\n', 'logo.png'), GONE],
    ['as it was in such a file if it is binary', LARGE, inHead(undefined, 'logo.png'), UNCHANGED],
  ])('is by the file of the head %s', (_, parts, about, expected) => {
    expect(held(parts, { ...OUTSIDE, ...about })).toMatchObject([expected]);
  });

  it.each<[string, Partial<KeptFinding>, Partial<LedgerContext>, readonly string[]]>([
    ['of an open finding whose line the diff does not show', {}, OUTSIDE, ['src/auth.ts']],
    ['whose diff GitHub does not show', LARGE, OUTSIDE, ['logo.png']],
    ['of none whose line is shown', {}, {}, []],
    ['of none that the change adds, which the diff shows whole', {}, ADDED, []],
    ['of none that has ended', FIXED, OUTSIDE, []],
    ['of none on the old side', OLD, OUTSIDE, []],
    ['of none of a rule', { rule: 'hidden-line' }, OUTSIDE, []],
    ['that is not in the change', {}, LEFT, []],
  ])('asks for the file %s', (_, parts, about, paths) => {
    const ledger = read({ threads: [] }, { record: recordOf([keptOne(parts)]), ...about });
    expect(pathsToLookUp(ledger)).toEqual(paths);
  });

  it('whose line is in the head alone is not moved by a name, and not gone when it ends', () => {
    const ledger = read({}, { ...OUTSIDE, ...inHead(ABOVE) });
    const draft = finding({ id: OTHER, handle: 'FNEW1', line: 11, code: 'return user;' });
    expect(ledger.raise(draft, { sameAs: 'FQ7K2' })).toMatchObject({
      kind: 'kept',
      finding: { line: 2, key: KEY },
    });
    const words = { how: 'wrong', reason: 'R', evidence: [], by: '', isAgreed: true } as const;
    expect(ledger.end({ ...words, finding: known() })).toMatchObject({ gone: false });
  });

  it.each([
    ['settled again', false, 'settled'],
    ['open on a fork if it blocks', true, 'open'],
  ])('is %s if a person opens it while its file is away', (_, isFork, state) => {
    const comments = [said('octocat', '/axe reopen FQ7K2')];
    const record = recordOf([keptOne(GONE_WITH_FILE)]);
    const { findings } = read({ threads: [], comments }, { ...LEFT, isFork, record });
    expect(findings).toMatchObject([{ state, rev: isFork ? 3 : 4 }]);
  });

  it('shares its number with one on the other side', () => {
    const place = { path: 'no-end.txt', line: 2, code: lineFingerprint('beta') };
    const old = keptOne({ id: OTHER, handle: 'FX3M9', ...place, side: 'LEFT' });
    const { findings } = read({ threads: [] }, { record: recordOf([keptOne(place), old]) });
    expect(findings.map((one) => one.isGone)).toEqual([false, false]);
  });

  it.each<[string, Partial<LedgerContext>, Partial<KeptFinding>, string]>([
    ['pushed by a writer', { isPushByWriter: true }, {}, 'settled person'],
    ['on a run of our own, where it does not block', {}, { severity: 'minor' }, 'settled program'],
    ['on a run of our own, where it blocks', {}, {}, 'open'],
    ['by a stranger', { rights: rightsOf('fork') }, { severity: 'minor' }, 'open'],
  ])('whose suggestion was committed %s', (_, about, parts, expected) => {
    const suggestion = 'query("SELECT " + account.id);';
    const record = recordOf([keptOne({ suggestion, ...parts })]);
    const ledger = read({}, { lines: TOUCHED, record, ...about });
    ledger.endCommitted(TOUCHED);
    expect(ledger.findings.map(({ state, by }) => [state, by].join(' ').trim())).toEqual([
      expected,
    ]);
  });
});

it.each([
  ['was pushed', 'three', '@@ -2,3 +2,3 @@\n two\n-3\n+three\n four\n', true],
  ['stood there before', 'three', '@@ -2,4 +2,4 @@\n two\n three\n four\n-5\n+five\n', false],
  [
    'was pushed in one of its lines',
    'one\ntwo\nthree\nfour\nfive',
    '@@ -4 +4 @@\n-4\n+four\n',
    true,
  ],
  ['takes a line out', 'a = b + c\ntwo', '@@ -2,3 +2,2 @@\n a = b + c\n-bad\n two\n', true],
  ['takes its last line out', 'a = b + c', '@@ -2,3 +2,2 @@\n a = b + c\n-bad\n three\n', true],
  ['is a brace beside what was taken out', '}', '@@ -2,3 +2,2 @@\n two\n-bad\n }\n', false],
  ['puts back what the base has', 'six', '@@ -5,2 +5,2 @@\n five\n-6\n+six\n', true],
])('a suggestion that %s is committed: %j', (_, suggestion, hunk, expected) => {
  const added = ['one', 'two', 'three', 'four', 'five'].map((line) => `+${line}\n`).join('');
  const file = commentableLines(`--- /dev/null\n+++ b/f.ts\n@@ -0,0 +1,5 @@\n${added}`).get('f.ts');
  const pushed = commentableLines(`--- a/f.ts\n+++ b/f.ts\n${hunk}`).get('f.ts');
  expect(isSuggestionCommitted(suggestion, file, pushed)).toBe(expected);
});

describe('a finding that is raised', () => {
  const EARLIER = [known()];
  const CLOSED = { state: 'settled', by: 'person', why: 'resolved' } as const;
  const BY_MODEL = [known({ state: 'settled', by: 'model' })];
  const BY_PERSON = [known(CLOSED)];
  const DISMISSED = [known({ state: 'dismissed' })];
  const ELSEWHERE = { line: 11, code: 'return user;' };
  const ALIKE = { line: 40, code: 'line 39;', title: 'Query built from an id' };
  const UNLIKE = { ...ALIKE, title: 'The lock is held from the start' };
  const LOCK = { title: UNLIKE.title };
  const DATA = { category: 'data' } as const;
  const SAME = { sameAs: 'FQ7K2' };
  const SAME_TOUCHED = { ...SAME, about: { lines: TOUCHED } };
  /** Only the mode of the file has changed. */
  const UNSHOWN = commentableLines(
    'diff --git a/src/auth.ts b/src/auth.ts\nold mode 100644\nnew mode 100755\n',
  );
  const SAME_UNSHOWN = { ...SAME, about: { lines: UNSHOWN } };
  const touched = {
    line: 10,
    code: 'query("SELECT " + account.id);',
    title: 'Account reaches the query',
  };

  function raise(
    earlier: readonly KnownFinding[],
    draft: Partial<KnownFinding>,
    { about, ...claim }: DuplicateClaim & { readonly about?: Partial<LedgerContext> } = {},
  ): RaiseResult {
    const plain = {
      id: '00000000000000aa',
      handle: 'FNEW1',
      code: CODE,
      title: 'Query built from an id',
    };
    return ledgerOf(earlier, about).raise(finding({ ...plain, ...draft }), claim);
  }

  type Claim = Parameters<typeof raise>[2];
  it.each<[string, readonly KnownFinding[], Partial<KnownFinding>, Claim, RaiseResult['kind']]>([
    ['is the one that the model names', EARLIER, ELSEWHERE, { sameAs: ' fq7k2' }, 'kept'],
    ['is back if it is worse', EARLIER, { severity: 'critical' }, {}, 'back'],
    ['is another one then, if the model says so', BY_MODEL, LOCK, { isNew: true }, 'raised'],
    ['is the open one under a similar title, in any category', EARLIER, DATA, {}, 'kept'],
    ['is the open one whose title is not known', [known({ title: '' })], LOCK, {}, 'kept'],
    ['is asked about under another title', EARLIER, LOCK, {}, 'ask'],
    [
      'is another one than an open one, if the model says so',
      EARLIER,
      {},
      { isNew: true },
      'raised',
    ],
    [
      'is the same under the same title, whatever the model says',
      EARLIER,
      { title: 'the query is built from the ID' },
      { isNew: true },
      'kept',
    ],
    ['is held back after a dismissal of its line', DISMISSED, LOCK, { isNew: true }, 'held-back'],
    ['is held back while the line that a person settled stands', BY_PERSON, {}, {}, 'held-back'],
    ['is back if the line that a person settled changed', BY_PERSON, touched, SAME_TOUCHED, 'back'],
    [
      'is held back by a run that began before a push, which cannot see that it changed',
      BY_PERSON,
      touched,
      { ...SAME, about: { lines: TOUCHED, head: 'older' } },
      'held-back',
    ],
    ['is back if that line was gone', [known({ ...CLOSED, gone: true })], {}, {}, 'back'],
    ['is asked about there in another category', DISMISSED, { ...LOCK, ...DATA }, {}, 'ask'],
    ['is the one posted there meanwhile', EARLIER, DATA, { isNew: true, knew: new Set() }, 'kept'],
    [
      'is another fault than the one posted there meanwhile',
      EARLIER,
      LOCK,
      { isNew: true, knew: new Set() },
      'raised',
    ],
    ['is asked about on an untelling line', [otherKnown()], { ...ELSEWHERE, ...DATA }, {}, 'ask'],
    ['is asked about under a similar title nearby', EARLIER, ALIKE, {}, 'ask'],
    [
      'is another one under a title that shares only such words as `the`',
      EARLIER,
      UNLIKE,
      {},
      'raised',
    ],
    [
      'is another one under a similar title far away',
      EARLIER,
      { ...ALIKE, line: 41 },
      {},
      'raised',
    ],
    ['is another one in another file', EARLIER, { ...ALIKE, path: 'fresh.ts' }, {}, 'raised'],
    [
      'is the open one before an ended one',
      [known({ ...CLOSED, id: OTHER }), known()],
      {},
      {},
      'kept',
    ],
    ['moves with a line that is gone', [known({ isGone: true, path: 'old.ts' })], {}, SAME, 'back'],
    [
      'is refused as one that stands in another file',
      EARLIER,
      { path: 'fresh.ts' },
      SAME,
      'refused',
    ],
    [
      'is back as an ended one of another file, if the model says so',
      BY_MODEL,
      { path: 'fresh.ts' },
      SAME,
      'back',
    ],
    [
      'moves with a file that left',
      [known({ state: 'settled', why: 'left', by: 'program', gone: true, path: 'old.ts' })],
      {},
      SAME,
      'back',
    ],
  ])('%s', (_, ...[earlier, draft, claim, kind]) => {
    expect(raise(earlier, draft, claim).kind).toBe(kind);
  });

  it.each<[string, Partial<KnownFinding>, Claim, Partial<KnownFinding>]>([
    ['is never milder', { severity: 'nit' }, {}, { severity: 'major' }],
    ['stays while its own line stands', ELSEWHERE, SAME, { line: 10, code: CODE, key: KEY }],
    ['moves if its line changed', touched, SAME_TOUCHED, { key: lineFingerprint(touched.code) }],
    ['stays where the change shows no line', ELSEWHERE, SAME_UNSHOWN, { line: 10, key: KEY }],
  ])('again %s', (_, draft, claim, expected) => {
    expect(raise(EARLIER, draft, claim)).toMatchObject({ finding: { id: ID, ...expected } });
  });

  it('again in another file moves there, also where the change shows no line of its own', () => {
    const raising = raise(BY_MODEL, { path: 'fresh.ts' }, SAME_UNSHOWN);
    expect(raising).toMatchObject({ kind: 'back', finding: { id: ID, path: 'fresh.ts' } });
  });

  it('is open, and known to the next one', () => {
    const ledger = ledgerOf();
    const first = ledger.raise(finding({ code: CODE }));
    expect(first).toMatchObject({ kind: 'raised', finding: { rev: 1, toldRev: 0 } });
    expect(ledger.copy().raise(finding({ id: OTHER, code: CODE })).kind).toBe('replaced');
    expect(ledger.open).toHaveLength(1);
  });

  /** Another call of the run that has raised `finding()`. */
  it.each<[string, Partial<Finding>, DuplicateClaim, RaiseResult['kind']]>([
    ['takes its place under the same title', { category: 'data' }, {}, 'replaced'],
    ['takes its place on a line that says little', { code: '}' }, { isNew: true }, 'replaced'],
    ['is asked about under a similar title', { title: 'Query built from an id' }, {}, 'ask'],
    [
      'is another one under a similar title, if the model says so',
      { title: 'Query built from an id' },
      { isNew: true },
      'raised',
    ],
    ['takes its place if the model names it', LOCK, SAME, 'replaced'],
    ['is another one under another title', LOCK, {}, 'raised'],
    ['is another one on the next line', { line: 11 }, {}, 'raised'],
    ['is another one on the old side', { side: 'LEFT' }, {}, 'raised'],
  ])('of the same run %s', (_, draft, claim, kind) => {
    const ledger = ledgerOf().copy([finding({ code: CODE })]);
    const again = { id: OTHER, handle: 'FNEW1', code: CODE };
    expect(ledger.raise(finding({ ...again, ...draft }), claim).kind).toBe(kind);
  });
});

describe('the model’s word on an end', () => {
  const FIXED: Settlement = {
    finding: known(),
    how: 'fixed',
    reason: 'It is bound.',
    evidence: [],
    by: '',
  };
  const MILD = { severity: 'minor' } as const;
  const UNCONFIRMED = 'a second check did not confirm its end';
  const UNSEEN = 'a second check did not confirm its end';
  const ON_FORK = 'FQ7K2 stays open: only people end findings on a fork';
  const MILD_GONE = { ...MILD, isGone: true };

  it.each<[string, Partial<KnownFinding>, Partial<Settlement>, Partial<LedgerContext>, string]>([
    ['settles what nobody is certain of', { confidence: 'unsure' }, {}, {}, 'settled model fixed'],
    ['does not settle it though its line is gone', { isGone: true }, {}, {}, UNCONFIRMED],
    [
      'dismisses in a person’s name',
      {},
      { how: 'dismissed', by: 'octocat' },
      {},
      'dismissed person words',
    ],
    [
      'never ends anything on a fork',
      MILD_GONE,
      { isAgreed: true },
      { rights: rightsOf('fork') },
      ON_FORK,
    ],
    [
      'takes a second look after strangers’ words',
      MILD_GONE,
      {},
      { rights: rightsOf('mixed') },
      UNSEEN,
    ],
    [
      'ends with one',
      MILD_GONE,
      { isAgreed: true },
      { rights: rightsOf('guest') },
      'settled model fixed',
    ],
    [
      'dismisses nothing after strangers’ words',
      MILD_GONE,
      { how: 'dismissed', by: 'octocat' },
      { rights: rightsOf('mixed') },
      'FQ7K2 stays open: only people dismiss findings once a run has read words of people without write access',
    ],
    [
      'is not asked for where a test ends it alone, also where it blocks',
      {},
      { byTest: 'alone' },
      {},
      'settled program fixed',
    ],
    [
      'ends nothing of which something was decided since its run began',
      { ...MILD, rev: 2 },
      { isAgreed: true },
      {},
      'FQ7K2 is not as it was',
    ],
    [
      'passes a person’s dismissal on all the same',
      { rev: 2 },
      { how: 'dismissed', by: 'octocat' },
      {},
      'dismissed person words',
    ],
    [
      'is needed again for a test alone, after strangers’ words',
      MILD,
      { byTest: 'alone' },
      { rights: rightsOf('mixed') },
      UNCONFIRMED,
    ],
    [
      'with a test that does not decide alone takes a second look, also where nothing blocks',
      MILD,
      { byTest: 'look' },
      {},
      UNCONFIRMED,
    ],
    [
      'with a test and a second look ends it',
      {},
      { byTest: 'look', isAgreed: true },
      {},
      'settled model fixed',
    ],
    [
      'and a test end nothing on a fork',
      MILD,
      { byTest: 'alone' },
      { rights: rightsOf('fork') },
      ON_FORK,
    ],
  ])('%s', (_, ...[parts, ending, about, expected]) => {
    const end = ledgerOf([known(parts)], about).end({ ...FIXED, ...ending });
    expect(typeof end === 'string' ? end : `${end.state} ${end.by} ${end.why}`).toBe(expected);
  });

  it.each([
    ['stood', {}, false],
    ['was gone', { lines: TOUCHED }, true],
  ])('notes that its line %s then', (_, about, gone) => {
    expect(ledgerOf([known(MILD)], about).end(FIXED)).toMatchObject({
      state: 'settled',
      gone,
    });
  });

  it('is about an earlier finding', () => {
    expect(ledgerOf().end(FIXED)).toBe('FQ7K2 is not open');
  });
});

describe('the people whose permission is asked for', () => {
  const CLOSED: Partial<KeptFinding> = {
    state: 'settled',
    by: 'person',
    login: 'hubot',
    why: 'resolved',
    rev: 2,
    thread: 'T_1',
    saw: { resolvedBy: 'hubot', down: [] },
  };

  it('are named once, who resolves and speaks first, a crowd of strangers last', () => {
    const crowd = Array.from({ length: 40 }, (_, n) => said(`stranger-${n}`, 'Not a bug.'));
    const member = { authorAssociation: 'MEMBER' };
    const first = opening({ thumbsDown: [{ ...THUMB, login: 'thumb' }] });
    const replies = [
      ...crowd,
      said('Octocat', 'Not a bug.', member),
      said('monalisa', 'Let us keep it so.', member),
      said('ghost', 'Not a bug.'),
      said('helper[bot]', 'Not a bug.'),
      said('visitor', 'Hello!'),
    ];
    const other = thread({ resolvedBy: 'octocat', first: opening({ isOurs: false }), replies });
    const asked = loginsToCheck(
      seen({ threads: [thread({ resolvedBy: 'hubot', first, replies }), other] }),
    );
    expect(asked.slice(0, 4)).toEqual(['hubot', 'Octocat', 'monalisa', 'stranger-0']);
    expect(asked.at(-1)).toBe('thumb');
    expect(asked).toHaveLength(44);
  });

  it.each([
    ['the state', recordOf([keptOne(CLOSED)]), []],
    ['a review', undefined, [review(reviewLine({ agent: 'bot', head: HEAD }, keptOne(CLOSED)))]],
  ])(
    'include who closed what is open again, and who can have opened it, by %s',
    (_, record, reviews) => {
      const pull = seen({ author: 'ada', reviews });
      const logins = loginsToCheck(pull, recordOn(pull, { agent: 'bot', record }));
      expect(logins).toEqual(['ada', 'hubot']);
    },
  );

  it('include who closed a conversation in which every text of ours was deleted', () => {
    const threads = [thread({ resolvedBy: 'hubot', first: said('reader', 'Why?') })];
    const record = recordOf([keptOne({ thread: 'T_1' })]);
    expect(loginsToCheck(seen({ threads }), record)).toEqual(['hubot']);
    expect(loginsToCheck(seen({ threads }))).toEqual([]);
  });

  it('include who commands below the pull request, and exclude our own account', () => {
    const comments = [said('reader', '/axe done FQ7K2')];
    const threads = [thread({ resolvedBy: 'github-actions[bot]' })];
    expect(loginsToCheck(seen({ threads, comments }))).toEqual(['reader']);
  });
});
