import { parse } from 'smol-toml';

/** A dotted key as a list: table and key names, and the index where a table is in an array. */
export type KeyPath = readonly (string | number)[];

interface FoundKey {
  readonly path: KeyPath;
  readonly offset: number;
}

/** Keys deeper than this are not looked for; no key of an agent is, and a hostile file cannot make paths long. */
const MAX_DEPTH = 12;

/** Deeper structures than the parser takes are not valid TOML to us. */
const MAX_STRUCTURES = 100;

/** A reading position, and what has been read so far. */
interface Scan {
  readonly text: string;
  at: number;
  /** Lists and inline tables around the position. */
  depth: number;
  readonly found: FoundKey[];
  /** Tables seen so far in each array of tables, by the array's path. */
  readonly arrays: Map<string, number>;
}

/**
 * Every key of a TOML text with its full path, in the order of the text; a table that is only implied by dots stands
 * where it is first named. Texts that are not valid TOML are read as far as they make sense; nothing is thrown.
 */
export function listKeys(text: string): readonly FoundKey[] {
  const scan: Scan = { text, at: text.startsWith('\uFEFF') ? 1 : 0, depth: 0, found: [], arrays: new Map() };
  let table: KeyPath = [];
  for (skipBlank(scan); scan.at < text.length; skipBlank(scan)) {
    const start = scan.at;
    if (text[scan.at] === '[') table = scanHeader(scan);
    else scanPair(scan, table);
    if (scan.at <= start) break;
  }
  return scan.found;
}

/** Reads `[a.b]` or `[[a.b]]` and gives the path of the table it opens. */
function scanHeader(scan: Scan): KeyPath {
  const isArray = scan.text.startsWith('[[', scan.at);
  scan.at += isArray ? 2 : 1;
  skipSpaces(scan);
  const offset = scan.at;
  const names = scanKey(scan);
  const path: (string | number)[] = [];
  for (const [position, name] of names.entries()) {
    path.push(name);
    const isLast = position === names.length - 1;
    const id = JSON.stringify(path);
    const tables = scan.arrays.get(id);
    if (isArray && isLast) {
      scan.arrays.set(id, (tables ?? 0) + 1);
      if (tables === undefined) scan.found.push({ path: [...path], offset });
      path.push(tables ?? 0);
    } else if (tables !== undefined) path.push(tables - 1);
  }
  record(scan, path, offset);
  skipLine(scan);
  return path;
}

/** Reads `key = value`, at the start of a line or in an inline table. */
function scanPair(scan: Scan, table: KeyPath): void {
  const offset = scan.at;
  const path = [...table, ...scanKey(scan)].slice(0, MAX_DEPTH + 1);
  record(scan, path, offset);
  if (scan.text[scan.at] === '=') {
    scan.at += 1;
    skipSpaces(scan);
    scanValue(scan, path);
  } else skipLine(scan);
}

/** Notes a key and the tables its dots imply, where those have not been named before. */
function record(scan: Scan, path: KeyPath, offset: number): void {
  if (path.length <= MAX_DEPTH) scan.found.push({ path, offset });
  if (path.length <= MAX_DEPTH && path.length > 1) {
    const parents = path.slice(1).map((_, position) => path.slice(0, position + 1));
    for (const parent of parents) scan.found.push({ path: parent, offset });
  }
}

/** Reads a possibly dotted key up to, and not including, what follows it. At most MAX_DEPTH + 1 names are kept. */
function scanKey(scan: Scan): readonly string[] {
  const names: string[] = [];
  for (;;) {
    skipSpaces(scan);
    const start = scan.at;
    const quote = scan.text[scan.at];
    if (quote === '"' || quote === "'") skipString(scan, quote);
    else while (isBareKey(scan.text.charCodeAt(scan.at))) scan.at += 1;
    if (names.length <= MAX_DEPTH) names.push(decodeKey(scan.text.slice(start, scan.at)));
    skipSpaces(scan);
    if (scan.text[scan.at] !== '.') return names;
    scan.at += 1;
  }
}

function isBareKey(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x61 && code <= 0x7a) ||
    code === 0x5f ||
    code === 0x2d
  );
}

/** A quoted key without its quotes and escapes; the TOML parser knows best. */
function decodeKey(written: string): string {
  if (!written.startsWith('"') && !written.startsWith("'")) return written;
  try {
    return Object.keys(parse(`${written} = 0`))[0] ?? written;
  } catch {
    return written;
  }
}

function scanValue(scan: Scan, path: KeyPath): void {
  const first = scan.text[scan.at];
  if (first === '"' || first === "'") skipString(scan, first);
  else if (first === '[' || first === '{') scanStructure(scan, path, first);
  else while (scan.at < scan.text.length && !',]}#\n'.includes(scan.text[scan.at] ?? '')) scan.at += 1;
}

/** Reads an array or an inline table. One that is nested without end ends the reading. */
function scanStructure(scan: Scan, path: KeyPath, opening: '[' | '{'): void {
  if (scan.depth > MAX_STRUCTURES) {
    scan.at = scan.text.length;
    return;
  }
  scan.depth += 1;
  const closing = opening === '[' ? ']' : '}';
  scan.at += 1;
  for (let position = 0; ; position += 1) {
    skipBlank(scan);
    if (scan.at >= scan.text.length) return;
    if (scan.text[scan.at] === closing) break;
    const start = scan.at;
    if (opening === '{') scanPair(scan, path);
    else scanElement(scan, [...path, position]);
    skipBlank(scan);
    if (scan.text[scan.at] === ',') scan.at += 1;
    if (scan.at <= start) return;
  }
  scan.depth -= 1;
  scan.at += 1;
}

function scanElement(scan: Scan, path: KeyPath): void {
  if (scan.text[scan.at] === '{' && path.length <= MAX_DEPTH) scan.found.push({ path, offset: scan.at });
  scanValue(scan, path);
}

/** Moves behind a string of any of TOML's four kinds. */
function skipString(scan: Scan, quote: '"' | "'"): void {
  const { text } = scan;
  const fence = quote.repeat(3);
  const isMultiline = text.startsWith(fence, scan.at);
  const end = isMultiline ? fence : quote;
  scan.at += end.length;
  while (scan.at < text.length && !text.startsWith(end, scan.at)) {
    if (!isMultiline && text[scan.at] === '\n') return;
    scan.at += quote === '"' && text[scan.at] === '\\' ? 2 : 1;
  }
  scan.at += end.length;
  // Up to two quotes may stand directly before the closing three.
  if (isMultiline) while (text[scan.at] === quote) scan.at += 1;
}

function skipSpaces(scan: Scan): void {
  while (scan.text[scan.at] === ' ' || scan.text[scan.at] === '\t') scan.at += 1;
}

/** Moves behind white space, line ends and comments. */
function skipBlank(scan: Scan): void {
  for (;;) {
    const character = scan.text[scan.at];
    if (character === '#') skipLine(scan);
    else if (character === ' ' || character === '\t' || character === '\r' || character === '\n')
      scan.at += 1;
    else return;
  }
}

function skipLine(scan: Scan): void {
  const end = scan.text.indexOf('\n', scan.at);
  scan.at = end < 0 ? scan.text.length : end;
}
