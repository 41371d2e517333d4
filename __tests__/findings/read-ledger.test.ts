import { describe, expect, it } from '@jest/globals';
import type { LedgerContext } from '../../src/findings/decide/ledger.js';
import type { KeptFinding } from '../../src/findings/kept-finding.js';
import { readLedger } from '../../src/findings/read/read-ledger.js';
import type {
  GitHubComment,
  OwnReview,
  PullRequestConversation,
  Thread,
} from '../../src/github/reading/conversation.js';
import { formatMark } from '../../src/safety/mark.js';
import { reviewLine } from '../helpers/marks.js';
import {
  CODE,
  context,
  HEAD,
  ID,
  KEY,
  keptOne,
  LATER,
  marked,
  NOW,
  OTHER,
  opening,
  read,
  recordOf,
  review,
  said,
  seen,
  THUMB,
  thread,
} from './threads.js';

type Parts = Partial<PullRequestConversation>;

const BOT = 'github-actions';

/** The hidden line of an answer in the conversation of the finding. */
const replyLine = (rev: number) => formatMark({ kind: 'reply', agent: 'bot', id: ID, rev });

/** A conversation of the finding, in which people have done this. */
function conversation(parts: Partial<Thread>): Parts {
  return { threads: [thread(parts)] };
}

function replied(...replies: readonly GitHubComment[]): Parts {
  return conversation({ replies });
}

/** State, reason and person of the finding. */
function lifeOf(parts: Parts, about: Partial<LedgerContext> = {}, id = ID): string | undefined {
  const one = read(parts, { authorMayWrite: true, ...about }).findings.find(
    (each) => each.id === id,
  );
  return one && [one.state, one.why, one.login].filter((word) => word !== undefined).join(' ');
}

/** The record with the finding in this state. */
function was(finding: Partial<KeptFinding>, heard: readonly number[] = []) {
  return { record: recordOf([keptOne(finding)], { heard }) };
}

const FIXED = { state: 'settled', by: 'model', why: 'fixed', rev: 2 } as const;
const DISMISSED = { state: 'dismissed', by: 'person', why: 'phrase', rev: 2 } as const;
const CLOSED = { state: 'settled', by: 'person', why: 'resolved', rev: 2 } as const;

