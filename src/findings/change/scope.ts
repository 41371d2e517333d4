import { createHash } from 'node:crypto';
import type { FetchedChange, Trigger } from '../../event/trigger.js';
import { type DiffFile, parseDiff } from '../../lib/text/diff.js';
import { cleanLine, codeSpan, count, formatInteger } from '../../lib/text/format.js';
import { lastReviewed, type PathPatterns, type ReviewFact } from '../state-facts.js';

/** The last review, as far as this one goes on from it. */
interface Before {
  /** Sha of the commit that was reviewed. */
  readonly last: string;
  /** Paths of files that no review up to then was shown, or not whole; left out: none. */
  readonly unseen?: readonly string[];
  /** Patch ids of the files that earlier reviews have seen; left out: they were not kept. */
  readonly patches?: readonly string[];
  /** Path patterns that limited that review; left out: it covered all files. */
  readonly only?: PathPatterns;
}

/** The part of a pull request that a review looks at. */
export type ReviewScope = {
  /** Sha. */
  readonly head: string;
  readonly filesTotal: number;
  /** Path patterns that limit this review; left out: it covers all files. */
  readonly only?: PathPatterns;
} & (
  | { readonly kind: 'full'; readonly why: FullReviewReason; readonly before: Before | undefined }
  | {
      readonly kind: 'since';
      readonly before: Before;
      readonly change: FetchedChange;
      /** Paths in `change` that match the base again, so the pull request does not change them. */
      readonly reverted?: readonly string[];
      /**
       * The branch was rewritten or merged: `change` is what the pull request changes in files
       * whose patch is another one now.
       */
      readonly isRewritten?: boolean;
    }
);

/** The part of a pull request that a run has read, as facts. */
export type ReadScope = { readonly head: string } & (
  | { readonly kind: 'full'; readonly why: FullReviewReason }
  | {
      readonly kind: 'since';
      /** Sha of the commit that was reviewed last. */
      readonly last: string;
      /** Number of files that are new since then, or were not read then. */
      readonly fresh: number;
      readonly isRewritten?: true;
      /** Files that were not read before are among them. */
      readonly hasMissed?: true;
    }
);

export function readScope(
  scope: ReviewScope | undefined,
  coverage: Coverage = NOTHING_READ,
): ReadScope | undefined {
  if (scope === undefined) return undefined;
  const { head } = scope;
  if (scope.kind === 'full') return { kind: 'full', head, why: scope.why };
  const { before, isRewritten } = scope;
  const unread = new Set(coverage.unread.map(({ path }) => path));
  const missed = (before.unseen ?? []).filter((path) => !unread.has(path));
  return {
    kind: 'since',
    head,
    last: before.last,
    fresh: countFreshFiles(coverage, scope),
    ...(isRewritten === true && { isRewritten }),
    ...(missed.length > 0 && { hasMissed: true }),
  };
}

/**
 * Decides by what is remembered whether a review can go on where the last one ended. `head` is a
 * sha; `into` names the branch the pull request goes into, empty where it is not known.
 * `isFullRequested`: somebody wants all of it looked at.
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
}) {
  const last = lastReviewed(facts, pull);
  if (last === undefined) return { kind: 'full', why: 'first', before: undefined } as const;
  const { unseen, patches, only, into: intoBefore = '' } = last;
  const before = { last: last.head, unseen, patches, only };
  const full = (reason: FullReviewReason) => ({ kind: 'full', why: reason, before }) as const;
  if (isFullRequested) return full('asked');
  // An unknown branch does not show that the pull request has another target.
  if (intoBefore !== '' && into !== '' && intoBefore !== into) return full('other-base');
  // Only GitHub knows the changes since then, so the caller has to fetch them.
  return last.head === head ? full('again') : ({ kind: 'ask', before } as const);
}

/**
 * Why the whole pull request is looked at, in words that go on from "because"; empty for a first
 * review.
 */
export const FULL_REVIEW_REASONS = {
  first: '',
  asked: 'that was asked for',
  again: 'this commit was reviewed before',
  'other-base': 'the pull request now targets another branch',
  rewritten: 'the branch was rewritten or merged since the last review',
  unread: 'GitHub does not show all that is new since the last review',
} as const;

/** @internal */
export type FullReviewReason = keyof typeof FULL_REVIEW_REASONS;

