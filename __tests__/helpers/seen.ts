import { rightsOf } from '../../src/event/trust.js';
import { commentableLines } from '../../src/findings/change/diff-lines.js';
import type { Ledger, LedgerContext } from '../../src/findings/decide/ledger.js';
import { readLedger } from '../../src/findings/read/read-ledger.js';
import type {
  GitHubComment,
  PullRequestConversation,
  Thread,
} from '../../src/github/reading/conversation.js';
import { findingLine } from './marks.js';

const PAGE = 'https://github.com/octocat/hello/pull/42';
const OWN = { login: 'github-actions[bot]', isBot: true };

/** Something that we wrote. */
export function ours(patch: Partial<GitHubComment> = {}): GitHubComment {
  const { id = 1 } = patch;
  return {
    id,
    url: `${PAGE}#discussion_r${id}`,
    author: OWN,
    authorAssociation: 'NONE',
    isOurs: true,
    body: `${findingLine()}\nIt is wrong.`,
    isEditedByOther: false,
    createdAt: '2026-11-20T10:00:00Z',
    thumbsDown: [],
    ...patch,
  };
}

/** Something that a person wrote, an hour after all of ours. */
export function said(
  login: string,
  body: string,
  patch: Partial<GitHubComment> = {},
): GitHubComment {
  const by = { author: { login, isBot: false }, isOurs: false, createdAt: '2026-11-20T11:00:00Z' };
  return ours({ id: 2, body, ...by, ...patch });
}

/** A conversation that a finding of the agent `bot` began; resolved where `resolvedBy` is given. */
export function thread(patch: Partial<Thread> = {}): Thread {
  return {
    id: 'T_1',
    path: 'src/a.ts',
    side: 'RIGHT',
    line: 1,
    hunk: '@@ -1 +1 @@\n-old\n+new',
    isResolved: patch.resolvedBy !== undefined,
    resolvedBy: undefined,
    first: ours(),
    reviewId: undefined,
    replies: [],
    ...patch,
  };
}

/** What stands on a pull request. */
export function seen(patch: Partial<PullRequestConversation> = {}): PullRequestConversation {
  return { head: 'head', author: 'author', threads: [], reviews: [], comments: [], ...patch };
}

/**
 * A trusted run of the agent `bot` on a pull request from a branch, without memory; octocat may
 * write, nobody else.
 */
export function ledgerContext(patch: Partial<LedgerContext> = {}): LedgerContext {
  return {
    agent: 'bot',
    lines: undefined,
    isFork: false,
    rights: rightsOf('own'),
    isPushByWriter: false,
    gate: 'major',
    record: undefined,
    lessons: [],
    isWriter: (login) => login === 'octocat',
    ...patch,
  };
}

/** The findings on a pull request as that run knows them. */
export function ledgerOf(
  what: PullRequestConversation | undefined,
  { diff, ...patch }: Partial<LedgerContext> & { readonly diff?: string } = {},
): Ledger {
  const lines = diff === undefined ? undefined : commentableLines(diff);
  return readLedger(what, ledgerContext({ lines, ...patch }));
}