describe('gestures', () => {
  const STATES: Readonly<Record<string, Partial<KeptFinding>>> = {
    open: {},
    fixed: FIXED,
    resolved: { ...CLOSED, login: 'octocat' },
    dismissed: DISMISSED,
  };
  const EDITED = opening({ body: 'Edited.', isEditedByOther: true, thumbsDown: [] });
  /** Under a first comment that was deleted GitHub shows the next one. */
  const ANSWER = opening({ body: replyLine(2), thumbsDown: [] });
  const THUMBED = conversation({ first: opening({ thumbsDown: [THUMB] }) });
  /** What was there at the last reading, and what is there now. */
  const ROWS: readonly [string, KeptFinding['saw'], Parts, Partial<LedgerContext>?][] = [
    ['a writer resolved it', { down: [] }, conversation({ resolvedBy: 'octocat' })],
    ['a reader resolved it', { down: [] }, conversation({ resolvedBy: 'reader' })],
    ['we resolved it', { down: [] }, conversation({ resolvedBy: BOT })],
    [
      'nothing since a writer',
      { resolvedBy: 'octocat', down: [] },
      conversation({ resolvedBy: 'octocat' }),
    ],
    ['opened since a writer', { resolvedBy: 'octocat', down: [] }, {}],
    ['opened since us', { resolvedBy: BOT, down: [] }, {}],
    ['opened since us, by whom?', { resolvedBy: BOT, down: [] }, {}, { authorMayWrite: false }],
    ['opened since a reader', { resolvedBy: 'reader', down: [] }, {}],
    ['a writer’s 👎', { down: [] }, THUMBED],
    ['the same 👎', { down: ['octocat'] }, THUMBED],
    ['“not a bug”', { down: [] }, replied(said('octocat', 'Not a bug.'))],
    ['/axe dismiss', { down: [] }, replied(said('octocat', '/axe dismiss'))],
    ['/axe done', { down: [] }, replied(said('octocat', '/axe done'))],
    ['/axe reopen', { down: [] }, replied(said('octocat', '/axe reopen'))],
    ['a reader’s /axe dismiss', { down: [] }, replied(said('reader', '/axe dismiss'))],
    ['its comment was edited', { down: [] }, conversation({ first: EDITED })],
    ['its comment was deleted', { down: ['octocat'] }, conversation({ first: ANSWER })],
    ['its conversation was deleted', { resolvedBy: BOT, down: ['octocat'] }, { threads: [] }],
  ];

  it('are differences to what the last reading saw', () => {
    const cells = ROWS.map(([gesture, saw, parts, about]) => {
      const lives = Object.values(STATES).map((finding) => {
        const life = lifeOf(parts, { ...was({ ...finding, saw }), ...about });
        const before = [finding.state ?? 'open', finding.why, finding.login];
        return life === before.filter((word) => word !== undefined).join(' ') ? '·' : (life ?? '');
      });
      return [gesture, ...lives].join(' | ');
    });
    expect([['', ...Object.keys(STATES)].join(' | '), ...cells]).toMatchInlineSnapshot(`
[
  " | open | fixed | resolved | dismissed",
  "a writer resolved it | settled resolved octocat | settled resolved octocat | · | ·",
  "a reader resolved it | · | · | · | ·",
  "we resolved it | · | · | · | ·",
  "nothing since a writer | · | · | · | ·",
  "opened since a writer | · | open | open | open",
  "opened since us | · | open | open | open",
  "opened since us, by whom? | · | · | · | ·",
  "opened since a reader | · | · | · | ·",
  "a writer’s 👎 | dismissed thumbs-down octocat | dismissed thumbs-down octocat | dismissed thumbs-down octocat | ·",
  "the same 👎 | · | · | · | ·",
  "“not a bug” | dismissed phrase octocat | dismissed phrase octocat | dismissed phrase octocat | ·",
  "/axe dismiss | dismissed command octocat | dismissed command octocat | dismissed command octocat | ·",
  "/axe done | settled command octocat | settled command octocat | · | settled command octocat",
  "/axe reopen | · | open command octocat | open command octocat | open command octocat",
  "a reader’s /axe dismiss | · | · | · | ·",
  "its comment was edited | · | · | · | ·",
  "its comment was deleted | · | · | · | ·",
  "its conversation was deleted | · | · | · | ·",
]
`);
  });

  it('count once, whatever was done since', () => {
    const parts = replied(said('octocat', 'Not a bug.', { id: 9 }));
    expect(lifeOf(parts, was({}, [9]))).toBe('open');
    expect(read(parts).heard.heard).toContain(9);
  });

  it('count in their order where they have a time', () => {
    const reopened = said('hubot', '/axe reopen', { id: 9, createdAt: NOW.toISOString() });
    expect(lifeOf(replied(said('octocat', 'Not a bug.'), reopened))).toBe('open command hubot');
  });

  it('of a 👎 that is gone open what it dismissed', () => {
    const byThumb = { ...DISMISSED, why: 'thumbs-down', login: 'octocat' } as const;
    const gone = was({ ...byThumb, saw: { down: ['octocat'] } });
    expect(lifeOf({}, gone)).toBe('open');
    const nextComments = [said('mallory', 'Why?', { id: 1 }), opening({ body: replyLine(2) })];
    for (const first of nextComments)
      expect(lifeOf(conversation({ first }), gone)).toBe('dismissed thumbs-down octocat');
  });

  it('of a permission that could not be read wait for the next reading', () => {
    const about = { isWriter: () => false, hasUnknownAccess: () => true };
    const parts = conversation({
      resolvedBy: 'octocat',
      replies: [said('octocat', 'Not a bug.', { id: 9 })],
    });
    const ledger = read(parts, about);
    expect([ledger.heard.heard, ledger.findings[0]?.saw.resolvedBy]).toEqual([[], undefined]);
  });

  it.each<[string, Parts]>([
    [
      'a reader gave 👎',
      conversation({ first: opening({ thumbsDown: [{ ...THUMB, login: 'x' }] }) }),
    ],
    ['a reader said no', replied(said('reader', 'Not a bug.'))],
    [
      'a bot said no',
      replied(said('x', 'Not a bug.', { author: { login: 'octocat', isBot: true } })),
    ],
    ['a run of ours said no', replied(said('octocat', marked(1, 'Not a bug.'), { isOurs: true }))],
    [
      'somebody edited what a writer said',
      replied(said('octocat', 'Not a bug.', { isEditedByOther: true })),
    ],
    ['a writer said anything else', replied(said('octocat', 'Let us talk.'))],
    ['an account resolved it that is gone', conversation({ isResolved: true })],
    ['a phrase is below the pull request', { comments: [said('octocat', 'Not a bug.')] }],
    ['a command without a name is', { comments: [said('octocat', '/axe dismiss')] }],
    ['a command names another one', replied(said('octocat', '/axe dismiss FX3M9'))],
  ])('have no effect if %s', (_, parts) => {
    expect(lifeOf(parts)).toBe('open');
  });

  it('of whose token posts the reviews count too', () => {
    const first = opening({ author: { login: 'octocat', isBot: false } });
    const replies = [said('octocat', 'Not a bug.', { isOurs: true })];
    expect(lifeOf(conversation({ first, replies }))).toBe('dismissed phrase octocat');
  });

  it('by name count anywhere', () => {
    const comments = [said('hubot', '/axe dismiss fq7k2 it is bound')];
    expect(lifeOf({ comments })).toBe('dismissed command hubot');
  });
});

