import type { Base, FetchedChange, Head } from '../../event/trigger.js';
import { parseDiff } from '../../lib/text/diff.js';
import { count } from '../../lib/text/number.js';
import type { Warning } from '../../lib/warning.js';
import type { CommitNote } from '../../prompt/context.js';
import type { NewSince } from '../../review/scope.js';
import { orRefusal, type SubjectPlace } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError, type GitHubErrorReason } from '../client/errors.js';
import {
  assembleDiff,
  type CommitPair,
  fetchChangedFiles,
  fetchComparison,
  fetchDiff,
  type PatchedFile,
} from '../reading/changes.js';
import type { PullSubject } from '../reading/subject.js';

/** A change as far as it could be read. */
export interface ReadChange {
  /** Undefined where the token may read neither diff nor files. */
  readonly change: FetchedChange | undefined;
  /** Of a comparison; a pull request lists its own. */
  readonly commits?: readonly CommitNote[];
  readonly warnings: readonly Warning[];
}

/**
 * The change of a pull request between two commits, so that a push during the run cannot slip anything in
 * (memory-and-security C5 71): the pull request's own diff would be the newest. Both commits are named by sha in the
 * base repository, which holds the heads of all its pull requests, those from deleted forks too
 * (`refs/pull/N/head`). The diff names its files; they are listed by GitHub only where it lacks some. What the token may
 * not read is a warning. `asked` is the pull request as it is now. Throws a GitHubError for other trouble.
 */
export async function fetchPullChange(
  client: GitHubClient,
  place: SubjectPlace,
  pinned: { readonly head: Head; readonly base: Base },
  asked: Promise<PullSubject>,
  signal: AbortSignal,
): Promise<ReadChange> {
  const { repository, number } = place;
  const pair = { repository, base: pinned.base.sha || pinned.base.ref, head: pinned.head.sha };
  const [diff, now] = await Promise.all([
    unless(['denied'], fetchDiff(client, pair, signal)),
    unless(['denied'], asked),
  ]);
  const hasMoved = now.value !== undefined && now.value.head.sha !== pinned.head.sha;
  const moved = hasMoved ? [movedWarning(number, now.value.head.sha, pinned.head.sha)] : [];
  const newestTotal = now.value?.changedFiles ?? 0;
  // How many files the pull request has now says nothing of an earlier commit.
  const isWhole = diff.value !== undefined && (hasMoved || countFiles(diff.value) >= newestTotal);
  const listed = isWhole
    ? { value: undefined, warning: undefined }
    : await unless(
        ['denied'],
        hasMoved
          ? fetchComparison(client, pair, signal)
          : fetchChangedFiles(client, place, signal).then((files) => ({ files, isComplete: true })),
      );
  const warnings = [diff, listed, now].flatMap(({ warning }) => warning ?? []);
  const { value: list } = listed;
  if (diff.value === undefined && list === undefined) return { change: undefined, warnings };
  // A comparison does not count its files: where it lists not all of them, the newest count comes nearest.
  const filesTotal = isWhole || (hasMoved && list?.isComplete === true) ? 0 : newestTotal;
  const isShort = hasMoved && list?.isComplete === false;
  const read = putTogether(diff.value, list?.files, isShort, filesTotal);
  return { ...read, warnings: [...warnings, ...moved, ...read.warnings] };
}

/** The change between two commits of a repository. What the token may not read, or is gone, is a warning. */
export async function fetchChangeBetween(
  client: GitHubClient,
  pair: CommitPair,
  signal: AbortSignal,
): Promise<ReadChange> {
  const [diff, comparison] = await Promise.all([
    unless(GONE, fetchDiff(client, pair, signal)),
    unless(GONE, fetchComparison(client, pair, signal)),
  ]);
  const warnings = [diff.warning ?? comparison.warning].flatMap((warning) => warning ?? []);
  const { commits = [], files } = comparison.value ?? {};
  if (diff.value === undefined && files === undefined) return { change: undefined, commits, warnings };
  const isShort = comparison.value?.isComplete === false;
  const read = putTogether(diff.value, files, isShort);
  return { ...read, commits, warnings: [...warnings, ...read.warnings] };
}

/**
 * What a pull request got since a commit of it was reviewed. GitHub keeps what a force-push left behind for a while, and
 * then knows nothing of it; both are told. Rejects only for an aborted signal.
 */
