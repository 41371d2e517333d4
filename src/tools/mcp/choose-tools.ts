import { depthExceeds, propertyOf } from '../../lib/data.js';
import { cleanLine, cutToCharacters } from '../../lib/text/format.js';
import { stripInvisible } from '../../safety/fence.js';
import type { Tool } from '../tool.js';

/**
 * Limit for the tools of all servers of an agent together. OpenAI takes 128 per request, and
 * built-in tools need room.
 */
const MAX_TOOLS = 100;

/** Longest description of a tool, in code points, and largest schema, in characters of JSON. */
const MAX_PART = 16_384;

/**
 * Limit for the characters of all names, descriptions and schemas: they are sent with every turn.
 */
const MAX_DEFINITIONS = 200_000;

/** A tool as a server lists it; its schema is not checked yet. */
export interface OfferedTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
}

/** The tools of a server; `server` is the caller's own object for it. */
export interface Offer<Server> {
  readonly name: string;
  readonly server: Server;
  readonly tools: readonly OfferedTool[];
}

export interface ChosenTool<Server> {
  readonly server: Server;
  /** The server's own name for it. */
  readonly tool: string;
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Tool['inputSchema'];
}

/**
 * Chooses the tools a model gets from those that servers offer, and makes their names and
 * descriptions fit for every provider. The order is fixed, so that prompts can be cached: that of
 * the servers, and by name within a server. The notes tell people which tools of a server are left
 * out and why.
 */
export function chooseTools<Server>(
  offers: readonly Offer<Server>[],
  reserved: ReadonlySet<string>,
  isSchema: SchemaCheck,
) {
  const tools = new Map<string, ChosenTool<Server>>();
  const notes: { readonly server: string; readonly note: string }[] = [];
  let room = MAX_DEFINITIONS;

  /** Returns the reason if the tool is left out. */
  function take({ name: origin, server }: Offer<Server>, offered: OfferedTool): string | undefined {
    const name = nameTool(origin, offered.name, reserved, tools);
    if (name === undefined) return 'another tool has the same name';
    const inputSchema = makeToolSchema(offered.inputSchema, isSchema);
    if (inputSchema === undefined) return 'not every provider accepts its schema';

    const description = describe(origin, offered.description);
    const size = name.length + description.length + JSON.stringify(inputSchema).length;
    if (tools.size === MAX_TOOLS || size > room)
      return `all servers together offer at most ${MAX_TOOLS} tools, and ${MAX_DEFINITIONS} characters of names, descriptions and schemas`;
    room -= size;
    tools.set(name, { server, tool: offered.name, name, description, inputSchema });
    return undefined;
  }

  for (const offer of offers) {
    const leftOut = new Map<string, string[]>();
    for (const offered of offer.tools.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const reason = take(offer, offered);
      if (reason !== undefined) leftOut.set(reason, [...(leftOut.get(reason) ?? []), offered.name]);
    }
    for (const [reason, names] of leftOut)
      notes.push({ server: offer.name, note: formatNote(reason, names) });
  }
  return { tools: [...tools.values()], notes };
}

/** Tools that a note lists by name; the rest is counted. */
const MAX_NAMED = 5;

function formatNote(reason: string, names: readonly string[]): string {
  const named = names.slice(0, MAX_NAMED).map((name) => `\`${cleanLine(name, MAX_TOOL_NAME)}\``);
  const more = names.length > named.length ? ` and ${names.length - named.length} more` : '';
  return `${named.join(', ')}${more} (left out: ${reason})`;
}

/** Names the author of the description: it is the server's text, and a server can be anybody's. */
function describe(server: string, offered = ''): string {
  const origin = `[MCP server ${cleanLine(server, 64)}]`;
  const text = cutToCharacters(stripInvisible(offered).trim(), MAX_PART - origin.length - 1);
  return `${origin} ${text}`.trim();
}

/** The length that every provider takes; Gemini also wants a letter or `_` at the start. */
const MAX_TOOL_NAME = 64;

/**
 * The name for a tool; undefined if there is none. A tool keeps the server's own name, as in axe,
 * made safe for every provider. It never gets a reserved name (a built-in's). If the name is used,
 * which ends axe's run, the tool is called `<server>_<tool>`.
 */
function nameTool(
  server: string,
  tool: string,
  reserved: ReadonlySet<string>,
  usedNames: ReadonlyMap<string, unknown>,
): string | undefined {
  const plainName = safeName(tool);
  if (reserved.has(plainName)) return undefined;
  return [plainName, safeName(`${server}_${tool}`)].find(
    (name) => !reserved.has(name) && !usedNames.has(name),
  );
}

