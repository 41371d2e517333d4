import {
  cleanDestination,
  cleanLinkEnd,
  cleanWords,
  LINK_TAIL,
  type WordContext,
  wrapCommand,
} from './words.js';

/** Cleans a line outside code fences, and reports an HTML comment that continues after it. */
export function cleanInline(line: string, options: InlineOptions) {
  const { pieces, hadComment, endsInComment } = tokenize(line, options);
  const open = unpairedTags(pieces);
  const text = pieces
    .map((piece, index) => formatPiece(piece, index, open, options.words))
    .join('');
  return { text: hadComment ? text.trimEnd() : text, endsInComment };
}

/**
 * True if a line could make the lines around it a table: dashes with pipes or colons, and nothing
 * else.
 */
export function hasTable(line: string): boolean {
  return /^[-:|\s>*+\d.)]+$/.test(line) && line.includes('-') && /[|:]/.test(line);
}

const SPECIAL = /[`<&\\\]]/g;

function tokenize(line: string, options: InlineOptions): PieceReading {
  const nextRun = options.isRaw === true ? new Map<number, number>() : pairRuns(line);
  const reading: PieceReading = {
    line,
    options,
    pieces: [],
    nextRun,
    hadComment: false,
    endsInComment: false,
  };
  let position = 0;
  while (position < line.length) {
    SPECIAL.lastIndex = position;
    const next = SPECIAL.exec(line)?.index ?? line.length;
    addText(reading, line.slice(position, next));
    position = next < line.length ? readSpecial(reading, next) : next;
  }
  return reading;
}

function pairRuns(line: string): ReadonlyMap<number, number> {
  const next = new Map<number, number>();
  const lastOfLength = new Map<number, number>();
  for (const { index, 0: run } of line.matchAll(/`+/g)) {
    const before = lastOfLength.get(run.length);
    if (before !== undefined) next.set(before, index);
    lastOfLength.set(run.length, index);
  }
  return next;
}

/** Reads what begins with a special character; returns where the rest of the line begins. */
function readSpecial(reading: PieceReading, start: number): number {
  switch (reading.line[start]) {
    case '`':
      return readBackticks(reading, start);
    case '<':
      return readAngle(reading, start);
    case '&':
      return readAmpersand(reading, start);
    case '\\':
      return readBackslash(reading, start);
    default:
      return readBracket(reading, start);
  }
}

function readBackticks({ line, options, pieces, nextRun }: PieceReading, start: number): number {
  const run = runAt(line, start);
  const close = nextRun.get(start);
  if (close === undefined || (options.hasTables && CELL_END.test(line.slice(start, close)))) {
    pieces.push({ kind: 'markup', text: '&#96;'.repeat(run.length) });
    return start + run.length;
  }
  // Two spans that touch would be read as one, and a bare URL takes every character up to the next
  // space.
  if (pieces.at(-1)?.kind === 'code' || endsInUrl(pieces))
    pieces.push({ kind: 'markup', text: ' ' });
  pieces.push({ kind: 'code', text: line.slice(start, close + run.length) });
  return close + run.length;
}

/**
 * True if the text before this point, back to a space, a tag or a code span, could be part of a
 * bare URL.
 */
function endsInUrl(pieces: readonly Piece[]): boolean {
  let word = '';
  for (let index = pieces.length - 1; index >= 0; index -= 1) {
    const piece = pieces[index];
    if (piece === undefined || piece.kind === 'code' || piece.kind === 'tag') break;
    const text = piece.kind === 'link-end' ? `](${piece.destination})` : piece.text;
    word = text + word;
    if (/[\s<]/.test(text)) break;
  }
  const tail = word.split(/[\s<]/).at(-1) ?? '';
  return tail.includes('://') || /www\./i.test(tail);
}

/** A pipe after one backslash stays in its cell; after two it might end the cell. */
const CELL_END = /(?<!\\)\||(?<=\\\\)\|/;

