import { basename, dirname, join } from 'node:path';
import type { Environment } from '../lib/environment.js';
import { messageOf } from '../lib/errors.js';
import { createClock } from '../lib/system-clock.js';
import { createFiles } from '../lib/write-files.js';
import { dataDir } from '../lib/xdg.js';
import type { Change } from '../memory/change.js';
import { untrustedPath } from '../memory/log-path.js';
import { isNotesPath } from '../memory/notes/place.js';
import { statePath } from '../memory/state.js';
import type { BlockedPlace, FailedSave, MemoryStore, SaveResult, TreeResult } from '../memory/store.js';
import { createFileStore } from '../memory/stores/file/file-store.js';
import { createBrokenStore } from '../memory/stores/none-store.js';

/** Whose memory it is, and where. */
interface FileMemory {
  /** The agent's `memory.path`; empty for axe's place. */
  readonly custom: string;
  /** The agent's run log in the tree. */
  readonly path: string;
  /** The agent's `memory.dir`, absolute; empty for the folder where run logs are without a `memory.path`. */
  readonly dir: string;
  readonly env: Environment;
}

/**
 * axe's place, `<data>/memory/<agent>.md`, unless `memory.path` names a file (axe-behaviour §10); notes are in
 * `<data>/memory`, unless `memory.dir` names a folder.
 */
export function openFileMemory(memory: FileMemory): MemoryStore {
  return openMemory(memory, memory.custom === '' ? () => NO_PATHS : () => placesOf(memory), () => true);
}

const NO_PATHS: ReadonlyMap<string, string> = new Map();

/** A folder whose place cannot be told, since there is no home, is a store that fails. */
function openMemory(
  memory: FileMemory,
  paths: () => ReadonlyMap<string, string>,
  wants: (path: string) => boolean,
): MemoryStore {
  const options = { files: createFiles(), clock: createClock(), followLinks: true, wants };
  try {
    const store = createFileStore({ ...options, root: rootOf(memory), paths: paths() });
    if (memory.custom === '' && memory.dir === '') return store;
    const root = memory.dir || defaultFolder(memory);
    return withNotesFolder(store, createFileStore({ ...options, root }));
  } catch (thrown) {
    return createBrokenStore('file', messageOf(thrown));
  }
}

/**
 * The same for people's commands: only this agent's files with their copies, links followed, and the notes or the places
 * that are asked for; dropping the history removes what rewrites have left next to the agent's files.
 */
export function openWholeFileMemory(memory: FileMemory): MemoryStore {
  const own = () => [...placesOf(memory)];
  const copies = () => own().map(([path, file]) => [`${path}.bak`, `${file}.bak`] as const);
  const store = openMemory(
    memory,
    () => new Map([...own(), ...copies()]),
    (path) => isSeen(path, memory),
  );
  return {
    ...store,
    dropHistory: async () =>
      await removeCopies(
        copies().map(([, file]) => file),
        rootOf(memory),
      ),
  };
}

/** Notes, what is in the place of their folders, and what the offline rules have of the agent (D32). */
function isSeen(path: string, { custom, path: log }: FileMemory): boolean {
  if (custom === '' && path === `offline/${log}`) return true;
  if (path.endsWith('.state.md')) return false;
  return isOfNotes(path) || isOfNotes(`${path}/`) || NOTES_FOLDER.test(path);
}

const NOTES_FOLDER = /^(?:untrusted\/)?(?:offline\/)?projects(?:\/[^/]+)?$/;

/** Removes what rewrites have left next to files. */
export async function removeCopies(copies: readonly string[], location: string): Promise<SaveResult> {
  try {
    for (const copy of copies) await createFiles().remove(copy);
    return { kind: 'saved', location, attempts: 1 };
  } catch (thrown) {
    return { kind: 'failed', reason: 'error', message: messageOf(thrown) };
  }
}

/** The agent's files in the tree: run log and state of both lanes. */
export function ownPaths(path: string): readonly string[] {
  return [path, untrustedPath(path)].flatMap((log) => [log, statePath(log)]);
}

function rootOf(memory: FileMemory): string {
  return memory.custom === '' ? defaultFolder(memory) : dirname(memory.custom);
}

function defaultFolder({ env }: FileMemory): string {
  return join(dataDir(env), 'memory');
}

