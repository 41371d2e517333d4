import { describe, expect, it } from '@jest/globals';
import {
  type BufferedPublications,
  DEFAULT_PUBLISH_RULES,
  NO_PUBLICATIONS,
} from '../../src/findings/buffered-publications.js';
import { commentableLines } from '../../src/findings/change/diff-lines.js';
import {
  type CommentRequest,
  type FindingContext,
  type Question,
  takeFinding,
} from '../../src/findings/decide/take-finding.js';
import { type SettleRequest, takeSettlement } from '../../src/findings/decide/take-settlement.js';
import type { Severity } from '../../src/findings/finding.js';
import type { KnownFinding, Lesson, Settlement } from '../../src/findings/known-finding.js';
import { LINES, scopeRest } from './change.js';
import { CODE, HEAD, known, ledgerOf, lesson, otherKnown, said, thread } from './threads.js';

const TEXT = '--- /dev/null\n+++ b/docs/a.md\n@@ -0,0 +1 @@\n+text\n';

/** The finding of `known()` in other words, on the same line. */
const AGAIN: CommentRequest = {
  path: 'src/auth.ts',
  line: 10,
  title: 'The query is built from a user id',
  body: 'The id is put into the query as it is; bind it.',
  category: 'security',
  effect: 'breach',
  reach: 'rare',
};

/** Another fault on that line: line and words do not decide. */
const UNLIKE = {
  ...AGAIN,
  title: 'Timeout is counted in seconds',
  category: 'correctness',
} as const;
const MINOR = { severity: 'minor', category: 'data' } as const;

/** The diff, and a file that it does not change. */
function shownApi(): FindingContext['shown'] {
  const { shown } = scopeRest();
  const lines = ['', '', 'const api = connect(host);', ''];
  shown.show([{ path: 'src/api.ts', side: 'RIGHT', firstLine: 1, lines }]);
  return shown;
}

interface Given extends Partial<Omit<FindingContext, 'ledger'>> {
  readonly before?: BufferedPublications;
  readonly lessons?: readonly Lesson[];
  readonly questioned?: readonly Question[];
  readonly minSeverity?: Severity;
}

function take(
  request: Partial<CommentRequest>,
  earlier: readonly KnownFinding[] = [],
  { before = NO_PUBLICATIONS, lessons = [], questioned = [], minSeverity, ...scope }: Given = {},
) {
  const ledger = ledgerOf(earlier, { lessons });
  const rest = { lines: LINES, ledger, ...scopeRest(), ...scope };
  const rules = {
    ...DEFAULT_PUBLISH_RULES,
    minSeverity: minSeverity ?? DEFAULT_PUBLISH_RULES.minSeverity,
  };
  const { state, ...taken } = takeFinding({ ...AGAIN, ...request }, before, rest, {
    rules,
    questioned,
  });
  return { ...taken, ...state };
}

