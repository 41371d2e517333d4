/** A line of a note, as a reader of markdown takes it. */
export interface NoteLine {
  /** Without its line break. */
  readonly text: string;
  /**
   * `plain`: a line of text or an item of a list. `parent`: one with something indented, code or a rule below it. `block`:
   * indented, a table, data, only punctuation, or a line next to one of the last three. `code`: between fences, and the
   * fences.
   */
  readonly kind: 'blank' | 'heading' | 'code' | 'block' | 'parent' | 'plain';
  /** The headings it is under, each on a line; a heading is under itself. */
  readonly under: string;
}

/** What becomes of a fence without an end: markdown takes all behind it for code, a merge must not (two files meet there). */
type OpenCode = 'is-code' | 'is-text';

/** Takes the lines of a note for what they are. */
export function readNoteLines(lines: readonly string[], openCode: OpenCode): readonly NoteLine[] {
  const isCode = codeLines(lines, openCode);
  const kinds = shownKinds(lines.map((line, at) => (isCode[at] === true ? 'code' : kindOf(line))));
  let under: readonly Heading[] = [];
  return lines.map((text, at): NoteLine => {
    const kind = kinds[at] ?? 'blank';
    if (kind === 'heading') under = [...under.filter(({ level }) => level < levelOf(text)), headingOf(text)];
    return { text, kind, under: under.map(({ title }) => title).join('\n') };
  });
}

/** Up to three spaces may be before it. */
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]|$)/;

interface Heading {
  readonly level: number;
  readonly title: string;
}

function headingOf(line: string): Heading {
  return { level: levelOf(line), title: line.trim().replace(/\s+/g, ' ') };
}

function levelOf(line: string): number {
  return HEADING.exec(line)?.[1]?.length ?? 0;
}

type Kind = 'blank' | 'heading' | 'code' | 'indented' | 'data' | 'rule' | 'item' | 'text';

function kindOf(line: string): Kind {
  if (line.trim() === '') return 'blank';
  if (HEADING.test(line)) return 'heading';
  if (INDENTED.test(line)) return 'indented';
  if (isRule(line)) return 'rule';
  if (DATA.test(line) || !WORD.test(line)) return 'data';
  return ITEM.test(line) ? 'item' : 'text';
}

/** A line across the page, or below a title. */
function isRule(line: string): boolean {
  return RULE.test(line.trimEnd());
}

const RULE = /^(?:-{3,}|\*{3,}|_{3,}|={3,})$/;
const ITEM = /^ ?(?:[-*+]|\d{1,9}[.)])[ \t]/;

const INDENTED = /^(?: {2}| ?\t)/;
const WORD = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;
/** Rows of tables, quotes, markup, and members of JSON. */
const DATA = /^ ?(?:[{}[\]<>|]|"(?:[^"\\]|\\.)*"\s*:)|\|.*\|/;

const FENCE = /^\s*(`{3,}(?=[^`]*$)|~{3,})/;

function codeLines(lines: readonly string[], openCode: OpenCode): readonly boolean[] {
  const isCode = lines.map(() => false);
  /** Length from which on fences of a character have no end any more, so that none is looked for twice. */
  const endless = new Map<string, number>();
  for (let at = 0; at < lines.length; at += 1) {
    const fence = FENCE.exec(lines[at] ?? '')?.[1];
    if (fence === undefined || fence.length >= (endless.get(fence.charAt(0)) ?? Number.POSITIVE_INFINITY))
      continue;
    const closing = closingOf(lines, at, fence);
    if (closing === undefined && openCode === 'is-text') {
      endless.set(fence.charAt(0), fence.length);
      continue;
    }
    const end = closing ?? lines.length - 1;
    isCode.fill(true, at, end + 1);
    at = end;
  }
  return isCode;
}

function closingOf(lines: readonly string[], start: number, fence: string): number | undefined {
  for (let at = start + 1; at < lines.length; at += 1) {
    const marks = lines[at]?.trim() ?? '';
    if (marks.length >= fence.length && marks === fence.charAt(0).repeat(marks.length)) return at;
  }
  return undefined;
}

/**
 * Lines of text next to data, with nothing blank between, are a table's or an object's own. One above something indented
 * is what that belongs to; above an item's further paragraphs there may be blank lines.
 */
function shownKinds(kinds: readonly Kind[]): readonly NoteLine['kind'][] {
  const isData = nextToData(kinds);
  const shown: NoteLine['kind'][] = [];
  let next: Kind = 'blank';
  let nextSaid: Kind = 'blank';
  for (let at = kinds.length - 1; at >= 0; at -= 1) {
    const kind = kinds[at] ?? 'blank';
    const isParent = BELONGING.has(next) || (kind === 'item' && nextSaid === 'indented');
    shown.push(shownKind(kind, { isData: isData[at] === true, isParent }));
    next = kind;
    if (kind !== 'blank') nextSaid = kind;
  }
  return shown.reverse();
}

const BELONGING: ReadonlySet<Kind> = new Set(['indented', 'rule', 'code']);

function shownKind(
  kind: Kind,
  { isData, isParent }: { readonly isData: boolean; readonly isParent: boolean },
): NoteLine['kind'] {
  switch (kind) {
    case 'blank':
    case 'heading':
    case 'code':
      return kind;
    case 'indented':
    case 'data':
    case 'rule':
      return 'block';
    case 'item':
    case 'text':
      if (isData) return 'block';
      return isParent ? 'parent' : 'plain';
  }
}

function nextToData(kinds: readonly Kind[]): readonly boolean[] {
  const isData = kinds.map(() => false);
  let start = 0;
  let holdsData = false;
  for (let at = 0; at <= kinds.length; at += 1) {
    const kind = kinds[at] ?? 'blank';
    const isOpen = kind === 'text' || kind === 'item' || kind === 'indented' || kind === 'data';
    if (isOpen) holdsData ||= kind === 'data';
    else {
      if (holdsData) isData.fill(true, start, at);
      start = at + 1;
      holdsData = false;
    }
  }
  return isData;
}

/** The lines of a text without their ends (`\n` or `\r\n`); nothing follows the last line break. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Whether a text has these lines, one below the other and each whole; blank ends do not count, and of no lines it has all. */
export function holdsLines(text: string, lines: string): boolean {
  const searched = lines.trim();
  for (let at = text.indexOf(searched); at >= 0; at = text.indexOf(searched, at + 1)) {
    if (searched === '') return true;
    if (isBlankOnwards(text, at - 1, -1) && isBlankOnwards(text, at + searched.length, 1)) return true;
  }
  return false;
}

/** Whether from here to the end of the line, or backwards to its start, there is nothing but white space. */
function isBlankOnwards(text: string, start: number, step: 1 | -1): boolean {
  for (let at = start; ; at += step) {
    const char = text[at];
    if (char === undefined || char === '\n') return true;
    if (char.trim() !== '') return false;
  }
}
