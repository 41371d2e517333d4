import type { Warning } from '../warning.js';
import type { Change } from './change.js';

/** The run log of one agent, to be read. */
export interface ReadRequest {
  /** Place in the memory tree, for example `pr-reviewer.md`. */
  readonly path: string;
  /** Newest entries wanted; 0 means all of them. */
  readonly lastN: number;
  /** Whether the entries must be counted, which reads the whole file (D33). */
  readonly count: boolean;
}

/** What a store holds of a run log. */
export type RestoreResult =
  | {
      readonly kind: 'restored';
      /** The wanted entries, as they stand in the file. */
      readonly text: string;
      /** Entries in `text`. */
      readonly loaded: number;
      /** Entries in the file; undefined unless they were asked for. */
      readonly total: number | undefined;
      /** The text was cut to the most that is ever loaded; `fileBytes` is what the file holds. */
      readonly truncated: { readonly fileBytes: number } | undefined;
      /** Path or URL, for people. */
      readonly location: string;
      /** Told by the store on the way: links refused, files set aside. */
      readonly warnings: readonly Warning[];
    }
  | { readonly kind: 'empty'; readonly location: string; readonly warnings: readonly Warning[] }
  /** It could not be read, which is not the same as being empty: nothing may be appended to it (D14). */
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly remedy?: string;
      readonly location: string;
    };

/** Why a save failed. */
export type SaveFailure = 'denied' | 'unavailable' | 'rate-limited' | 'conflict' | 'timeout' | 'error';

/** What became of a save. */
export type SaveResult =
  | { readonly kind: 'saved'; readonly location: string; readonly attempts: number }
  | {
      readonly kind: 'failed';
      readonly reason: SaveFailure;
      readonly message: string;
      /** The line of YAML or the command that mends it. */
      readonly remedy?: string;
    };

/** Where memory lives between runs (D12, D13). Neither method throws: trouble is a value. */
export interface MemoryStore {
  readonly kind: 'file' | 'cache' | 'repo' | 'none';
  read(request: ReadRequest, signal: AbortSignal): Promise<RestoreResult>;
  write(changes: readonly Change[], signal: AbortSignal): Promise<SaveResult>;
}