describe('a finding that the pull request might have already', () => {
  const HELD = 'It is not posted.';
  const HERE = `Held back: FQ7K2 was dismissed on this pull request. ${HELD}`;
  const BACK =
    'FQ7K2 had ended (settled) and is open again. Nothing is posted before the run ends.';
  const CLOSED = `Held back: FQ7K2 was closed by a person, and its line is as it was. ${HELD}`;
  const ELSEWHERE = `Held back: dismissed on #40. ${HELD}`;
  const OPEN = 'FQ7K2 is open already, so it is not posted again.';
  const TITLE = '“The query is built from the id”';
  const TAINT = known({ ...MINOR, words: 'mixed' });

  it.each<[string, Partial<CommentRequest>, readonly KnownFinding[], readonly Lesson[], string]>([
    ['open', {}, [known()], [], OPEN],
    ['worse than the open one', { effect: 'data-loss', reach: 'always' }, [known()], [], OPEN],
    ['settled', {}, [known({ state: 'settled', by: 'model' })], [], BACK],
    ['dismissed', {}, [known({ state: 'dismissed' })], [], HERE],
    ['closed by a person', {}, [known({ state: 'settled', by: 'person' })], [], CLOSED],
    ['dismissed on another one', UNLIKE, [], [lesson({ category: 'correctness' })], ELSEWHERE],
  ])('is answered with what becomes of it: %s', (_, ...[request, earlier, lessons, text]) => {
    const { answer, findings, repeated, heldBack } = take(request, earlier, { lessons });
    expect(answer).toEqual({ kind: 'taken', text });
    expect([findings.length, repeated.length + heldBack.length]).toEqual([0, 1]);
  });

  const evidence = [{ path: 'src/auth.ts', line: 10, code: CODE }];
  const ALIKE = { line: 40, title: 'Nobody awaits this', evidence };
  const AWAITED = 'FX3M9 is open at line 11: “Nobody awaits the result”';
  const ON_40 = `FL3SN was dismissed on #40 in "src/auth.ts": ${TITLE}`;
  const BOTH = [known(), otherKnown({ line: 12, title: UNLIKE.title })];
  const TWO = `FQ7K2 is open at line 10: ${TITLE}; FX3M9 is open at line 12: “Timeout is counted in seconds”`;
  it.each<[string, Partial<CommentRequest>, readonly KnownFinding[], readonly Lesson[], string]>([
    ['on its line', {}, [known()], [], `FQ7K2 is open at line 10: ${TITLE}`],
    [
      'that has ended',
      {},
      [known({ state: 'settled' })],
      [],
      `FQ7K2 is settled at line 10: ${TITLE}`,
    ],
    ['that strangers may have worded', {}, [TAINT], [], `FQ7K2 is open at line 10: ${TITLE}`],
    ['under a similar title', ALIKE, [otherKnown()], [], AWAITED],
    ['dismissed on another pull request', { title: 'The query of the id' }, [], [lesson()], ON_40],
    ['and all others', {}, BOTH, [], TWO],
  ])('causes a question with the name of the one %s', (_, ...[request, earlier, lessons, told]) => {
    const { answer, asked } = take({ ...UNLIKE, ...request }, earlier, { lessons });
    const same = `If yours is the same, call again with \`same_as: "${told.slice(0, 5)}"\``;
    const text = `Not accepted: not yet. ${told}. ${same}; if it is another one, with \`new: true\`.`;
    expect(answer).toEqual({ kind: 'refused', text });
    expect(asked).toBe('sameness');
  });

  it('causes one question, and is then accepted as another one', () => {
    const earlier = [known(), otherKnown()];
    const questioned = [{ about: 'sameness', request: UNLIKE } as const];
    expect(take({ ...UNLIKE, isNew: true }, earlier).findings).toHaveLength(1);
    expect(take(UNLIKE, earlier, { questioned }).findings).toHaveLength(1);
    expect(take({ ...UNLIKE, line: 11 }, earlier, { questioned }).asked).toBe('sameness');
    const third = { ...UNLIKE, title: 'Nobody closes the connection' };
    expect(take(third, earlier, { questioned }).asked).toBe('sameness');
  });

  it('is repeated once, with the latest text', () => {
    const once = take({}, [known()]);
    const body = 'The id is put into the query as it is.';
    const twice = take({ body }, [known()], { before: once });
    expect(twice.repeated).toMatchObject([{ of: { handle: 'FQ7K2' }, finding: { body } }]);
  });

  it('is refused under a name that no finding has', () => {
    const text = 'Not accepted: there is no finding FZZZ9.';
    expect(take({ sameAs: 'FZZZ9' }, [known()]).answer).toEqual({ kind: 'refused', text });
  });
});

