import type { GenericSchema } from 'valibot';
import { isTable, type TomlTable } from './schema.js';
import type { KeyPath } from './toml-keys.js';

/** A document under the names the schema knows, and what did not fit. */
export interface MatchedKeys {
  readonly value: unknown;
  /** Keys the schema does not know, as they are written. */
  readonly unknown: readonly UnknownKey[];
  /** Tables that hold one key twice, in different case. */
  readonly repeated: readonly RepeatedKey[];
  /** Where a table should stand and something else does. */
  readonly notTables: readonly { readonly path: KeyPath; readonly value: unknown }[];
}

/** A key nobody reads. */
export interface UnknownKey {
  readonly path: KeyPath;
  /** The keys that may be in the same table. */
  readonly known: readonly string[];
}

/** Two keys that are one, because case does not count. */
export interface RepeatedKey {
  readonly path: KeyPath;
  readonly first: KeyPath;
}

type Findings = {
  readonly unknown: UnknownKey[];
  readonly repeated: RepeatedKey[];
  readonly notTables: { path: KeyPath; value: unknown }[];
};

/**
 * Renames the keys of a TOML document to the schema's, whatever their case (D3), and drops unknown ones. Tables whose
 * keys are the user's own (`headers`, a JSON schema) are left as they are.
 */
export function matchKeys(schema: GenericSchema, document: TomlTable): MatchedKeys {
  const findings: Findings = { unknown: [], repeated: [], notTables: [] };
  const value = matchValue(schema, document, [], findings);
  return { value, ...findings };
}

function matchValue(schema: unknown, value: unknown, path: KeyPath, findings: Findings): unknown {
  const shape = shapeOf(schema, value);
  if (shape === undefined) return value;
  if (shape.kind === 'list') {
    if (!Array.isArray(value)) return value;
    return value.map((item, index) => matchValue(shape.item, item, [...path, index], findings));
  }
  if (isTable(value)) return matchTable(shape.entries, value, path, findings);
  findings.notTables.push({ path, value });
  return {};
}

function matchTable(
  entries: ReadonlyMap<string, unknown>,
  table: TomlTable,
  path: KeyPath,
  findings: Findings,
): TomlTable {
  const matched = new Map<string, unknown>();
  const written = new Map<string, string>();
  for (const [key, value] of Object.entries(table)) {
    const name = key.toLowerCase();
    const first = written.get(name);
    if (!entries.has(name)) {
      findings.unknown.push({ path: [...path, key], known: [...entries.keys()] });
    } else if (first !== undefined) {
      findings.repeated.push({ path: [...path, key], first: [...path, first] });
    } else {
      written.set(name, key);
      matched.set(name, matchValue(entries.get(name), value, [...path, key], findings));
    }
  }
  return Object.fromEntries(matched);
}

type Shape =
  | { readonly kind: 'table'; readonly entries: ReadonlyMap<string, unknown> }
  | { readonly kind: 'list'; readonly item: unknown };

/** What a schema says of the keys below a value; undefined where it says nothing. */
function shapeOf(schema: unknown, value: unknown): Shape | undefined {
  if (typeof schema !== 'object' || schema === null || !('type' in schema)) return undefined;
  if (schema.type === 'optional' && 'wrapped' in schema) return shapeOf(schema.wrapped, value);
  if (schema.type === 'lazy' && 'getter' in schema && typeof schema.getter === 'function') {
    return shapeOf(schema.getter(value), value);
  }
  if (schema.type === 'array' && 'item' in schema) return { kind: 'list', item: schema.item };
  if (schema.type === 'object' && 'entries' in schema && typeof schema.entries === 'object') {
    return { kind: 'table', entries: new Map(Object.entries(schema.entries ?? {})) };
  }
  return undefined;
}
