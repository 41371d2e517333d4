import { compareBytes, cutToBytes, estimateText } from '../lib/text/bytes.js';
import {
  type DiffFile,
  type DiffHunk,
  numberDiff,
  numberHunk,
  parseDiff,
} from '../lib/text/diff.js';
import { fencedText } from '../safety/fence.js';
import { createPathFilter, type DiffPolicy } from './diff-policy.js';

export interface NotShown {
  readonly file: DiffFile;
  readonly reason: 'size' | 'paths';
  readonly hunksShown: number;
  /** Estimated tokens of the whole file. */
  readonly tokens: number;
}

export interface PackedDiff {
  readonly text: string;
  readonly notShown: readonly NotShown[];
  /** No files were recognized in the diff, and only its beginning is shown. */
  readonly isCut: boolean;
}

/**
 * Shortens a diff to the policy. Whole files come first, in their order, those nobody reads
 * (generated, vendored, locks, minified, binary) last. Then come hunks of the other files. The rest
 * of the room is for the beginning of the first file of which no hunk fits. Other files are only
 * named. A diff that fits does not change. Throws a ConfigError for a malformed pattern.
 */
export function packDiff(diff: string, policy: DiffPolicy): PackedDiff {
  const maxTokens = policy.maxTokens === 0 ? Number.POSITIVE_INFINITY : policy.maxTokens;
  const files = parseDiff(diff);
  const isShown = createPathFilter(policy);
  const notShown: NotShown[] = [];
  const leaveOut = (file: DiffFile, reason: NotShown['reason'], hunksShown = 0) =>
    notShown.push({ file, reason, hunksShown, tokens: estimateShown(file.text) });

  const wanted = files.filter(({ path }) => isShown(path));
  if (wanted.length === files.length && estimateShown(diff) <= maxTokens)
    return { text: diff, notShown, isCut: false };
  if (files.length === 0) return { text: beginning(diff, maxTokens), notShown, isCut: true };

  const ranked = [
    ...wanted.filter(isReadByPeople),
    ...wanted.filter((file) => !isReadByPeople(file)),
  ];
  let free = maxTokens;
  // A later, smaller file can fit although an earlier one does not.
  const whole = ranked.filter((file) => {
    const fits = cost(file.text) <= free;
    if (fits) free -= cost(file.text);
    return fits;
  });

  const texts = whole.map(({ text }) => text);
  const withoutHunks: DiffFile[] = [];
  const shown = new Set(whole);
  for (const file of ranked) {
    if (shown.has(file)) continue;
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

/** The maximum tokens that a piece adds to a text, since the estimate rounds down twice. */
function cost(piece: string): number {
  return estimateShown(`${piece}\n`) + 2;
}

/** The tokens of a part of a diff as models are shown it, which is longer where something is hidden. */
export function estimateShown(text: string): number {
  return estimateText(fencedText(text));
}

/** The hunks of a file that fit, below its header. */
function takeHunks(file: DiffFile, maxTokens: number) {
  const { header } = file;
  const hunks = file.hunks.map((hunk) => hunk.text);
  const frame = cost(header) + cost(PART_NOTE);

  let free = maxTokens - frame;
  const fitting = hunks.filter((hunk) => {
    const fits = cost(hunk) <= free;
    if (fits) free -= cost(hunk);
    return fits;
  });

  const text = [header, ...fitting, PART_NOTE].join('\n');
  return { text, hunks: fitting.length, tokens: fitting.length === 0 ? 0 : maxTokens - free };
}

/** A shorter beginning of a file is useless next to whole files. */
const LEAST_BEGINNING_TOKENS = 200;

const PART_NOTE = '[other hunks of this file are not shown]';
const CUT_NOTE = '[cut here: the rest of this file is not shown]';

/** A byte of UTF-8 never takes more than a third of a token. */
export const BYTES_PER_TOKEN = 3;

/** Whole lines, unless the first one alone is too long. */
function beginning(text: string, maxTokens: number): string {
  const shown = fencedText(text);
  const cut = cutToBytes(shown, Math.max(0, Math.floor(maxTokens) * BYTES_PER_TOKEN)).text;
  const lineEnd = cut.lastIndexOf('\n');
  return lineEnd > 0 && cut.length < shown.length ? cut.slice(0, lineEnd) : cut;
}

/**
 * False for files that are binary, locks, minified, vendored or generated. They are the first to be
 * left out of a diff that does not fit.
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

/** Generators mark their files at the top: Go by convention, others with a tag. */
const GENERATED_MARK = /@generated\b|\bgenerated by\b.{0,100}\bDO NOT EDIT\b|<auto-generated>/i;
const MARK_LINES = 10;

/** Characters; only programs write longer lines. */
const MAX_READABLE_LINE = 5000;

/**
 * Splits the files that people read into parts, in the order of their paths. A file is split,
 * between its hunks, only if it is larger than a part with its line numbers. The most important
 * parts come first, since the budget can end. `left` has the paths of files that are in none of the
 * parts, or only in part.
 */
export function splitDiff(
  diff: string,
  policy: DiffPolicy,
  limits: { readonly parts: number; readonly partTokens: number },
) {
  // A message must not show more of a diff than the policy allows.
  const partTokens = Math.min(limits.partTokens, policy.maxTokens || Number.POSITIVE_INFINITY);
  const isShown = createPathFilter(policy);
  const inScope = parseDiff(diff).filter(({ path }) => isShown(path));
  const readable = inScope.filter(isReadByPeople).toSorted((a, b) => compareBytes(a.path, b.path));

  const allParts: Piece[][] = [];
  let free = 0;
  for (const piece of readable.flatMap((file) => piecesOf(file, partTokens))) {
    if (piece.tokens > free) {
      allParts.push([]);
      free = partTokens;
    }
    allParts.at(-1)?.push(piece);
    free -= piece.tokens;
  }

  const ranked = allParts.toSorted(
    (a, b) => Number(isRisky(b)) - Number(isRisky(a)) || changesOf(b) - changesOf(a),
  );
  const parts = ranked.slice(0, limits.parts);
  const droppedPieces = ranked.slice(limits.parts).flat();
  const cutPieces = parts.flat().filter(({ isCut }) => isCut);
  const unseen = [
    ...inScope.filter((file) => !isReadByPeople(file)),
    ...[...droppedPieces, ...cutPieces].map(({ file }) => file),
  ];
  return {
    parts: parts.map((pieces) => ({
      paths: [...new Set(pieces.map(({ file }) => file.path))],
      text: `${pieces.map(({ text }) => text).join('\n')}\n`,
    })),
    left: [...new Set(unseen.map(({ path }) => path))],
  };
}

/** A file, or hunks of one. */
interface Piece {
  readonly file: DiffFile;
  readonly text: string;
  /** Its text with the numbers of lines. */
  readonly shown: string;
  readonly tokens: number;
  /** Its end is missing. */
  readonly isCut: boolean;
}

const HUNK_CUT = '[cut here: the rest of this hunk is not shown]';

/**
 * A whole file, or its hunks below its header, as many together as fit. A hunk that is too large is
 * cut.
 */
function piecesOf(file: DiffFile, partTokens: number): readonly Piece[] {
  const pieceOf = (text: string, shown: string, isCut = false): Piece => ({
    file,
    text,
    shown,
    tokens: estimateShown(`${shown}\n`) + 1,
    isCut,
  });
  const whole = pieceOf(file.text, numberDiff(file.text));
  if (whole.tokens <= partTokens) return [whole];

  const { header, hunks } = file;
  const start = { text: header, shown: header };
  const extend = ({ text, shown }: typeof start, hunk: DiffHunk) =>
    pieceOf(`${text}\n${hunk.text}`, `${shown}\n${numberHunk(hunk)}`);
  const pieces: Piece[] = [];
  for (const hunk of hunks) {
    const last = pieces.at(-1);
    const longer = extend(last ?? start, hunk);
    const alone = extend(start, hunk);

    if (longer.tokens <= partTokens && last?.isCut !== true) pieces.splice(-1, 1, longer);
    else if (alone.tokens <= partTokens) pieces.push(alone);
    else {
      const room = Math.max(0, partTokens - estimateText(HUNK_CUT) - 2);
      const { text: fitting } = cutToBytes(fencedText(alone.shown), room * BYTES_PER_TOKEN);
      const wholeLines = fitting.split('\n').length - 1;
      const cut = (text: string) => [...text.split('\n').slice(0, wholeLines), HUNK_CUT].join('\n');
      pieces.push(pieceOf(cut(alone.text), cut(alone.shown), true));
    }
  }
  return pieces;
}

function changesOf(part: readonly Piece[]): number {
  const files = [...new Set(part.map(({ file }) => file))];
  return files.reduce((sum, { additions, deletions }) => sum + additions + deletions, 0);
}

/** Words in paths of code that is likely to be attacked. */
const RISKY =
  /auth|login|session|token|secret|passw|crypt|cipher|permission|access|sql|query|serializ|upload|payment|billing|(?:^|\/)\.github\/|dockerfile/i;

function isRisky(part: readonly Piece[]): boolean {
  return part.some(({ file }) => RISKY.test(file.path));
}