describe('an accepted finding', () => {
  it('has all fields of the model, and the derived ones', () => {
    const evidence = Array.from({ length: 6 }, () => ({
      path: 'src/auth.ts',
      line: 10,
      code: CODE,
    }));
    const offered = { code: CODE, suggestion: 'bind(user.id);' };
    const trigger = ` an id\nwith a quote${'!'.repeat(400)}`;
    const { findings } = take({
      ...offered,
      title: ' Two\nlines ',
      trigger,
      evidence,
      sure: false,
    });
    expect(findings.map(({ finding }) => finding)).toMatchObject([
      {
        ...offered,
        id: expect.stringMatching(/^[0-9a-f]{16}$/),
        handle: expect.stringMatching(/^F[A-Z0-9]{4}$/),
        agent: 'bot',
        state: 'open',
        title: 'Two lines',
        trigger: expect.stringMatching(/^an id with a quote!+…$/),
        severity: 'major',
        confidence: 'unsure',
        evidence: evidence.slice(0, 5),
      },
    ]);
    expect(Array.from(findings[0]?.finding.trigger ?? '')).toHaveLength(300);
    expect(take({ trigger: ' ' }).findings[0]?.finding.trigger).toBeUndefined();
    expect(take({}).findings[0]?.finding.confidence).toBe('likely');
  });

  it.each<[string, Partial<CommentRequest>, Partial<FindingContext>, string]>([
    ['effect and reach', { effect: 'outage', reach: 'always' }, {}, 'critical'],
    ['its file, which nobody reads', {}, { isRead: () => false }, 'minor'],
    [
      'its file, which is a text',
      { path: 'docs/a.md', line: 1 },
      { lines: commentableLines(TEXT) },
      'minor',
    ],
    ['the agent’s own rule for the category', {}, { overrides: { security: 'minor' } }, 'minor'],
  ])('has a severity that follows from %s', (_, request, scope, severity) => {
    const { findings, answer } = take(request, [], scope);
    expect(findings[0]?.finding.severity).toBe(severity);
    expect(answer.text).toContain(`(severity ${severity})`);
  });

  it('keeps its id when it is repeated, and no two share one', () => {
    const first = take({});
    const again = take({ body: 'Bind the id, which is put into the query.' }, [], {
      before: first,
    });
    expect(again.findings).toMatchObject(
      first.findings.map(({ finding: { id } }) => ({ finding: { id } })),
    );
    const dismissed = [known({ state: 'dismissed' })];
    const held = take({}, dismissed);
    const twice = take({}, dismissed, { before: held });
    const last = take({ ...UNLIKE, path: 'fresh.ts', line: 2 }, dismissed, { before: twice });
    const ids = [...last.findings, ...last.heldBack].map(({ finding }) => finding.id);
    expect(new Set(ids).size).toBe(3);
  });

  it('is not created without a title', () => {
    const answer = { kind: 'refused', text: 'Not accepted: `title` is empty.' };
    expect(take({ title: ' \n' })).toMatchObject({ findings: [], answer });
  });
});

describe('a finding that is refused', () => {
  const evidence = [{ path: 'src/auth.ts', line: 10, code: CODE }];

  it.each<[string, Partial<CommentRequest>, Given, string]>([
    [
      'outside of the paths',
      {},
      { isInScope: (path: string) => path.startsWith('docs/') },
      '"src/auth.ts" is outside the paths that this review is about. Leave it out.',
    ],
    [
      'about what was there before, in a later review',
      { path: 'src/api.ts', line: 3, code: 'const api = connect(host);' },
      { shown: shownApi(), isLaterReview: true },
      'the change does not touch line 3 of "src/api.ts", and only the first review of a pull request reports what was there before. If the change now relies on it, call again with the changed line in `evidence`.',
    ],
    [
      'too mild',
      {},
      { minSeverity: 'critical' },
      'its effect and reach make it `major`, and this review reports `critical` and worse. Leave it out.',
    ],
    [
      'a nit in a later review',
      { effect: 'upkeep' },
      { minSeverity: 'nit', isLaterReview: true },
      'its effect and reach make it `nit`, and only the first review of a pull request reports those. Leave it out.',
    ],
  ])('is %s', (_, request, scope, text) => {
    expect(take(request, [], scope).answer).toEqual({
      kind: 'refused',
      text: `Not accepted: ${text}`,
    });
  });

  it.each([
    'Verify that the input is escaped',
    'Please make sure the lock is held',
    'Consider using a prepared statement',
    'You may want to double-check this',
    'It would be good to ensure that ids are unique',
    '**Consider** a retry',
  ])('is a question: %s', (title) => {
    const body = `${title}.`;
    expect(take({ title, body }).answer.text).toContain('asks the author');
    expect(take({ title, body, trigger: 'An id with a quote.' }).findings).toHaveLength(1);
    expect(take({ title }).findings).toHaveLength(1);
    expect(take({ body }).findings).toHaveLength(1);
  });

  it.each<[Partial<CommentRequest>, Given]>([
    [{ body: 'Verification of the token is skipped' }, {}],
    [{ body: 'Considerable time is lost here. Consider a cache.' }, {}],
    [{ body: 'The check lets everybody pass' }, {}],
    [{ body: 'The id is not unique. Make sure that it is.' }, {}],
    [{ path: 'src/api.ts', line: 3, evidence }, { shown: shownApi() }],
    [{ path: 'logo.png', line: 1 }, {}],
    [{ effect: 'upkeep' }, { minSeverity: 'nit' }],
  ])('is not %j', (request, scope) => {
    expect(take(request, [], scope).findings).toHaveLength(1);
  });
});

