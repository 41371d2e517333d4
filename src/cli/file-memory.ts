import { basename, dirname, join, resolve } from 'node:path';
import type { MemoryConfig } from '../agent/config.js';
import { createClock } from '../lib/clock.js';
import { dataDir } from '../lib/environment.js';
import { messageOf } from '../lib/errors.js';
import { createFiles } from '../lib/files.js';
import { untrustedPath } from '../memory/log-path.js';
import { isNotesPath } from '../memory/notes/place.js';
import { statePath } from '../memory/state.js';
import type { MemoryStore, SaveResult } from '../memory/store.js';
import { createFileStore } from '../memory/stores/file/file-store.js';
import { createBrokenStore } from '../memory/stores/store.js';
import type { Terminal } from './terminal.js';

/**
 * The memory of an agent on this machine: axe's place, `<data>/memory/<agent>.md`, unless `memory.path` names a file
 * (axe-behaviour §10). What the offline rules have of it (D32), and the copies that rewrites leave, are next to it. Notes are
 * in `<data>/memory`, unless `memory.dir` names a folder. Of an agent whose file is gone `config` is undefined.
 */
export function openFileMemory(
  config: MemoryConfig | undefined,
  path: string,
  { cwd, env }: Terminal,
): MemoryStore {
  const custom = config?.path ? resolve(cwd, config.path) : '';
  try {
    const home = join(dataDir(env), 'memory');
    const fileOf = (log: string) => (custom === '' ? join(home, log) : inLane(custom, log));
    const logs = [path, untrustedPath(path)];
    const own = logs.flatMap((log): readonly (readonly [inTree: string, file: string])[] => [
      [log, fileOf(log)],
      [statePath(log), statePath(fileOf(log))],
    ]);
    const copies = own.map(([inTree, file]) => [`${inTree}.bak`, `${file}.bak`] as const);
    const offline = `offline/${path}`;
    const store = createFileStore({
      files: createFiles(),
      clock: createClock(),
      followLinks: true,
      root: config?.dir ? resolve(cwd, config.dir) : home,
      paths: new Map([...own, ...copies, [offline, fileOf(offline)]]),
      wants: isOfNotes,
    });
    const dropHistory = () =>
      removeCopies(
        copies.map(([, file]) => file),
        dirname(fileOf(path)),
      );
    return { ...store, dropHistory };
  } catch (thrown) {
    // Without a home there is no place: a store that fails, not a run.
    return createBrokenStore('file', messageOf(thrown));
  }
}

/** A lane of a file of the user's is in a folder next to it: `dir/mem.md` → `dir/untrusted/mem.md`. */
function inLane(custom: string, log: string): string {
  const lane = /^(?:untrusted\/)?(?:offline\/)?/.exec(log)?.[0] ?? '';
  return join(dirname(custom), lane, basename(custom));
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

/** Whether a place of the tree is a note's, its state or its former version, or a folder of notes. */
export function isOfNotes(place: string): boolean {
  if (/(?:^|\/)(?:notes|projects\/[^/]+\/daily)\/$/.test(place)) return true;
  return isNotesPath(place.replace(/(?:\.md)?\.bak$|\.state\.md$/, '.md'));
}
