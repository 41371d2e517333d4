import { groupBy } from '../../lib/data.js';
import { normalizeCode } from '../../lib/text/code.js';
import type { Side } from '../../lib/text/diff.js';
import {
  type CommentableFile,
  type CommentableLines,
  isDistinctiveFingerprint,
  lineFingerprint,
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

/** Lines within which a similar title is asked about. */
const NEAR = 30;

/** The share of the words of the shorter title that the other has too. */
const ALIKE = 0.5;

/**
 * Decides if a finding is one that is known, of an earlier run or of this one. On one line the
 * titles decide, and the category never: two faults of a line are two findings. Where that is in
 * doubt the model is asked. Nothing is a way round a dismissal of this very line and category.
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
  // The model was not asked about what another run has raised meanwhile.
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
  const of = findings.find(({ handle }) => handle === name.trim().toUpperCase());
  if (of === undefined) return { kind: 'refused', why: `there is no finding ${name}` };
  const isElsewhere = of.path !== path && isOpen(of) && of.gone !== true && !of.isGone;
  return isElsewhere
    ? { kind: 'refused', why: `${of.handle} is about another file, where it is still open` }
    : { kind: 'same', of };
}

/** A finding that this run has raised itself. */
export function isOfThisRun({ stored }: KnownFinding): boolean {
  return stored === undefined;
}

function isOnSameLine(a: Finding, b: Finding): boolean {
  return a.path === b.path && a.side === b.side && a.line === b.line;
}

/** Since an earlier run, another line can have come to the number of one that says little. */
function isSurelyOnLine(known: KnownFinding): boolean {
  return isOfThisRun(known) || isDistinctiveFingerprint(known.key);
}

type Titled = Pick<Finding, 'title'>;

/** Compares the titles of two findings of one line. One that is not known could be any. */
function compareTitles(known: Titled, draft: Titled): 'same' | 'alike' | 'other' {
  const [a, b] = [known, draft].map(({ title }) => title.trim().toLowerCase());
  if (a === b) return 'same';
  return a === '' || isAlike(known.title, draft.title) ? 'alike' : 'other';
}

/** Two findings of one run are the same: a model that says a title again corrects itself. */
export function isSameFinding(a: Finding, b: Finding): boolean {
  return isOnSameLine(a, b) && compareTitles(a, b) === 'same';
}

type Request = Pick<Finding, 'path' | 'title'>;

/** The model has called for this finding already, perhaps in other words. */
export function isRequestedAgain(earlier: Request, request: Request): boolean {
  return earlier.path === request.path && isAlike(earlier.title, request.title);
}

/** Whether a finding is raised on the line of an earlier one. */
export function isOnFindingLine(
  one: KnownFinding,
  draft: Finding,
  lines: CommentableLines | undefined,
): boolean {
  if (one.side !== draft.side || one.key !== lineFingerprint(draft.code ?? '')) return false;
  if (!isDistinctiveFingerprint(one.key)) return one.line === draft.line;
  const stands = findLineNow(one, lines);
  return !one.isGone && (stands === undefined || stands === draft.line);
}

/** Whether two titles share enough words to ask about them. */
function isAlike(one: string, other: string): boolean {
  const [a, b] = [wordsOf(one), wordsOf(other)];
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
 * The nearest line of the change that reads as a finding's did, else that of the head's file;
 * undefined for none, or where nobody knows.
 */
export function findLineNow(
  finding: {
    readonly path: string;
    readonly side: Side;
    readonly line: number;
    readonly key: string;
    readonly headLine?: number;
  },
  lines: CommentableLines | undefined,
): number | undefined {
  const file = lines?.get(finding.path);
  if (file === undefined || finding.key === '') return undefined;
  const numbers = linesWithKey(file[finding.side], finding.key);
  return nearestNumber(numbers, finding.line) ?? finding.headLine;
}

/** The numbers of the lines that a fingerprint is of. */
export function linesWithKey(lines: CommentableFile[Side], key: string): readonly number[] {
  return keysOf(lines).get(key) ?? [];
}

export function nearestNumber(numbers: readonly number[], line: number): number | undefined {
  return numbers.toSorted((a, b) => Math.abs(a - line) - Math.abs(b - line))[0];
}

const KEYS = new WeakMap<CommentableFile[Side], ReturnType<typeof keysOf>>();

/**
 * The lines of a side by what they are known by; made once, since every finding looks its own up.
 */
function keysOf(lines: CommentableFile[Side]): ReadonlyMap<string, readonly number[]> {
  const keys =
    KEYS.get(lines) ??
    groupBy([...lines.keys()], (line) => lineFingerprint(lines.get(line)?.text ?? ''));
  KEYS.set(lines, keys);
  return keys;
}

/**
 * Whether lines that a comment offered to commit stand in a file one after the other, and the push
 * added one of them or took one out between them: what stood there before was not committed.
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
  // Beside a brace many lines are taken out.
  const isTold = offered.some((line) => isDistinctiveFingerprint(lineFingerprint(line)));
  const isCutBefore = (line: number) => oldLine(line) > oldLine(line - 1) + 1;
  return [...now.keys()].filter(isAt).some((first) => {
    const there = offered.map((_, index) => first + index);
    return there.some(isAdded) || (isTold && [...there, first + there.length].some(isCutBefore));
  });
}

/** The dismissals by people, newest first: whoever reopens one takes it back. */
export function lessonsOf(findings: readonly KeptFinding[]): readonly Lesson[] {
  const dismissed = findings.filter(({ state, by }) => state === 'dismissed' && by === 'person');
  const lessons = dismissed.map((finding): Lesson => {
    const { id, handle, pull, path, category, code: key, why, login = '', decided } = finding;
    const title = finding.words === 'own' ? finding.title : '';
    return { id, handle, pull, path, category, key, title, why, login, at: decided };
  });
  return lessons.toSorted((a, b) => b.at - a.at);
}

/** The lesson of the same file, telling line and category. */
export function lessonOfLine(
  { path, category, code = '' }: Finding,
  lessons: readonly Lesson[],
): Lesson | undefined {
  const key = lineFingerprint(code);
  return lessons.find(
    (one) =>
      one.path === path &&
      one.category === category &&
      isDistinctiveFingerprint(key) &&
      one.key === key,
  );
}

/** No lesson holds back what is critical or about security. */
export function isNeverHeldBack({
  severity,
  category,
}: Pick<Finding, 'severity' | 'category'>): boolean {
  return severity === 'critical' || category === 'security';
}

/**
 * Lessons of the same file under a title like this one: the model is asked whether it means one of
 * them.
 */
export function lessonsLike(
  { path, title }: Finding,
  lessons: readonly Lesson[],
): readonly Lesson[] {
  return lessons.filter(
    (one) => one.path === path && one.title !== '' && isAlike(one.title, title),
  );
}

/**
 * A person has decided about a finding, so that it is not raised again: dismissed, or closed
 * while its line is as it was.
 */
export function isHeldBackByPerson(
  finding: KnownFinding,
  lines: CommentableLines | undefined,
): boolean {
  const { state, by, gone } = finding;
  const isClosed = state === 'settled' && by === 'person' && !gone;
  return state === 'dismissed' || (isClosed && findLineNow(finding, lines) !== undefined);
}

/** Which decision of a person holds a finding back. */
export function whyHeldBack(of: KnownFinding | Lesson): string {
  if ('pull' in of) return `dismissed on #${of.pull}`;
  return of.state === 'dismissed'
    ? `${of.handle} was dismissed on this pull request`
    : `${of.handle} was closed by a person, and its line is as it was`;
}
