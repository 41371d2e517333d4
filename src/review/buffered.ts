import type { Finding } from './finding.js';
import type { Gate } from './gates.js';
import type { KnownFinding } from './known.js';
import type { Lesson } from './lessons.js';
import type { PlacedFinding } from './place.js';
import type { ReactionName } from './publish-rules.js';
import type { Settlement } from './settle.js';

/** What a review says besides its findings. */
interface ReviewDraft {
  /** Markdown of the model's. */
  readonly summary: string;
}

/** An issue to be opened. */
export interface IssueDraft {
  readonly title: string;
  /** Markdown of the model's. */
  readonly body: string;
  readonly labels: readonly string[];
}

/** Something the model wanted published and is not allowed to have. */
export interface Refusal {
  readonly tool: string;
  readonly why: string;
}

/** A finding of the run that the pull request has from an earlier one. */
export interface Repeated {
  /** Open, or ended and now back. */
  readonly of: KnownFinding;
  readonly finding: Finding;
}

/** A finding of the run that is not posted, because a person has decided about it. */
export interface HeldBack {
  readonly finding: Finding;
  /** The finding of this pull request that it is, or what was dismissed on another one. */
  readonly of: KnownFinding | Lesson;
}

/** A finding that a second look has thrown out. */
export interface Refuted {
  readonly finding: Finding;
  readonly why: RefutedWhy;
  /** The verifier's words on one line. */
  readonly reason: string;
}

/** `unclear`: nobody could tell, and it would not be bad enough; `below-min-severity`: its effect or reach was corrected. */
export type RefutedWhy = 'refuted' | 'unclear' | 'below-min-severity';

/** One of several conversations that a change was read in. */
export interface PassRecord {
  /** `part 2 of 3`. */
  readonly name: string;
  readonly files: number;
  /** Of the findings that it raised. */
  readonly ids: readonly string[];
  /** Why its files count as not read; undefined where they were. */
  readonly why: 'budget' | 'failed' | undefined;
}

/** What a run wants published when it has ended. None of the text was cleaned yet. */
export interface Buffered {
  readonly findings: readonly PlacedFinding[];
  readonly repeated: readonly Repeated[];
  readonly heldBack: readonly HeldBack[];
  readonly refuted: readonly Refuted[];
  /** Findings that were to have a second look and had none; they are published all the same. */
  readonly unverified: number;
  /** How a review in several conversations was made; empty for one conversation. */
  readonly passes: readonly PassRecord[];
  /** Ends of earlier findings. */
  readonly settlements: readonly Settlement[];
  /** Places about which the model was asked whether it means an earlier finding. */
  readonly questioned: ReadonlySet<string>;
  /** How many findings each gate has stopped. */
  readonly gates: Readonly<Partial<Record<Gate, number>>>;
  /** Findings that were not taken because a run had raised as many as it may. */
  readonly refusedFindings: number;
  readonly review: ReviewDraft | undefined;
  readonly labels: { readonly add: readonly string[]; readonly remove: readonly string[] };
  readonly issues: readonly IssueDraft[];
  readonly reaction: ReactionName | undefined;
  readonly refusals: readonly Refusal[];
}

/** Where a run begins. */
export const NOTHING_BUFFERED: Buffered = {
  findings: [],
  repeated: [],
  heldBack: [],
  refuted: [],
  unverified: 0,
  passes: [],
  settlements: [],
  questioned: new Set(),
  gates: {},
  refusedFindings: 0,
  review: undefined,
  labels: { add: [], remove: [] },
  issues: [],
  reaction: undefined,
  refusals: [],
};
