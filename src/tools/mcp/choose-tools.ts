import { createHash } from 'node:crypto';
import { messageOf } from '../../lib/errors.js';
import { cleanLine } from '../../lib/text/cut.js';
import { stripInvisible } from '../../safety/hidden.js';
import type { Tool } from '../tool.js';
import { isJsonObject, makeToolSchema, type SchemaCheck } from './tool-schema.js';

/** Most tools all servers of an agent offer together; OpenAI takes 128 per request, and built-ins need room. */
const MAX_TOOLS = 100;

/** Longest description of a tool, in code points: it is sent with every turn. */
const MAX_DESCRIPTION = 16_384;

/** Most characters of names, descriptions and schemas of all tools together: they are sent with every turn. */
const MAX_DEFINITIONS = 200_000;

/** What a server offers, unchecked. */
export interface Offer {
  readonly server: string;
  readonly tools: readonly unknown[];
}

export interface ChosenTool {
  readonly server: string;
  /** The server's own name for it. */
  readonly tool: string;
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Tool['inputSchema'];
}

/**
 * Chooses from what servers offer the tools a model gets: checked, named, few and small enough for every provider. The
 * order is that of the servers, within a server by name, whatever order it answers in, so that prompts can be cached.
 * No server's lies cost another one's tools.
 */
export function chooseTools(offers: readonly Offer[], reserved: ReadonlySet<string>, findFault: SchemaCheck) {
  const notes = createNotes();
  const owners = new Map<string, CheckedTool>();
  const named: ChosenTool[] = [];
  for (const tool of offers.flatMap((offer) => checkTools(offer, findFault, notes))) {
    const { name, note } = nameTool(tool, reserved, owners);
    if (note !== undefined)
      notes.add(tool.server, note, name === undefined ? tool.tool : `${tool.tool} as ${name}`);
    if (name === undefined) continue;
    owners.set(name, tool);
    named.push({ ...tool, name });
  }
  const leaveOut = (why: string) => (tool: ChosenTool) =>
    notes.add(tool.server, `(left out: ${why})`, tool.tool);
  const tooMany = leaveOut(`all servers together may offer ${MAX_TOOLS} tools`);
  const tooLarge = leaveOut('descriptions and schemas take too much room in every request');
  const few = withinShares(named, MAX_TOOLS, () => 1, tooMany);
  const small = withinShares(few, MAX_DEFINITIONS, sizeOf, tooLarge);
  return { tools: small, notes: notes.all() };
}

type CheckedTool = Omit<ChosenTool, 'name'>;

function checkTools(
  { server, tools }: Offer,
  findFault: SchemaCheck,
  notes: ReturnType<typeof createNotes>,
): readonly CheckedTool[] {
  const checked = tools.flatMap((tool) => {
    const name = isJsonObject(tool) && typeof tool['name'] === 'string' ? tool['name'] : '';
    if (!isJsonObject(tool) || name === '') {
      notes.add(server, '(left out: without a name)', '');
      return [];
    }
    try {
      const inputSchema = makeToolSchema(tool['inputSchema'], findFault);
      return [{ server, tool: name, description: describe(server, tool['description']), inputSchema }];
    } catch (thrown) {
      notes.add(server, `(left out: ${messageOf(thrown)})`, name);
      return [];
    }
  });
  return checked.sort((a, b) => (a.tool < b.tool ? -1 : Number(a.tool > b.tool)));
}

/** Says whose words follow: a description is the server's text, and the server may be anybody's. */
function describe(server: string, offered: unknown): string {
  const origin = `[MCP server ${cleanLine(server, 64)}]`;
  const points = Array.from(stripInvisible(typeof offered === 'string' ? offered : '').trim());
  const room = MAX_DESCRIPTION - origin.length - 2;
  const text = points.length > room ? `${points.slice(0, room).join('').trimEnd()}…` : points.join('');
  return `${origin} ${text}`.trim();
}

