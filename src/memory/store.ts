import { createQueue } from '../lib/clock.js';
import type { Warning } from '../lib/errors.js';
import { changedPaths, type MemoryChange, type MemoryTree } from './change.js';
import { isAmongPlaces, untrustedPath } from './paths.js';

/** The kinds of places that memory lives in (D13). */
export type StoreKind = 'file' | 'cache' | 'branch' | 'none';

export interface ReadRequest {
  /** Place in the memory tree, for example `pr-reviewer.md`. */
  readonly path: string;
  /** Newest entries wanted; 0 means all of them (D33). */
  readonly lastN: number;
  /** Most bytes of them, as the files have them; left out or 0: no bound. */
  readonly maxBytes?: number;
  /**
   * Places to read with it, as {@link MemoryStore.readTree} takes them, where that costs no further
   * call.
   */
  readonly alongside?: readonly string[];
}

/** Where something was found or put. */
export interface MemoryLocation {
  /** Path, branch or key, for people. */
  readonly location: string;
  /** Address of the file in a browser, where it has one. */
  readonly url?: string;
  /**
   * What is before the path of each file in the store; left out by a store whose files have no
   * places of their own.
   */
  readonly prefix?: string;
  /** Nothing is kept, as was wanted. */
  readonly isNowhere?: true;
}

/**
 * A place that was wanted and cannot be used as it is: it is neither read nor written, and nothing
 * else suffers (D54).
 */
export interface BlockedPlace {
  /** A file of the tree, or a folder with a `/` at its end. */
  readonly path: string;
  readonly reason: SaveFailure;
  readonly message: string;
  readonly remedy?: string;
}

/** Where a run log was looked for, and what was found with it. */
export interface LogLocation extends MemoryLocation {
  /** Text of the state next to it (D36); left out where there is none. */
  readonly state?: string;
  /** The files of the places to read with the log; left out by a store that did not read them. */
  readonly alongside?: MemoryTree;
  /** Those of them that are not as they need to be; left out where all are. */
  readonly blocked?: readonly BlockedPlace[];
  /** Told by the store on the way: links refused, files left out. */
  readonly warnings: readonly Warning[];
}

export type RestoreResult =
  | (LogLocation & {
      readonly kind: 'restored';
      /** The wanted entries, as they are in the file. */
      readonly text: string;
      /** Entries in `text`. */
      readonly loaded: number;
      /** Entries in the file, also where only its end was read. */
      readonly total: number;
      /**
       * Fewer entries than wanted fit into `maxBytes`, or one was cut; `fileBytes` is what the file
       * holds.
       */
      readonly truncated: { readonly fileBytes: number } | undefined;
    })
  | (LogLocation & { readonly kind: 'empty' })
  | FailedRead;

/**
 * It could not be read, which is not the same as being empty: nothing is appended to it in this run
 * (D14).
 */
export interface FailedRead extends MemoryLocation {
  readonly kind: 'failed';
  readonly message: string;
  readonly remedy?: string;
}

export type TreeResult =
  | (MemoryLocation & {
      readonly kind: 'tree';
      readonly tree: MemoryTree;
      readonly warnings: readonly Warning[];
      /** Paths of files that did not fit: known by name, not read; left out where all did. */
      readonly left?: readonly string[];
      /** Places that are not as they need to be; left out where all are. */
      readonly blocked?: readonly BlockedPlace[];
    })
  | FailedRead;

/**
 * Why a save failed; `refused` means that what is in the place is no file of memory, a link say.
 */
export type SaveFailure =
  | 'denied'
  | 'refused'
  | 'unavailable'
  | 'rate-limited'
  | 'conflict'
  | 'timeout'
  | 'error';

/** Memory could not be read or written, and why. */
export interface FailedSave {
  readonly kind: 'failed';
  readonly reason: SaveFailure;
  readonly message: string;
  /** The line of YAML or the command that fixes it. */
  readonly remedy?: string;
  /** It may be tried again after so many milliseconds. */
  readonly retryAfterMs?: number;
}

export function saveFailed(reason: SaveFailure, message: string, remedy?: string): FailedSave {
  return { kind: 'failed', reason, message, remedy };
}

export type SaveResult =
  | (MemoryLocation & {
      readonly kind: 'saved';
      /** Attempts that were made to commit; 0 where nothing had to be written. */
      readonly attempts: number;
      /**
       * What people should know of it, in whole sentences: a branch was created, another store was
       * refused.
       */
      readonly notices?: readonly string[];
      /** Notes that could not be saved; left out where all were (D54). */
      readonly unsaved?: readonly BlockedPlace[];
    })
  | FailedSave;

