import type { PlacedFinding } from './place.js';
import type { ReactionName } from './publish-rules.js';

/** What a review concludes; a model cannot approve. */
export type Verdict = 'comment' | 'request-changes';

/** What a review says beside its findings. */
export interface ReviewDraft {
  /** Markdown of the model's. */
  readonly summary: string;
  readonly verdict: Verdict;
}

/** An issue to be opened. */
export interface IssueDraft {
  readonly title: string;
  /** Markdown of the model's. */
  readonly body: string;
  readonly labels: readonly string[];
}

/** Something the model wanted published and may not have. */
export interface Refusal {
  readonly tool: string;
  readonly why: string;
}

/** What a run wants published when it has ended. None of the text was cleaned yet. */
export interface Buffered {
  readonly findings: readonly PlacedFinding[];
  /** Findings that were not taken because a run had raised as many as it may. */
  readonly refusedFindings: number;
  readonly review: ReviewDraft | undefined;
  readonly labels: { readonly add: readonly string[]; readonly remove: readonly string[] };
  readonly assignees: readonly string[];
  readonly issues: readonly IssueDraft[];
  readonly reaction: ReactionName | undefined;
  readonly refusals: readonly Refusal[];
}

/** Where a run begins. */
export const NOTHING_BUFFERED: Buffered = {
  findings: [],
  refusedFindings: 0,
  review: undefined,
  labels: { add: [], remove: [] },
  assignees: [],
  issues: [],
  reaction: undefined,
  refusals: [],
};