/** Replaces the characters that not every provider takes. */
function safeName(tool: string): string {
  const plain = tool.replace(/[^A-Za-z0-9_-]/gu, '_');
  return (/^[A-Za-z_]/.test(plain) ? plain : `_${plain}`).slice(0, MAX_TOOL_NAME);
}

/** An object whose members are not checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for a schema that follows draft 2020-12: Anthropic refuses others. */
type SchemaCheck = (schema: JsonObject) => boolean;

/**
 * The package is imported late, because few runs have a server. Ajv compiles only the meta-schema,
 * never a server's schema.
 */
export async function loadSchemaCheck(): Promise<SchemaCheck> {
  const { default: draft2020 } = await import('ajv/dist/2020.js');
  const ajv = new draft2020.Ajv2020({ strict: false, validateFormats: false, logger: false });
  return (schema) => ajv.validateSchema({ ...schema }) === true;
}

function isPattern(value: string): boolean {
  try {
    return new RegExp(value).source !== '';
  } catch {
    return false;
  }
}

/** Limit for the levels of a schema: deep nesting would overflow the stack and end the run. */
const MAX_DEPTH = 64;

/**
 * The keywords that stay at the top: if the top of a schema is not a plain object, providers refuse
 * the whole request.
 */
const TOP_KEYWORDS = ['properties', 'required', 'additionalProperties', '$defs', 'definitions'];

/** Names of arguments that every provider takes (Anthropic: `properties` keys). */
const ARGUMENT_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/**
 * The schema of a tool's arguments as all providers take it: a plain object at the top, no argument
 * with a name that some provider refuses, no invisible characters. Undefined if it cannot be made
 * so: one bad schema would fail every request of the run.
 */
function makeToolSchema(offered: unknown, isSchema: SchemaCheck): Tool['inputSchema'] | undefined {
  if (!isJsonObject(offered) || (offered['type'] ?? 'object') !== 'object') return undefined;
  if (depthExceeds(offered, MAX_DEPTH)) return undefined;

  const top = Object.fromEntries(
    Object.entries(offered).filter(([key]) => TOP_KEYWORDS.includes(key)),
  );
  if (JSON.stringify(top).length > MAX_PART || !isSchema(top)) return undefined;

  // The cast is sound: the meta-schema was checked.
  const { properties: all = {}, required: requiredNames = [] } = top as Partial<
    Tool['inputSchema']
  >;
  const properties = Object.fromEntries(
    Object.entries(all).filter(([name]) => ARGUMENT_NAME.test(name)),
  );
  const required = requiredNames.filter((name) => Object.hasOwn(all, name));
  if (required.some((name) => !Object.hasOwn(properties, name))) return undefined;

  const schema = {
    type: 'object',
    ...top,
    properties,
    required: required.length > 0 ? required : undefined,
  };
  if (!hasSafeDetails(schema)) return undefined;
  return clean(schema) as Tool['inputSchema'];
}

const HEADER = /^[\w!#$%&'*+.^`|~-]+$/;
const PLAIN = ['string', 'integer', 'boolean'];

/**
 * References must lead to a part of the schema, patterns must compile, and lists of values must not
 * be empty. Arguments that are sent in headers (revision 2026-07-28) must have different header
 * names and a plain type.
 */
function hasSafeDetails(schema: JsonObject): boolean {
  const headers: string[] = [];
  let isSafe = true;
  JSON.stringify(schema, function look(this: JsonObject, key, value: unknown) {
    if (key === 'enum' && Array.isArray(value) && value.length === 0) isSafe = false;
    // An object is the schema of an argument with that name.
    if (key === 'x-mcp-header' && !isJsonObject(value)) {
      const header = String(value).toLowerCase();
      const isPlain = typeof value === 'string' && PLAIN.includes(String(this['type']));
      if (!isPlain || !HEADER.test(header) || headers.includes(header)) isSafe = false;
      headers.push(header);
    }
    if (typeof value !== 'string') return value;
    if (key === '$ref' && !leadsSomewhere(value, schema)) isSafe = false;
    if (key === 'pattern' && !isPattern(value)) isSafe = false;
    return value;
  });
  return isSafe;
}

/** The part after `#` must be the path of a schema (RFC 6901). */
function leadsSomewhere(reference: string, schema: JsonObject): boolean {
  const [document, ...path] = reference.split('/');
  const keyOf = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~');
  const target = path.reduce<unknown>((value, part) => propertyOf(value, keyOf(part)), schema);
  return document === '#' && (isJsonObject(target) || typeof target === 'boolean');
}

/** A JSON value without invisible characters in its strings. */
function clean(value: unknown): unknown {
  if (typeof value === 'string') return stripInvisible(value);
  if (Array.isArray(value)) return value.map(clean);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [stripInvisible(key), clean(item)]),
  );
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
