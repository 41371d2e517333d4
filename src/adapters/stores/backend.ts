import type { BlockedPlace, Place, SaveFailure, StoreKind } from '../../core/memory/store.js';
import type { MemoryTree } from '../../core/memory/tree.js';
import type { Warning } from '../../core/warning.js';

/** The newest version of the memory tree, as a backend read it. */
export interface Snapshot {
  readonly kind: 'snapshot';
  /** Files by `/`-separated path; a backend may leave out files nobody asked for. */
  readonly tree: MemoryTree;
  /** What the backend compares on commit: a commit id, a key's number; empty where nothing is there yet. */
  readonly version: string;
  readonly warnings: readonly Warning[];
  /** Paths of files that did not fit; left out where all did. */
  readonly left?: readonly string[];
  /** Notes whose place holds something else; left out where there are none. */
  readonly blocked?: readonly BlockedPlace[];
  /** The tree holds more than the newest version does, from other versions: it is committed even if no change adds to it. */
  readonly unsettled?: boolean;
  /** What is unsettled is kept where it is: a save that has nothing else to commit may leave it to the next one. */
  readonly mayWait?: boolean;
}

/** Memory is out of reach, which is not the same as empty: nothing is written after it (D14). */
export interface Unreadable {
  readonly kind: 'unreadable';
  readonly reason: SaveFailure;
  readonly message: string;
  readonly remedy?: string;
  /** The other side asks to come again after so many milliseconds. */
  readonly retryAfterMs?: number;
}

/** What became of one attempt to make a tree the newest version. */
export type CommitResult =
  /** `notices` are whole sentences that people should read. */
  | { readonly kind: 'committed'; readonly version: string; readonly notices?: readonly string[] }
  /** Somebody else was first; nothing was written. `waitMs`, where the backend knows how long to wait before the next attempt. */
  | { readonly kind: 'conflict'; readonly retryAfterMs?: number; readonly waitMs?: number }
  /** The answer was lost: the newest version will show whether it was written. */
  | { readonly kind: 'unknown'; readonly message: string }
  /** Nothing was written; with `retryAfterMs` it may be tried again after so many milliseconds. */
  | {
      readonly kind: 'failed';
      readonly reason: SaveFailure;
      readonly message: string;
      readonly remedy?: string;
      readonly retryAfterMs?: number;
    };

/** A place that keeps a memory tree and can replace a version it knows by the next one (D12). */
export interface TreeBackend {
  readonly kind: Extract<StoreKind, 'cache' | 'repo'>;
  /**
   * A save first tries the version that was restored, which is nearly always the newest still. Only for a backend that
   * refuses an old version however old it is: in the cache the number after it may be free again after an eviction.
   */
  readonly triesRestored?: boolean;
  /**
   * The newest version. `paths` are what the caller will look at, of a folder (with a `/` at its end) the files directly
   * in it; a backend may read more, never less.
   */
  read(signal: AbortSignal, paths: readonly string[] | 'all'): Promise<Snapshot | Unreadable>;
  /**
   * Writes the files of `tree` that differ from the newest version's, if that is still the snapshot's. One whose text
   * is empty now is removed; others are left alone.
   */
  commit(snapshot: Snapshot, tree: MemoryTree, signal: AbortSignal): Promise<CommitResult>;
  /**
   * Keeps what a save adds to each file where every `read` finds it, since others keep moving the newest version. Left out
   * where there is no such place.
   */
  setAside?(snapshot: Snapshot, added: MemoryTree, signal: AbortSignal): Promise<CommitResult>;
  /** Where a file of a version is, for people. */
  placeOf(version: string, path: string): Place;
  /** Writes the newest version anew without what came before it, where there is such a thing. */
  dropHistory?(signal: AbortSignal): Promise<CommitResult>;
}
