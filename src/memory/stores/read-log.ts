import type { Warning } from '../../lib/errors.js';
import { encodeBytes } from '../../lib/text/bytes.js';
import type { MemoryTree } from '../change.js';
import { countEntries, lastEntries } from '../run-log.js';
import { statePath } from '../state.js';
import type { LogPlace, Place, ReadRequest, RestoreResult } from '../store.js';
import { newestEntries } from '../tail.js';
import { isUnder } from './tree-path.js';

/** A run log as a store read it, with the text of the state next to it (D36). */
interface StoredLog {
  /** From its first entry on where it is not all of it. */
  readonly text: string;
  readonly isWhole: boolean;
  /** 0 where there is none. */
  readonly bytes: number;
  readonly state: string;
  /** Entries in all of it; undefined where nobody asked. */
  readonly total: number | undefined;
}

/** What a store answers about a run log. */
export function readLog(
  { text, isWhole, bytes, state, total }: StoredLog,
  { lastN, maxBytes = 0 }: ReadRequest,
  place: LogPlace,
): RestoreResult {
  const found = withState(place, state);
  if (bytes === 0) return { ...found, kind: 'empty' };
  const newest = newestEntries(text, lastN, maxBytes);
  const isShort = !isWhole && (lastN === 0 || newest.loaded < lastN);
  // What entries hold is their own: a result can quote anything.
  const above = damageOf(text.slice(0, text.length - fromFirstEntry(text).length));
  const damage = text.startsWith('\uFEFF## ')
    ? 'begins with a byte order mark, which hides its first entry'
    : (above ?? markersIn(newest.text));
  return {
    ...found,
    kind: 'restored',
    text: above === undefined ? newest.text : fromFirstEntry(newest.text),
    loaded: newest.loaded,
    total,
    truncated: newest.truncated || isShort ? { fileBytes: bytes } : undefined,
    warnings: damage === undefined ? found.warnings : [...found.warnings, damageWarning(found, damage)],
  };
}

/** What a store that reads whole files answers; of the log that is asked for, and the state next to it. */
export function readLogIn(tree: MemoryTree, request: ReadRequest, place: LogPlace): RestoreResult {
  const [text = '', state = ''] = [request.path, statePath(request.path)].map((path) => tree.get(path));
  const total = request.count ? countEntries(text) : undefined;
  return readLog({ text, isWhole: true, bytes: encodeBytes(text).length, state, total }, request, place);
}

function withState(place: LogPlace, state: string): LogPlace {
  if (state === '') return place;
  const damage = damageOf(state);
  if (damage === undefined) return { ...place, state };
  const warning = damageWarning({ location: statePath(place.location) }, damage);
  return { ...place, state, warnings: [...place.warnings, warning] };
}

/** What a store shows of a tree that it read: of some places their files with something in them, or else all. */
export function shownTree(tree: MemoryTree, under: readonly string[] | undefined): MemoryTree {
  if (under === undefined) return tree;
  return new Map([...tree].filter(([path, text]) => text !== '' && isUnder(path, under)));
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
