import type { FetchedChange } from '../event/trigger.js';
import { parseDiff } from '../lib/text/diff.js';
import { cleanLine, codeSpan, count, grouped } from '../lib/text/format.js';
import type { Coverage, UnreadReason } from './record.js';
import { type Scope, WHY_FULL } from './scope.js';

export interface CoverageParts {
  readonly change: Pick<FetchedChange, 'diff' | 'files' | 'filesTotal' | 'isListShort'>;
  /** Whether the inputs keep a file from the model. */
  isLeftOut(path: string): boolean;
  /** Paths of files that the model was not shown, or not whole; of an earlier run too, where it is still so. */
  readonly notShown: readonly string[];
}

/**
 * How much of a change is read. It is `whole` only if every file that GitHub counts was shown whole, by this run or an
 * earlier one. A file that only moved, changed its mode or is empty has no lines that could be missed.
 */
export function coverageOf({ change, isLeftOut, notShown }: CoverageParts): Coverage {
  const unreadable = new Set(filesWithoutLines(change));
  const missed = new Set(notShown);
  const whyUnread = (path: string): UnreadReason | undefined => {
    if (isLeftOut(path)) return 'paths';
    if (unreadable.has(path)) return 'size';
    return missed.has(path) ? 'budget' : undefined;
  };
  const listed = [...new Set(change.files.map(({ path }) => path))];
  const files = Math.max(change.filesTotal, listed.length);
  const unread = [
    ...listed.flatMap((path) => {
      const why = whyUnread(path);
      return why === undefined ? [] : [{ path, why }];
    }),
    ...Array.from({ length: files - listed.length }, () => ({ path: '', why: 'unlisted' as const })),
  ];
  const read = files - unread.length;
  const { isListShort } = change;
  return { kind: kindOf({ files, read, isListShort }), files, read, unread, isListShort };
}

function kindOf({
  files,
  read,
  isListShort,
}: Pick<Coverage, 'files' | 'read' | 'isListShort'>): Coverage['kind'] {
  if (read === 0) return 'none';
  return read === files && isListShort !== true ? 'whole' : 'part';
}

/** The same after parts of a review failed or were not paid for: their files were not read. */
export function withoutFiles(coverage: Coverage, missed: Coverage['unread']): Coverage {
  if (missed.length === 0) return coverage;
  const known = new Set(coverage.unread.map(({ path }) => path));
  const unread = [...coverage.unread, ...missed.filter(({ path }) => !known.has(path))];
  const read = Math.max(0, coverage.files - unread.length);
  return { ...coverage, kind: kindOf({ ...coverage, read }), read, unread };
}

/** Nothing is known of the change, so nothing of it was read. */
export const NOTHING_READ: Coverage = { kind: 'none', files: 0, read: 0, unread: [] };

/** The coverage of a run that ended before its work did. */
export function cutShort(coverage: Coverage): Coverage {
  return { ...coverage, kind: coverage.kind === 'whole' ? 'part' : coverage.kind, isCutShort: true };
}

/** The coverage of a run that ended without an answer: nobody knows anything about what the model was sent. */
export function withoutAnswer(coverage: Coverage): Coverage {
  const failed = Array.from({ length: coverage.read }, () => ({ path: '', why: 'failed' as const }));
  return { ...coverage, kind: 'none', read: 0, unread: [...coverage.unread, ...failed] };
}

