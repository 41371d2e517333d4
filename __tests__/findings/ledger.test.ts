import { describe, expect, it } from '@jest/globals';
import { rightsOf, type Word } from '../../src/event/trust.js';
import { commentableLines, lineFingerprint } from '../../src/findings/change/diff-lines.js';
import { isSuggestionCommitted } from '../../src/findings/decide/duplicates.js';
import type { LedgerContext, RaiseResult } from '../../src/findings/decide/ledger.js';
import type { DuplicateClaim, KnownFinding, Settlement } from '../../src/findings/known-finding.js';
import { loginsToCheck } from '../../src/findings/read/peoples-words.js';
import { readLedger } from '../../src/findings/read/read-ledger.js';
import type {
  GitHubComment,
  PullRequestConversation,
  Thread,
} from '../../src/github/reading/conversation.js';
import { finding } from './change.js';
import {
  AT,
  back,
  CODE,
  context,
  ended,
  ID,
  KEY,
  known,
  LATER,
  ledgerOf,
  marked,
  NOW,
  OTHER,
  opening,
  otherKnown,
  otherRaised,
  raised,
  read,
  review,
  said,
  seen,
  TOUCHED,
  thread,
  WITHOUT_FILE,
} from './threads.js';

const BEFORE = new Date(AT.getTime() - 60_000);
const THUMB = { login: 'octocat', at: LATER.toISOString() };
const NO = said('octocat', 'Not a bug.');
/** Two findings in one comment, and one that was said later in the conversation. */
const BOTH = opening({}, [raised(), otherRaised()]);
const REPLY = opening({ id: 3, createdAt: NOW.toISOString() }, [
  otherRaised({ at: NOW.getTime() }),
]);

function conversation(parts: Partial<Thread>): Partial<PullRequestConversation> {
  return { threads: [thread(parts)] };
}

/** State, reason and person of the finding. */
function lifeOf(
  parts: Partial<PullRequestConversation>,
  about: Partial<LedgerContext> = {},
  id = ID,
): string | undefined {
  const one = read(parts, about).findings.find((each) => each.id === id);
  return one && [one.state, one.why, one.login].filter((word) => word !== undefined).join(' ');
}

/** A conversation in which a run of ours said these marks. */
function told(
  marks: Parameters<typeof marked>[0],
  parts: Partial<Thread> = {},
): Partial<PullRequestConversation> {
  return conversation({
    replies: [opening({ id: 3, createdAt: LATER.toISOString() }, marks)],
    ...parts,
  });
}

function replied(
  reply: GitHubComment,
  parts: Partial<Thread> = {},
): Partial<PullRequestConversation> {
  return conversation({ replies: [reply], ...parts });
}

const BY_RUN = { resolvedBy: 'github-actions' };
const BY_WRITER = { resolvedBy: 'octocat' };
const DOWN = { first: opening({ thumbsDown: [THUMB] }) };
const DOWN_NOW = { first: opening({ thumbsDown: [{ ...THUMB, at: NOW.toISOString() }] }) };
const DOWNED = { state: 'dismissed', by: 'person', why: 'thumbs-down' } as const;
const DISMISSAL = ended({ state: 'dismissed', by: 'person', why: 'phrase' });
const UNCLOSED = ended({ closed: false });
const REOPENED = said('octocat', '/axe reopen', { createdAt: NOW.toISOString() });
const RESOLVED = { by: 'person', why: 'resolved' } as const;
const SAID_LATER = conversation({
  ...BY_WRITER,
  first: opening({}, [raised({ closedBy: 'octocat' })]),
});

