import { compareBytes } from '../lib/text/bytes.js';
import { cleanLine, cutToBytes, estimateText } from '../lib/text/cut.js';
import { type DiffFile, parseDiff, splitHunks } from '../lib/text/diff.js';
import { pathKindOf } from '../review/severity.js';
import { createPathFilter, type DiffPolicy } from './context.js';
import { BYTES_PER_TOKEN, isReadByPeople } from './diff-pack.js';

/** How many parts there may be, and how large. */
export interface PartLimits {
  readonly parts: number;
  readonly partTokens: number;
}

/**
 * Splits a change into parts: files that people read in the order of their paths, each test next to the file it is named
 * after. A file is split only if it is larger than a part, at its hunks.
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
  const pieces = unitsOf(read).flatMap((unit) => piecesOf(unit, partTokens));
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

/** Files that belong together: one and its tests. */
type Unit = readonly DiffFile[];

function unitsOf(files: readonly DiffFile[]): readonly Unit[] {
  const inOrder = files.toSorted((a, b) => compareBytes(a.path, b.path));
  const sources = inOrder.filter(({ path }) => pathKindOf(path, true) !== 'test');
  const testsOf = new Map<DiffFile, DiffFile[]>();
  const alone: DiffFile[] = [];
  for (const file of inOrder.filter((one) => !sources.includes(one))) {
    const source = nearestSource(file.path, sources);
    if (source === undefined) alone.push(file);
    else testsOf.set(source, [...(testsOf.get(source) ?? []), file]);
  }
  return [
    ...sources.map((source) => [source, ...(testsOf.get(source) ?? [])]),
    ...alone.map((test) => [test]),
  ].toSorted(([a], [b]) => compareBytes(a?.path ?? '', b?.path ?? ''));
}

/** The file a test is named after; of several the one whose path begins most like its own. */
function nearestSource(test: string, sources: readonly DiffFile[]): DiffFile | undefined {
  const name = stemOf(test);
  const named = sources.filter(({ path }) => stemOf(path) === name);
  return named.toSorted((a, b) => sharedFolders(b.path, test) - sharedFolders(a.path, test))[0];
}

function stemOf(path: string): string {
  const [name = ''] = path.slice(path.lastIndexOf('/') + 1).split('.');
  return name.replace(/^test_|[_-](?:test|spec)$|(?<=[a-z0-9])(?:Tests?|Spec|IT)$/g, '').toLowerCase();
}

function sharedFolders(one: string, other: string): number {
  const [a, b] = [one.split('/'), other.split('/')];
  return a.filter((folder) => b.includes(folder)).length;
}

function piecesOf(unit: Unit, partTokens: number): readonly (readonly Piece[])[] {
  const whole = unit.map((file) => pieceOf(file, file.text));
  if (sizeOf(whole) <= partTokens) return [whole];
  return whole.flatMap((piece) =>
    piece.tokens <= partTokens ? [[piece]] : hunksOf(piece.file, partTokens).map((one) => [one]),
  );
}

function pieceOf(file: DiffFile, text: string, isCut = false): Piece {
  return { file, text, tokens: estimateText(`${text}\n`) + 1, isCut };
}

const CUT_NOTE = '[cut here: the rest of this hunk is not shown]';

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
      const { text } = cutToBytes(alone.text, (partTokens - estimateText(CUT_NOTE) - 2) * BYTES_PER_TOKEN);
      pieces.push(pieceOf(file, `${text.slice(0, text.lastIndexOf('\n'))}\n${CUT_NOTE}`, true));
    }
  }
  close();
  return pieces;
}

function fill(units: readonly (readonly Piece[])[], partTokens: number): readonly (readonly Piece[])[] {
  const parts: Piece[][] = [];
  for (const unit of units) {
    const open = parts.at(-1);
    if (open !== undefined && sizeOf(open) + sizeOf(unit) <= partTokens) open.push(...unit);
    else parts.push([...unit]);
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
