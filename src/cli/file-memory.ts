import { basename, dirname, join, resolve } from 'node:path';
import type { LoadedAgent } from '../agent/agent-source.js';
import { BUILT_IN_PREFIX } from '../agent/built-in.js';
import { createClock } from '../lib/clock.js';
import { dataDir } from '../lib/environment.js';
import { messageOf } from '../lib/errors.js';
import { createFiles } from '../lib/files.js';
import { findRepositoryRoot } from '../lib/git.js';
import { apartPath, isNotesPath, projectSlug } from '../memory/paths.js';
import { statePath } from '../memory/state.js';
import { createBrokenStore, type MemoryStore, type SaveResult } from '../memory/store.js';
import { createFileStore, withIgnoreFile } from '../memory/stores/file/file-store.js';
import type { Terminal } from './terminal.js';

/** The folder of a checkout's memory below `<data>/memory`; empty outside of a checkout. */
export async function projectFolder(cwd: string): Promise<string> {
  const root = await findRepositoryRoot(cwd);
  return root === undefined ? '' : projectSlug(root);
}

/** The folder of an agent's memory below `<data>/memory`: a built-in agent has one for each project. */
export function agentFolder(agent: FileMemoryPlace['agent'], project: string): string {
  return agent?.name.startsWith(BUILT_IN_PREFIX) ? project : '';
}

interface FileMemoryPlace {
  /** Undefined if the agent's file is gone. */
  readonly agent: Pick<LoadedAgent, 'name' | 'config'> | undefined;
  /** The run log in the tree. */
  readonly path: string;
  /** See {@link projectFolder}. */
  readonly project: string;
}

/**
 * The memory of an agent on this machine: in axe's place, `<data>/memory/<agent>.md`, unless
 * `memory.path` names a file. A built-in agent works on any repository, so it has a memory for each,
 * in `<data>/memory/<project>`. The memory of the offline rules and the copies of rewrites are next
 * to the log. Notes are in the folder of the log, unless `memory.dir` names one.
 */
export function openFileMemory(
  { agent, path, project }: FileMemoryPlace,
  { cwd, env }: Terminal,
): MemoryStore {
  const config = agent?.config.memory;
  const custom = config?.path ? resolve(cwd, config.path) : '';
  try {
    const home = join(dataDir(env), 'memory', agentFolder(agent, project));
    const fileOf = (log: string) => (custom === '' ? join(home, log) : siblingOf(custom, log));
    const logs = [path, apartPath(path)];
    const files = logs.flatMap((log): readonly (readonly [inTree: string, file: string])[] => [
      [log, fileOf(log)],
      [statePath(log), statePath(fileOf(log))],
    ]);
    const copies = files.map(([inTree, file]) => [`${inTree}.bak`, `${file}.bak`] as const);
    const offline = `offline/${path}`;
    const store = createFileStore({
      files: createFiles(),
      clock: createClock(),
      followLinks: true,
      root: config?.dir ? resolve(cwd, config.dir) : home,
      paths: new Map([...files, ...copies, [offline, fileOf(offline)]]),
      wants: isOfNotes,
    });
    const dropHistory = () =>
      removeCopies(
        copies.map(([, file]) => file),
        dirname(fileOf(path)),
      );
    const guarded = custom === '' ? store : ignoringCopies(store, dirname(custom));
    return { ...guarded, dropHistory };
  } catch (thrown) {
    // Without a home folder only the memory fails, not the run.
    return createBrokenStore('file', messageOf(thrown));
  }
}

/** The folders of a log's path in the tree, next to `dir/mem.md`: `dir/apart/mem.md`. */
function siblingOf(custom: string, log: string): string {
  const folders = /^(?:apart\/)?(?:offline\/)?/.exec(log)?.[0] ?? '';
  return join(dirname(custom), folders, basename(custom));
}

/**
 * In a checkout, copies of rewrites are kept from commits, since they hold what was forgotten. At
 * its top a `.gitignore` would apply to the whole repository.
 */
export function ignoringCopies(store: MemoryStore, folder: string): MemoryStore {
  const ignoring = withIgnoreFile(store, createFiles(), folder);
  return {
    ...store,
    async write(changes, signal) {
      const root = changes.every(({ kind }) => kind === 'append')
        ? undefined
        : await findRepositoryRoot(folder);
      const isInCheckout = root !== undefined && root !== folder;
      return await (isInCheckout ? ignoring : store).write(changes, signal);
    },
  };
}

/** Removes the copies that rewrites keep next to their files. */
export async function removeCopies(
  copies: readonly string[],
  location: string,
): Promise<SaveResult> {
  try {
    for (const copy of copies) await createFiles().remove(copy);
    return { kind: 'saved', location, attempts: 1 };
  } catch (thrown) {
    return { kind: 'failed', reason: 'error', message: messageOf(thrown) };
  }
}

/**
 * A path of the tree that is a note, its state, its former version, or a folder of notes.
 * @internal
 */
export function isOfNotes(path: string): boolean {
  if (/(?:^|\/)(?:notes|projects\/[^/]+\/daily)\/$/.test(path)) return true;
  return isNotesPath(path.replace(/(?:\.md)?\.bak$|\.state\.md$/, '.md'));
}
