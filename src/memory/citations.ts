import type { BaseCode } from '../github/reading/contents.js';
import { groupBy } from '../lib/data.js';
import { ToolError } from '../lib/errors.js';
import { countWords, normalizeCode } from '../lib/text/code.js';
import { count, quoteLine } from '../lib/text/format.js';

/**
 * A line of code that a line of a note depends on: ``(src/auth.ts:42 `"if (!token) return"`) <!--
 * octocat/hello@3f7e… -->``. People read the part before the comment, where no code can become
 * markup; without the comment it is text like any other.
 */
export interface Citation {
  /** From the root of the repository. */
  readonly path: string;
  readonly line: number;
  readonly code: string;
  /**
   * `owner/name`; a checkout without such a name has one of its own. Undefined until it is known.
   */
  readonly repository?: string;
  /** Full id of a commit that has the line. */
  readonly commit?: string;
}

/**
 * Reads the files that citations name and looks for their commits, a limited number at a time.
 * Throws an AxeError.
 */
export type ReadBase = (
  lines: readonly Citation[],
  signal: AbortSignal,
) => Promise<BaseCode | undefined>;

/** A line of a note whose cited code is gone. */
export interface StaleNoteLine {
  /** Path of the note in the memory tree. */
  readonly note: string;
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** A line of notes as a model sees it. */
export interface NoteLine {
  readonly text: string;
  /** Current paths of the files that the line cites; empty for a line without a citation. */
  readonly paths: readonly string[];
}

/** Notes compared with the code that they cite. */
export interface CheckedNotes {
  /** Number of citations with each status. */
  readonly counts: Readonly<Record<CitationStatus, number>>;
  readonly gone: readonly StaleNoteLine[];
  /** Commits of the cited lines that are elsewhere, the newest facts first. */
  readonly elsewhereCommits: readonly string[];
  /** A note in which citations of renamed files name the current place and the base's commit. */
  withCurrentPaths(note: string): string;
  /**
   * Notes as a model sees them: without lines whose cited code is not there, with current places,
   * and with a remark where the code was not read. The run log is not changed.
   */
  view(files: ReadonlyMap<string, string>, runLog: string): ReadonlyMap<string, string>;
  /** The lines of a note as {@link CheckedNotes.view} shows them. */
  lines(note: string): readonly NoteLine[];
  /** The lines of a note that {@link CheckedNotes.view} leaves out. */
  withheld(note: string): string;
  /** The citation of a note that names this line. */
  find(path: string, code: string): Citation | undefined;
}

/**
 * `gone`: the base once had the line. `elsewhere`: it is not known to have had it, as with the line
 * of a pull request that is not merged, or of another branch. `unchecked`: the file was not read.
 */
type CitationStatus = 'same' | 'moved' | 'gone' | 'elsewhere' | 'unchecked';

/** The current place of a cited line, or why there is none. */
type CurrentPlace =
  | { readonly path: string; readonly line: number }
  | Exclude<CitationStatus, 'same' | 'moved'>;

const MAX_CODE = 200;
/** A line with fewer words is in many files. */
const LEAST_WORDS = 2;
const LEAST_WORDS_IN_RENAMED_FILE = 3;
const NOT_CHECKED = ' (not checked)';

const CITATION = new RegExp(
  String.raw`\(([^\s:]{1,300}):(\d{1,7}) \x60?("(?:[^"\\]|\\.){1,${6 * MAX_CODE}}")\x60?\)(?: <!-- ([\w./-]{1,200})@([0-9a-f]{40,64}) -->)+`,
  'g',
);

/** The citations of a text, in order. */
export function citationsIn(text: string): readonly Citation[] {
  const lines = text.split('\n').filter((line) => line.includes(COMMENT_START));
  return lines.flatMap((line) =>
    [...line.matchAll(CITATION)].flatMap((match) => readCitation(match) ?? []),
  );
}

const COMMENT_START = ') <!-- ';

function readCitation([
  ,
  path = '',
  line,
  quoted = '',
  repository = '',
  commit = '',
]: readonly string[]) {
  const code = unquote(quoted);
  return code === undefined ? undefined : { path, line: Number(line), code, repository, commit };
}

/** Undefined if a person wrote the quotes or escapes wrong. */
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
  if (commit === undefined) return `(${path}:${line} ${quoted})`;
  const span = `\`${quoted.replaceAll('`', '\\u0060')}\``;
  return `(${path}:${line} ${span}) <!-- ${repository}@${commit} -->`;
}