/** On a line that `src/auth.ts` had before; the change adds two lines below it. */
const FINDING = known({
  thread: thread({
    hunk: '@@ -8,2 +8,2 @@\n line 8;\n-old(9);\n+line 9;',
    replies: [
      said('Octocat', 'We bind it elsewhere.'),
      said('reader', 'I dismiss it.'),
      said('hubot', 'Edited by another.', { isEditedByOther: true }),
      said('monalisa', 'A bot.', { author: { login: 'monalisa', isBot: true } }),
    ],
  }),
});
const CURE = { path: 'src/auth.ts', line: 11, code: 'return user;' };
const FIXED: SettleRequest = {
  finding: 'FQ7K2',
  how: 'fixed',
  reason: 'It is bound now.',
  evidence: [CURE],
};

const diffOf = (path: string, hunk: string) =>
  commentableLines(`diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n${hunk}\n`);

function settle(
  request: Partial<SettleRequest>,
  given: {
    readonly fresh?: FindingContext['fresh'];
    readonly freshFrom?: string;
    readonly findings?: readonly KnownFinding[];
    readonly failing?: FindingContext['failing'];
  } = {},
  settlements: readonly Settlement[] = [],
) {
  const { findings = [FINDING, otherKnown()], ...rest } = given;
  const whole = { ...scopeRest(), ledger: ledgerOf(findings), lines: LINES, ...rest };
  return takeSettlement({ ...FIXED, ...request }, settlements, whole);
}

