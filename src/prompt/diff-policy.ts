import type { Actor, Base, FetchedChange, Head } from '../event/trigger.js';
import { MAX_CONTEXT_BYTES, MAX_CONTEXT_FILES, MAX_DIFF_TOKENS } from '../lib/defaults.js';
import type { Warning } from '../lib/errors.js';
import { compileGlob } from '../lib/text/glob.js';
import { createMemoryFilter } from '../memory/paths.js';
import type { MarkLane } from '../safety/mark.js';

export interface CommitNote {
  readonly sha: string;
  readonly author: string;
  readonly message: string;
}

export interface Remark {
  readonly id: number;
  /** Of the review that it came with; left out for what came alone. */
  readonly reviewId?: number | undefined;
  readonly author: Actor;
  /** The current token wrote it, with our mark. */
  readonly isOurs: boolean;
  /** What our mark says. */
  readonly lane: MarkLane;
  /** The author has write access; false also where that could not be learnt, and for what a run has written. */
  readonly mayWrite: boolean;
  readonly text: string;
}

export interface RemarkThread {
  readonly path: string;
  /** Undefined for a whole file. */
  readonly line: number | undefined;
  readonly isResolved: boolean;
  /** The line was changed after the thread began. */
  readonly isOutdated: boolean;
  /** Oldest first. */
  readonly remarks: readonly Remark[];
}

/** An issue that a pull request would close. */
export interface LinkedIssueNote {
  /** `#7`, or `owner/name#7` for another repository's. */
  readonly reference: string;
  readonly isOpen: boolean;
  readonly title: string;
  readonly remark: Remark;
}

/** A check that failed; all of it is the words of the owner of the check. */
export interface FailedCheck {
  readonly name: string;
  readonly conclusion: string;
  readonly summary: string;
  /** The end of its log; undefined where there is none or it was not asked for. */
  readonly log: string | undefined;
}

/** What is around a trigger. A part is missing where it was not asked for or could not be read. */
export interface Surroundings {
  readonly commits?: readonly CommitNote[];
  /** How many there are, where not all were read. */
  readonly commitsTotal?: number | undefined;
  readonly threads?: readonly RemarkThread[];
  /** The conversation, oldest first. */
  readonly comments?: readonly Remark[];
  readonly issues?: readonly LinkedIssueNote[];
  readonly checks?: readonly FailedCheck[];
  /** Comments and issues that were left out, since they were written or changed after the event (C5 71). */
  readonly changedLater?: number;
  /** Comments that are older than those that were read. */
  readonly olderComments?: number;
  /** The tag that a new one is compared with; empty for the first one, left out where the event is about none. */
  readonly sinceTag?: string;
  /** The open pull request that a workflow run's commit is the head of, where the event does not name it. */
  readonly pullOfCommit?: number;
  /** In words, what could not be read: `the review threads`. */
  readonly unread?: readonly string[];
}

/** What was fetched from GitHub for a trigger, besides the event itself. */
export type TriggerContext = Surroundings & { readonly warnings: readonly Warning[] } & (
    | ({
        readonly kind: 'pull_request';
        /** The commits that were compared, where the event does not say them. */
        readonly pinned?: { readonly head: Head; readonly base: Base };
      } & FetchedChange)
    /** Of a push, a merge group or a workflow run. */
    | ({ readonly kind: 'change' } & FetchedChange)
    /** No change, or one that could not be fetched. */
    | { readonly kind: 'none' }
  );

/**
 * The surroundings as the agent's state knows them: of what bears our mark, only what it has posted is ours, since every
 * workflow of a repository posts under one account. The rest is a stranger's.
 */
export function knowOwnRemarks<Context extends Surroundings>(
  context: Context,
  posted: ReadonlySet<number>,
): Context {
  const known = (remark: Remark): Remark =>
    posted.has(remark.id) || posted.has(remark.reviewId ?? 0) ? remark : { ...remark, isOurs: false };
  const { comments, threads } = context;
  return {
    ...context,
    comments: comments?.map(known),
    threads: threads?.map((thread) => ({ ...thread, remarks: thread.remarks.map(known) })),
  };
}

