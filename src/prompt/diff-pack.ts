import { compareBytes } from '../lib/text/bytes.js';
import { cleanLine, cutToBytes, estimateText } from '../lib/text/cut.js';
import { type DiffFile, type DiffHunk, parseDiff, splitHunks } from '../lib/text/diff.js';
import { createPathFilter, type DiffPolicy } from './context.js';

export interface NotShown {
  readonly file: DiffFile;
  readonly why: 'size' | 'paths' | 'excluded';
  readonly hunksShown: number;
  /** What all of it would take, by estimate. */
  readonly tokens: number;
}

export interface PackedDiff {
  readonly text: string;
  /** Paths of the files that are in it whole, in the order of the text. */
  readonly shown: readonly string[];
  readonly notShown: readonly NotShown[];
  /** The diff holds no file that could be told, and only its beginning is shown. */
  readonly isCut: boolean;
}

/**
 * As much of a diff as the policy allows: whole files in their order, those nobody reads (generated, vendored, locks,
 * minified, binary) last; then hunks of the others; what room is left then has the beginning of the first file of which no
 * hunk fits; of the rest the names are left. A diff that fits stays as it is. Throws a ConfigError for a malformed pattern.
 */
export function packDiff(diff: string, policy: DiffPolicy): PackedDiff {
  const maxTokens = policy.maxTokens === 0 ? Number.POSITIVE_INFINITY : policy.maxTokens;
  const files = parseDiff(diff);
  const filter = createPathFilter(policy);
  const filtered = files.flatMap((file) => {
    const why = filter(file.path);
    return why === undefined ? [] : [notShown(file, why)];
  });
  const isWhole = filtered.length === 0 && estimateText(diff) <= maxTokens;
  if (isWhole) return { text: diff, shown: files.map(({ path }) => path), notShown: [], isCut: false };
  if (files.length === 0) return { text: beginning(diff, maxTokens), shown: [], notShown: [], isCut: true };

  const shownFiles = files.filter((file) => filter(file.path) === undefined);
  const ranked = [
    ...shownFiles.filter(isReadByPeople),
    ...shownFiles.filter((file) => !isReadByPeople(file)),
  ];
  const { whole, freeTokens } = takeWhole(ranked, maxTokens);
  const rest = ranked.filter((file) => !whole.has(file));
  const parts = takeHunks(rest, { freeTokens, isAlone: whole.size === 0 });
  const shown = ranked.filter((file) => whole.has(file));
  return {
    text: [...shown.map(({ text }) => text), ...parts.map(({ text }) => text)].join('\n'),
    shown: shown.map(({ path }) => path),
    notShown: [
      ...rest.map((file) => ({
        ...notShown(file, 'size'),
        hunksShown: parts.find((part) => part.file === file)?.hunks ?? 0,
      })),
      ...filtered,
    ],
    isCut: false,
  };
}

function notShown(file: DiffFile, why: NotShown['why']): NotShown {
  return { file, why, hunksShown: 0, tokens: estimateText(file.text) };
}

/** What a piece adds to a text, at most: the estimate rounds down twice. */
function cost(piece: string): number {
  return estimateText(`${piece}\n`) + 2;
}

/** A later, smaller file may fit where an earlier one did not. */
function takeWhole(
  files: readonly DiffFile[],
  maxTokens: number,
): { readonly whole: ReadonlySet<DiffFile>; readonly freeTokens: number } {
  const whole = new Set<DiffFile>();
  let freeTokens = maxTokens;
  for (const file of files) {
    const tokens = cost(file.text);
    if (tokens > freeTokens) continue;
    whole.add(file);
    freeTokens -= tokens;
  }
  return { whole, freeTokens };
}

interface Part {
  readonly file: DiffFile;
  readonly text: string;
  readonly hunks: number;
}

/** Less of a file beside whole ones says nothing. */
const LEAST_BEGINNING_TOKENS = 200;

/** Hunks that still fit, under the headers of their files, and the beginning of the first file of which none does. */
function takeHunks(
  files: readonly DiffFile[],
  { freeTokens, isAlone }: { readonly freeTokens: number; readonly isAlone: boolean },
): readonly Part[] {
  const parts: Part[] = [];
  let free = freeTokens;
  for (const file of files) {
    const { header, hunks } = splitHunks(file.text);
    const taken: string[] = [];
    let left = free - cost(header) - cost(PART_NOTE);
    for (const hunk of hunks) {
      const tokens = cost(hunk);
      if (tokens > left) continue;
      taken.push(hunk);
      left -= tokens;
    }
    if (taken.length === 0) continue;
    parts.push({ file, text: [header, ...taken, PART_NOTE].join('\n'), hunks: taken.length });
    free = left;
  }
  const without = files.filter((file) => !parts.some((part) => part.file === file));
  const isNothing = isAlone && parts.length === 0;
  const first = without.find(isReadByPeople) ?? (isNothing ? without[0] : undefined);
  if (first === undefined || (!isNothing && free < LEAST_BEGINNING_TOKENS)) return parts;
  const text = beginning(first.text, free - cost(CUT_NOTE));
  return text === '' ? parts : [...parts, { file: first, text: `${text}\n${CUT_NOTE}`, hunks: 0 }];
}

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
 * Whether people read changes of this file: not if it is binary, a lock, minified, vendored or generated. Such a file
 * is the first to go when a diff does not fit.
 */
