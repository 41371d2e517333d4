import * as v from 'valibot';
import type { CommitNote } from '../../event/context.js';
import type { Base, ChangedFile, FetchedChange, Head, Repository } from '../../event/trigger.js';
import type { Warning } from '../../lib/errors.js';
import { parseDiff } from '../../lib/text/diff.js';
import { count } from '../../lib/text/format.js';
import {
  askRest,
  type FetchedList,
  fetchPages,
  orGitHubError,
  repositoryParams,
  type SubjectPlace,
  unreadWarning,
} from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';
import { fetchPull } from './subject.js';
import type { PullSubject } from './subject-answer.js';

/** The changes between a commit that was reviewed and the new one. */
export type ChangesSince =
  | {
      readonly kind: 'ahead';
      readonly change: FetchedChange;
      readonly warnings: readonly Warning[];
    }
  | { readonly kind: 'rewritten' | 'unread' };

/** A change as far as it could be read. */
export interface ReadChange {
  /** Undefined if the token can read neither diff nor files. */
  readonly change: FetchedChange | undefined;
  /** Only in a comparison; a pull request lists its own. */
  readonly commits?: readonly CommitNote[];
  /** The number of all of them; one page of a hundred is read. */
  readonly commitsTotal?: number;
  readonly warnings: readonly Warning[];
}

/**
 * The change of a pull request between two commits, so that a push during the run cannot slip
 * anything in: the pull request's own diff would be the newest. Both commits are named by sha in
 * the base repository, which holds the heads of all its pull requests, those from deleted forks too
 * (`refs/pull/N/head`). Anything that the token cannot read is a warning. `current` is the pull
 * request as it is now. Throws a GitHubError for other trouble.
 */
export async function fetchPullChange(
  client: GitHubClient,
  {
    repository,
    number,
    head: { sha: head },
    base,
  }: SubjectPlace & { readonly head: Head; readonly base: Base },
  current: Promise<PullSubject>,
  signal: AbortSignal,
): Promise<ReadChange> {
  const pair = { repository, base: base.sha || base.ref, head };
  const [diff, now] = await Promise.all([
    orGitHubError(fetchDiff(client, pair, signal), 'denied'),
    orGitHubError(current, 'denied'),
  ]);
  const warnings = [diff, now].flatMap((answer) =>
    answer instanceof GitHubError ? unreadWarning(answer) : [],
  );
  const pull = now instanceof GitHubError ? undefined : now;
  const hasMoved = pull !== undefined && pull.head.sha !== head;
  if (hasMoved)
    warnings.push({
      code: 'context-incomplete',
      message: `pull request #${number} has moved on to ${pull.head.sha.slice(0, 7)} since the event; this run looks at ${head.slice(0, 7)}`,
      remedy: 'The later push gets its own run.',
    });
  // The number of files that the pull request has now is not that of an earlier commit.
  const total = hasMoved ? 0 : (pull?.changedFiles ?? 0);
  if (typeof diff === 'string') return { change: changeOf(diff, total), warnings };
  const newest = { number, head: pull?.head.sha };
  const listed = await orGitHubError(listFiles(client, pair, newest, signal), 'denied');
  if (listed instanceof GitHubError)
    return { change: undefined, warnings: [...warnings, unreadWarning(listed)] };
  return assembled(listed, warnings, total);
}

/**
 * The change between two commits of a repository. Anything that is gone, or that the token cannot
 * read, is a warning.
 */
export async function fetchChangeBetween(
  client: GitHubClient,
  pair: CommitPair,
  signal: AbortSignal,
): Promise<ReadChange> {
  // A commit that a push names may be gone: the one before a force-push is nobody's any more.
  const [diff, comparison] = await Promise.all([
    orGitHubError(fetchDiff(client, pair, signal), 'denied', 'missing'),
    orGitHubError(fetchComparison(client, pair, signal), 'denied', 'missing'),
  ]);
  const refused = [diff, comparison].find((answer) => answer instanceof GitHubError);
  const warnings = refused === undefined ? [] : [unreadWarning(refused)];
  const [commits, commitsTotal] =
    comparison instanceof GitHubError ? [[], 0] : [comparison.commits, comparison.commitsTotal];
  const listed = { commits, commitsTotal };
  if (typeof diff === 'string') return { change: changeOf(diff), ...listed, warnings };
  if (comparison instanceof GitHubError) return { change: undefined, ...listed, warnings };
  return { ...assembled(comparison, warnings), ...listed };
}

/**
 * The changes of a pull request since one of its commits was reviewed. After a force-push GitHub
 * keeps the old commits for a while, and then does not know them; both are `rewritten`. Rejects only
 * for an aborted signal.
 */