describe('people’s gestures and words', () => {
  const ALL_AT_ONCE = conversation({ resolvedBy: 'hubot', ...DOWN, replies: [NO] });
  const OWN_TOKEN = replied(said('octocat', 'Not a bug.', { isOurs: true }), {
    first: opening({ author: { login: 'octocat', isBot: false } }),
  });
  const BELOW = { comments: [said('hubot', '/axe dismiss fq7k2 it is bound')] };
  const DELETED = { threads: [], comments: [opening({ id: 3 }, [raised(), ended(DOWNED)])] };
  const BEHEADED = told([raised(), ended()], { ...BY_RUN, first: said('mallory', 'Why?') });
  const LEFT_TEAM = told([ended({ ...RESOLVED, login: 'former' })], { resolvedBy: 'former' });
  const BY_STRANGER = told([ended({ ...RESOLVED, login: 'octocat' })], { resolvedBy: 'reader' });
  const BACK = back({ at: LATER.getTime(), closedBy: 'octocat' });
  const STILL_CLOSED = told([ended({ at: BEFORE.getTime() }), BACK], BY_WRITER);

  it.each<[string, Partial<PullRequestConversation>, string]>([
    [
      'a writer who resolves settles',
      conversation({ resolvedBy: 'octocat' }),
      'settled resolved octocat',
    ],
    [
      'a writer’s 👎 dismisses, whatever else was done',
      ALL_AT_ONCE,
      'dismissed thumbs-down octocat',
    ],
    ['a writer’s set phrase dismisses', replied(NO), 'dismissed phrase octocat'],
    ['whose token posts the reviews can dismiss too', OWN_TOKEN, 'dismissed phrase octocat'],
    ['`/axe dismiss` with the name dismisses anywhere', BELOW, 'dismissed command hubot'],
    ['`/axe done` settles', replied(said('hubot', '/axe done')), 'settled command hubot'],
    [
      'a phrase is about all of a conversation',
      replied(NO, { first: BOTH }),
      'dismissed phrase octocat',
    ],
    ['the last word counts', conversation({ replies: [NO, REOPENED] }), 'open command octocat'],
    [
      'a later 👎 counts',
      replied(said('octocat', '/axe reopen'), DOWN_NOW),
      'dismissed thumbs-down octocat',
    ],
    ['a 👎 before a reopening does not', replied(REOPENED, DOWN), 'open command octocat'],
    ['a 👎 taken back reopens', told([ended({ ...DOWNED, login: 'octocat' })], BY_RUN), 'open'],
    [
      'but not where a writer has resolved since',
      told([ended({ ...DOWNED, closed: false })], BY_WRITER),
      'settled resolved octocat',
    ],
    ['a dismissal holds if its comment was deleted', DELETED, 'dismissed thumbs-down'],
    ['an end that closed the conversation is undone by opening it', told([ended()]), 'open'],
    ['an end that could not close it is not', told([UNCLOSED]), 'settled fixed'],
    ['a run’s own resolving says nothing new', told([ended()], BY_RUN), 'settled fixed'],
    ['nor where a stranger’s reply is the first that is left', BEHEADED, 'settled fixed'],
    [
      'a writer who resolves decides over the model',
      told([UNCLOSED], BY_WRITER),
      'settled resolved octocat',
    ],
    ['a Resolve that was noted holds, whoever it was', LEFT_TEAM, 'settled resolved former'],
    ['a stranger who opens and resolves undoes an end', BY_STRANGER, 'open'],
    ['no opened conversation undoes a dismissal', told([DISMISSAL]), 'dismissed phrase'],
  ])('%s', (_, parts, expected) => {
    expect(lifeOf(parts)).toBe(expected);
  });

  it.each<[string, Partial<PullRequestConversation>]>([
    ['nobody answered', {}],
    [
      'a reader gave 👎',
      conversation({ first: opening({ thumbsDown: [{ ...THUMB, login: 'reader' }] }) }),
    ],
    ['a reader said no', replied(said('reader', 'Not a bug.'))],
    ['a bot said no', replied({ ...NO, author: { login: 'octocat', isBot: true } })],
    ['a run of ours said no', replied(said('octocat', marked([], 'Not a bug.'), { isOurs: true }))],
    ['somebody edited what a writer said', replied({ ...NO, isEditedByOther: true })],
    ['a writer said anything else', replied(said('octocat', 'Let us talk.'))],
    ['a stranger resolved it', conversation({ resolvedBy: 'reader' })],
    ['an account resolved it that is gone', conversation({ isResolved: true })],
    ['a phrase stands below the pull request', { comments: [NO] }],
    ['a command without a name does', { comments: [said('octocat', '/axe dismiss')] }],
    ['a command names another one', replied(said('octocat', '/axe dismiss FX3M9'))],
    ['the conversation was resolved before the finding was said there', SAID_LATER],
    ['it is back, where an old gesture could not be undone', STILL_CLOSED],
  ])('leave it open if %s', (_, parts) => {
    expect(lifeOf(parts)).toBe('open');
  });

  it('are about what the conversation held when they were written', () => {
    const parts = conversation({ replies: [NO, REPLY] });
    expect([lifeOf(parts), lifeOf(parts, {}, OTHER)]).toEqual(['dismissed phrase octocat', 'open']);
  });

  it('are news only as long as no mark says so', () => {
    const isTold = (parts: Partial<PullRequestConversation>) =>
      read(parts).findings.map((one) => one.isTold);
    expect(isTold({})).toEqual([true]);
    expect(isTold(conversation({ replies: [NO] }))).toEqual([false]);
    expect(isTold(told([DISMISSAL]))).toEqual([true]);
    expect(isTold(told([ended()]))).toEqual([false]);
    expect(isTold(told([UNCLOSED], BY_WRITER))).toEqual([false]);
    expect(isTold(told([ended(), back()]))).toEqual([true]);
  });
});

