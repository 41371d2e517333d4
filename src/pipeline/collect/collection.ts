import type { AxeError } from '../../axe/errors.js';
import type { BrokenAnalysis } from '../../axe/gc/analysis.js';
import type { LogStats } from '../../axe/gc/stats.js';
import type { TrimPlan } from '../../axe/gc/trim.js';
import type { RunStats } from '../../axe/loop/outcome.js';
import type { SaveResult } from '../../axe/memory/store.js';

/** A step of garbage collection that is done. */
export type CollectStep =
  | { readonly kind: 'read'; readonly entries: number; readonly stats: LogStats }
  | {
      readonly kind: 'analysed';
      readonly text: string;
      /** Why that is not a whole analysis. */
      readonly broken?: BrokenAnalysis;
      readonly parts: number;
      /** Entries that the limits left no room for; they stay. */
      readonly left: number;
    };

/** What went by its age alone, without being analysed. */
export interface Removed {
  /** Daily logs older than `retention_days`. */
  readonly days: number;
  /** Entries of the untrusted lane older than `max_age_days`. */
  readonly untrusted: number;
}

/** Whether anything went by its age. */
export function hasRemoved({ days, untrusted }: Removed): boolean {
  return days + untrusted > 0;
}

/** What became of the log. */
export type Trim =
  | { readonly kind: 'dry-run' }
  /** The rules of `offline/rules` analyse nothing, so nothing is trimmed after them. */
  | { readonly kind: 'not-analysed' }
  | Exclude<TrimPlan, { readonly kind: 'trim' }>
  | {
      readonly kind: 'trimmed';
      readonly removed: number;
      readonly kept: number;
      readonly saved: Extract<SaveResult, { readonly kind: 'saved' }>;
    };

/** What became of the recommendations. */
export type Suggestion =
  | {
      readonly kind: 'published';
      readonly as: 'pull-request' | 'issue';
      readonly url: string;
      readonly created: boolean;
    }
  /** Nothing in the agent's files is to change. */
  | { readonly kind: 'none' }
  | { readonly kind: 'failed'; readonly message: string };

/** There is nothing to analyse. */
export interface Empty {
  readonly kind: 'empty';
  /** Entries that are there, but do not have the signature that is required. */
  readonly unsigned: number;
}

/** What garbage collection came to; a part is absent where it ended before that. */
export interface Collection {
  readonly read?: Extract<CollectStep, { readonly kind: 'read' }>;
  readonly analysed?: Extract<CollectStep, { readonly kind: 'analysed' }>;
  /** Of all questions together, whatever became of them; left out where none was to be asked. */
  readonly usage?: RunStats;
  readonly suggestion?: Suggestion;
  readonly removed?: Removed;
  readonly end: Empty | Trim | { readonly kind: 'failed'; readonly error: AxeError };
}