/** Compares notes with the code of the base; without a base every citation is unchecked. */
export function checkNotes(
  notes: ReadonlyMap<string, string>,
  base: BaseCode | undefined,
): CheckedNotes {
  const currentPlace = createLookup(base);
  const counts = { same: 0, moved: 0, gone: 0, elsewhere: 0, unchecked: 0 };
  const validCitations = new Map<string, Citation>();
  const gone: StaleNoteLine[] = [];
  const elsewhereCommits: string[] = [];

  for (const [note, text] of notes) {
    for (const citation of citationsIn(text)) {
      const current = currentPlace(citation);
      counts[statusOf(citation, current)] += 1;
      if (current === 'elsewhere') elsewhereCommits.unshift(citation.commit ?? '');
      if (current === 'gone' || current === 'elsewhere') continue;
      const place = current === 'unchecked' ? {} : { path: current.path };
      const valid = { ...citation, ...place };
      validCitations.set(keyOf(valid.path, valid.code), valid);
    }
    for (const [index, line] of text.split('\n').entries())
      if (has(line, 'gone')) gone.push({ note, line: index + 1, text: readableLine(line).trim() });
  }

  function has(line: string, ...statuses: readonly CurrentPlace[]): boolean {
    return citationsIn(line).some((citation) => statuses.includes(currentPlace(citation)));
  }

  function isWithheld(line: string): boolean {
    return has(line, 'gone', 'elsewhere');
  }

  function view(line: string): NoteLine {
    const readable = readableLine(line, currentPlace);
    const paths = citationsIn(line).map((citation) => {
      const current = currentPlace(citation);
      return typeof current === 'string' ? citation.path : current.path;
    });
    const text = has(line, 'unchecked') ? `${readable.trimEnd()}${NOT_CHECKED}` : readable;
    return { text, paths };
  }

  function viewLines(text: string): readonly NoteLine[] {
    const lines = text.split('\n');
    return lines.filter((line) => !isWithheld(line)).map(view);
  }

  function withCurrentPaths(text: string): string {
    return rewriteCitations(text, (citation) => {
      const current = currentPlace(citation);
      if (base === undefined || typeof current === 'string') return undefined;
      const { repository, commit } = base;
      return current.path === citation.path
        ? undefined
        : { ...citation, ...current, repository, commit };
    });
  }

  function viewText(text: string): string {
    if (!text.includes(COMMENT_START)) return text;
    const lines = viewLines(text).map((line) => line.text);
    return lines.join('\n');
  }

  return {
    counts,
    gone,
    elsewhereCommits: [...new Set(elsewhereCommits)],
    withCurrentPaths,
    view: (files, runLog) =>
      new Map([...files].map(([path, text]) => [path, path === runLog ? text : viewText(text)])),
    lines: viewLines,
    withheld: (note) => note.split('\n').filter(isWithheld).join('\n'),
    find: (path, code) => validCitations.get(keyOf(path, code)),
  };
}

function statusOf({ path, line }: Citation, current: CurrentPlace): CitationStatus {
  if (typeof current === 'string') return current;
  return current.path === path && current.line === line ? 'same' : 'moved';
}

function keyOf(path: string, code: string): string {
  return `${path} ${normalizeCode(code)}`;
}

/** Removes the comments of citations and updates their places where the new ones are known. */
function readableLine(
  line: string,
  currentPlace: (citation: Citation) => CurrentPlace = () => 'unchecked',
): string {
  return rewriteCitations(line, (citation) => {
    const current = currentPlace(citation);
    const place = typeof current === 'string' ? {} : current;
    return { ...citation, ...place, commit: undefined };
  });
}

/** Replaces citations, except those for which `rewrite` returns undefined. */
function rewriteCitations(
  text: string,
  rewrite: (citation: Citation) => Citation | undefined,
): string {
  if (!text.includes(COMMENT_START)) return text;
  return text.replace(CITATION, (written: string, ...groups: string[]) => {
    const citation = readCitation([written, ...groups]);
    const next = citation && rewrite(citation);
    return next === undefined ? written : formatCitation(next);
  });
}

/**
 * Looks up a cited line by its text, whatever its commit; of several equal lines it gives the
 * nearest. The commit decides only what is said of a line that is not there.
 */
function createLookup(base: BaseCode | undefined) {
  const indexes = new Map<string, ReturnType<typeof indexLines>>();
  return ({
    path: citedPath,
    line,
    code,
    repository = '',
    commit = '',
  }: Citation): CurrentPlace => {
    const isOwn = repository.toLowerCase() === base?.repository.toLowerCase();
    if (base === undefined || !(base.isOnlyRepository || isOwn)) return 'unchecked';
    const path = base.renamed.get(citedPath) ?? citedPath;
    const text = base.files.get(path);
    if (text === undefined) return 'unchecked';

    const index = indexes.get(path) ?? indexLines(text ?? '');
    indexes.set(path, index);
    const numbers = (index.get(normalizeCode(code)) ?? []).map(([before]) => before + 1);
    const [nearest] = numbers.toSorted((a, b) => Math.abs(a - line) - Math.abs(b - line));
    const leastWords = path === citedPath ? LEAST_WORDS : LEAST_WORDS_IN_RENAMED_FILE;
    if (nearest !== undefined && countWords(code) >= leastWords) return { path, line: nearest };
    return base.history.has(commit) ? 'gone' : 'elsewhere';
  };
}