/**
 * `/axe review` or `/axe review full`, alone on the first line of a comment on a pull request that
 * says something; undefined for all others.
 */
export function reviewCommand(trigger: Trigger): { readonly isFull: boolean } | undefined {
  if (trigger.kind !== 'comment' || trigger.on !== 'pull_request') return undefined;
  const [all, word] =
    /^(?:[ \t]*\r?\n)* {0,3}\/axe[ \t]+review(?:[ \t]+(full))?[ \t]*(?:\r?\n|$)/i.exec(
      trigger.body,
    ) ?? [];
  return all === undefined ? undefined : { isFull: word !== undefined };
}

/** A comment that does not request a review is a question to the agent. */
export function isQuestion(trigger: Trigger): boolean {
  return trigger.kind === 'comment' && reviewCommand(trigger) === undefined;
}

/**
 * Identifies a file's change so that a rebase keeps the id: path, mode, kind, and its hunks with
 * their context, but without line numbers. Undefined if the diff does not say enough: one that is
 * put together from the files that GitHub lists has no modes, and lacks the lines of large files.
 * @internal
 */
export function patchId({ path, header, hunks }: DiffFile): string | undefined {
  const all = header.split('\n');
  const isWhole = all.some(
    (line) => BLOBS.test(line) || (hunks.length === 0 && WITHOUT_BLOBS.test(line)),
  );
  if (!isWhole) return undefined;
  const lines = all.filter((line) => !LIKENESS.test(line));
  // A change without lines, such as a binary file's, is known by its blobs.
  const facts = hunks.length === 0 ? lines : lines.map((line) => line.replace(BLOBS, 'index'));
  const bodies = hunks.map(({ text }) => text.replace(/^@@[^\n]*/, '@@'));
  const hash = createHash('sha256').update(JSON.stringify([path, facts, bodies]));
  return hash.digest('base64url').slice(0, ID_LENGTH);
}

const BLOBS = /^index [0-9a-f]+\.\.[0-9a-f]+/;
/** A file that is only moved, or whose mode alone changes, names no blobs. */
const WITHOUT_BLOBS = /^(?:old mode |similarity index 100%)/;
/** The similarity of a rename depends on the base too, so it does not belong in the id. */
const LIKENESS = /^(?:dis)?similarity index /;

/** 96 bits, so that nobody can make another change with the same. */
const ID_LENGTH = 16;

/**
 * Patch ids of the files that were read. Binary files count as read, because no review reads them.
 */
export function patchIds(diff: string, isUnread: (path: string) => boolean): readonly string[] {
  return parseDiff(diff).flatMap((file) =>
    isUnread(file.path) && file.content !== 'binary' ? [] : (patchId(file) ?? []),
  );
}

/** Paths of the files of a change whose patch is one of those, in all its parts. */
export function pathsOfKnownPatches(diff: string, patches: readonly string[]): ReadonlySet<string> {
  const known = new Set(patches);
  const files = parseDiff(diff);
  const isKnown = (file: DiffFile) => known.has(patchId(file) ?? '');
  const others = new Set(files.flatMap((file) => (isKnown(file) ? [] : [file.path])));
  return new Set(files.flatMap(({ path }) => (others.has(path) ? [] : [path])));
}

/** Reasons for which files were not read, in the order in which reports list them. */
export const UNREAD_WORDS = {
  failed: 'in a part of the review that failed or exceeded the budget',
  budget: 'beyond `max-diff-tokens` or what the model takes',
  size: 'without readable lines, binary or too large for GitHub to show',
  unlisted: 'that GitHub does not list',
  paths: 'left out by `paths`',
};

type UnreadReason = keyof typeof UNREAD_WORDS;

export const UNREAD_REASONS = Object.keys(UNREAD_WORDS) as UnreadReason[];

export const COVERAGE_KINDS = ['whole', 'part', 'none'] as const;

/** Counts of the files that a review has read, and the files that it has not. */
export interface Coverage {
  readonly kind: (typeof COVERAGE_KINDS)[number];
  readonly files: number;
  readonly read: number;
  /** A file that GitHub counts and does not list has no path. */
  readonly unread: readonly { readonly path: string; readonly why: UnreadReason }[];
  /**
   * GitHub lists only the first files, and nobody knows how many there are; left out: it lists all.
   */
  readonly isListShort?: true;
  /** The run ended before it had looked at everything that it was shown; left out: it did not. */
  readonly isCutShort?: true;
}