function placesOf(memory: FileMemory): ReadonlyMap<string, string> {
  const { custom, path } = memory;
  const place = (log: string) => (custom === '' ? join(rootOf(memory), log) : pathOfLane(custom, log));
  return new Map(
    [path, untrustedPath(path)].flatMap((log) => [
      [log, place(log)],
      [statePath(log), stateAlongside(place(log))],
    ]),
  );
}

/** A lane of a file of the user's is in a folder next to it: `dir/mem.md` → `dir/untrusted/mem.md`. */
function pathOfLane(custom: string, treePath: string): string {
  const lane = /^(?:untrusted\/)?(?:offline\/)?/.exec(treePath)?.[0] ?? '';
  return lane === '' ? custom : join(dirname(custom), lane, basename(custom));
}

/** `dir/mem.md` → `dir/mem.state.md`; a file of the user's may have any other ending, which stays. */
function stateAlongside(file: string): string {
  return `${file.replace(/\.md$/, '')}.state.md`;
}

/** A store whose notes lie in a folder of their own (`memory.dir`), and all else where it was. */
function withNotesFolder(store: MemoryStore, notes: MemoryStore): MemoryStore {
  return {
    ...store,
    async readTree(signal, under) {
      const forNotes = under?.filter(isOfNotes);
      const others = under?.filter((place) => !isOfNotes(place));
      const own = forNotes?.length === 0 ? undefined : await notes.readTree(signal, forNotes);
      if (own === undefined) return await store.readTree(signal, others);
      if (own.kind === 'failed')
        return under === undefined ? withoutNotes(await store.readTree(signal), own) : own;
      if (others?.length === 0) return own;
      return joined(await store.readTree(signal, others), onlyNotes(own));
    },
    async write(changes, signal) {
      const own = changes.filter(({ path }) => isOfNotes(path));
      const others = changes.filter(({ path }) => !isOfNotes(path));
      const first = others.length === 0 ? undefined : await store.write(others, signal);
      if (own.length === 0) return first ?? (await store.write([], signal));
      if (first?.kind === 'failed') return first;
      return together(await notes.write(own, signal), first, own);
    },
  };
}

/** Whether a place of the tree is a note's, its state or its former version, or a folder of notes. */
export function isOfNotes(place: string): boolean {
  if (/(?:^|\/)(?:notes|projects\/[^/]+\/daily)\/$/.test(place)) return true;
  return isNotesPath(place.replace(/(?:\.md)?\.bak$|\.state\.md$/, '.md'));
}

/** What a person sees besides notes that cannot be read. */
function withoutNotes(rest: TreeResult, { message }: { readonly message: string }): TreeResult {
  if (rest.kind === 'failed') return rest;
  const told = `The notes could not be read and are missing here: ${message}.`;
  return { ...rest, warnings: [...rest.warnings, { code: 'memory-store-notice', message: told }] };
}

type Tree = Extract<TreeResult, { readonly kind: 'tree' }>;

function onlyNotes(found: Tree): Tree {
  return { ...found, tree: new Map([...found.tree].filter(([path]) => isOfNotes(path))) };
}

/** Notes next to the other files are not this agent's. */
function joined(rest: TreeResult, notes: Tree): TreeResult {
  if (rest.kind === 'failed') return rest;
  const others = [...rest.tree].filter(([path]) => !isOfNotes(path));
  return {
    ...notes,
    tree: new Map([...others, ...notes.tree]),
    warnings: [...rest.warnings, ...notes.warnings],
    blocked: [...(rest.blocked ?? []), ...(notes.blocked ?? [])],
  };
}

/** Notes that could not be saved do not make what is saved before them unsaved. */
function together(result: SaveResult, first: SaveResult | undefined, own: readonly Change[]): SaveResult {
  if (first?.kind !== 'saved') return result;
  const notices = [...(first.notices ?? []), ...(result.kind === 'saved' ? (result.notices ?? []) : [])];
  const unsaved = result.kind === 'saved' ? (result.unsaved ?? []) : unsavedNotes(own, result);
  return {
    ...first,
    ...(notices.length === 0 ? {} : { notices }),
    ...(unsaved.length === 0 ? {} : { unsaved }),
  };
}

function unsavedNotes(
  own: readonly Change[],
  { reason, message, remedy }: FailedSave,
): readonly BlockedPlace[] {
  const failure = { reason, message, ...(remedy === undefined ? {} : { remedy }) };
  return [...new Set(own.map(({ path }) => path))].map((path) => ({ path, ...failure }));
}
