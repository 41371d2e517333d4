import { MAX_RESULT_CODE_POINTS } from '../../lib/defaults.js';
import type { Warning } from '../../lib/errors.js';
import type { OpenFile } from '../../lib/files.js';
import { cutToBytes, decodeBytes, encodeBytes, utf8Bytes } from '../../lib/text/bytes.js';
import { formatInteger } from '../../lib/text/format.js';
import type { MemoryTree } from '../change.js';
import { isAmongPlaces } from '../paths.js';
import { countEntries, damageOf, lastEntries, markersIn, parseEntries } from '../run-log.js';
import { statePath } from '../state.js';
import type { LogLocation, MemoryLocation, ReadRequest, RestoreResult } from '../store.js';
import { parseLog } from '../units.js';

interface LogText {
  /** If it is not the whole log it begins with an entry. */
  readonly text: string;
  readonly isWhole: boolean;
  /** Bytes of the whole log; 0 if there is none. */
  readonly bytes: number;
  /** Entries of the whole log, if they were counted although it is not the whole text. */
  readonly total?: number;
}

/** A store's answer about a run log and the text of the state next to it. */
export function readLog(
  { text, isWhole, bytes, total }: LogText,
  state: string,
  { lastN, maxBytes = 0 }: ReadRequest,
  place: LogLocation,
): RestoreResult {
  const ofState = damageWarnings({ location: statePath(place.location) }, damageOf(state));
  const found = { ...place, state: state || undefined, warnings: [...place.warnings, ...ofState] };
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
    total: isWhole ? countEntries(text) : total,
    fileBytes: isWhole ? undefined : bytes,
    truncated: newest.truncated || isShort ? { fileBytes: bytes } : undefined,
    warnings: [...found.warnings, ...damageWarnings(found, damage)],
  };
}

/**
 * What a store that reads whole files answers; of the log that is asked for, and the state next to
 * it.
 */
export function readLogIn(
  tree: MemoryTree,
  request: ReadRequest,
  place: LogLocation,
): RestoreResult {
  const [text = '', state = ''] = [request.path, statePath(request.path)].map((path) =>
    tree.get(path),
  );
  return readLog({ text, isWhole: true, bytes: encodeBytes(text).length }, state, request, place);
}

/**
 * What a store shows of a tree that it read: of some places their files with something in them, or
 * else all.
 */
export function filteredTree(tree: MemoryTree, under: readonly string[] | undefined): MemoryTree {
  if (under === undefined) return tree;
  return new Map([...tree].filter(([path, text]) => text !== '' && isAmongPlaces(path, under)));
}

function fromFirstEntry(text: string): string {
  return lastEntries(text, Number.POSITIVE_INFINITY);
}

const MAX_NAMED = 5;

/** What is told of what is in the place of memory files. */
export function notMemoryWarnings(where: string, named: readonly string[]): readonly Warning[] {
  const contains = `${where} contains files that are not memory, which were left out: `;
  return filesWarning(contains, named, 'Memory consists of regular `.md` files.');
}

/** Maximum read from a folder; what we write stays far below it. */
export const MAX_MEMORY_FILES = 1_000;
export const MAX_BYTES_READ = 8 * 1024 * 1024;

/** The warning about files that did not fit. */
export function tooLargeWarnings(left: readonly string[]): readonly Warning[] {
  return filesWarning(
    `Memory is larger than a run can load (${formatInteger(MAX_MEMORY_FILES)} files, ${MAX_BYTES_READ / 2 ** 20} MiB); left out: `,
    left.map((path) => JSON.stringify(path)),
    'Trim the run log with `axe-action gc` or `mode: gc`, or delete notes.',
  );
}

/** What is told of some files, five of them by name; nothing where there are none. */
export function filesWarning(
  told: string,
  all: readonly string[],
  advice: string,
): readonly Warning[] {
  if (all.length === 0) return [];
  const more = all.length > MAX_NAMED ? ` and ${all.length - MAX_NAMED} more` : '';
  const message = `${told}${all.slice(0, MAX_NAMED).join(', ')}${more}. ${advice}`;
  return [{ code: 'memory-store-notice', message }];
}

/** The run goes on, and what is there is left to people; nothing where there is no damage. */
export function damageWarnings(
  { location, url }: MemoryLocation,
  damage: string | undefined,
): readonly Warning[] {
  if (damage === undefined) return [];
  const where = url === undefined ? `\`${location}\`` : `\`${location}\` (${url})`;
  const message = `${where} ${damage}. It was read as far as possible and left unchanged`;
  return [{ code: 'memory-damaged', message, remedy: 'Correct the file, or delete it.' }];
}

/**
 * The newest entries of a log (0: all of it), as they are in it. Where they do not fit into the
 * bound (0: there is none), those that do, and of an entry that is larger than the whole bound its
 * two ends. A heading that is no time belongs to the entry above it, and nothing is cut there,
 * unless the log has no time at all: then people wrote it.
 */