/** @internal */
export interface CoverageParts {
  readonly change: Pick<FetchedChange, 'diff' | 'files' | 'filesTotal' | 'isListShort'>;
  /** True for a file that the inputs keep from the model. */
  isLeftOut(path: string): boolean;
  /**
   * Paths of files that the model was not shown, or not whole; of an earlier run too, where it is
   * still so.
   */
  readonly notShown: readonly string[];
}

/**
 * Coverage is `whole` only if every file that GitHub counts was shown whole, by this run or an
 * earlier one. A file that only moved, changed its mode or is empty has no lines that could be
 * missed.
 */
export function coverageOf({ change, isLeftOut, notShown }: CoverageParts): Coverage {
  const unreadable = new Set(filesWithoutLines(change));
  const missed = new Set(notShown);
  const whyUnread = (path: string): UnreadReason | undefined => {
    if (isLeftOut(path)) return 'paths';
    if (unreadable.has(path)) return 'size';
    return missed.has(path) ? 'budget' : undefined;
  };
  const listedPaths = [...new Set(change.files.map(({ path }) => path))];
  const files = Math.max(change.filesTotal, listedPaths.length);
  const unread = [
    ...listedPaths.flatMap((path) => {
      const reason = whyUnread(path);
      return reason === undefined ? [] : [{ path, why: reason }];
    }),
    ...Array.from({ length: files - listedPaths.length }, () => ({
      path: '',
      why: 'unlisted' as const,
    })),
  ];
  const read = files - unread.length;
  const { isListShort } = change;
  return { kind: kindOf({ files, read, isListShort }), files, read, unread, isListShort };
}

function kindOf({ files, read, isListShort }: Omit<Coverage, 'kind' | 'unread'>): Coverage['kind'] {
  if (read === 0) return 'none';
  return read === files && isListShort !== true ? 'whole' : 'part';
}

/** Files of a part that failed or was over the budget were not read. */
export function coverageWithoutFiles(coverage: Coverage, missed: Coverage['unread']): Coverage {
  if (missed.length === 0) return coverage;
  const known = new Set(coverage.unread.map(({ path }) => path));
  const unread = [...coverage.unread, ...missed.filter(({ path }) => !known.has(path))];
  const read = Math.max(0, coverage.files - unread.length);
  return { ...coverage, kind: kindOf({ ...coverage, read }), read, unread };
}

/** Nothing is known of the change, so nothing of it was read. */
export const NOTHING_READ: Coverage = { kind: 'none', files: 0, read: 0, unread: [] };

/** The coverage of a run that ended before its work did. */
export function coverageCutShort(coverage: Coverage): Coverage {
  return {
    ...coverage,
    kind: coverage.kind === 'whole' ? 'part' : coverage.kind,
    isCutShort: true,
  };
}

/**
 * The coverage of a run that ended without an answer: nobody knows anything about what the model
 * was sent.
 */
export function coverageWithoutAnswer(coverage: Coverage): Coverage {
  const failed = Array.from({ length: coverage.read }, () => ({
    path: '',
    why: 'failed' as const,
  }));
  return { ...coverage, kind: 'none', read: 0, unread: [...coverage.unread, ...failed] };
}

/**
 * Paths of files that have changed content and of which GitHub shows no line: they are binary, or
 * too large.
 */
export function filesWithoutLines({
  diff,
  files,
}: Pick<FetchedChange, 'diff' | 'files'>): readonly string[] {
  const parts = new Map(parseDiff(diff).map((file) => [file.path, file]));
  return files
    .filter(({ path, additions, deletions }) => {
      const part = parts.get(path);
      if (part?.content === 'binary') return true;
      const isShown = part !== undefined && (part.hunks.length > 0 || part.content === 'submodule');
      return additions + deletions > 0 && !isShown;
    })
    .map(({ path }) => path);
}

/**
 * The one sentence on how much was read, in markdown that nobody has cleaned yet: the reviewed
 * commits, then every reason for which files were not read, with their number and the first names.
 */
export function formatCoverage(coverage: Coverage, scope?: ReviewScope): string {
  return formatRead(coverage, readScope(scope, coverage));
}

