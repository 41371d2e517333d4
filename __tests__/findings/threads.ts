import { NO_PUBLICATIONS } from '../../src/findings/buffered-publications.js';
import { commentableLines, lineFingerprint } from '../../src/findings/change/diff-lines.js';
import {
  type FindingChanges,
  Ledger,
  type LedgerContext,
} from '../../src/findings/decide/ledger.js';
import type { KeptFinding, PullRecord } from '../../src/findings/kept-finding.js';
import type { KnownFinding, Lesson } from '../../src/findings/known-finding.js';
import type { ReviewToPost } from '../../src/findings/post/finding-texts.js';
import { readLedger } from '../../src/findings/read/read-ledger.js';
import type {
  GitHubComment,
  OwnReview,
  PullRequestConversation,
  Thread,
} from '../../src/github/reading/conversation.js';
import { HELLO } from '../helpers/github-client-fake.js';
import { findingLine, kept } from '../helpers/marks.js';
import * as seenHelpers from '../helpers/seen.js';
import { CHANGE, finding, LINES } from './change.js';

export const ID = '0123456789abcdef';
export const OTHER = 'fedcba9876543210';
export const HEAD = 'a'.repeat(40);
export const AT = new Date('2026-11-20T10:00:00Z');
export const LATER = new Date('2026-11-21T10:00:00Z');
export const NOW = new Date('2026-11-22T10:00:00Z');

/** The line of the finding, and what it is known by. */
export const CODE = 'query("SELECT " + user.id);';
export const KEY = lineFingerprint(CODE);

/**
 * The change after a push that touched the line of the finding, and after one that took its file
 * back.
 */
export const TOUCHED = commentableLines(CHANGE.replace(CODE, 'query("SELECT " + account.id);'));
export const WITHOUT_FILE = new Map([...LINES].filter(([path]) => path !== 'src/auth.ts'));

/** octocat, monalisa and hubot may write. */
export function isWriter(login: string): boolean {
  return ['octocat', 'monalisa', 'hubot'].includes(login.toLowerCase());
}

/** A 👎 by somebody with write access. */
export const THUMB = { login: 'octocat', at: LATER.toISOString() };

const PLACE = { path: 'src/auth.ts', line: 10, code: KEY };

/** The finding as it is kept. */
export function keptOne(parts: Partial<KeptFinding> = {}): KeptFinding {
  const words = { title: 'The query is built from the id', category: 'security' } as const;
  return kept({ ...words, ...PLACE, ...parts });
}

/** A record with these findings; the review that said them is accounted for. */
export function recordOf(
  findings: readonly KeptFinding[] = [keptOne()],
  rest: Partial<PullRecord> = {},
): PullRecord {
  return { findings, heard: [], review: 7, ...rest };
}

/** A text with the hidden line that says the finding. */
export function marked(rev = 1, text = 'Text.', id = ID): string {
  return `${findingLine({ id, rev })}\n${text}`;
}

/** Something that a person wrote. */
export function said(
  login: string,
  body: string,
  parts: Partial<GitHubComment> = {},
): GitHubComment {
  const createdAt = LATER.toISOString();
  return seenHelpers.said(login, body, { authorAssociation: 'NONE', createdAt, ...parts });
}

/** The comment that began the conversation of the finding, or another text of ours. */
export function opening(parts: Partial<GitHubComment> = {}, rev = 1): GitHubComment {
  return said('github-actions', marked(rev, 'The id reaches the query unescaped. Bind it.'), {
    id: 1,
    url: 'https://github.com/octocat/hello/pull/42#discussion_r1',
    author: { login: 'github-actions', isBot: true },
    isOurs: true,
    createdAt: AT.toISOString(),
    ...parts,
  });
}

export function thread(parts: Partial<Thread> = {}): Thread {
  const hunk = `@@ -9,2 +9,2 @@\n line 9;\n+${CODE}`;
  const { path, line } = PLACE;
  return seenHelpers.thread({ path, line, hunk, reviewId: 7, first: opening(), ...parts });
}

/** A review of ours. */
export function review(body: string, parts: Partial<OwnReview> = {}): OwnReview {
  const fields = { state: 'COMMENTED', headSha: HEAD, submittedAt: AT.toISOString() } as const;
  return { id: 7, url: 'https://github.com/octocat/hello/pull/42#r7', body, ...fields, ...parts };
}

/** A pull request on which the finding was posted. */
export function seen(parts: Partial<PullRequestConversation> = {}): PullRequestConversation {
  return { head: HEAD, author: 'author', threads: [thread()], reviews: [], comments: [], ...parts };
}

/** A trusted run on a pull request from a branch, whose state has the finding. */
export function context(parts: Partial<LedgerContext> = {}): LedgerContext {
  const record = recordOf();
  return seenHelpers.ledgerContext({ lines: LINES, record, isWriter, ...parts });
}

/** The findings as a run reads them. */
export function read(
  parts: Partial<PullRequestConversation> = {},
  about: Partial<LedgerContext> = {},
): Ledger {
  return readLedger(seen(parts), context(about));
}

/** A ledger of given findings. */
export function ledgerOf(
  findings: readonly KnownFinding[] = [],
  about: Partial<LedgerContext> = {},
): Ledger {
  return new Ledger(context(about), seen(), findings);
}

/** An open finding, as a run knows it. */
export function known(parts: Partial<KnownFinding> = {}): KnownFinding {
  return {
    ...finding({ code: CODE }),
    key: KEY,
    rev: 1,
    toldRev: 1,
    isGone: false,
    head: HEAD,
    words: 'own',
    saw: { down: [] },
    decided: AT.getTime(),
    thread: thread(),
    stored: keptOne(),
    ...parts,
  };
}

/** One on the next line, of another category, without a conversation. */
export function otherKnown(parts: Partial<KnownFinding> = {}): KnownFinding {
  const words = { handle: 'FX3M9', title: 'Nobody awaits the result', category: 'data' } as const;
  const place = { line: 11, code: 'return user;', key: lineFingerprint('return user;') };
  return { ...known(), id: OTHER, ...words, ...place, thread: undefined, ...parts };
}

export const NO_NEWS: FindingChanges = {
  fresh: [],
  kept: [],
  heldBack: [],
  ended: [],
  back: [],
  claimed: [],
};

/** What a run of the agent `pr-reviewer` has to say, with a summary of one letter. */
export function posting(parts: Partial<ReviewToPost> = {}): ReviewToPost {
  return {
    place: { repository: HELLO, number: 42 },
    agent: 'pr-reviewer',
    head: HEAD,
    word: 'own',
    ledger: ledgerOf(),
    news: NO_NEWS,
    buffered: { ...NO_PUBLICATIONS, review: { summary: 'S' } },
    remarks: [],
    isOver: true,
    maxComments: 20,
    blockOn: undefined,
    extent: undefined,
    footer: '',
    signature: '',
    offersCommands: true,
    now: NOW,
    warn: () => undefined,
    clean: (text) => text,
    ...parts,
  };
}

/** What was dismissed on another pull request. */
export function lesson(parts: Partial<Lesson> = {}): Lesson {
  return {
    id: OTHER,
    handle: 'FL3SN',
    pull: 40,
    path: 'src/auth.ts',
    category: 'data',
    key: KEY,
    title: 'The query is built from the id',
    why: 'thumbs-down',
    login: 'octocat',
    at: AT.getTime(),
    ...parts,
  };
}
