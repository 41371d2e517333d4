import { createQueue } from '../lib/clock.js';
import type { Warning } from '../lib/errors.js';
import { changedPaths, type MemoryChange, type MemoryTree } from './change.js';

/** The kinds of places where memory is kept between runs. */
export type StoreKind = 'file' | 'cache' | 'branch' | 'none';

export interface ReadRequest {
  /** Place in the memory tree, for example `pr-reviewer.md`. */
  readonly path: string;
  /** Number of newest entries to read; 0 means all of them. */
  readonly lastN: number;
  /** Maximum bytes of these entries, as in the file; 0 or left out means no limit. */
  readonly maxBytes?: number;
  /** Counts all entries even if only the end of the log is read. */
  readonly isCounted?: boolean;
  /**
   * Places to read together with the log, as {@link MemoryStore.readTree} takes them, if that needs
   * no further call.
   */
  readonly alongside?: readonly string[];
}

export interface MemoryLocation {
  /** Path, branch or key, for people. */
  readonly location: string;
  /** Address of the file in a browser, if it has one. */
  readonly url?: string;
  /** The part before each file's path; left out by a store whose files have no own location. */
  readonly prefix?: string;
  /** The user wants no memory, so nothing is kept. */
  readonly isNowhere?: true;
}

/** A requested place that can be neither read nor written; other places are not affected. */
export interface BlockedPlace {
  /** A file of the tree, or a folder with a `/` at its end. */
  readonly path: string;
  readonly reason: SaveFailure;
  readonly message: string;
  readonly remedy?: string;
}

export interface LogLocation extends MemoryLocation {
  /** Text of the state next to it; left out if there is none. */
  readonly state?: string;
  /** The files of the places to read with the log; left out by a store that did not read them. */
  readonly alongside?: MemoryTree;
  /** Places to read with the log that cannot be used; left out if there are none. */
  readonly blocked?: readonly BlockedPlace[];
  /** Links that were refused, files that were left out. */
  readonly warnings: readonly Warning[];
}

export type RestoreResult =
  | (LogLocation & {
      readonly kind: 'restored';
      /** The requested entries, as they are in the file. */
      readonly text: string;
      /** Number of entries in `text`. */
      readonly loaded: number;
      /** Number of entries in the file; left out if only its end was read and nobody asked. */
      readonly total?: number;
      /** Size of the file; left out if all of it was read. */
      readonly fileBytes?: number;
      /**
       * Fewer entries than requested fit into `maxBytes`, or one was cut; `fileBytes` is the file's
       * size.
       */
      readonly truncated: { readonly fileBytes: number } | undefined;
    })
  | (LogLocation & { readonly kind: 'empty' })
  | FailedRead;

/** Memory that cannot be read is not empty memory. A write does not rely on it: it reads again. */
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
      /** Paths of files that did not fit and were not read; left out if all files did. */
      readonly left?: readonly string[];
      /** Places that cannot be used; left out if there are none. */
      readonly blocked?: readonly BlockedPlace[];
    })
  | FailedRead;

/** `refused` means that the place contains something else than a memory file, such as a link. */
export type SaveFailure =
  | 'denied'
  | 'refused'
  | 'unavailable'
  | 'rate-limited'
  | 'conflict'
  | 'timeout'
  | 'error';

/** Memory could not be read or written. */
export interface FailedSave {
  readonly kind: 'failed';
  readonly reason: SaveFailure;
  readonly message: string;
  /** The line of YAML or the command that fixes it. */
  readonly remedy?: string;
  /** Milliseconds after which another attempt can succeed. */
  readonly retryAfterMs?: number;
}

export function saveFailed(reason: SaveFailure, message: string, remedy?: string): FailedSave {
  return { kind: 'failed', reason, message, remedy };
}

