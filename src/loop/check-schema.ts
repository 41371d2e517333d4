import { STRUCTURED_LIMITS } from '../lib/defaults.js';
import { ConfigError } from '../lib/errors.js';
import { cleanLine } from '../lib/text/cut.js';
import { grouped } from '../lib/text/number.js';

/** A JSON schema that is an object; whether it is a valid one its compiler says. */
export type SchemaObject = Readonly<Record<string, unknown>>;

/** Longest piece of a schema that is quoted in a message. */
const MAX_QUOTED = 120;

/**
 * Refuses a schema that is too large or too deep, that wants another document (`$ref` to a URL or a file is never
 * followed), or that asks for asynchronous checks. `origin` names the input or key it comes from. Throws a ConfigError.
 */
export function checkSchema(schema: SchemaObject, origin: string): void {
  const { schemaBytes, schemaDepth } = STRUCTURED_LIMITS;
  if (depthExceeds(schema, schemaDepth)) {
    throw new ConfigError(`the JSON schema of ${origin} is nested more than ${schemaDepth} levels deep`, {
      remedy: 'Put inner schemas under `$defs` and refer to them with `$ref: "#/$defs/name"`.',
    });
  }
  const bytes = new TextEncoder().encode(JSON.stringify(schema)).length;
  if (bytes > schemaBytes) {
    throw new ConfigError(
      `the JSON schema of ${origin} is too large: ${grouped(bytes)} bytes, at most ${grouped(schemaBytes)}`,
      { remedy: 'Ask for less, or leave out descriptions and examples.' },
    );
  }
  for (const part of subschemas(schema)) {
    for (const [keyword, value] of Object.entries(part)) {
      if (REFERENCES.includes(keyword)) checkReference(keyword, value, origin);
      if (keyword === '$async' && value !== false) {
        throw new ConfigError(
          `the JSON schema of ${origin} uses \`$async\`, which JSON Schema does not have`,
          { remedy: 'Remove `$async`.' },
        );
      }
    }
  }
}

/** Whether a JSON value is nested deeper than so many levels; a plain value has none. */
export function depthExceeds(value: unknown, maxDepth: number): boolean {
  let level = [value].filter(isNested);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxDepth) return true;
    level = level.flatMap((one): unknown[] => Object.values(one)).filter(isNested);
  }
  return false;
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Keywords whose values are schemas by names of the user's. */
const NAMED = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'];

/** Keywords whose values are examples of what is described. */
const VALUES = ['const', 'enum', 'default', 'examples'];

const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];

/** A schema and every schema inside it; examples of what is described are none. Its depth was checked. */
function* subschemas(schema: unknown): Generator<SchemaObject> {
  if (Array.isArray(schema)) {
    for (const one of schema) yield* subschemas(one);
  } else if (isNested(schema)) {
    const entries = Object.entries(schema);
    yield Object.fromEntries(entries);
    for (const [keyword, value] of entries) {
      if (NAMED.includes(keyword) && isNested(value)) {
        for (const one of Object.values(value)) yield* subschemas(one);
      } else if (!VALUES.includes(keyword)) {
        yield* subschemas(value);
      }
    }
  }
}

function checkReference(keyword: string, value: unknown, origin: string): void {
  if (typeof value !== 'string' || value.startsWith('#')) return;
  const quoted = cleanLine(JSON.stringify(value), MAX_QUOTED);
  throw new ConfigError(
    `the JSON schema of ${origin} refers to another document: \`${keyword}\` is ${quoted}`,
    { remedy: 'Copy what it refers to under `$defs` and write `#/$defs/name`: no document is fetched.' },
  );
}