/** Indexes lines by their code, ignoring spacing and line breaks. */
function indexLines(text: string) {
  return groupBy([...text.split('\n').entries()], ([, line]) => normalizeCode(line));
}

/** `(src/auth.ts:42)` at the end of a line; its code, backticks or a range can be in it. */
const NAMED_PLACE =
  /\(`?([^\s:`]{1,300}):(\d{1,7})(?:-\d{1,7})?`?(?: `?"(.{1,400})"`?)?\)(?=[.,;]?\s*$)/;
/** The remark that a model was shown behind a place that was not read. */
const REMARK = /\) \(not checked\)(?=\s*$)/;
/** A list item does not continue the line above it. */
const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s/;
const HEADING = /^#{1,6}\s/;
const FENCE = /^\s*(?:```|~~~)/;

/**
 * Completes the citations of a note. If a line ends with a place, `(src/auth.ts:42)`, `cite`
 * returns the text to write there, or undefined to leave it. Throws a ToolError for a place at the
 * end of a text of several lines: the lines above would stay in the note when the code is gone.
 */
export async function completeCitations(
  content: string,
  cite: (named: Citation) => Promise<string | undefined>,
): Promise<string> {
  // Models cannot know which commit has a line, so comments in their text are removed.
  const lines = content.split('\n').map((line) => readableLine(line).replace(REMARK, ')'));
  const completedLines: string[] = [];
  let isCode = false;

  for (const [index, line] of lines.entries()) {
    if (FENCE.test(line)) isCode = !isCode;
    const match = isCode ? null : NAMED_PLACE.exec(line);
    if (match === null) {
      completedLines.push(line);
      continue;
    }

    const [written, path = '', number, quotedCode = ''] = match;
    const code = unquote(`"${quotedCode}"`) ?? quotedCode;
    const citation = await cite({ path, line: Number(number), code });
    if (citation === undefined) {
      completedLines.push(line);
      continue;
    }

    const before = lines[index - 1] ?? '';
    const isFirst =
      before.trim() === '' ||
      HEADING.test(before) ||
      ITEM.test(line) ||
      completedLines.at(-1) !== before;
    if (!isFirst)
      throw new ToolError(
        `${written} ends a text of several lines. Write what rests on it as one line, or begin that line with \`- \`.`,
      );
    const end = line.slice(match.index + written.length);
    completedLines.push(line.slice(0, match.index) + citation + end);
  }
  return completedLines.join('\n');
}

interface CitationSources {
  /** Lines that were shown to the model. */
  readonly lines: readonly string[];
  readonly base: BaseCode | undefined;
  /** Commit at which the lines were shown. */
  readonly head: string | undefined;
  /** Removes secrets and invisible characters. */
  clean(code: string): string;
}

/**
 * Formats the citation of a line that was read at the base, or shown to a model at another commit.
 * The citation names that commit if the base has no such line, and none if there is no commit.
 * Throws a ToolError for a line that could not be found again, since it is too short or too long or
 * `clean` changes it.
 */
export function citeLine(
  { path, line, code }: Citation,
  { lines, base, head, clean }: CitationSources,
): string {
  const text = normalizeCode(code);
  const countAtBase = countLine(base?.files.get(path), text);
  // Lines from several commits can contain one line under two numbers.
  const occurrences = countAtBase || countLine(lines.join('\n'), text);

  if (countWords(text) < LEAST_WORDS || text.length > MAX_CODE) {
    const problem = text.length > MAX_CODE ? 'too long' : 'too short';
    throw new ToolError(
      `line ${line} of ${quoteLine(path)} is ${problem} to rest on. Name a line that says more by itself.`,
    );
  }
  if (clean(text) !== text)
    throw new ToolError(
      `line ${line} of ${quoteLine(path)} holds a secret, or invisible characters. Name another line.`,
    );
  if (occurrences > 1)
    throw new ToolError(
      `${count(occurrences, 'line')} of ${quoteLine(path)} read ${quoteLine(text)}. Name one that occurs only once.`,
    );

  const commit = base && (countAtBase > 0 ? base.commit : head);
  return formatCitation({ path, line, code: text, repository: base?.repository, commit });
}

export function countLine(text: string | null | undefined, code: string): number {
  return indexLines(text ?? '').get(normalizeCode(code))?.length ?? 0;
}

/** Removes line numbers: notes that cite the same line are equal, wherever the line was then. */
export function withoutPlaces(line: string): string {
  return line.replace(CITATION, (_, path: string, __, quoted: string) => `(${path} ${quoted})`);
}
