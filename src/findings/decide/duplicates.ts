import { groupBy } from '../../lib/data.js';
import { normalizeCode } from '../../lib/text/code.js';
import type { Side } from '../../lib/text/diff.js';
import {
  type CommentableFile,
  type CommentableLines,
  isDistinctiveFingerprint,
  lineFingerprint,
  showsNoLine,
} from '../change/diff-lines.js';
import { type Finding, isOpen } from '../finding.js';
import type { KeptFinding } from '../kept-finding.js';
import type { DuplicateClaim, KnownFinding, Lesson } from '../known-finding.js';

type Sameness =
  | { readonly kind: 'same'; readonly of: KnownFinding }
  /** The model that raises it has to say. */
  | { readonly kind: 'ask'; readonly of: readonly KnownFinding[] }
  | { readonly kind: 'new' }
  | { readonly kind: 'refused'; readonly why: string };

/** Maximum distance, in lines, at which the model is asked about a similar title. */
const NEAR = 30;

/** Minimum share of the words of the shorter title that the other title has too. */
const ALIKE = 0.5;

/**
 * Decides if a finding is already known, from an earlier run or from this one. On one line the
 * titles decide, and the category never: two faults of a line are two findings. In doubt the model
 * is asked. No claim of the model gets round a dismissal of the same line and category.
 */
export function findDuplicate(
  draft: Finding,
  { sameAs, isNew = false, knew }: DuplicateClaim,
  findings: readonly KnownFinding[],
  lines: CommentableLines | undefined,
): Sameness {
  const inFile = findings.filter(({ path }) => path === draft.path);
  const onLine = inFile
    .filter((known) =>
      isOfThisRun(known) ? isOnSameLine(known, draft) : isOnFindingLine(known, draft, lines),
    )
    .toSorted((a, b) => Number(isOpen(b)) - Number(isOpen(a)));
  const dismissed = onLine.find(
    ({ state, category }) => state === 'dismissed' && category === draft.category,
  );
  if (dismissed !== undefined) return { kind: 'same', of: dismissed };
  if (sameAs !== undefined) return findByName(sameAs, draft, findings);

  const hasSameTitle = onLine.find(
    (known) => isSurelyOnLine(known) && compareTitles(known, draft) === 'same',
  );
  if (hasSameTitle !== undefined) return { kind: 'same', of: hasSameTitle };
  const like = onLine.filter((known) => compareTitles(known, draft) !== 'other');
  // The model was not asked about findings that another run has raised in the meantime.
  const meanwhile = like.find(({ id }) => knew !== undefined && !knew.has(id));
  if (meanwhile !== undefined) return { kind: 'same', of: meanwhile };
  if (isNew) return { kind: 'new' };

  const ofThisRun = like.filter(isOfThisRun);
  const earlier = like.find((known) => !isOfThisRun(known) && isSurelyOnLine(known));
  if (earlier !== undefined && ofThisRun.length === 0) return { kind: 'same', of: earlier };
  const near = inFile.filter(
    (known) =>
      !isOfThisRun(known) &&
      !onLine.includes(known) &&
      Math.abs(known.line - draft.line) <= NEAR &&
      isAlike(known.title, draft.title),
  );
  const candidates = [...ofThisRun, ...onLine.filter((known) => !isOfThisRun(known)), ...near];
  return candidates.length === 0 ? { kind: 'new' } : { kind: 'ask', of: candidates };
}

/** The finding that the model names. */
function findByName(name: string, { path }: Finding, findings: readonly KnownFinding[]): Sameness {
  const finding = findings.find(({ handle }) => handle === name.trim().toUpperCase());
  if (finding === undefined) return { kind: 'refused', why: `there is no finding ${name}` };
  const isPresent = isOpen(finding) && finding.gone !== true && !finding.isGone;
  const isElsewhere = finding.path !== path && isPresent;
  return isElsewhere
    ? { kind: 'refused', why: `${finding.handle} is about another file, where it is still open` }
    : { kind: 'same', of: finding };
}

