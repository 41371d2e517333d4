/** A dotted key as a list: table and key names, and the index where a table is in an array. */
export type KeyPath = readonly (string | number)[];

/** Line and column of a key, counted from 1; the column counts UTF-16 units. */
interface KeyPosition {
  readonly line: number;
  readonly column: number;
}

/** Says where a key of a TOML text stands, or the nearest table around it, or the first line. */
export type Locator = (path: KeyPath) => KeyPosition;

/**
 * Makes a locator of the keys that begin a line; those in an inline table have the place of the key in front of it. The
 * parser gives no places. Texts that are not valid TOML are read as far as they make sense. A text is read once, when the
 * first key is asked for.
 */
export function createLocator(text: string): Locator {
  let positions: ReadonlyMap<string, KeyPosition> | undefined;
  return (path) => {
    positions ??= indexKeys(text);
    for (let length = Math.min(path.length, MAX_DEPTH); length > 0; length -= 1) {
      const known = path.slice(0, length);
      const position = positions.get(exactId(known)) ?? positions.get(looseId(known));
      if (position !== undefined) return position;
    }
    return { line: 1, column: 1 };
  };
}

const NAME = String.raw`(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')`;
const DOTTED = String.raw`${NAME}(?:[ \t]*\.[ \t]*${NAME})*`;
const HEADER = new RegExp(String.raw`^([ \t]*\[(\[?)[ \t]*)(${DOTTED})`);
const PAIR = new RegExp(String.raw`^([ \t]*)(${DOTTED})[ \t]*=[ \t]*("""|''')?`);

/** No key of an agent is deeper, and a hostile file cannot make paths long. */
const MAX_DEPTH = 12;

function indexKeys(text: string): ReadonlyMap<string, KeyPosition> {
  const positions = new Map<string, KeyPosition>();
  /** Tables seen so far in each array of tables, by the array's path. */
  const arrays = new Map<string, number>();
  let table: KeyPath = [];
  /** The quotes that end the text around the line. */
  let quotes: string | undefined;

  function note(path: KeyPath, line: number, column: number): void {
    for (let depth = Math.min(path.length, MAX_DEPTH); depth > 0; depth -= 1) {
      const known = path.slice(0, depth);
      for (const id of [exactId(known), looseId(known)]) {
        if (!positions.has(id)) positions.set(id, { line, column });
      }
    }
  }

  for (const [at, content] of text.split('\n').entries()) {
    if (quotes !== undefined) {
      if (content.includes(quotes)) quotes = undefined;
      continue;
    }
    const [, opening = '', isArray, header] = HEADER.exec(content) ?? [];
    if (header !== undefined) {
      table = tablePath(namesIn(header), isArray === '[', arrays);
      note(table, at + 1, opening.length + 1);
      continue;
    }
    const [, indent = '', key, opened] = PAIR.exec(content) ?? [];
    if (key === undefined) continue;
    note([...table, ...namesIn(key)], at + 1, indent.length + 1);
    if (opened !== undefined && content.lastIndexOf(opened) === content.indexOf(opened)) quotes = opened;
  }
  return positions;
}

/** The path of the table that `[a.b]` or `[[a.b]]` opens. */
function tablePath(names: readonly string[], isArray: boolean, arrays: Map<string, number>): KeyPath {
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
  return names.slice(0, MAX_DEPTH).map(unquoted);
}

function unquoted(name: string): string {
  if (name.startsWith("'")) return name.slice(1, -1);
  if (!name.startsWith('"')) return name;
  try {
    return String(JSON.parse(name));
  } catch {
    return name.slice(1, -1);
  }
}

function exactId(path: KeyPath): string {
  return `=${JSON.stringify(path)}`;
}

function looseId(path: KeyPath): string {
  return `~${JSON.stringify(path).toLowerCase()}`;
}