describe('marks in texts and in the state', () => {
  const memory = { marks: [raised({ thread: 'T_1', comment: 1 })], posted: posted(1) };
  const KNOWING = { ...memory, posted: posted(1, 3) };
  const DRAFT = { threads: [], reviews: [review(marked([raised()]), { state: 'PENDING' })] };

  it.each<[string, Partial<PullRequestConversation>, Partial<LedgerContext>, string | undefined]>([
    ['a text unknown to the state ends nothing', told([UNCLOSED]), { memory }, 'open'],
    ['a text that the state knows ends', told([UNCLOSED]), { memory: KNOWING }, 'settled fixed'],
    ['nor does a Resolve that only the text notes', SAID_LATER, { memory: KNOWING }, 'open'],
    ['a draft of a review does not', DRAFT, {}, undefined],
    [
      'what somebody else wrote does not',
      conversation({ first: opening({ isOurs: false }) }),
      {},
      undefined,
    ],
    ['another agent’s finding is its own', {}, { agent: 'bot-2' }, undefined],
  ])('%s', (_, parts, about, expected) => {
    expect(lifeOf(parts, about)).toBe(expected);
  });

  it('give the state’s findings as open where GitHub cannot be asked', () => {
    const ledger = readLedger(undefined, context({ memory }));
    expect(ledger.open).toMatchObject([{ id: ID, isTold: true, thread: undefined }]);
  });

  it('keep a finding bound to the conversation of its edited comment', () => {
    const edited = conversation({ first: opening({ isEditedByOther: true }) });
    const bound = { thread: { id: 'T_1' }, said: { comment: 1 } };
    expect(read(edited, { memory }).findings).toMatchObject([bound]);
  });

  it('say of a finding that the state knows what the state says', () => {
    const first = opening({}, [raised({ at: BEFORE.getTime(), severity: 'nit' })]);
    expect(read(conversation({ first }), { memory }).findings).toMatchObject([
      { severity: 'major' },
    ]);
  });

  it('never make a finding outdated by a move in a text unknown to the state', () => {
    const moved = told([back({ path: 'a.ts', code: '' })]);
    expect(read(moved, { memory }).findings).toMatchObject([
      { state: 'open', path: 'src/auth.ts' },
    ]);
  });

  it.each<[string, Partial<LedgerContext>, GitHubComment, Word]>([
    ['without a state', {}, opening(), 'guest'],
    [
      'by a text that the state knows',
      { memory: { marks: [], posted: posted(1) } },
      opening(),
      'own',
    ],
    ['by the state', { memory: { ...memory, posted: posted() } }, opening(), 'own'],
  ])('trust the words of a finding %s', (_, about, first, words) => {
    expect(read(conversation({ first }), about).findings).toMatchObject([{ words }]);
  });

  it('give place, words and suggestion as the comment has them', () => {
    const text = 'Bind it.\n\n```suggestion\nbind(id);\n```\n\n<details>\nx\n</details>';
    const parts = conversation({ line: 12, first: opening({ body: marked([raised()], text) }) });
    const body = expect.stringMatching(/^Bind it\.[^x]*$/);
    const likely = { line: 12, code: CODE, body, suggestion: 'bind(id);', confidence: 'likely' };
    expect(read(parts, { lines: undefined }).findings).toMatchObject([likely]);
    for (const confidence of ['unsure', 'confirmed'] as const) {
      const first = opening({}, [raised({ confidence })]);
      expect(read(conversation({ first })).findings).toMatchObject([{ confidence }]);
    }
  });
});