describe('the record of a pull request', () => {
  const AGENT = { agent: 'bot', head: HEAD };
  const OTHERS = keptOne({ id: OTHER, handle: 'FX3M9', ...FIXED });

  function reviewOf(findings: readonly KeptFinding[], parts: Partial<OwnReview> = {}): OwnReview {
    return review(`${reviewLine(AGENT, ...findings)}\n\nText.`, parts);
  }

  it('is the state’s, whatever texts of ours say', () => {
    const reviews = [reviewOf([keptOne({ ...CLOSED, rev: 9 })], { id: 8 })];
    expect(lifeOf({ reviews })).toBe('open');
    const replies = [opening({ id: 3, createdAt: LATER.toISOString() }, 7)];
    expect(lifeOf(conversation({ replies }))).toBe('open');
  });

  it('is without a state the copy in the newest review, in words that nobody trusts', () => {
    const reviews = [reviewOf([keptOne(FIXED)], { id: 8 }), reviewOf([keptOne()])];
    const [finding] = read({ reviews }, { record: undefined }).findings;
    expect(finding).toMatchObject({ state: 'settled', words: 'guest' });
  });

  it('takes from newer reviews what it does not know, as open', () => {
    const reviews = [reviewOf([OTHERS], { id: 8 })];
    const ledger = read({ reviews });
    expect(ledger.findings).toMatchObject([{ id: ID }, { id: OTHER, state: 'open', rev: 2 }]);
    expect(ledger.heard.review).toBe(8);
  });

  it.each<[string, KeptFinding, boolean, readonly string[]]>([
    ['has what an older review had open, if it was cut', keptOne(), true, [OTHER, ID]],
    ['has nothing that ended before it was cut', keptOne(FIXED), true, [OTHER]],
    ['is all that there is, if it was not cut', keptOne(), false, [OTHER]],
  ])('that is a copy %s', (_, before, isCut, ids) => {
    const newest = reviewOf([OTHERS], { id: 8 });
    const body = isCut ? newest.body.replace('"heard":[]', '"heard":[],"isCut":true') : newest.body;
    const reviews = [reviewOf([before]), { ...newest, body }];
    const ledger = read({ reviews }, { record: undefined });
    expect(ledger.findings.map(({ id }) => id)).toEqual(ids);
    expect(ledger.isCut).toBe(isCut);
    expect(ledger.open).toHaveLength(ids.length - 1);
  });

  it.each<[string, OwnReview]>([
    ['one that is accounted for', reviewOf([OTHERS])],
    ['a draft', reviewOf([OTHERS], { id: 8, state: 'PENDING' })],
    ['another agent', review(reviewLine({ ...AGENT, agent: 'bot-2' }, OTHERS), { id: 8 })],
    ['a newer version', { ...reviewOf([OTHERS], { id: 8 }), body: newer(reviewOf([OTHERS]).body) }],
    ['one that was cut', review(reviewLine(AGENT, OTHERS).slice(0, -30), { id: 8 })],
  ])('takes nothing from the review of %s', (_, reviewed) => {
    expect(read({ reviews: [reviewed] }).findings).toHaveLength(1);
  });

  function newer(body: string): string {
    return body.replace('"record":{"v":1', '"record":{"v":2');
  }

  it('is what is known where GitHub cannot be asked', () => {
    const ledger = readLedger(undefined, context());
    expect(ledger.open).toMatchObject([{ id: ID, toldRev: 0, thread: undefined }]);
  });

  it('has what an open finding needs, from no text', () => {
    const words = { body: 'Bind it.', suggestion: 'bind(id);', trigger: 'An id with a quote.' };
    const parts = conversation({ line: 12, first: opening({ body: marked(1, 'Edited.') }) });
    const [finding] = read(parts, { ...was({ ...words }), lines: undefined }).findings;
    expect(finding).toMatchObject({ ...words, line: 12, code: CODE, confidence: 'likely' });
  });
});

