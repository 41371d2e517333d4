import { createHash } from 'node:crypto';
import type { FetchedChange, Trigger } from '../event/trigger.js';
import type { Warning } from '../lib/errors.js';
import { type DiffFile, parseDiff } from '../lib/text/diff.js';
import { lastReviewed, type PathPatterns, type ReviewFact } from './state-facts.js';

/** Why a review looks at the whole pull request. */
export type FullReason =
  /** Nothing is remembered of an earlier review. */
  | 'first'
  /** `/axe review full`, or `--review-scope full`. */
  | 'asked'
  /** The same commit once more: the run was started again, or a label or comment asks for it. */
  | 'again'
  /** The pull request goes into another branch now. */
  | 'other-base'
  /** A force-push, a rebase or a merge: what lies between the two commits is not the pull request's alone. */
  | 'rewritten'
  /** GitHub does not show what lies between the two commits, or not all of it. */
  | 'unread';

/** The last review, as far as this one goes on from it. */
interface Before {
  /** Sha of the commit that was reviewed. */
  readonly last: string;
  /** Paths of files that no review up to then was shown, or not whole; left out: none. */
  readonly unseen?: readonly string[];
  /** Of the files that reviews up to then have seen, see `patchId`; left out: nobody kept them. */
  readonly patches?: readonly string[];
  /** Which files it was to look at, where not all were. */
  readonly only?: PathPatterns;
}

/** What a review looks at. */
export type Scope = {
  /** Sha. */
  readonly head: string;
  readonly filesTotal: number;
  /** Which files are to be looked at; left out: all. */
  readonly only?: PathPatterns;
} & (
  | { readonly kind: 'full'; readonly why: FullReason; readonly before: Before | undefined }
  | {
      readonly kind: 'since';
      readonly before: Before;
      /** What has changed since then. */
      readonly change: FetchedChange;
      /** The branch was rewritten or merged: `change` is what the pull request changes in files whose patch is another one now. */
      readonly isRewritten?: boolean;
    }
);

/** What lies between a commit that was reviewed and the new one. */
export type NewSince =
  | { readonly kind: 'ahead'; readonly change: FetchedChange; readonly warnings: readonly Warning[] }
  | { readonly kind: 'rewritten' | 'unread' };

/** The whole pull request, or what is new since the last review, which has to be asked for. */
type ScopePlan =
  | { readonly kind: 'full'; readonly why: FullReason; readonly before: Before | undefined }
  | { readonly kind: 'ask'; readonly before: Before };

/**
 * Decides by what is remembered whether a review can go on where the last one ended. `head` is a sha; `into` names the branch the
 * pull request goes into, empty where it is not known. `isFullRequested`: somebody wants all of it looked at.
 */
export function planScope({
  facts,
  pull,
  head,
  into,
  isFullRequested,
}: {
  readonly facts: readonly ReviewFact[];
  readonly pull: number;
  readonly head: string;
  readonly into: string;
  readonly isFullRequested: boolean;
}): ScopePlan {
  const last = lastReviewed(facts, pull);
  if (last === undefined) return { kind: 'full', why: 'first', before: undefined };
  const { unseen, patches, only, into: intoBefore = '' } = last;
  const before = { last: last.head, unseen, patches, only };
  const full = (why: FullReason) => ({ kind: 'full', why, before }) as const;
  if (isFullRequested) return full('asked');
  // What cannot be told is no reason.
  if (intoBefore !== '' && into !== '' && intoBefore !== into) return full('other-base');
  return last.head === head ? full('again') : { kind: 'ask', before };
}

/** Why the whole pull request is looked at, in words that go on from "because"; empty for a first review. */
export const WHY_FULL: Readonly<Record<FullReason, string>> = {
  first: '',
  asked: 'that was asked for',
  again: 'this commit was reviewed before',
  'other-base': 'the pull request now targets another branch',
  rewritten: 'the branch was rewritten or merged since the last review',
  unread: 'GitHub does not show all that is new since the last review',
};

/**
 * `/axe review` or `/axe review full`, alone on the first line of a comment on a pull request that says something;
 * undefined for all others.
 */
export function reviewCommand(trigger: Trigger): { readonly isFull: boolean } | undefined {
  if (trigger.kind !== 'comment' || trigger.on !== 'pull_request') return undefined;
  const [all, word] =
    /^(?:[ \t]*\r?\n)* {0,3}\/axe[ \t]+review(?:[ \t]+(full))?[ \t]*(?:\r?\n|$)/i.exec(trigger.body) ?? [];
  return all === undefined ? undefined : { isFull: word !== undefined };
}

/** Whether a comment asks something else of the agent than a review. */
export function isQuestion(trigger: Trigger): boolean {
  return trigger.kind === 'comment' && reviewCommand(trigger) === undefined;
}

/**
 * What a change of a file is known by wherever a rebase moves it: path, mode, kind, and its hunks with their context, but
 * without line numbers. Undefined where that cannot be told: a diff that is put together from the files that GitHub lists has
 * no modes, and lacks the lines of large files.
 */
export function patchId({ path, header, hunks }: DiffFile): string | undefined {
  const all = header.split('\n');
  const isWhole = all.some((line) => BLOBS.test(line) || (hunks.length === 0 && WITHOUT_BLOBS.test(line)));
  if (!isWhole) return undefined;
  const lines = all.filter((line) => !LIKENESS.test(line));
  // What has no lines, such as a binary file, is known by its blobs.
  const facts = hunks.length === 0 ? lines : lines.map((line) => line.replace(BLOBS, 'index'));
  const bodies = hunks.map(({ text }) => text.replace(/^@@[^\n]*/, '@@'));
  const hash = createHash('sha256').update(JSON.stringify([path, facts, bodies]));
  return hash.digest('base64url').slice(0, ID_LENGTH);
}

const BLOBS = /^index [0-9a-f]+\.\.[0-9a-f]+/;
/** A file that is only moved, or whose mode alone changes, names no blobs. */
const WITHOUT_BLOBS = /^(?:old mode |similarity index 100%)/;
/** How alike both sides of a rename are is the base's doing too. */
const LIKENESS = /^(?:dis)?similarity index /;

/** 96 bits, so that nobody can make another change with the same. */
const ID_LENGTH = 16;

/** What the files of a change are known by, but for those that nobody has read; nobody reads binary ones. */
export function patchesOf(diff: string, isUnread: (path: string) => boolean): readonly string[] {
  return parseDiff(diff).flatMap((file) =>
    isUnread(file.path) && file.content !== 'binary' ? [] : (patchId(file) ?? []),
  );
}

/** Paths of the files of a change whose patch is one of those, in all its parts. */
export function knownPaths(diff: string, patches: readonly string[]): ReadonlySet<string> {
  const known = new Set(patches);
  const files = parseDiff(diff);
  const isKnown = (file: DiffFile) => known.has(patchId(file) ?? '');
  const others = new Set(files.flatMap((file) => (isKnown(file) ? [] : [file.path])));
  return new Set(files.flatMap(({ path }) => (others.has(path) ? [] : [path])));
}