export function isReadByPeople({
  path,
  content,
  hunks,
}: {
  readonly path: string;
  readonly content: string;
  readonly hunks: readonly DiffHunk[];
}): boolean {
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

export interface PartLimits {
  readonly parts: number;
  readonly partTokens: number;
}

/**
 * Splits a change into parts: files that people read in the order of their paths. A file is split only if it is larger than a
 * part, at its hunks.
 */
export function splitDiff(
  diff: string,
  policy: DiffPolicy,
  { parts, partTokens }: PartLimits,
): {
  /** What matters most comes first, in case that money ends; paths are in the order of the text. */
  readonly parts: readonly { readonly paths: readonly string[]; readonly text: string }[];
  /** Paths of files that are in no part, or not whole. */
  readonly left: readonly string[];
} {
  const filter = createPathFilter(policy);
  const inScope = parseDiff(diff).filter(({ path }) => filter(path) === undefined);
  const read = inScope.filter(isReadByPeople);
  const inOrder = read.toSorted((a, b) => compareBytes(a.path, b.path));
  const pieces = inOrder.flatMap((file) => piecesOf(file, partTokens));
  const filled = fill(pieces, partTokens).toSorted(
    (a, b) => Number(isRisky(b)) - Number(isRisky(a)) || changesOf(b) - changesOf(a),
  );
  const kept = filled.slice(0, parts);
  const cut = [...filled.slice(parts), ...kept].flatMap((part, index) =>
    part.filter(({ isCut }) => isCut || index < filled.length - kept.length),
  );
  const left = [...inScope.filter((file) => !read.includes(file)), ...cut.map(({ file }) => file)];
  return {
    parts: kept.map((part) => ({
      paths: [...new Set(part.map(({ file }) => file.path))],
      text: `${part.map(({ text }) => text).join('\n')}\n`,
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

function piecesOf(file: DiffFile, partTokens: number): readonly Piece[] {
  const whole = pieceOf(file, file.text);
  return whole.tokens <= partTokens ? [whole] : hunksOf(file, partTokens);
}

function pieceOf(file: DiffFile, text: string, isCut = false): Piece {
  return { file, text, tokens: estimateText(`${text}\n`) + 1, isCut };
}

const HUNK_CUT = '[cut here: the rest of this hunk is not shown]';

/** Hunks of a file under its header, as many together as fit; of one that is too large itself, its beginning. */
function hunksOf(file: DiffFile, partTokens: number): readonly Piece[] {
  const { header, hunks } = splitHunks(file.text);
  const pieces: Piece[] = [];
  let open: string[] = [];
  const close = () => {
    if (open.length > 0) pieces.push(pieceOf(file, [header, ...open].join('\n')));
    open = [];
  };
  for (const hunk of hunks) {
    const next = pieceOf(file, [header, ...open, hunk].join('\n'));
    if (next.tokens > partTokens) close();
    const alone = pieceOf(file, `${header}\n${hunk}`);
    if (alone.tokens <= partTokens) open.push(hunk);
    else {
      const { text } = cutToBytes(alone.text, (partTokens - estimateText(HUNK_CUT) - 2) * BYTES_PER_TOKEN);
      pieces.push(pieceOf(file, `${text.slice(0, text.lastIndexOf('\n'))}\n${HUNK_CUT}`, true));
    }
  }
  close();
  return pieces;
}

function fill(pieces: readonly Piece[], partTokens: number): readonly (readonly Piece[])[] {
  const parts: Piece[][] = [];
  for (const piece of pieces) {
    const open = parts.at(-1);
    if (open !== undefined && sizeOf(open) + piece.tokens <= partTokens) open.push(piece);
    else parts.push([piece]);
  }
  return parts;
}

function sizeOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { tokens }) => sum + tokens, 0);
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

/**
 * What of a change somebody has to know who does not read it: the definitions that it adds, changes or takes away, by file.
 * A file for which there is no room is named without them.
 */
export function mapChange(files: readonly DiffFile[], maxTokens: number): string {
  const names = files.map(({ path }) => cleanLine(path, MAX_PATH));
  let free = maxTokens - estimateText(names.join('\n'));
  const lines: string[] = [];
  for (const [index, file] of files.entries()) {
    lines.push(names[index] ?? '');
    for (const line of definitionsIn(file)) {
      const tokens = estimateText(line) + 1;
      if (tokens > free) break;
      free -= tokens;
      lines.push(line);
    }
  }
  return lines.join('\n');
}

const MAX_PATH = 200;
const MAX_LINE = 160;
const MAX_DEFINITIONS = 12;

function definitionsIn({ hunks, text }: DiffFile): readonly string[] {
  const changed = hunks.flatMap(({ lines }) =>
    lines.flatMap(({ kind, text: line }) => {
      const start = line.slice(0, MAX_LINE);
      return kind === 'context' || !DEFINITION.test(start)
        ? []
        : [`${kind === 'added' ? '+' : '-'} ${start}`];
    }),
  );
  const within = [...text.matchAll(/^@@ -[\d,]+ \+[\d,]+ @@ (.+)$/gm)].map(
    ([, heading = '']) => `in ${heading}`,
  );
  return [...new Set([...changed, ...within])]
    .slice(0, MAX_DEFINITIONS)
    .map((line) => `  ${cleanLine(line, MAX_LINE)}`);
}

const DEFINITION =
  /^\s*(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub|override|virtual) +){0,4}(?:function|class|interface|type|enum|struct|trait|impl|def|fn|func|module|namespace|record|const|void|int|string|bool|boolean)\s+[\w$(*&<[]/;
