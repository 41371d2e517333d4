import type { OpenFile } from '../../lib/files.js';
import { decodeBytes, encodeBytes } from '../../lib/text/bytes.js';
import type { Warning } from '../../lib/warning.js';
import type { MemoryTree } from '../change.js';
import { lastEntries } from '../run-log.js';
import { statePath } from '../state.js';
import type { LogPlace, Place, ReadRequest, RestoreResult } from '../store.js';
import { countEntriesIn, openBytes, readExactly, readTail, wholeAtEnd } from '../tail.js';
import { isUnder } from './tree-path.js';

export async function readLogIn(
  tree: MemoryTree,
  request: ReadRequest,
  place: LogPlace,
): Promise<RestoreResult> {
  const text = tree.get(request.path);
  const found = withState(place, tree.get(statePath(request.path)) ?? '');
  if (text === undefined) return { ...found, kind: 'empty' };
  return await readRunLog(openBytes(encodeBytes(text)), request, found);
}

/** What a store shows of a tree that it read: of some places their files with something in them, or else all. */
export function shownTree(tree: MemoryTree, under: readonly string[] | undefined): MemoryTree {
  if (under === undefined) return tree;
  return new Map([...tree].filter(([path, text]) => text !== '' && isUnder(path, under)));
}

/** The place of a run log with the state next to it (D36). */
export function withState(place: LogPlace, state: string): LogPlace {
  if (state === '') return place;
  const damage = damageOf(state);
  if (damage === undefined) return { ...place, state };
  const warning = damageWarning({ location: statePath(place.location) }, damage);
  return { ...place, state, warnings: [...place.warnings, warning] };
}

/** A damaged file is looked for in so many bytes. */
const HEAD_BYTES = 64 * 1024;

/** What a store answers about the run log in an open file. Throws what reading throws. */
export async function readRunLog(
  file: OpenFile,
  { lastN, maxBytes, count }: ReadRequest,
  found: LogPlace,
): Promise<RestoreResult> {
  if (file.bytes === 0) return { ...found, kind: 'empty' };
  const head = decodeBytes(wholeAtEnd(await readExactly(file, 0, Math.min(HEAD_BYTES, file.bytes))));
  const { text, loaded, truncated } = await readTail(file, lastN, maxBytes);
  // What entries hold is their own: a result can quote anything.
  const above = damageOf(head.slice(0, head.length - fromFirstEntry(head).length));
  const damage = head.startsWith('\uFEFF## ')
    ? 'begins with a byte order mark, which hides its first entry'
    : (above ?? markersIn(text));
  return {
    ...found,
    kind: 'restored',
    text: above === undefined ? text : fromFirstEntry(text),
    loaded,
    total: count ? await countEntriesIn(file) : undefined,
    truncated: truncated ? { fileBytes: file.bytes } : undefined,
    warnings: damage === undefined ? found.warnings : [...found.warnings, damageWarning(found, damage)],
  };
}

function fromFirstEntry(text: string): string {
  return lastEntries(text, Number.POSITIVE_INFINITY);
}

/** What is wrong with a text of memory, as `decodeBytes` gives it; undefined for nothing. */
export function damageOf(text: string): string | undefined {
  if (/^\uFEFF?\s*<(?:!doctype\s+html|html)\b/i.test(text)) return 'is an HTML page';
  if (/\0|\p{Surrogate}/u.test(text)) return 'holds bytes that are not text';
  return markersIn(text);
}

/** Git's, of a merge that was never finished. */
function markersIn(text: string): string | undefined {
  return /^(?:<{7}|>{7}) /m.test(text) ? 'holds git conflict markers' : undefined;
}

/** The run goes on, and what is there is left to people. */
export function damageWarning({ location, url }: Place, damage: string): Warning {
  const where = url === undefined ? `\`${location}\`` : `\`${location}\` (${url})`;
  const message = `${where} ${damage}. It was read as far as possible and left unchanged`;
  return { code: 'memory-damaged', message, remedy: 'Correct the file, or delete it.' };
}