function runAt(line: string, start: number): string {
  return matchAt(/`+/y, line, start)?.[0] ?? '';
}

const KEPT_ENTITY = /&(?:lt|gt|amp|quot|#39|#96);/y;
const ENTITY = /&(?:#\d{1,8}|#x[0-9a-f]{1,8}|[a-z][a-z0-9]{1,40});/iy;

/** A space is only a space: a closing keyword may have it before its number. */
const SPACE_ENTITY = /&nbsp;/y;

/** An entity is a way to write a character so that a filter does not see it; few are needed. */
function readAmpersand(reading: PieceReading, start: number): number {
  const space = matchAt(SPACE_ENTITY, reading.line, start);
  if (space !== null) {
    addText(reading, '\u00A0');
    return start + space[0].length;
  }
  const entity = matchAt(KEPT_ENTITY, reading.line, start);
  if (entity !== null) {
    reading.pieces.push({ kind: 'markup', text: entity[0] });
    return start + entity[0].length;
  }
  if (matchAt(ENTITY, reading.line, start) !== null)
    reading.pieces.push({ kind: 'markup', text: '&amp;' });
  else addText(reading, '&');
  return start + 1;
}

/** Rewrites a character after a backslash so that it needs none, if it could become markup. */
function readBackslash(reading: PieceReading, start: number): number {
  const { line, pieces } = reading;
  const next = line[start + 1] ?? '';
  if (next === '`') {
    const run = runAt(line, start + 1);
    pieces.push({ kind: 'markup', text: '&#96;'.repeat(run.length) });
    return start + 1 + run.length;
  }
  if (next === '<' || next === '&')
    pieces.push({ kind: 'markup', text: next === '<' ? '&lt;' : '&amp;' });
  // Behind a bracket the backslash keeps `[x]: …` from being a definition.
  else if (next === '@' || next === '/' || (next === ':' && line[start - 1] !== ']'))
    addText(reading, next);
  else if (/[!-/:-@[-`{-~]/.test(next)) addText(reading, `\\${next}`);
  else {
    addText(reading, '\\');
    return start + 1;
  }
  return start + 2;
}

/**
 * The end of a link's text: its destination is checked, and a definition (`[x]: …`), which nobody
 * sees, is shown.
 */
function readBracket(reading: PieceReading, start: number): number {
  const { line, pieces } = reading;
  const next = line[start + 1];
  if (next === ':' || next === '(') {
    const tail = matchAt(LINK_TAIL, line, start);
    const destination = cleanDestination(tail?.[1] ?? '');
    if (next === '(' && tail !== null && destination !== undefined) {
      pieces.push({ kind: 'link-end', destination });
      return start + tail[0].length;
    }
    pieces.push({ kind: 'markup', text: `]\\${next}` });
    return start + 2;
  }
  addText(reading, ']');
  return start + 1;
}

/** Tags that are not closed, or not in order, within the line. */
function unpairedTags(pieces: readonly Piece[]): ReadonlySet<number> {
  const unpaired = new Set<number>();
  const open: { readonly name: string; readonly index: number }[] = [];
  for (const [index, piece] of pieces.entries()) {
    if (piece.kind !== 'tag') continue;
    if (!piece.isClosing) open.push({ name: piece.name, index });
    else if (open.at(-1)?.name === piece.name) open.pop();
    else unpaired.add(index);
  }
  for (const { index } of open) unpaired.add(index);
  return unpaired;
}

function formatPiece(
  piece: Piece,
  index: number,
  unpaired: ReadonlySet<number>,
  words: WordContext,
): string {
  switch (piece.kind) {
    case 'text': {
      const clean = (text: string) => cleanWords(text, words);
      return index === 0 ? wrapCommand(piece.text, clean) : clean(piece.text);
    }
    case 'link-end':
      return cleanLinkEnd(piece.destination, words);
    case 'code':
    case 'markup':
      return piece.text;
    case 'tag': {
      const name = `${piece.isClosing ? '/' : ''}${piece.name}`;
      return unpaired.has(index) ? `&lt;${name}&gt;` : `<${name}>`;
    }
  }
}

const CODE_ELEMENT = /<code>([@#\w ./:?=%+-]+)<\/code>/iy;
const TAG = /<(\/?)(b|br|code|del|em|i|ins|kbd|s|strong|sub|sup)[ \t]{0,4}\/?>/iy;
const DROPPED_TAG = /<\/?(?:picture|source)(?:\s[^<>]{0,4000})?>/iy;
const IMAGE_TAG = /<img\s([^<>]{0,4000})>/iy;
const AUTOLINK = /<(https?:\/\/[^\s<>`\\\]&]{1,2000})>/iy;

