import { cutToBytes, estimateText } from '../lib/text/cut.js';
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