export async function fetchNewSince(
  client: GitHubClient,
  pair: CommitPair,
  signal: AbortSignal,
): Promise<ChangesSince> {
  const answers = await orGitHubError(
    Promise.all([fetchDiff(client, pair, signal), fetchComparison(client, pair, signal)]),
  );
  if (answers instanceof GitHubError)
    return { kind: answers.reason === 'missing' ? 'rewritten' : 'unread' };
  const [diff, comparison] = answers;
  const { status, hasMerge, isComplete } = comparison;
  // Changes that a merge brought are not the pull request's.
  if (status !== 'ahead' || hasMerge)
    return { kind: status === 'unknown' ? 'unread' : 'rewritten' };
  if (diff !== undefined) return { kind: 'ahead', change: changeOf(diff), warnings: [] };
  return isComplete ? { kind: 'ahead', ...assembled(comparison, []) } : { kind: 'unread' };
}

/**
 * The changes of the head since it left the base. If GitHub does not make the whole diff, it is put
 * together from the files that GitHub lists, and is incomplete if there are more. Throws a
 * GitHubError.
 */
export async function fetchComparedDiff(
  client: GitHubClient,
  pair: CommitPair & { readonly pull: number | undefined },
  signal: AbortSignal,
): Promise<{ readonly diff: string; readonly isComplete: boolean }> {
  const diff = await fetchDiff(client, pair, signal);
  if (diff !== undefined) return { diff, isComplete: true };
  const { repository, pull: number } = pair;
  const now =
    number === undefined ? undefined : await fetchPull(client, { repository, number }, signal);
  const { items, isComplete } = await listFiles(
    client,
    pair,
    { number, head: now?.head.sha },
    signal,
  );
  return { diff: assembleDiff(items), isComplete };
}

/**
 * Lists the files of the pull request if the head is its newest commit: its own list is longer than
 * a comparison's.
 */
async function listFiles(
  client: GitHubClient,
  pair: CommitPair,
  pull: { readonly number: number | undefined; readonly head: string | undefined },
  signal: AbortSignal,
): Promise<FetchedList<PatchedFile>> {
  if (pull.head !== pair.head) return await fetchComparison(client, pair, signal);
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files';
  const params = { ...repositoryParams(pair.repository), pull_number: pull.number };
  return await fetchPages(
    client,
    { route, params, maxPages: MAX_PAGES },
    v.array(patchedFileSchema),
    signal,
  );
}

/** GitHub lists no more files of a pull request (REST API, "List pull requests files"). */
const MAX_PAGES = 30;

/** A diff comes whole or not at all; `total` is the number of files that GitHub counts, or 0. */
function changeOf(diff: string, total = 0): FetchedChange {
  const files = parseDiff(diff).map(({ path, status, additions, deletions, previousPath }) => {
    return {
      path,
      status: status === 'deleted' ? 'removed' : status,
      additions,
      deletions,
      previousPath,
    };
  });
  return { diff, files, filesTotal: Math.max(total, files.length) };
}

/** A change that is put together from the parts of the diff, with a warning that says so. */
function assembled(
  { items, isComplete }: FetchedList<PatchedFile>,
  warnings: readonly Warning[],
  total = 0,
): { readonly change: FetchedChange; readonly warnings: readonly Warning[] } {
  const change: FetchedChange = {
    diff: assembleDiff(items),
    files: items.map(({ patch: _, ...file }) => file),
    filesTotal: Math.max(total, items.length),
    isListShort: isComplete || total > items.length ? undefined : true,
  };
  const warning = {
    code: 'context-incomplete',
    message: `GitHub did not send the whole diff; it was put together from ${count(items.length, 'file')}`,
    remedy: 'Read the rest on GitHub, or split the pull request.',
  } as const;
  return { change, warnings: [...warnings, warning] };
}

/** A changed file with the part of the diff GitHub sends for it. */
interface PatchedFile extends ChangedFile {
  /** Hunks without the file's header; undefined for binary, very large and unchanged files. */
  readonly patch?: string;
}

/** A file as the REST API lists it, here and in comparisons. */
const patchedFileSchema = v.pipe(
  v.object({
    filename: v.string(),
    status: v.fallback(v.string(), 'changed'),
    additions: v.fallback(v.number(), 0),
    deletions: v.fallback(v.number(), 0),
    previous_filename: v.optional(v.string()),
    patch: v.optional(v.string()),
  }),
  v.transform(
    ({ filename: path, previous_filename: previousPath, ...rest }): PatchedFile => ({
      path,
      previousPath,
      ...rest,
    }),
  ),
);