export function newestEntries(
  log: string,
  lastN: number,
  maxBytes: number,
): { readonly text: string; readonly loaded: number; readonly truncated: boolean } {
  const wanted = lastEntries(log, lastN);
  if (maxBytes === 0 || utf8Bytes(wanted) <= maxBytes)
    return { text: wanted, loaded: countEntries(wanted), truncated: false };
  const { units } = parseLog(log);
  const entries = units.length > 0 ? units : parseEntries(log);
  let first = entries.length;
  for (let left = maxBytes; first > 0; first -= 1) {
    left -= utf8Bytes(entries[first - 1]?.text ?? '');
    if (left < 0) break;
  }
  const fitting = entries.slice(first);
  const text =
    fitting.length > 0
      ? fitting.map((entry) => entry.text).join('')
      : withoutMiddle(entries.at(-1)?.text ?? wanted, maxBytes);
  return { text, loaded: countEntries(text), truncated: true };
}

/** The beginning of an entry that is cut holds its heading. */
const LEAST_FIRST_BYTES = 256;
/** Its end holds a whole result as we write it, with the line behind it. */
const LEAST_LAST_BYTES = 4 * MAX_RESULT_CODE_POINTS + 1024;
/** Room for the words between the two. */
const NOTE_BYTES = 64;

/**
 * An entry without its middle, in so many bytes or in what a heading and a result take; no
 * character is split.
 */
function withoutMiddle(entry: string, maxBytes: number): string {
  const room = maxBytes - NOTE_BYTES;
  const lastBytes = Math.max(Math.floor(room / 2), LEAST_LAST_BYTES);
  const firstBytes = Math.max(room - lastBytes, LEAST_FIRST_BYTES);
  const bytes = new TextEncoder().encode(entry);
  if (bytes.length <= firstBytes + lastBytes) return entry;
  const { text: first } = cutToBytes(entry, firstBytes);
  const last = new TextDecoder().decode(bytes.subarray(-lastBytes)).replace(/^\uFFFD+/, '');
  const left = bytes.length - utf8Bytes(first) - utf8Bytes(last);
  return `${first} [... ${formatInteger(left)} bytes left out ...] ${last}`;
}

/** Most of a file that is held at once: more than any prompt takes, and less than a text can be. */
const MAX_END_BYTES = 16 * 1024 * 1024;

/** A file is read backwards in blocks of this size until its end holds enough. */
const END_BLOCK_BYTES = 64 * 1024;

/**
 * The end of a file, from the beginning of a line on if it is not the whole file: so many entries,
 * if they are not more than so many bytes, or these bytes and a block, so that an entry can begin
 * in it. Reads as much as can be held if both are 0. Throws what reading throws.
 */
export async function readEnd(
  file: OpenFile,
  { lastN, maxBytes = 0 }: Pick<ReadRequest, 'lastN' | 'maxBytes'>,
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const wantedBytes = maxBytes === 0 ? MAX_END_BYTES : maxBytes + END_BLOCK_BYTES;
  const isEnough = (bytes: number, count: number): boolean => {
    if (bytes >= MAX_END_BYTES) return true;
    const fits = maxBytes === 0 || bytes <= maxBytes;
    return (lastN > 0 && fits && count >= lastN) || (bytes >= wantedBytes && count > 0);
  };

  const blocks: Uint8Array[] = [];
  let start = file.bytes;
  let entries = 0;
  // The first characters of a block may end a heading that the block above it begins.
  let carried = '';
  while (start > 0 && !isEnough(file.bytes - start, entries)) {
    const isFirst = blocks.length === 0;
    const most = isFirst && lastN === 0 ? Math.min(wantedBytes, MAX_END_BYTES) : END_BLOCK_BYTES;
    const length = Math.min(most, start);
    start -= length;
    const block = await file.read(start, length);
    blocks.unshift(block);
    const characters = Buffer.from(block).toString('latin1') + carried;
    entries += characters.split('\n## ').length - 1;
    carried = characters.slice(0, 3);
  }

  const text = decodeBytes(Buffer.concat(blocks));
  return start === 0
    ? { text, isWhole: true }
    : { text: text.slice(text.indexOf('\n') + 1), isWhole: false };
}

const BLOCK_BYTES = 1024 * 1024;

/** Counts the entries of a file of any size in constant memory. Throws what reading throws. */
export async function countEntriesIn(file: OpenFile): Promise<number> {
  let count = 0;
  // The last characters of a block may begin a heading. Each byte is one character, so that none is
  // cut.
  for (let [at, carried] = [0, '\n']; at < file.bytes; at += BLOCK_BYTES) {
    const block = carried + Buffer.from(await file.read(at, BLOCK_BYTES)).toString('latin1');
    count += block.split('\n## ').length - 1;
    carried = block.slice(-3);
  }
  return count;
}
