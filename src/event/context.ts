import type { Warning } from '../lib/errors.js';
import type { MarkLane } from '../safety/mark.js';
import type { Actor, Base, FetchedChange, Head } from './trigger.js';

export interface CommitNote {
  readonly sha: string;
  readonly author: string;
  readonly message: string;
}

export interface Remark {
  readonly id: number;
  /** Of the review that it came with; left out for what came alone. */
  readonly reviewId?: number;
  readonly author: Actor;
  /** The current token wrote it, with our mark. */
  readonly isOurs: boolean;
  /** What our mark says. */
  readonly lane: MarkLane;
  /**
   * The author has write access; false also where that could not be learnt, and for what a run has
   * written.
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
}

/** What is around a trigger. A part is missing where it was not asked for or could not be read. */
export interface Surroundings {
  readonly commits?: readonly CommitNote[];
  /** How many there are, where not all were read. */
  readonly commitsTotal?: number;
  readonly threads?: readonly RemarkThread[];
  /** The conversation, oldest first. */
  readonly comments?: readonly Remark[];
  readonly issues?: readonly LinkedIssueNote[];
  readonly checks?: readonly FailedCheck[];
  /**
   * Comments and issues that were left out, since they were written or changed after the event (C5
   * 71).
   */
  readonly changedLater?: number;
  /** Comments that are older than those that were read. */
  readonly olderComments?: number;
  /**
   * The tag that a new one is compared with; empty for the first one, left out where the event is
   * about none.
   */
  readonly sinceTag?: string;
  /**
   * The open pull request that a workflow run's commit is the head of, where the event does not
   * name it.
   */
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
 * The surroundings as the agent's state knows them: of what bears our mark, only what it has posted
 * is ours, since every workflow of a repository posts under one account. The rest is a stranger's.
 */
export function knowOwnRemarks<Context extends Surroundings>(
  context: Context,
  posted: ReadonlySet<number>,
): Context {
  const known = (remark: Remark): Remark =>
    posted.has(remark.id) || posted.has(remark.reviewId ?? 0)
      ? remark
      : { ...remark, isOurs: false };
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
