import { parseJson } from '../lib/data.js';
import type { KeyPath } from './keys.js';

/** Line and column count from 1; columns are UTF-16 units. */
interface KeyPosition {
  readonly line: number;
  readonly column: number;
}

/**
 * The parser does not report positions, so this locates the keys that begin a line; keys in an
 * inline table get the position of the table's key. Invalid TOML is read as far as possible. The
 * text is read once, for the first key.
 */
export function createLocator(text: string): (path: KeyPath) => KeyPosition {
  let positions: ReadonlyMap<string, KeyPosition> | undefined;
  return (path) => {
    positions ??= indexKeys(text);
    for (let length = Math.min(path.length, MAX_LOCATED); length > 0; length -= 1) {
      const [exact = '', loose = ''] = idsOf(path.slice(0, length));
      const position = positions.get(exact) ?? positions.get(loose);
      if (position !== undefined) return position;
    }
    return { line: 1, column: 1 };
  };
}

const NAME = String.raw`(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')`;
const DOTTED = String.raw`${NAME}(?:[ \t]*\.[ \t]*${NAME})*`;
const HEADER = new RegExp(String.raw`^([ \t]*\[(\[?)[ \t]*)(${DOTTED})`);
const PAIR = new RegExp(String.raw`^([ \t]*)(${DOTTED})[ \t]*=[ \t]*("""|''')?`);

/** Deeper keys get the position of the table around them, so a hostile file has no long paths. */
const MAX_LOCATED = 12;

function indexKeys(text: string): ReadonlyMap<string, KeyPosition> {
  const positions = new Map<string, KeyPosition>();
  for (const { path, line, column } of writtenKeys(text)) {
    for (let depth = Math.min(path.length, MAX_LOCATED); depth > 0; depth -= 1) {
      for (const id of idsOf(path.slice(0, depth))) {
        if (!positions.has(id)) positions.set(id, { line, column });
      }
    }
  }
  return positions;
}

/**
 * The line above `line` that writes the same key or table, or a part of the table; undefined if
 * there is none.
 */
export function earlierLine(text: string, line: number): number | undefined {
  const keys = [...writtenKeys(text)];
  const repeated = keys.find((key) => key.line === line);
  if (repeated === undefined) return undefined;
  const { path } = repeated;
  const [id = ''] = idsOf(path);
  return keys.find((key) => key.line < line && idsOf(key.path.slice(0, path.length))[0] === id)
    ?.line;
}

/** The headers of tables and the keys that begin a line, in the order of the file. */
function* writtenKeys(text: string): Generator<KeyPosition & { readonly path: KeyPath }> {
  /** The number of tables so far in each array of tables, by the array's path. */
  const arrays = new Map<string, number>();
  let table: KeyPath = [];
  /** The quotes that end the multi-line string around the current line. */
  let quotes: string | undefined;

  for (const [index, content] of text.split('\n').entries()) {
    const line = index + 1;
    if (quotes !== undefined) {
      if (content.includes(quotes)) quotes = undefined;
      continue;
    }

    const [, opening = '', secondBracket, header] = HEADER.exec(content) ?? [];
    if (header !== undefined) {
      table = tablePath(namesIn(header), secondBracket === '[', arrays);
      yield { path: table, line, column: opening.length + 1 };
      continue;
    }

    const [, indent = '', key, openingQuotes] = PAIR.exec(content) ?? [];
    if (key === undefined) continue;
    yield { path: [...table, ...namesIn(key)], line, column: indent.length + 1 };
    if (openingQuotes === undefined) continue;
    if (content.lastIndexOf(openingQuotes) === content.indexOf(openingQuotes))
      quotes = openingQuotes;
  }
}

/** The path of the table that `[a.b]` or `[[a.b]]` opens. */
function tablePath(
  names: readonly string[],
  isArray: boolean,
  arrays: Map<string, number>,
): KeyPath {
  const path: (string | number)[] = [];
  for (const [position, name] of names.entries()) {
    path.push(name);
    const id = JSON.stringify(path);
    const count = arrays.get(id) ?? 0;
    if (isArray && position === names.length - 1) {
      arrays.set(id, count + 1);
      path.push(count);
    } else if (count > 0) path.push(count - 1);
  }
  return path;
}

function namesIn(dotted: string): readonly string[] {
  const names = dotted.match(new RegExp(NAME, 'g')) ?? [];
  return names.slice(0, MAX_LOCATED).map(unquoted);
}

function unquoted(name: string): string {
  if (name.startsWith("'")) return name.slice(1, -1);
  return name.startsWith('"') ? String(parseJson(name, name.slice(1, -1))) : name;
}

/** Ids of a key for an exact match and for one that ignores case. */
function idsOf(path: KeyPath): readonly string[] {
  const id = JSON.stringify(path);
  return [`=${id}`, `~${id.toLowerCase()}`];
}
