import type { Warning } from '../../lib/errors.js';
import type { OpenFile } from '../../lib/files.js';
import { decodeBytes, encodeBytes } from '../../lib/text/bytes.js';
import { formatInteger } from '../../lib/text/format.js';
import type { MemoryTree } from '../change.js';
import { isAmongPlaces } from '../paths.js';
import { newestEntries } from '../recall.js';
import { countEntries, damageOf, lastEntries, markersIn } from '../run-log.js';
import { statePath } from '../state.js';
import type { LogLocation, MemoryLocation, ReadRequest, RestoreResult } from '../store.js';

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
  const damage = above ?? markersIn(newest.text);
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
  const message = `${where} ${damage}. It was read as far as possible; new entries are added below`;
  return [{ code: 'memory-damaged', message, remedy: 'Correct the file, or delete it.' }];
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
