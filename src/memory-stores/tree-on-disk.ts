import { join } from 'node:path';
import type { FileStat, Files } from '../axe/files.js';
import { decodeBytes } from '../axe/memory/bytes.js';
import type { MemoryTree } from '../axe/memory/tree.js';
import type { Warning } from '../axe/warning.js';
import { isTreePath } from './tree-path.js';

/** A tree read from a folder that came from outside. */
export interface ReadTree {
  readonly tree: MemoryTree;
  /** One for what is no memory, and one for what is too much (D17). */
  readonly warnings: readonly Warning[];
}

/** Most that is taken from a restored folder; what we write stays far below it. */
const MAX_FILES = 1_000;
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_DEPTH = 8;
/** A note's former version has its name without `.md`; names of notes have no dots. */
const MEMORY_FILE = /\.md(?:\.bak)?$|(?:^|\/)[^/.]+\.bak$/;
/** What writers of the same folder have there while they work. */
const PASSING_FILE = /(?:\.lock|(?:^|\/)\.axe-[^/]*\.tmp)$/;
const MAX_NAMED = 5;

/** Writes a tree into a folder that is empty or does not exist. Throws what the file system throws. */
export async function writeTree(files: Files, folder: string, tree: MemoryTree): Promise<void> {
  for (const [path, text] of tree) await files.replace(join(folder, ...path.split('/')), text);
}

/** A file of a tree that {@link readTree} would leave out, with one more beside them; undefined if all come back. */
export function notReadBack(tree: MemoryTree): string | undefined {
  const paths = [...tree.keys()];
  return paths.find((path) => !isMemoryPath(path)) ?? paths[MAX_FILES - 1];
}

/**
 * Reads the memory files of a folder: regular `.md` files and their `.bak` that have one name only, within limits. Links
 * are never followed, everything else is left out with a warning (D17). Throws what the file system throws.
 */
export async function readTree(
  files: Files,
  folder: string,
  wants: (path: string) => boolean = () => true,
): Promise<ReadTree> {
  const found = await walk(files, folder, '');
  return await readFound(
    files,
    folder,
    found.filter(({ path }) => wants(path)),
  );
}

/** The same for files that were found already, by their paths in the folder. */
export async function readFound(
  files: Files,
  folder: string,
  found: readonly FoundFile[],
): Promise<ReadTree> {
  const left: string[] = [];
  const tooMuch: string[] = [];
  const tree = new Map<string, string>();
  let bytes = 0;
  for (const { path, stat } of found) {
    const fits = tree.size < MAX_FILES && bytes + stat.bytes <= MAX_BYTES;
    const isMemory = stat.kind === 'file' && stat.names === undefined && isMemoryPath(path);
    const text = fits && isMemory ? await readText(files, join(folder, path)) : undefined;
    const isGone = fits && isMemory && text === undefined;
    if (isGone || PASSING_FILE.test(path)) continue;
    if (text === undefined) (isMemory ? tooMuch : left).push(path);
    else {
      bytes += stat.bytes;
      tree.set(path, text);
    }
  }
  const warnings = [
    ...(left.length === 0 ? [] : [leftOut(left)]),
    ...(tooMuch.length === 0 ? [] : [beyondLimits(tooMuch)]),
  ];
  return { tree, warnings };
}

function isMemoryPath(path: string): boolean {
  const isPlain = MEMORY_FILE.test(path) && isTreePath(path) && !/\p{Cc}/u.test(path);
  return isPlain && path.split('/').length <= MAX_DEPTH;
}

/** Something in a folder. */
export interface FoundFile {
  /** From the folder on, `/`-separated. */
  readonly path: string;
  readonly stat: FileStat;
}

async function walk(files: Files, folder: string, under: string): Promise<readonly FoundFile[]> {
  const entries = [...(await files.list(join(folder, under)))];
  entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  const found: FoundFile[] = [];
  for (const { name, stat } of entries) {
    const path = under === '' ? name : `${under}/${name}`;
    const isOpen = stat.kind === 'directory' && path.split('/').length < MAX_DEPTH;
    found.push(...(isOpen ? await walk(files, folder, path) : [{ path, stat }]));
  }
  return found;
}

async function readText(files: Files, path: string): Promise<string | undefined> {
  const file = await files.open(path, { followLinks: false });
  if (file === undefined) return undefined;
  try {
    return decodeBytes(await file.read(0, file.bytes));
  } finally {
    await file.close();
  }
}

function leftOut(paths: readonly string[]): Warning {
  const message = `Restored memory held what is no memory file; left out: ${named(paths)}. Memory is regular \`.md\` files.`;
  return { code: 'memory-store-notice', message };
}

function beyondLimits(paths: readonly string[]): Warning {
  const most = `${MAX_FILES} files and ${MAX_BYTES / 2 ** 20} MiB`;
  const message = `Memory is larger than what is read together, ${most}; left out: ${named(paths)}. Trim the run log with \`axe-action gc\`, or delete notes.`;
  return { code: 'memory-store-notice', message };
}

function named(paths: readonly string[]): string {
  const shown = paths.slice(0, MAX_NAMED).map((path) => JSON.stringify(path));
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : '';
  return `${shown.join(', ')}${more}`;
}
