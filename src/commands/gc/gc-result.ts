import type { AxeError } from '../../core/errors.js';
import type { BrokenAnalysis } from '../../core/gc/analysis.js';
import type { LogStats } from '../../core/gc/stats.js';
import type { TrimPlan } from '../../core/gc/trim.js';
import type { SaveResult } from '../../core/memory/store.js';
import type { RunStats } from '../../core/outcome.js';

/** A step of garbage collection that is done. */
export type GcStep =
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
  /** A dry run without a question: what would be sent, by estimate, and trimmed. */
  | { readonly kind: 'not-asked'; readonly model: string; readonly tokens: number; readonly plan: TrimPlan }
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
  /** There is nothing to recommend, or nothing in the agent's files is to change. */
  | { readonly kind: 'none' }
  /** People closed the same before. */
  | { readonly kind: 'closed-before'; readonly url: string }
  /** `answer` is what the model proposed, where it got that far. */
  | { readonly kind: 'failed'; readonly message: string; readonly answer?: string };

/** There is nothing to analyse. */
export interface Empty {
  readonly kind: 'empty';
}

/** What garbage collection came to; a part is absent where it ended before that. */
export interface GcResult {
  readonly read?: Extract<GcStep, { readonly kind: 'read' }>;
  readonly analysed?: Extract<GcStep, { readonly kind: 'analysed' }>;
  /** Of all questions together, whatever became of them; left out where none was to be asked. */
  readonly usage?: RunStats;
  readonly suggestion?: Suggestion;
  readonly removed?: Removed;
  readonly end: Empty | Trim | { readonly kind: 'failed'; readonly error: AxeError };
}
