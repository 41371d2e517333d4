import { compareBytes, cutToBytes, estimateText } from '../lib/text/bytes.js';
import { type DiffFile, parseDiff } from '../lib/text/diff.js';
import { createPathFilter, type DiffPolicy } from './diff-policy.js';

export interface NotShown {
  readonly file: DiffFile;
  readonly why: 'size' | 'paths';
  readonly hunksShown: number;
  /** What all of it would take, by estimate. */
  readonly tokens: number;
}

export interface PackedDiff {
  readonly text: string;
  readonly notShown: readonly NotShown[];
  /** The diff holds no file that could be told, and only its beginning is shown. */
  readonly isCut: boolean;
}

/**
 * As much of a diff as the policy allows: whole files in their order, those nobody reads
 * (generated, vendored, locks, minified, binary) last; then hunks of the others; what room is left
 * then has the beginning of the first file of which no hunk fits; of the rest the names are left. A
 * diff that fits stays as it is. Throws a ConfigError for a malformed pattern.
 */
export function packDiff(diff: string, policy: DiffPolicy): PackedDiff {
  const maxTokens = policy.maxTokens === 0 ? Number.POSITIVE_INFINITY : policy.maxTokens;
  const files = parseDiff(diff);
  const isShown = createPathFilter(policy);
  const notShown: NotShown[] = [];
  const leaveOut = (file: DiffFile, why: NotShown['why'], hunksShown = 0) =>
    notShown.push({ file, why, hunksShown, tokens: estimateText(file.text) });
  const wanted = files.filter(({ path }) => isShown(path));
  if (wanted.length === files.length && estimateText(diff) <= maxTokens)
    return { text: diff, notShown, isCut: false };
  if (files.length === 0) return { text: beginning(diff, maxTokens), notShown, isCut: true };

  const ranked = [
    ...wanted.filter(isReadByPeople),
    ...wanted.filter((file) => !isReadByPeople(file)),
  ];
  let free = maxTokens;
  // A later, smaller file may fit where an earlier one did not.
  const whole = ranked.filter(({ text }) => {
    const fits = cost(text) <= free;
    if (fits) free -= cost(text);
    return fits;
  });
  const texts = whole.map(({ text }) => text);
  const withoutHunks: DiffFile[] = [];
  const shown = new Set(whole);
  for (const file of ranked.filter((one) => !shown.has(one))) {
    const { text, hunks, tokens } = takeHunks(file, free);
    leaveOut(file, 'size', hunks);
    if (hunks === 0) withoutHunks.push(file);
    else texts.push(text);
    free -= tokens;
  }
  const first = withoutHunks.find((file) => texts.length === 0 || isReadByPeople(file));
  if (first !== undefined && (texts.length === 0 || free >= LEAST_BEGINNING_TOKENS)) {
    const text = beginning(first.text, free - cost(CUT_NOTE));
    if (text !== '') texts.push(`${text}\n${CUT_NOTE}`);
  }
  for (const file of files) if (!isShown(file.path)) leaveOut(file, 'paths');
  return { text: texts.join('\n'), notShown, isCut: false };
}

/** What a piece adds to a text, at most: the estimate rounds down twice. */
function cost(piece: string): number {
  return estimateText(`${piece}\n`) + 2;
}

/** The hunks of a file that fit, under its header. */
function takeHunks(file: DiffFile, maxTokens: number) {
  const { header } = file;
  const hunks = file.hunks.map(({ text }) => text);
  const frame = cost(header) + cost(PART_NOTE);
  let free = maxTokens - frame;
  const taken = hunks.filter((hunk) => {
    const fits = cost(hunk) <= free;
    if (fits) free -= cost(hunk);
    return fits;
  });
  const text = [header, ...taken, PART_NOTE].join('\n');
  return { text, hunks: taken.length, tokens: taken.length === 0 ? 0 : maxTokens - free };
}

/** Less of a file next to whole ones says nothing. */
const LEAST_BEGINNING_TOKENS = 200;

const PART_NOTE = '[other hunks of this file are not shown]';
const CUT_NOTE = '[cut here: the rest of this file is not shown]';

/** No byte of UTF-8 takes more than a third of a token, whatever it is part of. */
export const BYTES_PER_TOKEN = 3;

/** Whole lines, unless the first one alone is too long. */
function beginning(text: string, maxTokens: number): string {
  const cut = cutToBytes(text, Math.max(0, Math.floor(maxTokens) * BYTES_PER_TOKEN)).text;
  const lineEnd = cut.lastIndexOf('\n');
  return lineEnd > 0 && cut.length < text.length ? cut.slice(0, lineEnd) : cut;
}

/**
 * Whether people read changes of this file: not if it is binary, a lock, minified, vendored or
 * generated. Such a file is the first to go when a diff does not fit.
 */
export function isReadByPeople({ path, content, hunks }: DiffFile): boolean {
  if (content === 'binary' || UNREAD.some((pattern) => pattern.test(path))) return false;
  const [first] = hunks;
  const opening = first?.newStart === 1 ? first.lines.slice(0, MARK_LINES) : [];
  if (opening.some(({ text }) => GENERATED_MARK.test(text))) return false;
  return !hunks.some(({ lines }) => lines.some(({ text }) => text.length > MAX_READABLE_LINE));
}