/** A finding that this run has raised itself. */
export function isOfThisRun({ stored }: KnownFinding): boolean {
  return stored === undefined;
}

function isOnSameLine(a: Finding, b: Finding): boolean {
  return a.path === b.path && a.side === b.side && a.line === b.line;
}

/**
 * A common line (`}`) has no identity: since an earlier run, its number can belong to another one.
 */
function isSurelyOnLine(known: KnownFinding): boolean {
  return isOfThisRun(known) || isDistinctiveFingerprint(known.key);
}

type Titled = Pick<Finding, 'title'>;

/** Compares the titles of two findings on one line. An unknown title could be any title. */
function compareTitles(known: Titled, draft: Titled): 'same' | 'alike' | 'other' {
  const [a, b] = [known, draft].map(({ title }) => title.trim().toLowerCase());
  if (a === b) return 'same';
  return a === '' || isAlike(known.title, draft.title) ? 'alike' : 'other';
}

/** Two findings of one run are the same: a model that repeats a title corrects itself. */
export function isSameFinding(a: Finding, b: Finding): boolean {
  return isOnSameLine(a, b) && compareTitles(a, b) === 'same';
}

type Request = Pick<Finding, 'path' | 'title'>;

/** The model has called for this finding already, perhaps in other words. */
export function isRequestedAgain(earlier: Request, request: Request): boolean {
  return earlier.path === request.path && isAlike(earlier.title, request.title);
}

/** The draft is on the line of the earlier finding, which may have moved since. */
export function isOnFindingLine(
  known: KnownFinding,
  draft: Finding,
  lines: CommentableLines | undefined,
): boolean {
  if (known.side !== draft.side || known.key !== lineFingerprint(draft.code ?? '')) return false;
  if (!isDistinctiveFingerprint(known.key)) return known.line === draft.line;
  const lineNow = findLineNow(known, lines);
  return !known.isGone && (lineNow === undefined || lineNow === draft.line);
}

/** Two titles share enough words to ask the model about them. */
function isAlike(title: string, otherTitle: string): boolean {
  const [a, b] = [wordsOf(title), wordsOf(otherTitle)];
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared / Math.max(1, Math.min(a.size, b.size)) >= ALIKE;
}

function wordsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return new Set(words.filter((word) => !FILLERS.has(word)));
}

const FILLERS = new Set(
  'a an and are as at be by for from has in is it its of on or that the this to was with'.split(
    ' ',
  ),
);

/**
 * The nearest line of the change with the fingerprint of the finding's line, else that line in the
 * head's file; undefined if there is none, or if the file is not known.
 */
export function findLineNow(
  finding: KnownFinding,
  lines: CommentableLines | undefined,
): number | undefined {
  const file = lines?.get(finding.path);
  if (file === undefined || finding.key === '') return undefined;
  const numbers = linesWithKey(file[finding.side], finding.key);
  return nearestNumber(numbers, finding.line) ?? finding.headLine;
}

/**
 * Its line is not in the change. Where the change is not known, or shows no line of its file, it may
 * be there.
 */
export function isLineGone(finding: KnownFinding, lines: CommentableLines | undefined): boolean {
  if (lines === undefined) return false;
  const file = lines.get(finding.path);
  if (file !== undefined && showsNoLine(file)) return false;
  return findLineNow(finding, lines) === undefined;
}

/** The numbers of the lines with this fingerprint. */
export function linesWithKey(lines: CommentableFile[Side], key: string): readonly number[] {
  return keysOf(lines).get(key) ?? [];
}

export function nearestNumber(numbers: readonly number[], line: number): number | undefined {
  return numbers.toSorted((a, b) => Math.abs(a - line) - Math.abs(b - line))[0];
}

const KEYS = new WeakMap<CommentableFile[Side], ReturnType<typeof keysOf>>();

/** Line numbers by fingerprint. Cached, because every finding looks up its own line. */
function keysOf(lines: CommentableFile[Side]): ReadonlyMap<string, readonly number[]> {
  const keys =
    KEYS.get(lines) ??
    groupBy([...lines.keys()], (line) => lineFingerprint(lines.get(line)?.text ?? ''));
  KEYS.set(lines, keys);
  return keys;
}