/** Whether it is then shown words of a run that had read strangers' text. */
export function hasTaintedRemarks({ comments = [], threads = [] }: Surroundings): boolean {
  const remarks = [...comments, ...threads.flatMap((thread) => thread.remarks)];
  return remarks.some(({ isOurs, lane }) => isOurs && lane === 'tainted');
}

/** A change on this machine (`--git <range>`). */
export interface LocalChange {
  /** As git takes it; empty for a diff that was piped in. */
  readonly range: string;
  readonly diff: string;
  /** Those of these files that are there, as the commit has them that the range counts from; left out: none. */
  readonly readBase?: (paths: readonly string[]) => Promise<readonly ContextFile[]>;
}

/** How much a run is told of a change. */
export interface DiffPolicy {
  /** Tokens by estimate; 0 for no limit. */
  readonly maxTokens: number;
  /** Only files that match one of these patterns are shown; none: all files. */
  readonly paths: readonly string[];
  /** Files that match one of these are not shown: the patterns after a `!`. */
  readonly pathsIgnore: readonly string[];
  /** Folders in which memory is kept; their files are not shown either. Left out: none. */
  readonly memoryRoots?: readonly string[];
  /** The tool that gives the rest of it, where the agent has one. */
  readonly tool?: string;
}

/** All files, as much of them as fits. */
export const DEFAULT_DIFF_POLICY: DiffPolicy = { maxTokens: MAX_DIFF_TOKENS, paths: [], pathsIgnore: [] };

/** Says of a path whether the inputs let the model see it, which they never do of memory. Throws a ConfigError for a malformed pattern. */
export function createPathFilter({
  paths,
  pathsIgnore,
  memoryRoots = [],
}: Pick<DiffPolicy, 'paths' | 'pathsIgnore' | 'memoryRoots'>): (path: string) => boolean {
  const included = paths.map((path) => compileGlob(path).matches);
  const ignored = [...pathsIgnore.map((path) => compileGlob(path).matches), createMemoryFilter(memoryRoots)];
  return (path) =>
    (included.length === 0 || included.some((matches) => matches(path))) &&
    !ignored.some((matches) => matches(path));
}

/** Only the beginning of a file is looked at (axe-behaviour §7). */
export const BINARY_CHECK_BYTES = 512;

/** Paths a warning names; the rest is counted. */
const MAX_NAMED = 5;

/** Whether a file is binary: it has a NUL among its first 512 bytes (axe-behaviour §7). */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, BINARY_CHECK_BYTES).includes(0);
}

/**
 * How much of a prompt context files may take, MAX_CONTEXT_FILES and MAX_CONTEXT_BYTES: asked file by file, in the order of
 * their paths.
 */
export function createContextBudget() {
  const leftOut: string[] = [];
  let files = 0;
  let bytesTaken = 0;
  return {
    /** Whether a file of this size still fits; if so, it counts. Once the files are too many, none fits. */
    take(path: string, bytes: number): boolean {
      const fits = files < MAX_CONTEXT_FILES && bytesTaken + bytes <= MAX_CONTEXT_BYTES;
      if (fits) {
        files += 1;
        bytesTaken += bytes;
      } else leftOut.push(path);
      return fits;
    },
    /** Whether no further file can fit, however small. */
    isSpent: () => files >= MAX_CONTEXT_FILES,
    /** What was left out, as at most one warning. */
    warnings(): readonly Warning[] {
      if (leftOut.length === 0) return [];
      const named = leftOut.slice(0, MAX_NAMED).map((path) => JSON.stringify(path));
      const more = leftOut.length > named.length ? ` and ${leftOut.length - named.length} more` : '';
      const limit = `a prompt holds at most ${MAX_CONTEXT_FILES} context files and ${MAX_CONTEXT_BYTES / 1024} KiB of them`;
      const message = `${leftOut.length} context ${leftOut.length === 1 ? 'file was' : 'files were'} left out, since ${limit}: ${named.join(', ')}${more}. Narrow the patterns in \`files\`.`;
      return [{ code: 'context-file-skipped', message }];
    },
  };
}

export type ContextBudget = ReturnType<typeof createContextBudget>;

export interface ContextFile {
  /** `/`-separated, relative to the workdir. */
  readonly path: string;
  readonly content: string;
}
