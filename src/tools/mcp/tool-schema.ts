import { stripInvisible } from '../../safety/hidden.js';
import type { Tool } from '../tool.js';

/** An object of which nothing is known yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Largest JSON schema of a tool, in characters of JSON. */
const MAX_SCHEMA = 16_384;

/** Deepest nesting of its JSON; each argument in another is two levels. */
const MAX_DEPTH = 64;

/** Names of arguments that every provider takes (Anthropic: `properties` keys). */
const ARGUMENT_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/** All that is kept at the top: providers refuse a schema whose top is not a plain object, and with it the request. */
const TOP_KEYWORDS = ['properties', 'required', 'additionalProperties', '$defs', 'definitions'];

/** Where a schema breaks draft 2020-12, which Anthropic holds schemas to; undefined if nowhere. */
export type SchemaCheck = (schema: JsonObject) => string | undefined;

/** Loads the package late: few runs have a server. Only the meta-schema becomes a program, no schema of a server's. */
export async function loadSchemaCheck(): Promise<SchemaCheck> {
  const { default: draft2020 } = await import('ajv/dist/2020.js');
  const ajv = new draft2020.Ajv2020({ strict: false, validateFormats: false, logger: false });
  return (schema) => {
    if (ajv.validateSchema({ ...schema }) === true) return undefined;
    return `schema${ajv.errors?.[0]?.instancePath.replaceAll('/', '.') ?? ''}`;
  };
}

/**
 * The schema of a tool's arguments as providers take it: the top a plain object, text without invisible characters.
 * One bad schema would fail every request of the run, so all that cannot be fixed throws an Error that says where.
 */
export function makeToolSchema(offered: unknown, findFault: SchemaCheck): Tool['inputSchema'] {
  if (!isJsonObject(offered)) throw new Error('its schema is not an object');
  if (offered['type'] !== undefined && offered['type'] !== 'object') {
    throw new Error('its schema does not describe an object');
  }
  const top = Object.fromEntries(Object.entries(offered).filter(([key]) => TOP_KEYWORDS.includes(key)));
  const size = JSON.stringify(top).length;
  if (size > MAX_SCHEMA) throw new Error(`its schema has ${size} characters; ${MAX_SCHEMA} is the limit`);
  const fault = findFault(top);
  if (fault !== undefined) throw wrong(fault);
  const schema = clean({ type: 'object', ...withSafeArguments(top) }) as JsonObject;
  refuseDetails(schema, schema, 'schema');
  // The door: what fits the meta-schema is a schema.
  return schema as Tool['inputSchema'];
}

/** Arguments whose names some provider refuses are left out; the tool itself is no use if it requires one. */
function withSafeArguments(top: JsonObject): JsonObject {
  const properties = isJsonObject(top['properties']) ? top['properties'] : {};
  const kept = Object.entries(properties).filter(([name]) => ARGUMENT_NAME.test(name));
  const names = new Set(kept.map(([name]) => name));
  const required = Array.isArray(top['required']) ? top['required'].map(String) : [];
  const lost = required.find((name) => Object.hasOwn(properties, name) && !names.has(name));
  if (lost !== undefined) {
    const shown = JSON.stringify(lost.slice(0, 80));
    throw new Error(`its schema requires the argument ${shown}, a name that not every provider accepts`);
  }
  const known = required.filter((name) => names.has(name));
  const { properties: _, required: __, ...others } = top;
  return {
    properties: Object.fromEntries(kept),
    ...(known.length === 0 ? {} : { required: known }),
    ...others,
  };
}

/** A JSON value whose strings hold nothing invisible. */
function clean(value: unknown): unknown {
  if (typeof value === 'string') return stripInvisible(value);
  if (Array.isArray(value)) return value.map(clean);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [stripInvisible(key), clean(item)]));
}

/** Keywords whose values are data and no schemas. */
const DATA = new Set(['const', 'default', 'examples', 'enum']);

/** Refuses what the meta-schema allows and a provider does not. */
function refuseDetails(
  value: unknown,
  root: JsonObject,
  where: string,
  depth = 0,
  headers = new Set<string>(),
): void {
  if (depth > MAX_DEPTH) throw new Error(`its schema is nested more than ${MAX_DEPTH} deep`);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    const at = `${where}.${key}`;
    const isBroken =
      (key === '$ref' && typeof item === 'string' && !leadsSomewhere(item, root)) ||
      (key === 'pattern' && typeof item === 'string' && !isPattern(item)) ||
      (key === 'enum' && Array.isArray(item) && item.length === 0);
    if (isBroken) throw wrong(at);
    const isArgument = where.endsWith('.properties');
    if (key === 'x-mcp-header' && !isArgument && !isHeader(item, value, headers))
      throw new Error(
        `its schema wants an argument in a header that cannot be sent, at \`${at.slice(0, 120)}\``,
      );
    if (!DATA.has(key) || isArgument) refuseDetails(item, root, at, depth + 1, headers);
  }
}

/** Whether an argument can be in the header of this name (revision 2026-07-28): one of each name, of a plain type. */
function isHeader(name: unknown, schema: object, headers: Set<string>): boolean {
  if (typeof name !== 'string' || !/^[\w!#$%&'*+.^`|~-]+$/.test(name) || headers.has(name.toLowerCase()))
    return false;
  headers.add(name.toLowerCase());
  return 'type' in schema && ['string', 'integer', 'boolean'].includes(String(schema.type));
}

/** Whether a JSON pointer (RFC 6901) behind `#` names a schema. */
function leadsSomewhere(reference: string, root: JsonObject): boolean {
  if (!reference.startsWith('#')) return false;
  let value: unknown = root;
  for (const part of reference.replace(/^#\/?/, '').split('/').filter(Boolean)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) value = value[Number(key)];
    else value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return isJsonObject(value) || typeof value === 'boolean';
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPattern(value: string): boolean {
  return ['u', ''].some((flags) => {
    try {
      return new RegExp(value, flags).source !== '';
    } catch {
      return false;
    }
  });
}

function wrong(where: string): Error {
  return new Error(`its schema is not a JSON schema at \`${where.slice(0, 120)}\``);
}
