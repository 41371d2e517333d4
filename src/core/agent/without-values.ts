import { isTable } from './schema.js';
import type { KeyPath } from './toml-keys.js';

/**
 * A document without the values at these paths. A list of plain values goes as a whole when one of them does: its other
 * elements would have other numbers.
 */
export function withoutValues(document: unknown, paths: readonly KeyPath[]): unknown {
  return paths.reduce((value, path) => without(value, keyPart(path)), document);
}

/** The path up to the last key: numbers behind it are elements. */
function keyPart(path: KeyPath): KeyPath {
  return path.slice(0, path.findLastIndex((part) => typeof part === 'string') + 1);
}

function without(value: unknown, [key, ...rest]: KeyPath): unknown {
  if (Array.isArray(value)) {
    return value.map((element, index) => (index === key ? without(element, rest) : element));
  }
  if (!isTable(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      if (name !== key) return [[name, inner]];
      return rest.length === 0 ? [] : [[name, without(inner, rest)]];
    }),
  );
}
