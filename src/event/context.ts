import type { Warning } from '../lib/errors.js';
import { pathsOf } from '../lib/text/diff.js';
import type { Actor, Base, FetchedChange, Head } from './trigger.js';
import { rightsOf, type Word } from './trust.js';

export interface CommitNote {
  readonly sha: string;
  readonly author: string;
  readonly message: string;
}

export interface Remark {
  readonly id: number;
  /** The review that it came with; left out for a comment that came alone. */
  readonly reviewId?: number;
  readonly author: Actor;
  /** Written with this run's token, and with our mark. */
  readonly isOurs: boolean;
  /** The word of the run that wrote it, by the agent's state; left out for any other text. */
  readonly words?: Word;
  /**
   * The author has write access; false also if that could not be read, and for a text of a run.
   */
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
  /** It is by a workflow that a push, a pull request or a dispatch of this repository started. */
  readonly isOurs: boolean;
}

/** The context of a trigger. A part is missing if it was not asked for or could not be read. */
export interface Surroundings {
  readonly commits?: readonly CommitNote[];
  /** The number of all commits, if not all were read. */
  readonly commitsTotal?: number;
  readonly threads?: readonly RemarkThread[];
  /** The conversation, oldest first. */
  readonly comments?: readonly Remark[];
  readonly issues?: readonly LinkedIssueNote[];
  readonly checks?: readonly FailedCheck[];
  /**
   * The number of comments and issues that were left out because they were written or changed after
   * the event.
   */
  readonly changedLater?: number;
  /** The number of comments that are older than those that were read. */
  readonly olderComments?: number;
  /**
   * The tag that a new one is compared with; empty for the first one, left out if the event is not
   * about a tag.
   */
  readonly sinceTag?: string;
  /**
   * The open pull request whose head is a workflow run's commit, if the event does not name it.
   */
  readonly pullOfCommit?: number;
  /** Names of the parts that could not be read: `the review threads`. */
  readonly unread?: readonly string[];
}

/** The context that was fetched from GitHub for a trigger, in addition to the event itself. */
export type TriggerContext = Surroundings & { readonly warnings: readonly Warning[] } & (
    | ({
        readonly kind: 'pull_request';
        /** The commits that were compared, if the event does not name them. */
        readonly pinned?: { readonly head: Head; readonly base: Base };
      } & FetchedChange)
    /** For a push, a merge group or a workflow run. */
    | ({ readonly kind: 'change' } & FetchedChange)
    /** No change, or one that could not be fetched. */
    | { readonly kind: 'none'; readonly isChangeUnread?: true }
  );

/**
 * The paths of a change, those before a renaming too; none if there is none; undefined where GitHub
 * was not asked.
 */
export function changedPathsOf(context: TriggerContext | undefined): readonly string[] | undefined {
  if (context === undefined || context.kind === 'none') return context && [];
  return context.files.flatMap(pathsOf);
}

/**
 * Leaves `isOurs` only on comments that this agent has posted, by its state, which also knows how
 * far to trust them. Every workflow of a repository posts under one account, so our mark alone does
 * not show which agent wrote a comment.
 */
export function knowOwnRemarks<Context extends Surroundings>(
  context: Context,
  posted: ReadonlyMap<number, Word>,
): Context {
  const withOwnership = (remark: Remark): Remark => {
    const words = posted.get(remark.id) ?? posted.get(remark.reviewId ?? 0);
    const isOurs = remark.isOurs && words !== undefined;
    return { ...remark, isOurs, words: isOurs ? words : undefined };
  };
  const { comments, threads } = context;

  return {
    ...context,
    comments: comments?.map(withOwnership),
    threads: threads?.map((thread) => ({ ...thread, remarks: thread.remarks.map(withOwnership) })),
  };
}

/** The way in which an `own` run reads a remark of ours; undefined for one by others. */
export function ownText({ isOurs, words }: Remark): 'read' | 'strangers' | 'left-out' | undefined {
  if (!isOurs) return undefined;
  return words === undefined ? 'left-out' : rightsOf(words).texts;
}

/** One of our own comments was written by a run that had read strangers' text. */
export function hasStrangersInOwnRemarks({ comments = [], threads = [] }: Surroundings): boolean {
  const remarks = [...comments, ...threads.flatMap((thread) => thread.remarks)];
  return remarks.some((remark) => ownText(remark) === 'strangers');
}

/** Leaves the name and the conclusion of checks whose output may be a stranger's. */
export function withoutForeignOutput<Context extends Surroundings>(context: Context): Context {
  const checks = context.checks?.map((check) =>
    check.isOurs ? check : { ...check, summary: '', log: undefined },
  );
  return { ...context, checks };
}
