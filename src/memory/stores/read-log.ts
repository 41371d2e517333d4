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
  const answer = { ...place, state: state || undefined, warnings: [...place.warnings, ...ofState] };
  if (bytes === 0) return { ...answer, kind: 'empty' };

  const newest = newestEntries(text, lastN, maxBytes);
  const isShort = !isWhole && (lastN === 0 || newest.loaded < lastN);
  // Damage above the first entry counts first, since a result can quote anything.
  const above = damageOf(text.slice(0, text.length - fromFirstEntry(text).length));
  const damage = above ?? markersIn(newest.text);
  return {
    ...answer,
    kind: 'restored',
    text: above === undefined ? newest.text : fromFirstEntry(newest.text),
    loaded: newest.loaded,
    total: isWhole ? countEntries(text) : total,
    fileBytes: isWhole ? undefined : bytes,
    truncated: newest.truncated || isShort ? { fileBytes: bytes } : undefined,
    warnings: [...answer.warnings, ...damageWarnings(answer, damage)],
  };
}

/** The answer of a store that reads whole files: the requested log, and the state next to it. */
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
 * Filters a tree by the requested places and leaves out their empty files; without places it is
 * returned whole.
 */
export function filteredTree(tree: MemoryTree, under: readonly string[] | undefined): MemoryTree {
  if (under === undefined) return tree;
  return new Map([...tree].filter(([path, text]) => text !== '' && isAmongPlaces(path, under)));
}

function fromFirstEntry(text: string): string {
  return lastEntries(text, Number.POSITIVE_INFINITY);
}

const MAX_NAMED = 5;

/** Warns about files that are not memory. */
export function notMemoryWarnings(subject: string, named: readonly string[]): readonly Warning[] {
  const contains = `${subject} contains files that are not memory, which were left out: `;
  return filesWarning(contains, named, 'Memory consists of regular `.md` files.');
}

/** Maximum read from a folder; what we write stays far below it. */
export const MAX_MEMORY_FILES = 1_000;
export const MAX_BYTES_READ = 8 * 1024 * 1024;

/** The warning about files that did not fit. */
export function tooLargeWarnings(named: readonly string[]): readonly Warning[] {
  return filesWarning(
    `Memory is larger than a run can load (${formatInteger(MAX_MEMORY_FILES)} files, ${MAX_BYTES_READ / 2 ** 20} MiB); left out: `,
    named,
    'Trim the run log with `axe-action gc` or `mode: gc`, or delete notes.',
  );
}

/** Warns about files and names five of them; no warning for no files. */
export function filesWarning(
  beginning: string,
  all: readonly string[],
  advice: string,
): readonly Warning[] {
  if (all.length === 0) return [];
  const more = all.length > MAX_NAMED ? ` and ${all.length - MAX_NAMED} more` : '';
  const message = `${beginning}${all.slice(0, MAX_NAMED).join(', ')}${more}. ${advice}`;
  return [{ code: 'memory-store-notice', message }];
}

/** Warns about damage, which does not end the run: people decide what becomes of the file. */
export function damageWarnings(
  { location, url }: MemoryLocation,
  damage: string | undefined,
): readonly Warning[] {
  if (damage === undefined) return [];
  const place = url === undefined ? `\`${location}\`` : `\`${location}\` (${url})`;
  const message = `${place} ${damage}. It was read as far as possible; new entries are added below`;
  return [{ code: 'memory-damaged', message, remedy: 'Correct the file, or delete it.' }];
}

/** Most bytes of a file in memory at once: more than any prompt, less than a string can hold. */
const MAX_END_BYTES = 16 * 1024 * 1024;

/** A file is read backwards in blocks of this size until its end holds enough. */
const END_BLOCK_BYTES = 64 * 1024;

/**
 * Reads the end of a file, from the beginning of a line on if it is not the whole file: `lastN`
 * entries if they fit in `maxBytes`, or else these bytes and one more block, in which an entry can
 * begin. If both are 0 it reads up to {@link MAX_END_BYTES}. Throws what reading throws.
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
  for (let [offset, carried] = [0, '\n']; offset < file.bytes; offset += BLOCK_BYTES) {
    const block = carried + Buffer.from(await file.read(offset, BLOCK_BYTES)).toString('latin1');
    count += block.split('\n## ').length - 1;
    carried = block.slice(-3);
  }
  return count;
}
