import type { BaseCode } from '../github/reading/contents.js';
import { groupBy } from '../lib/data.js';
import { ToolError } from '../lib/errors.js';
import { normalizeCode, TWO_LETTERS_OR_DIGITS } from '../lib/text/code.js';
import { count, quoteLine } from '../lib/text/format.js';

/**
 * A line of code that a line of a note rests on: `(src/auth.ts:42 "if (!token) return") <!--
 * octocat/hello@3f7e… -->`. People read what is before the comment; without the comment it is text
 * like any other.
 */
export interface Citation {
  /** From the root of the repository. */
  readonly path: string;
  readonly line: number;
  readonly code: string;
  /**
   * `owner/name`; of a checkout that has no such name, one of its own. Undefined until it is known.
   */
  readonly repository?: string;
  /** Full id of a commit that has the line. */
  readonly commit?: string;
}

/**
 * Reads the files of citations and looks for their commits, of so many at a time. Throws an
 * AxeError.
 */
export type ReadBase = (
  lines: readonly Citation[],
  signal: AbortSignal,
) => Promise<BaseCode | undefined>;

/** A line of a note that the code no longer has a reason for. */
export interface StaleNoteLine {
  /** Of the note, in the memory tree. */
  readonly note: string;
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** What was found of the lines that notes rest on. */
export interface CheckedNotes {
  /** How many citations there are of each kind. */
  readonly counts: Readonly<Record<'same' | 'moved' | 'gone' | 'unchecked', number>>;
  readonly gone: readonly StaleNoteLine[];
  /**
   * Notes as a model is given them: without lines that rest on code that is gone, with the numbers
   * of today. A run log stays.
   */
  view(files: ReadonlyMap<string, string>, runLog: string): ReadonlyMap<string, string>;
  /** The lines of a note that {@link CheckedNotes.view} leaves out. */
  withheld(note: string): string;
  /** The citation of a note that names this line. */
  find(path: string, code: string): Citation | undefined;
}

const MAX_CODE = 200;

const CITATION = new RegExp(
  String.raw`\(([^\s:]{1,300}):(\d{1,7}) ("(?:[^"\\]|\\.){1,${6 * MAX_CODE}}")\)(?: <!-- ([\w./-]{1,200})@([0-9a-f]{40,64}) -->)+`,
  'g',
);

/** The citations of a text, in order. */
export function citationsIn(text: string): readonly Citation[] {
  const lines = text.split('\n').filter((line) => line.includes(COMMENT));
  return lines.flatMap((line) => [...line.matchAll(CITATION)].flatMap((one) => read(one) ?? []));
}

/** Of what only the program reads. */
const COMMENT = ') <!-- ';

function read([, path = '', line, quoted = '', repository = '', commit = '']: readonly string[]) {
  const code = unquote(quoted);
  return code === undefined ? undefined : { path, line: Number(line), code, repository, commit };
}

/** Undefined for what a person has written wrong. */
function unquote(quoted: string): string | undefined {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return undefined;
  }
}

export function formatCitation({ path, line, code, repository, commit }: Citation): string {
  // Code could begin or end a comment of its own.
  const quoted = JSON.stringify(code)
    .replaceAll('<!--', '\\u003c!--')
    .replaceAll('-->', '--\\u003e');
  const place = `(${path}:${line} ${quoted})`;
  return commit === undefined ? place : `${place} <!-- ${repository}@${commit} -->`;
}

/** Holds notes against the base; without one nothing is known of them. */
export function checkNotes(
  notes: ReadonlyMap<string, string>,
  base: BaseCode | undefined,
): CheckedNotes {
  const lineNow = createLookup(base);
  const counts = { same: 0, moved: 0, gone: 0, unchecked: 0 };
  const known = new Map<string, Citation>();
  const gone: StaleNoteLine[] = [];
  for (const [note, text] of notes) {
    for (const citation of citationsIn(text)) {
      const now = lineNow(citation);
      counts[typeof now === 'string' ? now : now === citation.line ? 'same' : 'moved'] += 1;
      if (now !== 'gone') known.set(keyOf(citation.path, citation.code), citation);
    }
    for (const [index, line] of text.split('\n').entries())
      if (isGone(line)) gone.push({ note, line: index + 1, text: plain(line).trim() });
  }
  function isGone(line: string): boolean {
    return citationsIn(line).some((citation) => lineNow(citation) === 'gone');
  }
  function view(text: string): string {
    if (!text.includes(COMMENT)) return text;
    return text
      .split('\n')
      .filter((line) => !isGone(line))
      .map((line) => plain(line, lineNow))
      .join('\n');
  }
  return {
    counts,
    gone,
    view: (files, runLog) =>
      new Map([...files].map(([path, text]) => [path, path === runLog ? text : view(text)])),
    withheld: (note) => note.split('\n').filter(isGone).join('\n'),
    find: (path, code) => known.get(keyOf(path, code)),
  };
}

function keyOf(path: string, code: string): string {
  return `${path} ${normalizeCode(code)}`;
}

/**
 * A line of a note without what only the program reads, with the numbers of today where they are
 * known.
 */