const UNREAD: readonly RegExp[] = [
  /(?:^|\/)(?:package-lock|npm-shrinkwrap|packages\.lock|composer\.lock)(?:\.json)?$/,
  /(?:^|\/)(?:go\.sum|pnpm-lock\.yaml|bun\.lockb|Package\.resolved|[^/]+\.lock)$/,
  /\.min\.(?:js|mjs|cjs|css)$|\.(?:js|css)\.map$|[.-]bundle\.js$/,
  /(?:^|\/)(?:vendor|node_modules|third_party|bower_components|dist|Pods)\//,
  /(?:^|\/)(?:__generated__|generated|__snapshots__)\/|\.generated\.\w+$|\.snap$/,
  /\.pb\.(?:go|cc|h)$|_pb2(?:_grpc)?\.pyi?$|\.g\.dart$|\.freezed\.dart$|\.designer\.cs$|\.svg$/i,
];

/** Generators announce themselves at the top: Go by convention, others with a tag. */
const GENERATED_MARK = /@generated\b|\bgenerated by\b.{0,100}\bDO NOT EDIT\b|<auto-generated>/i;
const MARK_LINES = 10;

/** Characters; a longer line was written by a program. */
const MAX_READABLE_LINE = 5000;

/**
 * Splits a change into parts: files that people read in the order of their paths. A file is split
 * only if it is larger than a part, at its hunks. The parts that matter most come first, in case
 * that money ends; `left` names files that are in no part, or not whole.
 */
export function splitDiff(
  diff: string,
  policy: DiffPolicy,
  limits: { readonly parts: number; readonly partTokens: number },
) {
  const { parts: most } = limits;
  // No message shows more of a diff than the policy allows.
  const partTokens = Math.min(limits.partTokens, policy.maxTokens || Number.POSITIVE_INFINITY);
  const isShown = createPathFilter(policy);
  const inScope = parseDiff(diff).filter(({ path }) => isShown(path));
  const read = inScope.filter(isReadByPeople).toSorted((a, b) => compareBytes(a.path, b.path));
  const all: Piece[][] = [];
  let free = 0;
  for (const piece of read.flatMap((file) => piecesOf(file, partTokens))) {
    if (piece.tokens > free) {
      all.push([]);
      free = partTokens;
    }
    all.at(-1)?.push(piece);
    free -= piece.tokens;
  }
  const ranked = all.toSorted(
    (a, b) => Number(isRisky(b)) - Number(isRisky(a)) || changesOf(b) - changesOf(a),
  );
  const kept = ranked.slice(0, most);
  const left = [
    ...inScope.filter((file) => !isReadByPeople(file)),
    ...[...ranked.slice(most).flat(), ...kept.flat().filter(({ isCut }) => isCut)].map(
      ({ file }) => file,
    ),
  ];
  return {
    parts: kept.map((pieces) => ({
      paths: [...new Set(pieces.map(({ file }) => file.path))],
      text: `${pieces.map(({ text }) => text).join('\n')}\n`,
    })),
    left: [...new Set(left.map(({ path }) => path))],
  };
}

/** A file, or hunks of one. */
interface Piece {
  readonly file: DiffFile;
  readonly text: string;
  readonly tokens: number;
  /** Its end is missing. */
  readonly isCut: boolean;
}

const HUNK_CUT = '[cut here: the rest of this hunk is not shown]';

/**
 * A file, or its hunks under its header, as many together as fit; of one that is too large itself,
 * its beginning.
 */
function piecesOf(file: DiffFile, partTokens: number): readonly Piece[] {
  const pieceOf = (text: string, isCut = false): Piece => ({
    file,
    text,
    tokens: estimateText(`${text}\n`) + 1,
    isCut,
  });
  const whole = pieceOf(file.text);
  if (whole.tokens <= partTokens) return [whole];
  const { header, hunks } = file;
  const pieces: Piece[] = [];
  for (const { text: hunk } of hunks) {
    const last = pieces.at(-1);
    const longer = pieceOf(`${last?.text ?? header}\n${hunk}`);
    const alone = pieceOf(`${header}\n${hunk}`);
    if (longer.tokens <= partTokens && last?.isCut !== true) pieces.splice(-1, 1, longer);
    else if (alone.tokens <= partTokens) pieces.push(alone);
    else {
      const room = Math.max(0, partTokens - estimateText(HUNK_CUT) - 2);
      const { text } = cutToBytes(alone.text, room * BYTES_PER_TOKEN);
      pieces.push(pieceOf(`${text.slice(0, text.lastIndexOf('\n'))}\n${HUNK_CUT}`, true));
    }
  }
  return pieces;
}

function changesOf(part: readonly Piece[]): number {
  const files = [...new Set(part.map(({ file }) => file))];
  return files.reduce((sum, { additions, deletions }) => sum + additions + deletions, 0);
}

/** Paths that sound like what others would attack. */
const RISKY =
  /auth|login|session|token|secret|passw|crypt|cipher|permission|access|sql|query|serializ|upload|payment|billing|(?:^|\/)\.github\/|dockerfile/i;

function isRisky(part: readonly Piece[]): boolean {
  return part.some(({ file }) => RISKY.test(file.path));
}