export type SaveResult =
  | (MemoryLocation & {
      readonly kind: 'saved';
      /** Number of attempts to commit; 0 if nothing had to be written. */
      readonly attempts: number;
      /** Whole sentences for people: a branch was created, another store was refused. */
      readonly notices?: readonly string[];
      /** The only thing whose runs read it again: `this tag`; left out where other runs do, too. */
      readonly onlyFor?: string;
      /** Notes that could not be saved; left out if all were saved. */
      readonly unsaved?: readonly BlockedPlace[];
    })
  | FailedSave;

/** Keeps memory between runs. Nothing here throws: a failure is a returned value. */
export interface MemoryStore {
  readonly kind: StoreKind;
  read(request: ReadRequest, signal: AbortSignal): Promise<RestoreResult>;
  /**
   * Reads the files of some places: exact paths, and folders with a `/` at their end, of which it
   * reads the files directly in them. Without places it reads all files, for people's commands,
   * but need not read those in `without`.
   */
  readTree(
    signal: AbortSignal,
    under?: readonly string[],
    without?: readonly string[],
  ): Promise<TreeResult>;
  write(changes: readonly MemoryChange[], signal: AbortSignal): Promise<SaveResult>;
  /** Replaces the history by the newest version alone; left out by a store without a history. */
  dropHistory?(signal: AbortSignal): Promise<SaveResult>;
}

/** Finds the block of a file, or of the folder that it is in. */
export function blockedAt(
  { blocked = [] }: { readonly blocked?: readonly BlockedPlace[] },
  path: string,
): BlockedPlace | undefined {
  return blocked.find((place) =>
    place.path.endsWith('/') ? path.startsWith(place.path) : path === place.path,
  );
}

/**
 * The first of some files that exists and could not be read: it must not be treated as missing. A
 * link is not a memory file, and the store has already warned of it.
 */
export function firstUnread(
  result: Extract<TreeResult, { readonly kind: 'tree' }>,
  paths: readonly string[],
): BlockedPlace | undefined {
  const unread = paths
    .filter((path) => !result.tree.has(path))
    .flatMap((path) => blockedAt(result, path) ?? []);
  return unread.find(({ reason }) => reason !== 'refused');
}

/**
 * A store that a run's agents and sub-agents share. Its calls run one after the other, since a
 * store can have files in one place while it works and two calls would collide there.
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
 * A committed memory on a pull request. It is read at the base branch, since anybody can write the
 * head that is checked out; changes go into the working tree, and the user's own step commits them.
 * A file that the checkout does not have starts as the base version, so that committing it removes
 * nothing.
 */
export function createBaseStore(checkout: MemoryStore, base: MemoryStore): MemoryStore {
  return {
    kind: checkout.kind,
    read: base.read,
    readTree: base.readTree,
    async write(changes, signal) {
      const committedFiles = await base.readTree(signal, changedPaths(changes));
      const failure =
        committedFiles.kind === 'failed' ? committedFiles : committedFiles.blocked?.[0];
      if (committedFiles.kind === 'failed' || failure !== undefined) {
        const reason = signal.aborted ? 'timeout' : 'error';
        return saveFailed(reason, failure?.message ?? '', failure?.remedy);
      }

      const beginnings = [...committedFiles.tree].map(
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

const NOWHERE = { location: 'nowhere (`memory-store: none`)', isNowhere: true } as const;

/** The store for `memory-store: none`: it is always empty, and drops all writes. */
export function createNoneStore(): MemoryStore {
  return {
    kind: 'none',
    read: async () => ({ kind: 'empty', ...NOWHERE, warnings: [] }),
    readTree: async () => ({ kind: 'tree', tree: new Map(), ...NOWHERE, warnings: [] }),
    write: async () => ({ kind: 'saved', ...NOWHERE, attempts: 0 }),
  };
}

/**
 * Replaces a store that could not be opened: every read and write fails with the reason, so that
 * the run itself continues.
 */
export function createBrokenStore(kind: StoreKind, message: string, remedy?: string): MemoryStore {
  const fail = async () => ({ ...saveFailed('unavailable', message, remedy), location: kind });
  return { kind, read: fail, readTree: fail, write: fail };
}