function plain(line: string, lineNow: (citation: Citation) => number | string = () => ''): string {
  if (!line.includes(COMMENT)) return line;
  return line.replace(CITATION, (written: string, ...groups: string[]) => {
    const citation = read([written, ...groups]);
    if (citation === undefined) return written;
    const now = lineNow(citation);
    const number = typeof now === 'number' ? now : citation.line;
    return formatCitation({ ...citation, line: number, commit: undefined });
  });
}

/** Gives the number that a line has now, the nearest where there are several. */
function createLookup(base: BaseCode | undefined) {
  const indexes = new Map<string, ReturnType<typeof indexLines>>();
  return ({
    path,
    line,
    code,
    repository = '',
    commit = '',
  }: Citation): number | 'gone' | 'unchecked' => {
    if (base === undefined || repository.toLowerCase() !== base.repository.toLowerCase())
      return 'unchecked';
    const text = base.files.get(path);
    if (text === undefined || !base.history.has(commit)) return 'unchecked';
    if (text === null) return 'gone';
    const index = indexes.get(path) ?? indexLines(text);
    indexes.set(path, index);
    const numbers = (index.get(normalizeCode(code)) ?? []).map(([before]) => before + 1);
    const [nearest] = numbers.toSorted((a, b) => Math.abs(a - line) - Math.abs(b - line));
    return nearest ?? 'gone';
  };
}

/** Where lines are, whatever their spacing and line breaks. */
function indexLines(text: string) {
  return groupBy([...text.split('\n').entries()], ([, line]) => normalizeCode(line));
}

/**
 * What an end of a line names: `(src/auth.ts:42)`, perhaps with its code, as code or as a range.
 */
const NAMED = /\(`?([^\s:`]{1,300}):(\d{1,7})(?:-\d{1,7})?`?(?: "(.{1,400})")?\)(?=[.,;]?\s*$)/;
/** What begins something of its own, whatever is above it. */
const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s/;
const HEADING = /^#{1,6}\s/;
const FENCE = /^\s*(?:```|~~~)/;

/**
 * A note with what its lines rest on: where one ends with a place, `(src/auth.ts:42)`, `cite` gives
 * what is written there, or undefined to leave it. Throws a ToolError for a place that is the end
 * of a longer text, since that would stay without it.
 */
export async function completeCitations(
  content: string,
  cite: (named: Citation) => Promise<string | undefined>,
): Promise<string> {
  // Only this program says which commit has a line.
  const lines = content.split('\n').map((line) => plain(line));
  const done: string[] = [];
  let isCode = false;
  for (const [index, line] of lines.entries()) {
    if (FENCE.test(line)) isCode = !isCode;
    const named = isCode ? null : NAMED.exec(line);
    const [written = '', path = '', number, code = ''] = named ?? [];
    const said = unquote(`"${code}"`) ?? code;
    const cited =
      named === null ? undefined : await cite({ path, line: Number(number), code: said });
    const before = lines[index - 1] ?? '';
    const isFirst =
      before.trim() === '' || HEADING.test(before) || ITEM.test(line) || done.at(-1) !== before;
    if (cited !== undefined && !isFirst)
      throw new ToolError(
        `${written} ends a text of several lines. Write what rests on it as one line, or begin that line with \`- \`.`,
      );
    const [start, end] = [
      line.slice(0, named?.index),
      line.slice((named?.index ?? 0) + written.length),
    ];
    done.push(cited === undefined ? line : start + cited + end);
  }
  return done.join('\n');
}

/**
 * The citation of a line that was read at the base, or shown to a model at another commit: that one
 * is named where the base has no such line, and none where there is none. Throws a ToolError for a
 * line that could not be found again, since it says too little or `clean` takes something from it.
 */
export function citeLine(
  { path, line, code }: Citation,
  lines: readonly string[],
  base: BaseCode | undefined,
  head: string | undefined,
  clean: (code: string) => string,
): string {
  const text = normalizeCode(code);
  const atBase = countLine(base?.files.get(path), text);
  // What was shown of several commits may have one line under two numbers.
  const same = atBase || countLine(lines.join('\n'), text);
  if (!TWO_LETTERS_OR_DIGITS.test(text) || text.length > MAX_CODE)
    throw new ToolError(
      `line ${line} of ${quoteLine(path)} is ${text.length > MAX_CODE ? 'too long' : 'too short'} to rest on. Name a line that says more by itself.`,
    );
  if (clean(text) !== text)
    throw new ToolError(
      `line ${line} of ${quoteLine(path)} holds a secret, or invisible characters. Name another line.`,
    );
  if (same > 1)
    throw new ToolError(
      `${count(same, 'line')} of ${quoteLine(path)} read ${quoteLine(text)}. Name one that occurs only once.`,
    );
  const commit = base && (atBase > 0 ? base.commit : head);
  return formatCitation({ path, line, code: text, repository: base?.repository, commit });
}

export function countLine(text: string | null | undefined, code: string): number {
  return indexLines(text ?? '').get(normalizeCode(code))?.length ?? 0;
}

/** Two notes that rest on the same line are the same, wherever it was when they were written. */
export function withoutPlaces(line: string): string {
  return line.replace(CITATION, (_, path: string, __, quoted: string) => `(${path} ${quoted})`);
}