/**
 * Reads what begins with `<`: a comment goes, a harmless tag stays without its attributes, an image
 * becomes a link, and everything else is shown as text. Returns where the rest of the line begins.
 */
function readAngle(reading: PieceReading, start: number): number {
  const { line, pieces } = reading;
  if (line.startsWith('<!--', start)) return readComment(reading, start);
  const code = matchAt(CODE_ELEMENT, line, start);
  if (code !== null) {
    pieces.push({ kind: 'markup', text: `<code>${code[1]}</code>` });
    return start + code[0].length;
  }
  const tag = matchAt(TAG, line, start);
  if (tag !== null) {
    const name = (tag[2] ?? '').toLowerCase();
    if (name === 'br') pieces.push({ kind: 'markup', text: '<br>' });
    else pieces.push({ kind: 'tag', name, isClosing: tag[1] === '/' });
    return start + tag[0].length;
  }
  return readPicture(reading, start);
}

function readPicture(reading: PieceReading, start: number): number {
  const { line, pieces } = reading;
  const image = matchAt(IMAGE_TAG, line, start);
  if (image !== null) {
    addImage(reading, image[1] ?? '');
    return start + image[0].length;
  }
  const dropped = matchAt(DROPPED_TAG, line, start);
  if (dropped !== null) {
    addText(reading, ' ');
    return start + dropped[0].length;
  }
  const link = matchAt(AUTOLINK, line, start);
  if (link !== null) {
    addText(reading, link[1] ?? '');
    return start + link[0].length;
  }
  pieces.push({ kind: 'markup', text: '&lt;' });
  return start + 1;
}

/** A space takes a comment's place, or the texts around it could make up something new. */
function readComment(reading: PieceReading, start: number): number {
  const end = reading.line.indexOf('-->', start + 2);
  reading.hadComment = true;
  addText(reading, ' ');
  if (end >= 0) return end + 3;
  reading.endsInComment = true;
  return reading.line.length;
}

/** An image is a link one may follow. */
function addImage(reading: PieceReading, attributes: string): void {
  const [, alt = ''] = /(?:^|\s)alt\s{0,8}=\s{0,8}["']([^"']*)["']/i.exec(attributes) ?? [];
  const [, source = ''] =
    /(?:^|\s)src\s{0,8}=\s{0,8}["']?(https?:\/\/[^\s"'()[\]]*)/i.exec(attributes) ?? [];
  const name = `image${alt === '' ? '' : `: ${alt.replace(/[^\p{L}\p{N} .,-]+/gu, ' ')}`}`;
  const destination = cleanDestination(source);
  addText(reading, destination === undefined ? `(${name})` : `[${name}`);
  if (destination !== undefined) reading.pieces.push({ kind: 'link-end', destination });
}

export interface InlineOptions {
  /** Context from the paragraph's earlier words, which this line continues. */
  readonly words: WordContext;
  /** The text can hold a table, whose cells end at every `|`, also within a code span. */
  readonly hasTables: boolean;
  /** The line is raw HTML, where markdown means nothing. */
  readonly isRaw?: boolean;
}

/** A stretch of a line. */
type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  /** Ours, complete, not looked at again. */
  | { readonly kind: 'markup'; readonly text: string }
  /** The end of a link, from the bracket on; its destination was checked. */
  | { readonly kind: 'link-end'; readonly destination: string }
  | { readonly kind: 'tag'; readonly name: string; readonly isClosing: boolean };

interface PieceReading {
  readonly line: string;
  readonly options: InlineOptions;
  readonly pieces: Piece[];
  /** For the start of each run of backticks, the start of the next run of the same length. */
  readonly nextRun: ReadonlyMap<number, number>;
  hadComment: boolean;
  endsInComment: boolean;
}

/** Neighbouring texts become one, so that nothing can hide between two of them. */
function addText({ pieces }: PieceReading, text: string): void {
  if (text === '') return;
  const last = pieces.at(-1);
  if (last?.kind === 'text') pieces[pieces.length - 1] = { kind: 'text', text: last.text + text };
  else pieces.push({ kind: 'text', text });
}

function matchAt(pattern: RegExp, line: string, start: number): RegExpExecArray | null {
  pattern.lastIndex = start;
  return pattern.exec(line);
}