describe('the end of an earlier finding', () => {
  const MARKED = { ...CURE, code: '+  return user;' };
  const BY_OCTOCAT = { how: 'dismissed', evidence: [], by: '@octocat' } as const;
  it.each<[string, Partial<SettleRequest>, Partial<Settlement>]>([
    ['can be named in small letters', { finding: ' fq7k2 ' }, { how: 'fixed' }],
    ['is proved by a line with the mark of the diff', { evidence: [MARKED] }, { how: 'fixed' }],
    ['is taken back without any proof', { how: 'wrong', evidence: [] }, { how: 'wrong', by: '' }],
    [
      'is dismissed by somebody who has written there',
      BY_OCTOCAT,
      { how: 'dismissed', by: 'octocat' },
    ],
    [
      'names nobody if nobody dismissed it',
      { how: 'wrong', by: 'octocat' },
      { how: 'wrong', by: '' },
    ],
  ])('%s', (_, request, expected) => {
    const { answer, settlements } = settle(request);
    expect(answer).toEqual({
      kind: 'taken',
      text: `FQ7K2 is ended (${expected.how ?? 'fixed'}). Nothing is posted before the run ends.`,
    });
    expect(settlements).toMatchObject([{ finding: { id: FINDING.id }, ...expected }]);
  });

  it.each<[string, Partial<SettleRequest>, string]>([
    [
      'names an id',
      { finding: '12' },
      '"12" is not one of your open findings; these are FQ7K2, FX3M9.',
    ],
    [
      'has no reason',
      { reason: ' \n' },
      '`reason` is empty; say in one sentence what ends the finding.',
    ],
  ])('is refused if it %s', (_, request, expected) => {
    const answer = { kind: 'refused', text: `Not accepted: ${expected}` };
    expect(settle(request)).toMatchObject({ answer, settlements: [] });
  });

  const NO_CURE =
    'Not accepted: name in `evidence` a line that changed since FQ7K2 was posted and that fixes it, copied as it is.';
  it.each<[string, Partial<SettleRequest['evidence'][number]>]>([
    ['a line that was removed', { code: 'line 10;' }],
    ['a file that is not in the diff', { path: 'src/other.ts' }],
  ])('is refused as fixed if its evidence is %s', (_, parts) => {
    expect(settle({ evidence: [{ ...CURE, ...parts }] }).answer).toEqual({
      kind: 'refused',
      text: NO_CURE,
    });
  });

  it('needs no proof of a fix if its own line is gone', () => {
    const findings = [known({ isGone: true })];
    expect(settle({ evidence: [] }, { findings }).answer.kind).toBe('taken');
    expect(settle({ evidence: [] }).answer).toEqual({ kind: 'refused', text: NO_CURE });
  });

  it('is proved only by what is new since the last review', () => {
    const fresh = diffOf('src/auth.ts', '@@ -10,1 +10,2 @@\n return user;\n+bind(user.id);');
    expect(settle({}, { fresh }).answer.kind).toBe('refused');
    expect(settle({}, { fresh, freshFrom: HEAD }).answer.kind).toBe('refused');
    // The last review may have overlooked what ended an older one.
    expect(settle({}, { fresh, freshFrom: 'b'.repeat(40) }).answer.kind).toBe('taken');
    const evidence = [{ path: 'src/auth.ts', line: 11, code: 'bind(user.id);' }];
    expect(settle({ evidence }, { fresh }).answer.kind).toBe('taken');
    const back = diffOf('src/auth.ts', '@@ -9,1 +9,1 @@\n-line 9;\n+old(9);');
    expect(settle({ evidence: [{ ...CURE, code: 'old(9);' }] }, { fresh: back }).answer.kind).toBe(
      'taken',
    );
  });

  it.each<[string, string | undefined, string]>([
    ['an empty name is given', '@', '`by` names nobody'],
    ['a reader is named', 'reader', '"reader" has not written in the conversation of FQ7K2'],
    ['a bot is named', '@monalisa', '"@monalisa" has not written in the conversation of FQ7K2'],
  ])('is refused as dismissed if %s', (_, by, why) => {
    expect(settle({ how: 'dismissed', evidence: [], by }).answer).toEqual({
      kind: 'refused',
      text: `Not accepted: ${why}; only a person who answered there can have dismissed it.`,
    });
  });

  it('is refused while the test that shows it fails, unless a person has dismissed it', () => {
    const failing = new Set([FINDING.id]);
    for (const how of ['fixed', 'wrong'] as const) {
      const { answer, refusal } = settle({ how }, { failing });
      expect([answer.text, refusal?.code]).toEqual([
        'Not accepted: the test that shows FQ7K2 still fails. It stays open.',
        'test-fails',
      ]);
    }
    expect(settle(BY_OCTOCAT, { failing }).answer.kind).toBe('taken');
    expect(settle({}, { failing: new Set(['another']) }).answer.kind).toBe('taken');
  });

  it('is refused if the finding left with its file', () => {
    const { answer } = settle({}, { findings: [known({ state: 'settled', why: 'left' })] });
    expect(answer.text).toBe(
      'Not accepted: "FQ7K2" is not one of your open findings; there are none.',
    );
  });

  it('is that of the last call, one for each finding', () => {
    const first = settle({});
    const second = settle({ finding: 'FX3M9', how: 'wrong' }, {}, first.settlements);
    const third = settle({ how: 'wrong', reason: 'It never was.' }, {}, second.settlements);
    expect(third.answer.text).toBe(
      'FQ7K2 is ended (wrong), in place of what you said before. Nothing is posted before the run ends.',
    );
    const ends = third.settlements.map(({ finding, how }) => `${finding.handle} ${how}`);
    expect(ends).toEqual(['FX3M9 wrong', 'FQ7K2 wrong']);
    expect(settle({ reason: '' }, {}, third.settlements).settlements).toBe(third.settlements);
  });
});

it('a fix that only removes lines is proved by the removed line, not by one that was only moved', () => {
  const REMOVED = diffOf('src/other.ts', '@@ -4,2 +4,1 @@\n keep();\n-unsafe();');
  const MOVED = diffOf('src/other.ts', '@@ -4,2 +4,2 @@\n-unsafe();\n keep();\n+unsafe();');
  const evidence = [{ path: 'src/other.ts', line: 5, code: '-unsafe();' }];
  const removed = { evidence: [{ path: 'src/other.ts', line: 5, code: '  unsafe();' }] };
  expect(settle(removed, { fresh: REMOVED }).settlements).toHaveLength(1);
  const KEY = diffOf('src/other.ts', "@@ -4,2 +4,1 @@\n keep();\n-login('***');");
  const masked = { evidence: [{ path: 'src/other.ts', line: 5, code: "-login('***');" }] };
  expect(settle(masked, { fresh: KEY }).settlements).toHaveLength(1);
  expect(settle({ evidence }, { fresh: MOVED }).answer.kind).toBe('refused');
});