export async function fetchNewSince(
  client: GitHubClient,
  pair: CommitPair,
  signal: AbortSignal,
): Promise<NewSince> {
  const found = await orRefusal(
    Promise.all([fetchDiff(client, pair, signal), fetchComparison(client, pair, signal)]),
  );
  if (found instanceof GitHubError) return { kind: found.reason === 'missing' ? 'rewritten' : 'unread' };
  const [diff, { status, hasMerge, files, isComplete }] = found;
  // What a merge brought is not the pull request's.
  if (status !== 'ahead' || hasMerge) return { kind: status === 'unknown' ? 'unread' : 'rewritten' };
  if (diff === undefined && !isComplete) return { kind: 'unread' };
  const { change, warnings } = putTogether(diff, files, !isComplete);
  return change === undefined ? { kind: 'unread' } : { kind: 'ahead', change, warnings };
}

/** A commit that a push names may be gone: the one before a force-push is nobody's any more. */
const GONE: readonly GitHubErrorReason[] = ['denied', 'missing'];

async function unless<Value>(reasons: readonly GitHubErrorReason[], request: Promise<Value>) {
  const value = await orRefusal(request, ...reasons);
  return value instanceof GitHubError
    ? { value: undefined, warning: unreadWarning(value) }
    : { value, warning: undefined };
}

/** What could not be read and why, as a warning; `what` where the message does not say it. */
export function unreadWarning({ message, remedy }: GitHubError, what?: string): Warning {
  const why = what === undefined ? message : `${what}: ${message}`;
  return { code: 'context-incomplete', message: why, remedy };
}

/**
 * A diff without files tells them, files without a diff hold their parts of it. `files` are undefined where they could not be
 * read, `filesTotal` is what GitHub counts, or 0. Where `isShort` the list of files ends early: a comparison has 300 of them,
 * and its diff can hold more.
 */
function putTogether(
  diff: string | undefined,
  files: readonly PatchedFile[] | undefined,
  isShort: boolean,
  filesTotal = 0,
): ReadChange {
  const isListed = files !== undefined && files.length > 0 && !isShort;
  const listed = isListed ? files : withFilesOf(diff ?? '', files ?? []);
  const total = Math.max(filesTotal, listed.length);
  // A diff comes whole or not at all, and a count of its own says how many files the list lacks.
  const isListShort = isShort && diff === undefined && filesTotal <= listed.length;
  return {
    change: {
      diff: diff ?? assembleDiff(listed),
      files: listed.map(({ patch: _, ...file }) => file),
      filesTotal: total,
      isListShort: isListShort || undefined,
    },
    warnings: diff === undefined ? [assembledWarning(listed, total)] : shortDiffWarnings(diff, total),
  };
}

function withFilesOf(diff: string, files: readonly PatchedFile[]): readonly PatchedFile[] {
  const known = new Set(files.map(({ path }) => path));
  const others = parseDiff(diff).filter(({ path }) => !known.has(path));
  return [
    ...files,
    ...others.map(({ path, status, additions, deletions, previousPath }) => ({
      path,
      status: status === 'deleted' ? 'removed' : status,
      additions,
      deletions,
      previousPath,
    })),
  ];
}

function movedWarning(number: number, now: string, pinned: string): Warning {
  return {
    code: 'context-incomplete',
    message: `pull request #${number} has moved on to ${now.slice(0, 7)} since the event; this run looks at ${pinned.slice(0, 7)}`,
    remedy: 'The later push gets its own run.',
  };
}

function assembledWarning(files: readonly PatchedFile[], filesTotal: number): Warning {
  const without = files.filter((file) => file.patch === undefined).length;
  const unlisted = filesTotal - files.length;
  const bare = without > 0 ? `, ${without} of them without their changes` : '';
  const missing = unlisted > 0 ? `, ${unlisted} files are not listed at all` : '';
  return {
    code: 'context-incomplete',
    message: `GitHub did not send the whole diff; it was put together from ${count(files.length, 'file')}${bare}${missing}`,
    remedy: SMALLER,
  };
}

const SMALLER = 'Read the rest on GitHub, or split the pull request.';

/** A diff that was cut short without a word must not pass for the whole. */
function shortDiffWarnings(diff: string, filesTotal: number): readonly Warning[] {
  const inDiff = countFiles(diff);
  if (inDiff >= filesTotal) return [];
  const message = `the diff holds ${inDiff} of the ${filesTotal} files that the pull request changes`;
  return [{ code: 'context-incomplete', message, remedy: SMALLER }];
}

function countFiles(diff: string): number {
  return diff.match(/^diff --git /gm)?.length ?? 0;
}
