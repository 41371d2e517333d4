import { createHash } from 'node:crypto';
import type { FetchedChange, Trigger } from '../event/trigger.js';
import { type DiffFile, type DiffHunk, parseDiff, splitHunks } from '../lib/text/diff.js';
import type { Warning } from '../lib/warning.js';
import { filesByPath } from './diff-lines.js';
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
  /** Of the files that reviews up to the last whole one have seen, see `patchId`; left out: nobody kept them. */
  readonly patches?: readonly string[];
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
      /** The branch was rewritten: `change` is what the pull request changes in files whose patch is another one now. */
      readonly isRewritten?: boolean;
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
  const { unseen, patches, only } = last;
  const before = {
    last: last.head,
    wasCut: last.cut !== undefined,
    unseen,
    patches,
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
  // Of a rewritten branch that commit is no longer a part, and what was not seen of it is not known any more.
  if (scope?.kind === 'since') return scope.isRewritten === true ? undefined : scope.from;
  return scope?.why === 'again' ? scope.before?.last : undefined;
}

/** Of the files of that commit those that were not shown up to then, or not whole. */
export function unseenSoFar(scope: Scope | undefined): readonly string[] {
  return wholeSoFar(scope) === undefined ? [] : (scope?.before?.unseen ?? []);
}

/** What files of that commit are known by that were shown up to then. */
export function patchesSoFar(scope: Scope | undefined): readonly string[] {
  return wholeSoFar(scope) === undefined ? [] : (scope?.before?.patches ?? []);
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
  'other-base': 'the pull request now targets another branch',
  rewritten: 'the branch was rewritten since the last review',
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
 * Of what changed between two commits of a pull request the part that is its own, where a merge brought the work of
 * others along: the hunks that touch lines the pull request changes. Both diffs end at the same commit. A hunk that lies
 * next to such a line stays too; a change of its own that the pull request has taken back is not told from a merge's.
 */
export function ownPart(newDiff: string, pullDiff: string): string {
  const own = filesByPath(pullDiff);
  const parts = parseDiff(newDiff).flatMap((file) => {
    const mine = own.get(file.path);
    return mine === undefined ? [] : keepHunks(file, mine);
  });
  return parts.length === 0 ? '' : `${parts.join('\n')}\n`;
}

function keepHunks(file: DiffFile, mine: readonly DiffFile[]): readonly string[] {
  // GitHub shows nothing of a large file; what is new in it must not pass for a merge's.
  if (file.hunks.length === 0 || mine.every(({ hunks }) => hunks.length === 0)) return [file.text];
  const changed = mine.flatMap(({ hunks }) => hunks.flatMap(changedLines));
  const { header, hunks } = splitHunks(file.text);
  const kept = hunks.filter((_, index) => {
    const hunk = file.hunks[index];
    return hunk === undefined || reachesAny(hunk, changed);
  });
  return kept.length === 0 ? [] : [[header, ...kept].join('\n')];
}

/** Lines of the new version that were added, or that something was removed before. */
function changedLines(hunk: DiffHunk): readonly number[] {
  const changed: number[] = [];
  let next = firstLine(hunk);
  for (const line of hunk.lines) {
    if (line.kind !== 'context') changed.push(next);
    if (line.kind !== 'removed') next += 1;
  }
  return changed;
}

/** Whether a hunk holds one of the lines, or lies next to one. */
function reachesAny(hunk: DiffHunk, lines: readonly number[]): boolean {
  const first = firstLine(hunk);
  return lines.some((line) => line >= first && line <= first + hunk.newLines);
}

/** A hunk without new lines names the line before it. */
function firstLine({ newStart, newLines }: DiffHunk): number {
  return newLines === 0 ? newStart + 1 : newStart;
}

/**
 * What a change of a file is known by wherever a rebase moves it: path, mode, kind, and its hunks with their context, but
 * without line numbers. Undefined where that cannot be told: a diff that is put together from the files that GitHub lists has
 * no modes, and lacks the lines of large files.
 */
export function patchId({ path, text }: DiffFile): string | undefined {
  const { header, hunks } = splitHunks(text);
  const all = header.split('\n');
  const isWhole = all.some((line) => BLOBS.test(line) || (hunks.length === 0 && WITHOUT_BLOBS.test(line)));
  if (!isWhole) return undefined;
  const lines = all.filter((line) => !LIKENESS.test(line));
  // What has no lines, such as a binary file, is known by its blobs.
  const facts = hunks.length === 0 ? lines : lines.map((line) => line.replace(BLOBS, 'index'));
  const bodies = hunks.map((hunk) => hunk.replace(/^@@[^\n]*/, '@@'));
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