/** Where memory lives between runs (D12, D13). Nothing here throws: trouble is a value. */
export interface MemoryStore {
  readonly kind: StoreKind;
  read(request: ReadRequest, signal: AbortSignal): Promise<RestoreResult>;
  /**
   * The files of some places: exact paths, and folders with a `/` at their end, of which the files
   * directly in them are meant. Without places all files, for people's commands.
   */
  readTree(signal: AbortSignal, under?: readonly string[]): Promise<TreeResult>;
  write(changes: readonly MemoryChange[], signal: AbortSignal): Promise<SaveResult>;
  /** Writes the newest version anew without what came before it; only where there is a history. */
  dropHistory?(signal: AbortSignal): Promise<SaveResult>;
}

/** Why a file cannot be used: it is blocked itself, or a folder that it is in. */
export function blockedAt(
  { blocked = [] }: { readonly blocked?: readonly BlockedPlace[] },
  path: string,
): BlockedPlace | undefined {
  return blocked.find((place) =>
    place.path.endsWith('/') ? path.startsWith(place.path) : path === place.path,
  );
}

/**
 * The first of some files that is there and could not be read: it must not be taken for a missing
 * one. A link is not a file of memory, and was left out with a warning.
 */
export function firstUnread(
  found: Extract<TreeResult, { readonly kind: 'tree' }>,
  paths: readonly string[],
): BlockedPlace | undefined {
  const unread = paths
    .filter((path) => !found.tree.has(path))
    .flatMap((path) => blockedAt(found, path) ?? []);
  return unread.find(({ reason }) => reason !== 'refused');
}

/**
 * A store that adds nothing to a run log that it could not read in this run: what looks empty may
 * only be out of reach (D14). Both lanes of an agent and their states go together.
 */
export function refusingUnreadLogs(store: MemoryStore): MemoryStore {
  const broken = new Map<string, { readonly message: string; readonly remedy?: string }>();
  /**
   * What was read: that it is asked for once more, with something that cannot be read, breaks
   * nothing.
   */
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
      const reason = [...broken].find(([path]) =>
        places.some((one) => isAmongPlaces(one, [path])),
      )?.[1];
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

/**
 * Run logs in both lanes of the agents that these run logs, states and backups are of, each once.
 */
function bothLanes(paths: readonly string[]): readonly string[] {
  const trusted = paths.map((path) => {
    const log = path.replace(/\.md\.bak$|\.state\.md$/, '.md');
    return log.startsWith(UNTRUSTED) ? log.slice(UNTRUSTED.length) : log;
  });
  return [...new Set(trusted)].flatMap((path) => [path, untrustedPath(path)]);
}

/**
 * A store that agents and sub-agents of a run share: its calls follow one another, since a store
 * may keep files in one place while it works and must not meet itself there.
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
 * A committed memory on a pull request: what a run may know is read at the base branch, since the
 * checkout is the head's and anybody's; what it adds goes into the working tree for the user's own
 * step to commit (D13, D21). A file that the checkout does not have is begun with the base version,
 * so that committing it takes nothing away.
 */
export function createBaseStore(checkout: MemoryStore, base: MemoryStore): MemoryStore {
  return {
    kind: checkout.kind,
    read: base.read,
    readTree: base.readTree,
    async write(changes, signal) {
      const found = await base.readTree(signal, changedPaths(changes));
      const trouble = found.kind === 'failed' ? found : found.blocked?.[0];
      if (found.kind === 'failed' || trouble !== undefined)
        return saveFailed(
          signal.aborted ? 'timeout' : 'error',
          trouble?.message ?? '',
          trouble?.remedy,
        );
      const beginnings = [...found.tree].map(
        ([path, committed]) =>
          ({
            kind: 'rewrite',
            path,
            rewrite: (text: string) => (text === '' ? committed : text),
          }) as const,
      );
      return await checkout.write([...beginnings, ...changes], signal);
    },
  };
}

/** Where entries go that nobody keeps. */
const NOWHERE = { location: 'nowhere (`memory-store: none`)', isNowhere: true } as const;

/**
 * The store of somebody who wants none: nothing is there, and what is written is dropped as asked.
 */
export function createNoneStore(): MemoryStore {
  return {
    kind: 'none',
    read: async () => ({ kind: 'empty', ...NOWHERE, warnings: [] }),
    readTree: async () => ({ kind: 'tree', tree: new Map(), ...NOWHERE, warnings: [] }),
    write: async () => ({ kind: 'saved', ...NOWHERE, attempts: 0 }),
  };
}

/**
 * A store that could not be opened: every read and write fails with the reason, so that the run
 * itself goes on.
 */
export function createBrokenStore(kind: StoreKind, message: string, remedy?: string): MemoryStore {
  const fail = async () => ({ ...saveFailed('unavailable', message, remedy), location: kind });
  return { kind, read: fail, readTree: fail, write: fail };
}
