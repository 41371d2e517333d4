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
const MAX_NAME = 64;
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
    const named = nameTool(one, { reserved, owners });
    if (named.kind === 'named') owners.set(named.name, one);
    return named;
  });
}

interface Taken {
  readonly reserved: ReadonlySet<string>;
  readonly owners: ReadonlyMap<string, OfferedTool>;
}

function nameTool({ server, tool }: OfferedTool, { reserved, owners }: Taken): NamedTool {
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
  return name.length <= MAX_NAME ? name : withHash(name, tool);
}

/** A name of at most 64 characters that differs where the original names differ. */
function withHash(name: string, original: string): string {
  return `${name.slice(0, MAX_NAME - HASH_DIGITS - 1)}_${hash(original)}`;
}

/** FNV-1a with 32 bits, in base 36 (www.isthe.com/chongo/tech/comp/fnv): the same on every machine, no secret. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value.toString(36).padStart(HASH_DIGITS, '0');
}