/**
 * A unified diff of the files' hunks, with the headers git would write; files without hunks keep
 * their header.
 */
function assembleDiff(files: readonly PatchedFile[]): string {
  return files.map(formatFileDiff).join('');
}

function formatFileDiff(file: PatchedFile): string {
  const { path, status, patch } = file;
  const from = file.previousPath ?? path;
  const lines = [`diff --git ${quote(`a/${from}`)} ${quote(`b/${path}`)}`];
  if (status === 'added') lines.push('new file mode 100644');
  if (status === 'removed') lines.push('deleted file mode 100644');
  if (status === 'renamed') lines.push(`rename from ${quote(from)}`, `rename to ${quote(path)}`);
  if (status === 'copied') lines.push(`copy from ${quote(from)}`, `copy to ${quote(path)}`);
  if (patch !== undefined && patch !== '') {
    lines.push(`--- ${status === 'added' ? '/dev/null' : quote(`a/${from}`)}`);
    lines.push(`+++ ${status === 'removed' ? '/dev/null' : quote(`b/${path}`)}`, patch);
  }
  return `${lines.join('\n')}\n`;
}

/** A path as git quotes it, where it would break out of its line. */
function quote(path: string): string {
  return /[\p{Cc}"\\]/u.test(path) ? JSON.stringify(path) : path;
}

/** Two commits of a repository; the base can be a ref. */
interface CommitPair {
  readonly repository: Repository;
  readonly base: string;
  readonly head: string;
}

const COMPARE = 'GET /repos/{owner}/{repo}/compare/{basehead}';

/** Three dots: the head's changes since it left the base, as a pull request shows them. */
function compareParams({ repository, base, head }: CommitPair): Record<string, unknown> {
  return { ...repositoryParams(repository), basehead: `${base}...${head}` };
}

/**
 * The diff between two commits. Undefined where GitHub does not make it: more than 20,000 lines or
 * 300 files, no common ancestor. Throws a GitHubError.
 */
async function fetchDiff(
  client: GitHubClient,
  pair: CommitPair,
  signal: AbortSignal,
): Promise<string | undefined> {
  const accept = 'application/vnd.github.diff';
  const request = client.request(COMPARE, { params: compareParams(pair), accept, signal });
  const answer = await orGitHubError(request, 'too-large', 'missing', 'unavailable');
  if (answer instanceof GitHubError) {
    // A diff that takes GitHub too long to make ends in a server error rather than in a 406.
    if (answer.reason === 'unavailable' && answer.status === undefined) throw answer;
    return undefined;
  }
  const { body } = answer;
  if (typeof body === 'string') return body;
  // An answer that is not text comes as bytes.
  return body instanceof ArrayBuffer ? new TextDecoder().decode(body) : '';
}

/** GitHub lists no more on one page, and no more files at all (REST API, "Compare two commits"). */
const MAX_COMMITS = 100;
const MAX_FILES = 300;

const comparedCommitSchema = v.object({
  sha: v.string(),
  commit: v.object({ message: v.string() }),
  parents: v.fallback(v.array(v.unknown()), []),
  author: v.fallback(v.nullable(v.object({ login: v.string() })), null),
});

const comparisonSchema = v.pipe(
  v.object({
    status: v.fallback(
      v.picklist(['ahead', 'behind', 'diverged', 'identical', 'unknown']),
      'unknown',
    ),
    total_commits: v.fallback(v.number(), 0),
    files: v.optional(v.array(patchedFileSchema), []),
    commits: v.fallback(v.array(comparedCommitSchema), []),
  }),
  v.transform(({ status, total_commits: total, commits, files }) => ({
    items: files,
    /** False where there are more files than GitHub lists. */
    isComplete: files.length < MAX_FILES,
    /** The head compared with the base; `diverged` if it does not come after it. */
    status,
    commitsTotal: total,
    /**
     * One of the commits is a merge, or that cannot be told since there are more than are listed.
     */
    hasMerge: total > commits.length || commits.some(({ parents }) => parents.length > 1),
    commits: commits.map(({ sha, commit: { message }, author }): CommitNote => {
      return { sha, message, author: author?.login ?? '' };
    }),
  })),
);

/**
 * Files and commits between two commits, both on the first page (REST API, "Compare two commits").
 * Throws a GitHubError.
 */
async function fetchComparison(
  client: GitHubClient,
  pair: CommitPair,
  signal: AbortSignal,
): Promise<v.InferOutput<typeof comparisonSchema>> {
  const params = { ...compareParams(pair), per_page: MAX_COMMITS, page: 1 };
  return await askRest(client, { route: COMPARE, params }, comparisonSchema, signal);
}
