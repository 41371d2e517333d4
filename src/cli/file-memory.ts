import { basename, dirname, join, resolve } from 'node:path';
import type { MemoryConfig } from '../agent/config.js';
import { createClock } from '../lib/clock.js';
import { dataDir, type Environment } from '../lib/environment.js';
import { messageOf } from '../lib/errors.js';
import { createFiles } from '../lib/files.js';
import { untrustedPath } from '../memory/log-path.js';
import { isNotesPath } from '../memory/notes/place.js';
import { statePath } from '../memory/state.js';
import type { MemoryStore, SaveResult } from '../memory/store.js';
import { createFileStore } from '../memory/stores/file/file-store.js';
import { createBrokenStore } from '../memory/stores/store.js';
import type { Terminal } from './terminal.js';

/** Whose memory it is, and where. */
interface FileMemory {
  /** The agent's `memory.path`, absolute; empty for axe's place. */
  readonly custom: string;
  /** The agent's run log in the tree. */
  readonly path: string;
  /** The agent's `memory.dir`, absolute; empty for the folder where run logs are without a `memory.path`. */
  readonly dir: string;
  readonly env: Environment;
}

/** The places of the agent that the configuration is of; of an unknown one axe's. */
function memoryOf(config: MemoryConfig | undefined, path: string, { cwd, env }: Terminal): FileMemory {
  const absolute = (place: string | undefined) => (place ? resolve(cwd, place) : '');
  return { custom: absolute(config?.path), path, dir: absolute(config?.dir), env };
}

/**
 * axe's place, `<data>/memory/<agent>.md`, unless `memory.path` names a file (axe-behaviour §10); notes are in
 * `<data>/memory`, unless `memory.dir` names a folder.
 */
export function openFileMemory(config: MemoryConfig, path: string, terminal: Terminal): MemoryStore {
  const memory = memoryOf(config, path, terminal);
  if (memory.custom === '' && memory.dir === '')
    return openStore(
      memory,
      () => [],
      () => true,
    );
  return openStore(memory, () => [...placesOf(memory)], isOfNotes);
}

type Places = readonly (readonly [path: string, file: string])[];

/** Notes are in the root, the agent's own files at their places. Without a home there is no place: a store that fails. */
function openStore(memory: FileMemory, places: () => Places, wants: (path: string) => boolean): MemoryStore {
  try {
    return createFileStore({
      files: createFiles(),
      clock: createClock(),
      followLinks: true,
      root: memory.dir || defaultFolder(memory),
      paths: new Map(places()),
      wants,
    });
  } catch (thrown) {
    return createBrokenStore('file', messageOf(thrown));
  }
}

/**
 * The same for people's commands: only this agent's files with their copies, what the offline rules have of it (D32), and
 * its notes, links followed; dropping the history removes what rewrites have left next to the agent's files.
 */
export function openWholeFileMemory(
  config: MemoryConfig | undefined,
  path: string,
  terminal: Terminal,
): MemoryStore {
  const memory = memoryOf(config, path, terminal);
  const { custom } = memory;
  const copies = (): Places => [...placesOf(memory)].map(([file, place]) => [`${file}.bak`, `${place}.bak`]);
  const offline = `offline/${path}`;
  const places = (): Places => [
    ...placesOf(memory),
    ...copies(),
    ...(custom === '' ? [[offline, join(defaultFolder(memory), offline)] as const] : []),
  ];
  return {
    ...openStore(memory, places, (file) => !file.endsWith('.state.md') && isOfNotes(file)),
    dropHistory: async () =>
      await removeCopies(
        copies().map(([, file]) => file),
        custom === '' ? defaultFolder(memory) : dirname(custom),
      ),
  };
}

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

function defaultFolder({ env }: FileMemory): string {
  return join(dataDir(env), 'memory');
}

function placesOf(memory: FileMemory): ReadonlyMap<string, string> {
  const { custom, path } = memory;
  const place = (log: string) => (custom === '' ? join(defaultFolder(memory), log) : pathOfLane(custom, log));
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

/** Whether a place of the tree is a note's, its state or its former version, or a folder of notes. */
export function isOfNotes(place: string): boolean {
  if (/(?:^|\/)(?:notes|projects\/[^/]+\/daily)\/$/.test(place)) return true;
  return isNotesPath(place.replace(/(?:\.md)?\.bak$|\.state\.md$/, '.md'));
}
