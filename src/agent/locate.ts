import { type KeyPath, listKeys } from './toml-keys.js';

/** Line and column of a key, counted from 1; the column counts UTF-16 units. */
export interface KeyPosition {
  readonly line: number;
  readonly column: number;
}

/** Finds keys of one TOML text; the text is read once, when the first key is asked for. */
export interface Locator {
  /** Where the key stands; names that differ only in case match if none matches exactly. */
  find(path: KeyPath): KeyPosition | undefined;
  /** Where the key stands, or the nearest table around it, or the first line. */
  findNearest(path: KeyPath): KeyPosition;
}

/** Makes a locator. Texts that are not valid TOML are read as far as they make sense. */
export function createLocator(text: string): Locator {
  let index: Map<string, KeyPosition> | undefined;
  const find = (path: KeyPath): KeyPosition | undefined => {
    index ??= indexKeys(text);
    return index.get(exactId(path)) ?? index.get(looseId(path));
  };
  return {
    find,
    findNearest(path) {
      for (let length = path.length; length > 0; length -= 1) {
        const position = find(path.slice(0, length));
        if (position !== undefined) return position;
      }
      return { line: 1, column: 1 };
    },
  };
}

/** Line and column of a key in a TOML text, or undefined if it does not stand there. */
export function locate(text: string, path: KeyPath): KeyPosition | undefined {
  return createLocator(text).find(path);
}

function indexKeys(text: string): Map<string, KeyPosition> {
  const index = new Map<string, KeyPosition>();
  let line = 1;
  let lineStart = 0;
  for (const { path, offset } of listKeys(text)) {
    for (
      let end = text.indexOf('\n', lineStart);
      end >= 0 && end < offset;
      end = text.indexOf('\n', lineStart)
    ) {
      line += 1;
      lineStart = end + 1;
    }
    for (const id of [exactId(path), looseId(path)]) {
      if (!index.has(id)) index.set(id, { line, column: offset - lineStart + 1 });
    }
  }
  return index;
}

function exactId(path: KeyPath): string {
  return `=${JSON.stringify(path)}`;
}

function looseId(path: KeyPath): string {
  return `~${JSON.stringify(path).toLowerCase()}`;
}