/** Paths of files that have changed content and of which GitHub shows no line: they are binary, or too large. */
export function filesWithoutLines({ diff, files }: Pick<FetchedChange, 'diff' | 'files'>): readonly string[] {
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
 * The one sentence on how much was read, in markdown that nobody has cleaned yet: the reviewed commits, then every
 * reason for which files were not read, with their number and the first names.
 */
export function formatCoverage(coverage: Coverage, scope?: Scope): string {
  if (coverage.files === 0 && coverage.kind === 'none')
    return 'Nothing was read: the change could not be fetched.';
  const verb = scope === undefined ? 'Read' : 'Reviewed';
  if (coverage.read === 0 && coverage.unread.some(({ path, why }) => path === '' && why === 'failed'))
    return `Nothing was ${verb.toLowerCase()}: the run ended without an answer.`;
  const how = coverage.isCutShort === true && coverage.unread.length === 0 ? ' in part' : '';
  const opening = `${verb}${how}: ${extentOf(coverage, scope)}${reasonOf(scope)}.`;
  const short = coverage.isListShort === true ? [LIST_SHORT] : [];
  const unread = coverage.unread.length === 0 ? [] : [formatUnread(coverage.unread)];
  return [opening, ...short, ...unread].join(' ');
}

const LIST_SHORT =
  'GitHub lists only the first files of a change between two commits; nothing is known about the others.';

function extentOf(coverage: Coverage, scope: Scope | undefined): string {
  const { kind, files, read, unread } = coverage;
  const total = count(files, 'file');
  if (scope?.kind === 'since') {
    const left = new Set(unread.map(({ path }) => path));
    const fresh = freshFiles(coverage, scope);
    if (scope.isRewritten === true)
      return `${grouped(fresh)} of ${total} at \`${short(scope.head)}\`; the others that were read have the same patch as at \`${short(scope.before.last)}\``;
    const missed = (scope.before.unseen ?? []).filter((path) => !left.has(path));
    const more = missed.length === 0 ? '' : ', with what was not read before';
    return `\`${short(scope.before.last)}..${short(scope.head)}\`, ${grouped(fresh)} of ${total}${more}`;
  }
  const at = scope === undefined ? '' : ` at \`${short(scope.head)}\``;
  if (kind === 'whole') {
    const what = scope === undefined ? 'change' : 'pull request';
    return `the whole ${what}, ${total}${at === '' ? '' : `,${at}`}`;
  }
  return read === files ? `${total}${at}` : `${grouped(read)} of ${total}${at}`;
}

/** How many of the files that are new since the last review, or were not read by it, were read. */
export function freshFiles(
  { unread, read }: Pick<Coverage, 'unread' | 'read'>,
  { change, before }: Extract<Scope, { kind: 'since' }>,
): number {
  const left = new Set(unread.map(({ path }) => path));
  const fresh = new Set([...change.files.map(({ path }) => path), ...(before.unseen ?? [])]);
  // A push can take a file back to its base, and then the change has it no more.
  return Math.min(read, [...fresh].filter((path) => !left.has(path)).length);
}

function reasonOf(scope: Scope | undefined): string {
  return scope?.kind === 'full' && scope.why !== 'first' ? `, because ${WHY_FULL[scope.why]}` : '';
}

/** Which files were not read, by reason, as sentences. */
function formatUnread(unread: Coverage['unread']): string {
  let names = MAX_NAMED;
  const reasons = REASONS.flatMap((why) => {
    const files = unread.filter((file) => file.why === why);
    if (files.length === 0) return [];
    const named = files.flatMap(({ path }) => (path === '' ? [] : [path])).slice(0, names);
    names -= named.length;
    return [`${files.length} ${WORDS[why]}${listed(named, files.length)}`];
  });
  const those = unread.length === 1 ? 'it' : 'those';
  return `Not read: ${reasons.join('; ')}. Nothing is known about ${those}.`;
}

function listed(named: readonly string[], total: number): string {
  if (named.length === 0) return '';
  const more = total > named.length ? ', …' : '';
  return ` (${named.map((path) => codeSpan(cleanLine(path, MAX_PATH))).join(', ')}${more})`;
}

/** In the order in which they are named. */
const REASONS = ['failed', 'budget', 'size', 'unlisted', 'paths'] as const satisfies readonly UnreadReason[];

const WORDS: Record<UnreadReason, string> = {
  failed: 'in a part of the review that failed or exceeded the budget',
  budget: 'beyond `max-diff-tokens` or what the model takes',
  size: 'without readable lines, binary or too large for GitHub to show',
  unlisted: 'that GitHub does not list',
  paths: 'left out by `paths`',
};

/** Names in a sentence, over all reasons. */
const MAX_NAMED = 5;
/** Code points of a path. */
const MAX_PATH = 60;
const SHORT_SHA = 7;

function short(sha: string): string {
  return cleanLine(sha.slice(0, SHORT_SHA), SHORT_SHA);
}

/** How much was read, as the end of a title. */
export function coverageTitle({ kind, files, read, isListShort }: Coverage): string {
  if (kind === 'whole') return ' · whole';
  if (isListShort === true) return ` in ${read} of more than ${count(files, 'file')}`;
  return read === files ? '' : ` in ${grouped(read)} of ${count(files, 'file')}`;
}
