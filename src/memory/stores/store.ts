import { limitTime } from '../../lib/clock.js';
import { AxeError, messageOf } from '../../lib/errors.js';
import { statePath } from '../state.js';
import {
  type FailedSave,
  failed,
  type MemoryStore,
  type ReadRequest,
  type RestoreResult,
  type StoreKind,
  type TreeResult,
} from '../store.js';
import { readLogIn, shownTree } from './read-log.js';
import { isTreePath, isTreePlace, outsideTree } from './tree-path.js';
import { dropHistory, type SaveOptions, type Snapshot, type TreeBackend, update } from './update.js';

/** A run waits so long for its memory, and goes on without it. */
const READ_MS = 20_000;

/** A store over a backend with compare-and-swap. */
export function createTreeStore(backend: TreeBackend, options: SaveOptions): MemoryStore {
  const { clock, log } = options;
  const { dropHistory: drop } = backend;
  return {
    kind: backend.kind,
    read,
    readTree,
    async write(changes, signal) {
      const outside = changes.find((change) => !isTreePath(change.path));
      if (outside !== undefined) return { kind: 'failed', reason: 'error', ...outsideTree(outside.path) };
      return await update(backend, changes, options, signal);
    },
    ...(drop && { dropHistory: (signal) => dropHistory(backend, drop, options, signal) }),
  };

  async function read(request: ReadRequest, signal: AbortSignal): Promise<RestoreResult> {
    const { path, alongside } = request;
    const newest = await snapshot([path, statePath(path), ...(alongside ?? [])], signal);
    const place = (version: string) => backend.placeOf(version, path);
    if (newest.kind === 'failed') return { ...newest, ...place('') };
    const { tree, version, warnings, blocked } = newest;
    const found = readLogIn(tree, request, { ...place(version), warnings });
    if (alongside === undefined || found.kind === 'failed') return found;
    return { ...found, alongside: shownTree(tree, alongside), blocked };
  }

  async function readTree(signal: AbortSignal, under?: readonly string[]): Promise<TreeResult> {
    const newest = await snapshot(under ?? 'all', signal);
    if (newest.kind === 'failed') return { ...newest, ...backend.placeOf('', '') };
    const { tree, version, warnings, left, blocked } = newest;
    const place = backend.placeOf(version, '');
    return { kind: 'tree', tree: shownTree(tree, under), warnings, ...place, left, blocked };
  }

  /** The newest version. A rate limit is waited for where there is time. */
  async function snapshot(
    paths: readonly string[] | 'all',
    signal: AbortSignal,
  ): Promise<Snapshot | FailedSave> {
    const outside = paths === 'all' ? undefined : paths.find((path) => !isTreePlace(path));
    if (outside !== undefined) return { kind: 'failed', reason: 'error', ...outsideTree(outside) };
    const endMs = clock.now().getTime() + READ_MS;
    const limit = limitTime({ clock, limitMs: READ_MS, signal });
    try {
      for (;;) {
        const found = await backend.read(limit.signal, paths);
        if (found.kind === 'snapshot' || found.reason !== 'rate-limited') return found;
        const { retryAfterMs = READ_MS } = found;
        if (clock.now().getTime() + retryAfterMs >= endMs) return found;
        log?.(`Memory: ${found.message}; trying again in ${Math.ceil(retryAfterMs / 1000)} s.`);
        await clock.sleep(retryAfterMs, limit.signal);
      }
    } catch (thrown) {
      const message = limit.isOver() ? `there was no answer within ${READ_MS / 1000} s` : messageOf(thrown);
      return failed('error', message, thrown instanceof AxeError ? thrown.remedy : undefined);
    } finally {
      limit.end();
    }
  }
}

/** Where entries go that nobody keeps. */
const NOWHERE = { location: 'nowhere (`memory-store: none`)', isNowhere: true } as const;

/** The store of somebody who wants none: nothing is there, and what is written is dropped as asked. */
export function createNoneStore(): MemoryStore {
  return {
    kind: 'none',
    read: async () => ({ kind: 'empty', ...NOWHERE, warnings: [] }),
    readTree: async () => ({ kind: 'tree', tree: new Map(), ...NOWHERE, warnings: [] }),
    write: async () => ({ kind: 'saved', ...NOWHERE, attempts: 0 }),
  };
}

/** A store that could not be opened: every read and write fails with the reason, so that the run itself goes on. */
export function createBrokenStore(kind: StoreKind, message: string, remedy?: string): MemoryStore {
  const fail = async () => ({ ...failed('unavailable', message, remedy), location: kind });
  return { kind, read: fail, readTree: fail, write: fail };
}
