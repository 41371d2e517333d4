import { basename, dirname, join } from 'node:path';
import { messageOf } from '../axe/errors.js';
import type { Files } from '../axe/files.js';
import { decodeBytes } from '../axe/memory/bytes.js';
import { statePath } from '../axe/memory/state.js';
import type { MemoryStore, SaveResult, TreeResult } from '../axe/memory/store.js';
import { untrustedPath } from '../axe/plan.js';
import { createClock } from '../host/clock.js';
import { createFiles } from '../host/files.js';
import { dataDir, type Environment } from '../host/xdg.js';
import { createBrokenStore } from '../memory-stores/broken-store.js';
import { createFileStore } from '../memory-stores/file-store.js';

/** Whose memory it is, and where. */
export interface FileMemory {
  /** The agent's `memory.path`; empty for axe's place. */
  readonly custom: string;
  /** The agent's run log in the tree. */
  readonly path: string;
  /** Folder below the place; empty for none. */
  readonly scope: string;
  readonly env: Environment;
}

/** axe's place, `<data>/memory/<agent>.md`, unless `memory.path` names a file (axe-behaviour §10). */
export function openFileMemory(memory: FileMemory): MemoryStore {
  try {
    return createFileStore({
      files: createFiles(),
      clock: createClock(),
      root: rootOf(memory),
      paths: memory.custom === '' ? new Map() : placesOf(memory),
      followLinks: true,
    });
  } catch (thrown) {
    return createBrokenStore('file', messageOf(thrown));
  }
}

/**
 * The same for people's commands: only this agent's files are read, links followed and however large they are, and
 * dropping the history removes what rewrites have left beside them. With `all` the rest of the folder is read as well.
 */
export function openWholeFileMemory(memory: FileMemory, { all }: { readonly all: boolean }): MemoryStore {
  const store = openFileMemory(memory);
  try {
    const places = placesOf(memory);
    const files = createFiles();
    const location = memory.custom === '' ? rootOf(memory) : (places.get(memory.path) ?? '');
    return {
      ...store,
      readTree: async (signal) =>
        await withFiles(all ? await store.readTree(signal) : noFiles(location), places, files),
      dropHistory: async () => await removeCopies([...places.values()], { files, location }),
    };
  } catch {
    return store;
  }
}

/** Removes what rewrites have left beside files. */
export async function removeCopies(
  files: readonly string[],
  { files: { remove }, location }: { readonly files: Files; readonly location: string },
): Promise<SaveResult> {
  try {
    for (const file of files) await remove(`${file}.bak`);
    return { kind: 'saved', location, attempts: 1 };
  } catch (thrown) {
    return { kind: 'failed', reason: 'error', message: messageOf(thrown) };
  }
}

/** The agent's files in the tree: run log and state of both lanes. */
export function ownPaths(path: string): readonly string[] {
  return [path, untrustedPath(path)].flatMap((log) => [log, statePath(log)]);
}

function rootOf({ custom, scope, env }: FileMemory): string {
  return join(custom === '' ? join(dataDir(env), 'memory') : dirname(custom), scope);
}

function placesOf(memory: FileMemory): ReadonlyMap<string, string> {
  const { custom, path, scope } = memory;
  const place = (log: string) =>
    custom === '' ? join(rootOf(memory), log) : besides(join(dirname(custom), scope, basename(custom)), log);
  return new Map(
    [path, untrustedPath(path)].flatMap((log) => [
      [log, place(log)],
      [statePath(log), stateBeside(place(log))],
    ]),
  );
}

/** A lane or scope of a file of the user's stands in a folder beside it: `dir/mem.md` → `dir/untrusted/mem.md`. */
function besides(custom: string, treePath: string): string {
  const lane = /^(?:untrusted\/)?(?:offline\/)?/.exec(treePath)?.[0] ?? '';
  return lane === '' ? custom : join(dirname(custom), lane, basename(custom));
}

/** `dir/mem.md` → `dir/mem.state.md`; a file of the user's may have any other ending, which stays. */
function stateBeside(file: string): string {
  return `${file.replace(/\.md$/, '')}.state.md`;
}

function noFiles(location: string): TreeResult {
  return { kind: 'tree', tree: new Map(), warnings: [], location };
}

async function withFiles(
  base: TreeResult,
  places: ReadonlyMap<string, string>,
  files: Files,
): Promise<TreeResult> {
  if (base.kind === 'failed') return base;
  const tree = new Map(base.tree);
  for (const [path, file] of places) {
    try {
      const text = await readWhole(files, file);
      if (text !== undefined) tree.set(path, text);
    } catch (thrown) {
      return { kind: 'failed', location: file, message: messageOf(thrown) };
    }
  }
  return { ...base, tree };
}

async function readWhole(files: Files, path: string): Promise<string | undefined> {
  const file = await files.open(path, { followLinks: true });
  if (file === undefined) return undefined;
  try {
    return decodeBytes(await file.read(0, file.bytes));
  } finally {
    await file.close();
  }
}
