import { messageOf } from '../../lib/errors.js';
import { cleanLine } from '../../lib/text/cut.js';
import { stripInvisible } from '../../safety/hidden.js';
import type { Tool } from '../tool.js';
import { isJsonObject, makeToolSchema } from './tool-schema.js';

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

const NO_NAME = '(left out: without a name)';

/**
 * Chooses from what servers offer the tools a model gets: checked, named, few and small enough for every provider. The
 * order is that of the servers, within a server by name, whatever order it answers in, so that prompts can be cached.
 * No server's lies cost another one's tools.
 */
export function chooseTools(offers: readonly Offer[], reserved: ReadonlySet<string>) {
  const notes = createNotes();
  const checked = offers.flatMap((offer) => checkTools(offer, notes));
  const names = nameTools(checked, reserved);
  const named = checked.flatMap((tool, index) => {
    const result = names[index];
    if (result === undefined) return [];
    const label = result.kind === 'named' ? `${tool.tool} as ${result.name}` : tool.tool;
    if (result.note !== undefined) notes.add(tool.server, NAME_NOTES[result.note], label);
    return result.kind === 'named' ? [{ ...tool, name: result.name }] : [];
  });
  const leaveOut = (why: string) => (tool: ChosenTool) =>
    notes.add(tool.server, `(left out: ${why})`, tool.tool);
  const tooMany = leaveOut(`all servers together may offer ${MAX_TOOLS} tools`);
  const tooLarge = leaveOut('descriptions and schemas take too much room in every request');
  const few = withinShares(named, MAX_TOOLS, () => 1, tooMany);
  const small = withinShares(few, MAX_DEFINITIONS, sizeOf, tooLarge);
  return { tools: small, notes: notes.all() };
}

const NAME_NOTES = {
  prefixed: '(renamed: another server offers the same name)',
  'built-in': '(left out: a built-in tool has the same name)',
  duplicate: '(left out: offered more than once)',
  taken: '(left out: other tools have the same name)',
  'no-name': NO_NAME,
} as const;

type CheckedTool = Omit<ChosenTool, 'name'>;

function checkTools({ server, tools }: Offer, notes: ReturnType<typeof createNotes>): readonly CheckedTool[] {
  const checked = tools.flatMap((tool) => {
    const name = isJsonObject(tool) && typeof tool['name'] === 'string' ? tool['name'] : '';
    if (!isJsonObject(tool) || name === '') {
      notes.add(server, NO_NAME, '');
      return [];
    }
    try {
      const inputSchema = makeToolSchema(tool['inputSchema']);
      const description = describe(server, tool['description']);
      if (description.isCut) notes.add(server, `(description cut to ${MAX_DESCRIPTION} characters)`, name);
      return [{ server, tool: name, description: description.text, inputSchema }];
    } catch (thrown) {
      notes.add(server, `(left out: ${messageOf(thrown)})`, name);
      return [];
    }
  });
  return checked.sort((a, b) => (a.tool < b.tool ? -1 : Number(a.tool > b.tool)));
}

/** Says whose words follow: a description is the server's text, and the server may be anybody's. */
function describe(server: string, offered: unknown): { readonly text: string; readonly isCut: boolean } {
  const origin = `[MCP server ${cleanLine(server, 64)}]`;
  const points = Array.from(stripInvisible(typeof offered === 'string' ? offered : '').trim());
  const room = MAX_DESCRIPTION - origin.length - 2;
  const isCut = points.length > room;
  const text = isCut ? `${points.slice(0, room).join('').trimEnd()}…` : points.join('');
  return { text: `${origin} ${text}`.trim(), isCut };
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
  const groups = new Map<
    string,
    { readonly server: string; readonly what: string; readonly tools: string[] }
  >();
  return {
    add(server: string, what: string, tool: string): void {
      const kinds = [...groups.values()].filter((group) => group.server === server).length;
      const known = groups.has(JSON.stringify([server, what]));
      const kind = known || kinds < MAX_NOTES - 1 ? what : OTHER_KINDS;
      const key = JSON.stringify([server, kind]);
      const group = groups.get(key) ?? { server, what: kind, tools: [] };
      group.tools.push(tool);
      groups.set(key, group);
    },
    all: () =>
      [...groups.values()].map(({ server, what, tools }) => ({ server, note: formatNote(what, tools) })),
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

/** A tool by its server and the name the server gives it. */
export interface OfferedTool {
  readonly server: string;
  readonly tool: string;
}

/** The name a tool gets, or why it gets none; `note` is for people. */
export type NamedTool =
  | { readonly kind: 'named'; readonly name: string; readonly note?: 'prefixed' }
  | { readonly kind: 'left-out'; readonly note: 'built-in' | 'duplicate' | 'taken' | 'no-name' };

/** What every provider takes; Gemini wants a letter or `_` at the front. */
const MAX_TOOL_NAME = 64;
const HASH_DIGITS = 7;

/**
 * Names for the tools of all servers, in their order. A tool keeps the server's own name, as in axe, made safe for
 * every provider. A reserved name (a built-in's) is never given away. Where two servers offer the same name, which
 * ends axe's run, the first keeps it and the other's tool is called `<server>_<tool>`.
 */
export function nameTools(
  offered: readonly OfferedTool[],
  reserved: ReadonlySet<string>,
): readonly NamedTool[] {
  const owners = new Map<string, OfferedTool>();
  return offered.map((one) => {
    const named = nameTool(one, reserved, owners);
    if (named.kind === 'named') owners.set(named.name, one);
    return named;
  });
}

function nameTool(
  { server, tool }: OfferedTool,
  reserved: ReadonlySet<string>,
  owners: ReadonlyMap<string, OfferedTool>,
): NamedTool {
  const name = safeName(tool);
  if (name === undefined) return { kind: 'left-out', note: 'no-name' };
  if (reserved.has(name)) return { kind: 'left-out', note: 'built-in' };
  const owner = owners.get(name);
  if (owner === undefined) return { kind: 'named', name };
  const isFree = (other: string): boolean => !reserved.has(other) && !owners.has(other);
  if (owner.server === server) {
    if (owner.tool === tool) return { kind: 'left-out', note: 'duplicate' };
    const other = withHash(name, tool);
    return isFree(other) ? { kind: 'named', name: other } : { kind: 'left-out', note: 'duplicate' };
  }
  const prefixed = safeName(`${server}_${tool}`) ?? name;
  return isFree(prefixed)
    ? { kind: 'named', name: prefixed, note: 'prefixed' }
    : { kind: 'left-out', note: 'taken' };
}

/** The name in the characters that every provider takes; undefined for an empty one. */
function safeName(tool: string): string | undefined {
  if (tool === '') return undefined;
  const plain = Array.from(tool, (character) => (/[A-Za-z0-9_-]/.test(character) ? character : '_')).join('');
  const name = /^[A-Za-z_]/.test(plain) ? plain : `_${plain}`;
  return name.length <= MAX_TOOL_NAME ? name : withHash(name, tool);
}

/** A name of at most 64 characters that differs where the original names differ. */
function withHash(name: string, original: string): string {
  return `${name.slice(0, MAX_TOOL_NAME - HASH_DIGITS - 1)}_${hash(original)}`;
}

/** FNV-1a with 32 bits, in base 36 (www.isthe.com/chongo/tech/comp/fnv): the same on every machine, no secret. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value.toString(36).padStart(HASH_DIGITS, '0');
}
