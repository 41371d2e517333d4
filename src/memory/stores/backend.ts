import type { Warning } from '../../lib/warning.js';
import type { MemoryTree } from '../change.js';
import type { BlockedPlace, FailedSave, Place, StoreKind } from '../store.js';

/** The newest version of the memory tree, as a backend read it. */
export interface Snapshot {
  readonly kind: 'snapshot';
  /** Files by `/`-separated path; a backend may leave out files nobody asked for. */
  readonly tree: MemoryTree;
  /** What the backend compares on commit: a commit id, a key's number; empty where nothing is there yet. */
  readonly version: string;
  readonly warnings: readonly Warning[];
  /** Ids of the changes that were saved since the time that was asked for; left out where nobody asked. */
  readonly saved?: ReadonlySet<string> | undefined;
  /** Paths of files that did not fit; left out where all did. */
  readonly left?: readonly string[] | undefined;
  /** Notes whose place holds something else; left out where there are none. */
  readonly blocked?: readonly BlockedPlace[] | undefined;
  /** Readers may have passed over what was saved here: it is committed once more, even if nothing differs. */
  readonly isOpen?: boolean | undefined;
  /** Of a branch: everybody can read it. */
  readonly isPublic?: boolean | undefined;
  /** Of a branch: what is in the place of a file and must not be overwritten. */
  readonly refused?: readonly RefusedFile[] | undefined;
  /** Of a cache: the files outside of the store's folder, of which nothing changes. */
  readonly others?: MemoryTree | undefined;
}

/** Something that is not a file of memory, by its place in the tree. */
export interface RefusedFile {
  readonly path: string;
  /** Half a sentence: `it is a symbolic link`. */
  readonly reason: string;
}

/**
 * Memory could not be read, which is not the same as empty: nothing is written after it (D14). Or nothing was written. With
 * `retryAfterMs` it may be tried again after so many milliseconds.
 */
export interface BackendTrouble extends FailedSave {
  readonly retryAfterMs?: number | undefined;
}

/** What became of one attempt to make a tree the newest version. */
export type CommitResult =
  /** `notices` are whole sentences that people should read. */
  | { readonly kind: 'committed'; readonly version: string; readonly notices?: readonly string[] | undefined }
  /** Somebody else was first; nothing was written. */
  | { readonly kind: 'conflict' }
  /** No answer came, and it may have been written. */
  | { readonly kind: 'unknown'; readonly message: string }
  | BackendTrouble;

/** A place that keeps a memory tree and can replace a version it knows by the next one (D12). */
export interface TreeBackend {
  readonly kind: Extract<StoreKind, 'cache' | 'branch'>;
  /**
   * The newest version. `paths` are what the caller will look at, of a folder (with a `/` at its end) the files directly
   * in it; a backend may read more, never less. With `since` it also says which changes were saved from then on.
   */
  read(
    signal: AbortSignal,
    paths: readonly string[] | 'all',
    since?: Date,
  ): Promise<Snapshot | BackendTrouble>;
  /**
   * Writes the files of `tree` that differ from the newest version's, if that is still the snapshot's. One whose text
   * is empty now is removed; others are left alone. `ids` are those of the changes that are saved with it.
   */
  commit(
    snapshot: Snapshot,
    next: { readonly tree: MemoryTree; readonly ids: readonly string[] },
    signal: AbortSignal,
  ): Promise<CommitResult>;
  /** Where a file of a version is, for people. */
  placeOf(version: string, path: string): Place;
  /** Writes the newest version anew without what came before it, where there is such a thing. */
  dropHistory?(signal: AbortSignal): Promise<CommitResult>;
}
