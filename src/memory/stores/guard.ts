import { createQueue } from '../../lib/clock.js';
import { pathsOf } from '../change.js';
import { isUnder, untrustedPath } from '../paths.js';
import { failed, type MemoryStore, type StoreKind } from '../store.js';

/**
 * A store that adds nothing to a run log that it could not read in this run: what looks empty may only be out of reach
 * (D14). Both lanes of an agent and their states go together.
 */
export function guarded(store: MemoryStore): MemoryStore {
  const broken = new Map<string, { readonly message: string; readonly remedy?: string | undefined }>();
  /** What was read: that it is asked for once more, with something that cannot be read, breaks nothing. */
  const loaded = new Set<string>();
  const breakAll = (paths: readonly string[], failure: { readonly message: string }) => {
    for (const path of bothLanes(paths)) if (!loaded.has(path)) broken.set(path, failure);
  };
  return {
    ...store,
    async read(request, signal) {
      const result = await store.read(request, signal);
      const places = [request.path, ...(request.alongside ?? [])];
      if (result.kind === 'failed') breakAll(places, result);
      else for (const path of bothLanes([request.path])) loaded.add(path);
      return result;
    },
    async readTree(signal, under) {
      const result = await store.readTree(signal, under);
      if (result.kind === 'failed') breakAll(under ?? [], result);
      return result;
    },
    async write(changes, signal) {
      const places = bothLanes(changes.map(({ path }) => path));
      const reason = [...broken].find(([path]) => places.some((one) => isUnder(one, [path])))?.[1];
      if (reason === undefined) return await store.write(changes, signal);
      const { message, remedy } = reason;
      return {
        kind: 'failed',
        reason: 'unavailable',
        message: `it could not be loaded, so nothing was added to it (${message})`,
        remedy,
      };
    },
  };
}

const UNTRUSTED = untrustedPath('');

/** Run logs in both lanes of the agents that these run logs, states and backups are of, each once. */
function bothLanes(paths: readonly string[]): readonly string[] {
  const trusted = paths.map((path) => {
    const log = path.replace(/\.md\.bak$|\.state\.md$/, '.md');
    return log.startsWith(UNTRUSTED) ? log.slice(UNTRUSTED.length) : log;
  });
  return [...new Set(trusted)].flatMap((path) => [path, untrustedPath(path)]);
}

/**
 * A store that agents and sub-agents of a run share: its calls follow one another, since a store may keep files in one
 * place while it works and must not meet itself there.
 */
export function oneAtATime(store: MemoryStore): MemoryStore {
  const { dropHistory } = store;
  const inTurn = createQueue();
  return {
    kind: store.kind,
    read: (request, signal) => inTurn(() => store.read(request, signal)),
    readTree: (signal, under) => inTurn(() => store.readTree(signal, under)),
    write: (changes, signal) => inTurn(() => store.write(changes, signal)),
    ...(dropHistory && { dropHistory: (signal) => inTurn(() => dropHistory(signal)) }),
  };
}

/**
 * A committed memory on a pull request: what a run may know is read at the base branch, since the checkout is the head's and
 * anybody's; what it adds goes into the working tree for the user's own step to commit (D13, D21). A file that the checkout
 * does not have is begun with the base version, so that committing it takes nothing away.
 */
export function createBaseStore(checkout: MemoryStore, base: MemoryStore): MemoryStore {
  return {
    kind: checkout.kind,
    read: base.read,
    readTree: base.readTree,
    async write(changes, signal) {
      const found = await base.readTree(signal, pathsOf(changes));
      const trouble = found.kind === 'failed' ? found : found.blocked?.[0];
      if (found.kind === 'failed' || trouble !== undefined)
        return failed(signal.aborted ? 'timeout' : 'error', trouble?.message ?? '', trouble?.remedy);
      const beginnings = [...found.tree].map(
        ([path, committed]) =>
          ({ kind: 'rewrite', path, rewrite: (text: string) => (text === '' ? committed : text) }) as const,
      );
      return await checkout.write([...beginnings, ...changes], signal);
    },
  };
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
