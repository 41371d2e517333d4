import type { FetchedChange } from '../event/fetched-change.js';
import type { Warning } from '../lib/warning.js';
import { lastReviewed, type PathPatterns, type Reviewed, type ReviewFact } from './state-facts.js';

/** Why a review looks at the whole pull request. */
export type FullReason =
  /** Nothing is remembered of an earlier review. */
  | 'first'
  /** `/axe review full`, or `--review-scope full`. */
  | 'asked'
  /** The same commit once more: the run was started again, or a label or comment asks for it. */
  | 'again'
  /** A limit ended the review before, and nothing had been looked at to the end until then. */
  | 'cut-short'
  /** The pull request goes into another branch now. */
  | 'other-base'
  /** A force-push or rebase: the commit that was reviewed does not lead to the new one. */
  | 'rewritten'
  /** GitHub does not show what lies between the two commits, or not all of it. */
  | 'unread';

/** The review of an earlier run, as far as this one goes on from it. */
interface Before {
  /** Sha of the commit that was reviewed last. */
  readonly last: string;
  /** A limit ended that review. */
  readonly wasCut: boolean;
  /** Paths of files that no review up to the last whole one was shown, or not whole; left out: none. */
  readonly unseen?: readonly string[];
  /** Which files it was to look at, where not all were. */
  readonly only?: PathPatterns;
}

/** The pull request as it is reviewed. */
interface Reviewing {
  /** Sha. */
  readonly head: string;
  readonly filesTotal: number;
  /** Which files are to be looked at; left out: all. */
  readonly only?: PathPatterns;
}

/** What a review looks at. */
export type Scope =
  | (Reviewing & {
      readonly kind: 'full';
      readonly why: FullReason;
      readonly before: Before | undefined;
    })
  | (Reviewing & {
      readonly kind: 'since';
      /** Sha of the last commit that was looked at to the end. */
      readonly from: string;
      readonly before: Before;
      /** What has changed since then, without what a merge brought from elsewhere. */
      readonly change: FetchedChange;
      /** The base branch, or another one, was merged in between. */
      readonly hasMerge: boolean;
    });

/** What lies between a commit that was reviewed and the new one. */
export type NewSince =
  | {
      readonly kind: 'ahead';
      readonly change: FetchedChange;
      readonly hasMerge: boolean;
      readonly warnings: readonly Warning[];
    }
  | { readonly kind: 'rewritten' }
  | { readonly kind: 'unread' };

/** What a scope is decided from. */
interface ScopeQuestion {
  readonly facts: readonly ReviewFact[];
  readonly pull: number;
  /** Sha. */
  readonly head: string;
  /** Name of the branch the pull request goes into; empty where it is not known. */
  readonly into: string;
  /** Somebody wants all of it looked at. */
  readonly isFullRequested: boolean;
}

/** The whole pull request, or what has to be asked for first. */
type ScopePlan =
  | { readonly kind: 'full'; readonly why: FullReason; readonly before: Before | undefined }
  | { readonly kind: 'ask'; readonly from: string; readonly before: Before };

/** Decides by what is remembered whether a review can go on where the last one ended. */
export function planScope({ facts, pull, head, into, isFullRequested }: ScopeQuestion): ScopePlan {
  const last = lastReviewed(facts, pull);
  if (last === undefined) return { kind: 'full', why: 'first', before: undefined };
  const { unseen, only } = last;
  const before = {
    last: last.head,
    wasCut: last.cut !== undefined,
    unseen,
    only,
  };
  const full = (why: FullReason) => ({ kind: 'full', why, before }) as const;
  if (isFullRequested) return full('asked');
  if (isOtherBase(last, into)) return full('other-base');
  const from = last.cut === undefined ? last.head : last.cut.whole;
  if (from === undefined) return full('cut-short');
  return from === head ? full('again') : { kind: 'ask', from, before };
}

/** What cannot be told is no reason. */
function isOtherBase({ into: before = '' }: Reviewed, now: string): boolean {
  return before !== '' && now !== '' && before !== now;
}

/** Of a commit that was reviewed to its end, what to remember of a review that goes over it again and is cut short. */
export function wholeSoFar(scope: Scope | undefined): string | undefined {
  if (scope?.kind === 'since') return scope.from;
  return scope?.why === 'again' ? scope.before?.last : undefined;
}

/** Of the files of that commit those that were not shown up to then, or not whole. */
export function unseenSoFar(scope: Scope | undefined): readonly string[] {
  return wholeSoFar(scope) === undefined ? [] : (scope?.before?.unseen ?? []);
}

/** Why the whole pull request is looked at, in words that go on from "because"; empty for a first review. */
export function whyFull(why: FullReason): string {
  return WHY[why];
}

const WHY: Record<FullReason, string> = {
  first: '',
  asked: 'that was asked for',
  again: 'this commit was reviewed before',
  'cut-short': 'a limit ended the last review before it had seen everything',
  'other-base': 'the pull request goes into another branch now',
  rewritten: 'the branch was rewritten since the last review',
  unread: 'GitHub does not show all that is new since the last review',
};