describe('the conversation of a finding', () => {
  const BOUND = { thread: { id: 'T_1', first: { id: 1 } } };

  it('is found by the id in its text', () => {
    expect(read().findings).toMatchObject([{ ...BOUND, toldRev: 1 }]);
  });

  it('is the one that was kept, where somebody edited its text', () => {
    const edited = conversation({ first: opening({ isEditedByOther: true }) });
    expect(read(edited, was({ thread: 'T_1' })).findings).toMatchObject([BOUND]);
  });

  it('is found by its place, where somebody edited it before any run had read it', () => {
    const first = opening({ body: 'Edited.', isEditedByOther: true });
    const reviews = [review(reviewLine({ agent: 'bot', head: HEAD }, keptOne()))];
    expect(read({ ...conversation({ first }), reviews }).findings).toMatchObject([BOUND]);
    const elsewhere = conversation({ first, hunk: '@@ -1 +1 @@\n+other(line, of, code);' });
    expect(read({ ...elsewhere, reviews }).findings).toMatchObject([{ thread: undefined }]);
  });

  it('is that of the worse of two on one line, of which a review may say one in its text', () => {
    const minor = keptOne({ id: OTHER, handle: 'FX3M9', severity: 'minor' });
    const record = recordOf([minor, keptOne()], { review: 0 });
    const first = opening({ body: 'Edited.', isEditedByOther: true });
    const reviews = [review(reviewLine({ agent: 'bot', head: HEAD }, minor, keptOne()))];
    const { findings } = read({ ...conversation({ first }), reviews }, { record });
    expect(findings).toMatchObject([
      { id: OTHER, thread: undefined },
      { id: ID, ...BOUND },
    ]);
  });

  it('is none where its comment was deleted, which changes nothing', () => {
    expect(read({ threads: [] }, was({ ...FIXED, thread: 'T_1' })).findings).toMatchObject([
      { state: 'settled', thread: undefined, key: KEY },
    ]);
  });

  it('belongs to one agent', () => {
    expect(read({}, { agent: 'bot-2', record: undefined }).findings).toEqual([]);
    expect(seen().threads).toHaveLength(1);
  });
});
