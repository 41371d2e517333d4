import { depthExceeds, propertyOf } from '../../lib/data.js';
import { cleanLine, cutToCharacters } from '../../lib/text/format.js';
import { stripInvisible } from '../../safety/fence.js';
import type { Tool } from '../tool.js';

/**
 * Most tools all servers of an agent offer together; OpenAI takes 128 per request, and built-ins
 * need room.
 */
const MAX_TOOLS = 100;

/** Longest description of a tool, in code points, and largest schema, in characters of JSON. */
const MAX_PART = 16_384;

/**
 * Most characters of names, descriptions and schemas of all tools together: they are sent with
 * every turn.
 */
const MAX_DEFINITIONS = 200_000;

/** A tool as a server lists it; nothing is known of its schema yet. */
export interface OfferedTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
}

/** What a server offers; its `server` is the caller's own. */
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
 * Chooses from what servers offer the tools a model gets: named and described for every provider,
 * few and small enough. The order is that of the servers, within a server by name, whatever order
 * it answers in, so that prompts can be cached. The notes say, for people, which tools of a server
 * are left out and why.
 */
export function chooseTools<Server>(
  offers: readonly Offer<Server>[],
  reserved: ReadonlySet<string>,
  isSchema: SchemaCheck,
) {
  const tools = new Map<string, ChosenTool<Server>>();
  const notes: { readonly server: string; readonly note: string }[] = [];
  let room = MAX_DEFINITIONS;

  /** Takes a tool, or says why it is left out. */
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
      const why = take(offer, offered);
      if (why !== undefined) leftOut.set(why, [...(leftOut.get(why) ?? []), offered.name]);
    }
    for (const [why, names] of leftOut)
      notes.push({ server: offer.name, note: formatNote(why, names) });
  }
  return { tools: [...tools.values()], notes };
}

/** Names of tools that a note names; the rest is counted. */
const MAX_NAMED = 5;

function formatNote(why: string, names: readonly string[]): string {
  const named = names.slice(0, MAX_NAMED).map((name) => `\`${cleanLine(name, MAX_TOOL_NAME)}\``);
  const more = names.length > named.length ? ` and ${names.length - named.length} more` : '';
  return `${named.join(', ')}${more} (left out: ${why})`;
}

/** Says whose words follow: a description is the server's text, and the server may be anybody's. */
function describe(server: string, offered = ''): string {
  const origin = `[MCP server ${cleanLine(server, 64)}]`;
  const text = cutToCharacters(stripInvisible(offered).trim(), MAX_PART - origin.length - 1);
  return `${origin} ${text}`.trim();
}

/** What every provider takes; Gemini wants a letter or `_` at the front. */
const MAX_TOOL_NAME = 64;

/**
 * The name that a tool gets; undefined for none. A tool keeps the server's own name, as in axe,
 * made safe for every provider. A reserved name (a built-in's) is never given away. Where a name is
 * taken, which ends axe's run, the other tool is called `<server>_<tool>`.
 */
function nameTool(
  server: string,
  tool: string,
  reserved: ReadonlySet<string>,
  taken: ReadonlyMap<string, unknown>,
): string | undefined {
  const own = safeName(tool);
  if (reserved.has(own)) return undefined;
  return [own, safeName(`${server}_${tool}`)].find(
    (name) => !reserved.has(name) && !taken.has(name),
  );
}

/** The name in the characters that every provider takes. */
function safeName(tool: string): string {
  const plain = tool.replace(/[^A-Za-z0-9_-]/gu, '_');
  return (/^[A-Za-z_]/.test(plain) ? plain : `_${plain}`).slice(0, MAX_TOOL_NAME);
}

/** An object of which nothing is known yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a schema follows draft 2020-12, which Anthropic holds schemas to. */
type SchemaCheck = (schema: JsonObject) => boolean;

/**
 * Loads the package late: few runs have a server. Only the meta-schema becomes a program, no schema
 * of a server's.
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

/**
 * Most levels of a schema: what walks through it would end the run with one that is nested deeper
 * than the stack.
 */
const MAX_DEPTH = 64;

/**
 * All that is kept at the top: providers refuse a schema whose top is not a plain object, and with
 * it the request.
 */
const TOP_KEYWORDS = ['properties', 'required', 'additionalProperties', '$defs', 'definitions'];

/** Names of arguments that every provider takes (Anthropic: `properties` keys). */
const ARGUMENT_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/**
 * The schema of a tool's arguments as providers take it: the top a plain object without the
 * arguments whose names some provider refuses, text without invisible characters. Undefined where
 * that is not enough: one bad schema would fail every request of the run.
 */
function makeToolSchema(offered: unknown, isSchema: SchemaCheck): Tool['inputSchema'] | undefined {
  if (!isJsonObject(offered) || (offered['type'] ?? 'object') !== 'object') return undefined;
  if (depthExceeds(offered, MAX_DEPTH)) return undefined;
  const top = Object.fromEntries(
    Object.entries(offered).filter(([key]) => TOP_KEYWORDS.includes(key)),
  );
  if (JSON.stringify(top).length > MAX_PART || !isSchema(top)) return undefined;
  // The door: what fits the meta-schema is a schema.
  const { properties: all = {}, required: asked = [] } = top as Partial<Tool['inputSchema']>;
  const properties = Object.fromEntries(
    Object.entries(all).filter(([name]) => ARGUMENT_NAME.test(name)),
  );
  const required = asked.filter((name) => Object.hasOwn(all, name));
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
 * Whether references lead somewhere in the schema, patterns are any, lists of values have one, and
 * arguments that are sent in headers can be (revision 2026-07-28): one of each name, of a plain
 * type.
 */
function hasSafeDetails(schema: JsonObject): boolean {
  const headers: string[] = [];
  let isSafe = true;
  JSON.stringify(schema, function look(this: JsonObject, key, value: unknown) {
    if (key === 'enum' && Array.isArray(value) && value.length === 0) isSafe = false;
    // An argument may have such a name: its value is a schema.
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

/** Whether what follows `#` is the path of a schema (RFC 6901). */
function leadsSomewhere(reference: string, schema: JsonObject): boolean {
  const [document, ...path] = reference.split('/');
  const keyOf = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~');
  const target = path.reduce<unknown>((value, part) => propertyOf(value, keyOf(part)), schema);
  return document === '#' && (isJsonObject(target) || typeof target === 'boolean');
}

/** A JSON value whose strings hold nothing invisible. */
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
