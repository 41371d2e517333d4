import { stripInvisible } from '../../safety/hidden.js';
import type { Tool } from '../tool.js';

type Schema = Tool['inputSchema'];
type Table = Readonly<Record<string, unknown>>;

/** Largest JSON schema of a tool, in characters of JSON. */
const MAX_SCHEMA = 16_384;

/** Deepest nesting of a schema. */
const MAX_DEPTH = 32;

/** Names of arguments that every provider takes (Anthropic: `properties` keys). */
const ARGUMENT_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/** All that is kept at the top: providers refuse a schema whose top is not a plain object, and with it the request. */
const TOP_KEYWORDS = ['properties', 'required', 'additionalProperties', '$defs', 'definitions'];

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

/**
 * The schema of a tool's arguments as providers take it: the top a plain object, text without invisible characters.
 * One bad schema would fail every request of the run, so all that cannot be fixed throws an Error that says where.
 */
export function makeToolSchema(offered: unknown): Schema {
  if (!isJsonObject(offered)) throw new Error('its schema is not an object');
  if (offered['type'] !== undefined && offered['type'] !== 'object') {
    throw new Error('its schema does not describe an object');
  }
  const top = Object.fromEntries(Object.entries(offered).filter(([key]) => TOP_KEYWORDS.includes(key)));
  const size = JSON.stringify(top).length;
  if (size > MAX_SCHEMA) throw new Error(`its schema has ${size} characters; ${MAX_SCHEMA} is the limit`);
  checkSchema(top, 'schema', 0);
  const schema = clean({ type: 'object', ...withSafeArguments(top) });
  if (!isJsonObject(schema)) throw wrong('schema');
  checkReferences(schema, schema);
  // The door: what has been checked keyword by keyword is a schema.
  return schema as Schema;
}

/** Arguments whose names some provider refuses are left out; the tool itself is no use if it requires one. */
function withSafeArguments(top: Table): Table {
  const properties = isJsonObject(top['properties']) ? top['properties'] : {};
  const kept = Object.entries(properties).filter(([name]) => ARGUMENT_NAME.test(name));
  const names = new Set(kept.map(([name]) => name));
  const required = Array.isArray(top['required']) ? top['required'].map(String) : [];
  const lost = required.find((name) => Object.hasOwn(properties, name) && !names.has(name));
  if (lost !== undefined) {
    const shown = JSON.stringify(lost.slice(0, 80));
    throw new Error(`its schema requires the argument ${shown}, a name that not every provider takes`);
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

/** A reference has to lead somewhere inside the schema. */
function checkReferences(value: unknown, root: Table): void {
  if (Array.isArray(value)) for (const item of value) checkReferences(item, root);
  if (!isJsonObject(value)) return;
  for (const [key, item] of Object.entries(value)) {
    if (key === '$ref' && isText(item) && !leadsSomewhere(item, root)) throw wrong(`schema $ref ${item}`);
    checkReferences(item, root);
  }
}

/** Whether a JSON pointer (RFC 6901) behind `#` names a schema. */
function leadsSomewhere(reference: string, root: Table): boolean {
  let value: unknown = root;
  for (const part of reference.replace(/^#\/?/, '').split('/').filter(Boolean)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) value = value[Number(key)];
    else value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return isJsonObject(value) || typeof value === 'boolean';
}

/** What the keywords of JSON schema (draft 7 and 2020-12) have to hold; others are let through. */
function checkSchema(schema: unknown, where: string, depth: number): void {
  if (depth > MAX_DEPTH) throw new Error(`its schema is nested more than ${MAX_DEPTH} deep`);
  if (typeof schema === 'boolean') return;
  if (!isJsonObject(schema)) throw wrong(where);
  for (const [keyword, value] of Object.entries(schema)) {
    const at = `${where}.${keyword}`;
    const inner = (sub: unknown, name: string | number): void => checkSchema(sub, `${at}.${name}`, depth + 1);
    if (SCHEMAS_BY_NAME.has(keyword)) {
      if (!isJsonObject(value)) throw wrong(at);
      for (const [name, sub] of Object.entries(value)) inner(sub, name);
    } else if (SCHEMA_LISTS.has(keyword) || (keyword === 'items' && Array.isArray(value))) {
      if (!Array.isArray(value) || value.length === 0) throw wrong(at);
      for (const [index, sub] of value.entries()) inner(sub, index);
    } else if (SCHEMAS.has(keyword)) checkSchema(value, at, depth + 1);
    else if (PLAIN.get(keyword)?.(value) === false) throw wrong(at);
  }
}

const SCHEMAS_BY_NAME = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
const SCHEMA_LISTS = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const SCHEMAS = new Set([
  'items',
  'additionalProperties',
  'additionalItems',
  'propertyNames',
  'contains',
  'not',
  'if',
  'then',
  'else',
]);

const PLAIN: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['type', (value) => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType))],
  ['required', (value) => Array.isArray(value) && value.every(isText)],
  ['enum', (value) => Array.isArray(value) && value.length > 0],
  ['pattern', (value) => isText(value) && isPattern(value)],
  ['$ref', (value) => isText(value) && value.startsWith('#')],
  ['title', isText],
  ['description', isText],
  ['format', isText],
  ['minimum', isNumber],
  ['maximum', isNumber],
  ['exclusiveMinimum', isNumber],
  ['exclusiveMaximum', isNumber],
  ['multipleOf', (value) => isNumber(value) && value > 0],
  ['minLength', isCount],
  ['maxLength', isCount],
  ['minItems', isCount],
  ['maxItems', isCount],
  ['minProperties', isCount],
  ['maxProperties', isCount],
  ['uniqueItems', (value) => typeof value === 'boolean'],
]);

export function isJsonObject(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isType(value: unknown): boolean {
  return isText(value) && TYPES.includes(value);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0;
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