/**
 * The file has the suggested lines in a row, and the push added one of them or removed a line
 * between them. Lines that were there before the push are not a committed suggestion.
 */
export function isSuggestionCommitted(
  suggestion: string,
  file: CommentableFile | undefined,
  pushed: CommentableFile | undefined,
): boolean {
  const offered = suggestion.split('\n').map(normalizeCode);
  if (pushed === undefined || offered.every((line) => line === '')) return false;
  const lines = [...(file?.RIGHT ?? []), ...pushed.RIGHT];
  const now = new Map(lines.map(([line, { text }]) => [line, normalizeCode(text)]));
  const isAt = (first: number) => offered.every((line, index) => now.get(first + index) === line);
  const isAdded = (line: number) =>
    pushed.RIGHT.has(line) && pushed.RIGHT.get(line)?.other === undefined;
  const oldLine = (line: number) => pushed.RIGHT.get(line)?.other ?? Number.NaN;
  // Lines next to a lone brace are often removed for other reasons.
  const isTold = offered.some((line) => isDistinctiveFingerprint(lineFingerprint(line)));
  const isCutBefore = (line: number) => oldLine(line) > oldLine(line - 1) + 1;
  return [...now.keys()].filter(isAt).some((first) => {
    const there = offered.map((_, index) => first + index);
    return there.some(isAdded) || (isTold && [...there, first + there.length].some(isCutBefore));
  });
}

/** The dismissals by people, newest first. Reopening a finding takes its dismissal back. */
export function lessonsOf(findings: readonly KeptFinding[]): readonly Lesson[] {
  const dismissed = findings.filter(({ state, by }) => state === 'dismissed' && by === 'person');
  const lessons = dismissed.map((finding): Lesson => {
    const { id, handle, pull, path, category, code: key, why, login = '', decided } = finding;
    const title = finding.words === 'own' ? finding.title : '';
    return { id, handle, pull, path, category, key, title, why, login, at: decided };
  });
  return lessons.toSorted((a, b) => b.at - a.at);
}

/** The lesson of the same file, category and line, if the line is distinctive. */
export function lessonOfLine(
  { path, category, code = '' }: Finding,
  lessons: readonly Lesson[],
): Lesson | undefined {
  const key = lineFingerprint(code);
  return lessons.find(
    (lesson) =>
      lesson.path === path &&
      lesson.category === category &&
      isDistinctiveFingerprint(key) &&
      lesson.key === key,
  );
}

/** A lesson never holds back a finding that is critical or about security. */
export function isNeverHeldBack({
  severity,
  category,
}: Pick<Finding, 'severity' | 'category'>): boolean {
  return severity === 'critical' || category === 'security';
}

/** Lessons of the same file with a similar title: the model is asked if it means one of them. */
export function lessonsLike(
  { path, title }: Finding,
  lessons: readonly Lesson[],
): readonly Lesson[] {
  return lessons.filter(
    (lesson) => lesson.path === path && lesson.title !== '' && isAlike(lesson.title, title),
  );
}

/**
 * A person has decided about the finding, so that it is not raised again: it was dismissed, or
 * closed while its line was unchanged.
 */
export function isHeldBackByPerson(
  finding: KnownFinding,
  lines: CommentableLines | undefined,
): boolean {
  const { state, by, gone } = finding;
  const isClosed = state === 'settled' && by === 'person' && !gone;
  return state === 'dismissed' || (isClosed && !isLineGone(finding, lines));
}

/** The decision of a person that holds a finding back, as a clause. */
export function whyHeldBack(decided: KnownFinding | Lesson): string {
  if ('pull' in decided) return `dismissed on #${decided.pull}`;
  return decided.state === 'dismissed'
    ? `${decided.handle} was dismissed on this pull request`
    : `${decided.handle} was closed by a person, and its line is as it was`;
}