/** The tools that fit; a server that wants less than its even share leaves the rest to the others. */
function withinShares<T extends CheckedTool>(
  tools: readonly T[],
  total: number,
  cost: (tool: T) => number,
  onLeftOut: (tool: T) => void,
): readonly T[] {
  const wants = new Map<string, number>();
  for (const tool of tools) wants.set(tool.server, (wants.get(tool.server) ?? 0) + cost(tool));
  const left = new Map<string, number>();
  let room = total;
  let servers = wants.size;
  for (const [server, want] of [...wants].sort(([, a], [, b]) => a - b)) {
    const share = Math.min(want, Math.floor(room / servers));
    left.set(server, share);
    room -= share;
    servers -= 1;
  }
  return tools.filter((tool) => {
    const rest = (left.get(tool.server) ?? 0) - cost(tool);
    if (rest < 0) onLeftOut(tool);
    else left.set(tool.server, rest);
    return rest >= 0;
  });
}

function sizeOf({ name, description, inputSchema }: ChosenTool): number {
  return name.length + description.length + JSON.stringify(inputSchema).length;
}

/** One note per server and kind of trouble, with the first few names; a server's last note counts all other kinds. */
function createNotes() {
  const tools = new Map<string, Map<string, string[]>>();
  return {
    add(server: string, what: string, tool: string): void {
      const kinds = tools.get(server) ?? new Map<string, string[]>();
      const kind = kinds.has(what) || kinds.size < MAX_NOTES - 1 ? what : OTHER_KINDS;
      const named = kinds.get(kind) ?? [];
      named.push(tool);
      tools.set(server, kinds.set(kind, named));
    },
    all: () =>
      [...tools].flatMap(([server, kinds]) =>
        [...kinds].map(([what, named]) => ({ server, note: formatNote(what, named) })),
      ),
  };
}

/** Most notes about one server. */
const MAX_NOTES = 10;

const OTHER_KINDS = '(left out or changed for other reasons)';

const MAX_NAMED = 5;
const MAX_NAME = 64;

function formatNote(what: string, tools: readonly string[]): string {
  const names = tools.slice(0, MAX_NAMED).map((tool) => cleanLine(tool.slice(0, 4 * MAX_NAME), MAX_NAME));
  const shown = names.filter((name) => name !== '').map((name) => `\`${name}\``);
  const more = tools.length - shown.length;
  if (shown.length === 0) return `${tools.length} tools ${what}`;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''} ${what}`;
}

/** What every provider takes; Gemini wants a letter or `_` at the front. */
const MAX_TOOL_NAME = 64;
const HASH_DIGITS = 7;

/**
 * The name that a tool gets, and a note for people where it is another one or none. A tool keeps the server's own name, as
 * in axe, made safe for every provider. A reserved name (a built-in's) is never given away. Where two servers offer the
 * same name, which ends axe's run, the first keeps it and the other's tool is called `<server>_<tool>`.
 */
function nameTool(
  { server, tool }: CheckedTool,
  reserved: ReadonlySet<string>,
  owners: ReadonlyMap<string, CheckedTool>,
): { readonly name?: string; readonly note?: string } {
  const name = safeName(tool);
  if (reserved.has(name)) return { note: '(left out: a built-in tool has the same name)' };
  const owner = owners.get(name);
  if (owner === undefined) return { name };
  if (owner.server === server)
    return {
      note:
        owner.tool === tool
          ? '(left out: offered more than once)'
          : '(left out: another tool of the server has the same name)',
    };
  const prefixed = safeName(`${server}_${tool}`);
  return reserved.has(prefixed) || owners.has(prefixed)
    ? { note: '(left out: other tools have the same name)' }
    : { name: prefixed, note: '(renamed: another server offers the same name)' };
}

/** The name in the characters that every provider takes; what is cut of it is hashed, so that two long ones differ. */
function safeName(tool: string): string {
  const plain = tool.replace(/[^A-Za-z0-9_-]/gu, '_');
  const name = /^[A-Za-z_]/.test(plain) ? plain : `_${plain}`;
  if (name.length <= MAX_TOOL_NAME) return name;
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, HASH_DIGITS);
  return `${name.slice(0, MAX_TOOL_NAME - HASH_DIGITS - 1)}_${hash}`;
}
