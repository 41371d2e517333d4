import type { AxeError } from '../../lib/errors.js';
import type { RunStats } from '../../lib/outcome.js';
import type { SaveResult } from '../store.js';
import type { CountedLog, TrimPlan } from './count-log.js';

export type GcEnd =
  | { readonly kind: 'empty' }
  /** The rules of `offline/rules` analyse nothing, so nothing is trimmed after them. */
  | { readonly kind: 'not-analysed' }
  /** With the plan where no model was asked. */
  | { readonly kind: 'dry-run'; readonly plan?: TrimPlan | undefined }
  | Exclude<TrimPlan, { readonly kind: 'trim' }>
  | {
      readonly kind: 'trimmed';
      readonly removed: number;
      readonly kept: number;
      readonly saved: Extract<SaveResult, { readonly kind: 'saved' }>;
    };

export type Suggestion =
  | { readonly kind: 'published'; readonly url: string; readonly created: boolean }
  /** There is nothing to recommend, or nothing in the agent's files is to change. */
  | { readonly kind: 'none' }
  /** People closed the same before. */
  | { readonly kind: 'closed-before'; readonly url: string }
  | { readonly kind: 'failed'; readonly message: string };

/** What garbage collection found on its way; a part is absent where it ended before that. */
export interface GcFindings {
  readonly counted?: CountedLog | undefined;
  /** What the model said, whole or not, and how many of the oldest entries it was not given. */
  readonly analysis?: { readonly text: string; readonly unread: number };
  /** Of all questions together, whatever became of them. */
  readonly usage?: RunStats | undefined;
  /** The trim was begun. */
  readonly isTrimming?: true | undefined;
}

export interface GcResult extends GcFindings {
  readonly suggestion?: Suggestion | undefined;
  readonly end: GcEnd | { readonly kind: 'failed'; readonly error: AxeError };
}

/** How it ended, in axe's words where it has some (axe-behaviour §19). */
export function formatGcEnd(
  end: GcEnd,
  agent: string,
  entries = (number: number) => `${number} entries`,
): string {
  switch (end.kind) {
    case 'empty':
      return `No memory entries for agent "${agent}". Nothing to do.`;
    case 'not-analysed':
      return 'No entries trimmed: `offline/rules` makes no analysis. Name a model: `--model`, in a workflow the input `model`.';
    case 'dry-run':
      if (end.plan === undefined) return 'Dry run: no entries trimmed.';
      return `Dry run: no entries trimmed. No model was asked, and ${
        end.plan.kind === 'trim'
          ? `${entries(end.plan.removed)} would be removed, ${entries(end.plan.kept)} kept`
          : 'no entry would be removed'
      }.`;
    case 'no-target':
      return 'No trim target configured (last_n and max_entries are both 0). Skipping trim.';
    case 'within':
      return `No trimming needed: ${entries(end.entries)} within limit (${end.target}).`;
    case 'indivisible':
      return `No trimming possible: the newest entry counts as ${end.entries}, by its lines that start with \`## \`, and the limit is ${end.target}. An entry is never split.`;
    case 'trimmed':
      return `Trimmed: ${entries(end.removed)} removed, ${entries(end.kept)} kept.`;
  }
}

/** What the analysis did not see; empty where it saw all. */
export function formatUnread(unread: number): string {
  if (unread === 0) return '';
  const what = unread === 1 ? 'The oldest entry was' : `The oldest ${unread} entries were`;
  return `${what} not analysed: the log is longer than one question may be.`;
}