describe('a finding held against the present change', () => {
  const at = (parts: Parameters<typeof raised>[0], ...more: Parameters<typeof marked>[0]) => ({
    threads: [],
    comments: [opening({}, [raised(parts), ...more])],
  });
  const LEFT = { lines: WITHOUT_FILE };
  const ON_FORK = { ...LEFT, isFork: true };
  const UNTELLING = { line: 11, code: lineFingerprint('return user;') };
  const GONE = { code: '', closed: false };

  it.each<
    [string, Partial<PullRequestConversation>, Partial<LedgerContext>, Partial<KnownFinding>]
  >([
    ['is outdated if its file left', at({}), LEFT, { state: 'outdated', by: 'program' }],
    ['stays open on a fork if it blocks', at({}), ON_FORK, { state: 'open', isGone: true }],
    [
      'is outdated on a fork if it is unsure',
      at({ confidence: 'unsure' }),
      ON_FORK,
      { state: 'outdated' },
    ],
    [
      'follows its file to another name',
      at({ path: 'gone.ts' }),
      {},
      { path: 'src/auth.ts', line: 10 },
    ],
    [
      'follows no file by an untelling line',
      at({ ...UNTELLING, path: 'b.ts' }),
      {},
      { state: 'outdated' },
    ],
    [
      'stays in a file that GitHub does not show',
      at({ path: 'logo.png' }),
      {},
      { isGone: false, line: 10 },
    ],
    ['is open if its fix is reverted', at({}, ended(GONE)), {}, { why: 'reverted', isTold: false }],
    ['stays fixed if its line is untelling', at(UNTELLING, ended(GONE)), {}, { state: 'settled' }],
    ['is made no milder by a mark', at({}, back({ severity: 'nit' })), {}, { severity: 'major' }],
    ['stays taken back', at({}, ended({ ...GONE, why: 'wrong' })), {}, { state: 'settled' }],
  ])('%s', (_, parts, about, expected) => {
    expect(read(parts, about).findings).toMatchObject([expected]);
  });

  it.each([
    [false, 'outdated'],
    [true, 'open'],
  ])('of a file that left is not opened, but for what blocks on a fork: %s', (isFork, state) => {
    const ledger = read(told([ended()]), { ...LEFT, isFork });
    ledger.reopen(ID, 'octocat');
    expect(ledger.findings).toMatchObject([{ state }]);
  });

  it('shares its line with one finding of a category', () => {
    const first = opening({}, [raised(), raised({ id: OTHER, handle: 'FX3M9' })]);
    expect(read(conversation({ first })).findings.map((one) => one.isGone)).toEqual([false, true]);
  });

  it('shares its number with one on the other side', () => {
    const place = { path: 'no-end.txt', line: 2, code: lineFingerprint('beta') };
    const old = raised({ id: OTHER, handle: 'FX3M9', ...place, side: 'LEFT' });
    const first = opening({}, [raised(place), old]);
    const { findings } = read(conversation({ first, path: place.path, line: 2 }));
    expect(findings.map((one) => one.isGone)).toEqual([false, false]);
  });

  it.each<[string, Partial<LedgerContext>, Parameters<typeof raised>[0], string]>([
    ['pushed by a writer', { isPushByWriter: true }, {}, 'settled person'],
    ['on a run of our own, where it does not block', {}, { severity: 'minor' }, 'settled program'],
    ['on a run of our own, where it blocks', {}, {}, 'open'],
    ['by a stranger', { rights: rightsOf('fork') }, { severity: 'minor' }, 'open'],
  ])('whose suggestion was committed %s', (_, about, parts, expected) => {
    const offer = '```suggestion\nquery("SELECT " + account.id);\n```';
    const first = opening({ body: marked([raised(parts)], offer) });
    const ledger = read(conversation({ first }), { lines: TOUCHED, ...about });
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
  const DATA = { category: 'data' } as const;
  const SAME = { sameAs: 'FQ7K2' };
  const SAME_TOUCHED = { ...SAME, about: { lines: TOUCHED } };
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
      title: 'Rows are read twice',
    };
    return ledgerOf(earlier, about).raise(finding({ ...plain, ...draft }), claim);
  }

  type Claim = Parameters<typeof raise>[2];
  it.each<[string, readonly KnownFinding[], Partial<KnownFinding>, Claim, RaiseResult['kind']]>([
    ['is the one that the model names', EARLIER, ELSEWHERE, { sameAs: ' fq7k2' }, 'kept'],
    ['is back if it is worse', EARLIER, { severity: 'critical' }, {}, 'back'],
    ['is another one then, if the model says so', BY_MODEL, {}, { isNew: true }, 'raised'],
    ['is held back while the line that a person settled stands', BY_PERSON, {}, {}, 'held-back'],
    ['is back if the line that a person settled changed', BY_PERSON, touched, SAME_TOUCHED, 'back'],
    ['is back if that line was gone', [known({ ...CLOSED, endedGone: true })], {}, {}, 'back'],
    ['is asked about there in another category', DISMISSED, { category: 'data' }, {}, 'ask'],
    ['is the one posted there meanwhile', EARLIER, DATA, { isNew: true, knew: new Set() }, 'kept'],
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
      'moves with a file that left',
      [known({ state: 'outdated', path: 'old.ts' })],
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
  ])('again %s', (_, draft, claim, expected) => {
    expect(raise(EARLIER, draft, claim)).toMatchObject({ finding: { id: ID, ...expected } });
  });

  it('is open, and known to the next one', () => {
    const ledger = ledgerOf();
    const first = ledger.raise(finding({ code: CODE }));
    expect(first).toMatchObject({ kind: 'raised', finding: { isTold: false } });
    expect(ledger.copy().raise(finding({ id: OTHER, code: CODE })).kind).toBe('kept');
    expect(ledger.open).toHaveLength(1);
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
  const UNCONFIRMED = 'a second look did not confirm its end';
  const UNSEEN = 'a second look did not confirm its end';
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
  ])('%s', (_, ...[parts, ending, about, expected]) => {
    const end = ledgerOf([known(parts)], about).end({ ...FIXED, ...ending });
    expect(typeof end === 'string' ? end : `${end.state} ${end.by} ${end.why}`).toBe(expected);
  });

  it.each([
    ['stood', {}, false],
    ['was gone', { lines: TOUCHED }, true],
  ])('notes that its line %s then', (_, about, endedGone) => {
    expect(ledgerOf([known(MILD)], about).end(FIXED)).toMatchObject({
      state: 'settled',
      endedGone,
    });
  });

  it('is about an earlier finding', () => {
    expect(ledgerOf().end(FIXED)).toBe('FQ7K2 is not open');
  });
});

describe('the people whose permission is asked for', () => {
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

  it('include who commands below the pull request, and exclude our own account', () => {
    const comments = [said('reader', '/axe done FQ7K2')];
    const threads = [thread({ resolvedBy: 'github-actions[bot]' })];
    expect(loginsToCheck(seen({ threads, comments }))).toEqual(['reader']);
  });
});

/** Texts with these ids, by runs of our own. */
function posted(...ids: readonly number[]): ReadonlyMap<number, Word> {
  return new Map(ids.map((id) => [id, 'own'] as const));
}