/** The sentence of a run that is over. */
export function formatRead(coverage: Coverage, scope: ReadScope | undefined): string {
  if (coverage.files === 0 && coverage.kind === 'none')
    return 'Nothing was read: the change could not be fetched.';
  const verb = scope === undefined ? 'Read' : 'Reviewed';
  if (
    coverage.read === 0 &&
    coverage.unread.some(({ path, why }) => path === '' && why === 'failed')
  )
    return scope === undefined
      ? 'Nothing was read: the run ended without an answer.'
      : 'Nothing was reviewed: the run ended without a review.';
  const partNote = coverage.isCutShort === true && coverage.unread.length === 0 ? ' in part' : '';
  const opening = `${verb}${partNote}: ${extentOf(coverage, scope)}${reasonOf(scope)}.`;
  const listNote = coverage.isListShort === true ? [LIST_SHORT] : [];
  const unread = coverage.unread.length === 0 ? [] : [formatUnread(coverage.unread)];
  return [opening, ...listNote, ...unread].join(' ');
}

const LIST_SHORT =
  'GitHub lists only the first files of a change between two commits; nothing is known about the others.';

function extentOf(coverage: Coverage, scope: ReadScope | undefined): string {
  const { kind, files, read } = coverage;
  const total = count(files, 'file');
  if (scope?.kind === 'since') {
    const { head, last, fresh } = scope;
    if (scope.isRewritten === true)
      return `${formatInteger(fresh)} of ${total} at \`${short(head)}\`; the others that were read have the same patch as at \`${short(last)}\``;
    const more = scope.hasMissed === true ? ', with what was not read before' : '';
    return `\`${short(last)}..${short(head)}\`, ${formatInteger(fresh)} of ${total}${more}`;
  }
  const atHead = scope === undefined ? '' : ` at \`${short(scope.head)}\``;
  if (kind === 'whole') {
    const subject = scope === undefined ? 'change' : 'pull request';
    return `the whole ${subject}, ${total}${atHead === '' ? '' : `,${atHead}`}`;
  }
  return read === files ? `${total}${atHead}` : `${formatInteger(read)} of ${total}${atHead}`;
}

/** Counts the files read among those that are new since the last review or were not read by it. */
function countFreshFiles(
  { unread, read }: Pick<Coverage, 'unread' | 'read'>,
  { change, before, reverted = [] }: Extract<ReviewScope, { kind: 'since' }>,
): number {
  const excluded = new Set([...unread.map(({ path }) => path), ...reverted]);
  const fresh = new Set([...change.files.map(({ path }) => path), ...(before.unseen ?? [])]);
  return Math.min(read, [...fresh].filter((path) => !excluded.has(path)).length);
}

function reasonOf(scope: ReadScope | undefined): string {
  return scope?.kind === 'full' && scope.why !== 'first'
    ? `, because ${FULL_REVIEW_REASONS[scope.why]}`
    : '';
}

/** Names the unread files by reason, in sentences. */
function formatUnread(unread: Coverage['unread']): string {
  let names = MAX_NAMED;
  const reasons = UNREAD_REASONS.flatMap((reason) => {
    const files = unread.filter((file) => file.why === reason);
    if (files.length === 0) return [];
    const named = files.flatMap(({ path }) => (path === '' ? [] : [path])).slice(0, names);
    names -= named.length;
    return [`${files.length} ${UNREAD_WORDS[reason]}${listed(named, files.length)}`];
  });
  const pronoun = unread.length === 1 ? 'it' : 'those';
  return `Not read: ${reasons.join('; ')}. Nothing is known about ${pronoun}.`;
}

function listed(named: readonly string[], total: number): string {
  if (named.length === 0) return '';
  const more = total > named.length ? ', …' : '';
  return ` (${named.map((path) => codeSpan(cleanLine(path, MAX_PATH))).join(', ')}${more})`;
}

/** Names in a sentence, over all reasons. */
const MAX_NAMED = 5;
/** Code points of a path. */
const MAX_PATH = 60;
const SHORT_SHA = 7;

function short(sha: string): string {
  return cleanLine(sha.slice(0, SHORT_SHA), SHORT_SHA);
}

/** The end of a check's title, which says how much was read. */
export function coverageTitle({ kind, files, read, isListShort }: Coverage): string {
  if (kind === 'whole') return ' · all files read';
  if (isListShort === true) return ` in ${read} of more than ${count(files, 'file')}`;
  return read === files ? '' : ` in ${formatInteger(read)} of ${count(files, 'file')}`;
}
