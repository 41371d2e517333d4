import type { Repository } from '../event/trigger.js';
import type { Warning } from '../lib/warning.js';
import type { MarkLane } from '../safety/mark.js';
import type { Buffered } from './buffered.js';
import type { Finding, Severity } from './finding.js';
import type { Ledger } from './ledger.js';
import type { FindingMark } from './marks.js';
import type { News } from './news.js';
import type { PlacedFinding } from './place.js';
import type { FindingRecord } from './record.js';

/** How much a review has looked at: all there was, what the inputs or a budget left of it, or what it came to. */
export type ReviewExtent = 'whole' | 'part' | 'cut';

/** What a run has to say of the findings of a pull request, and all that its texts are made from. */
export interface ReviewPost {
  readonly place: { readonly repository: Repository; readonly number: number };
  /** Whose review it is; one that was asked for in a comment bears the comment's number behind the agent's name. */
  readonly agent: string;
  /** Sha of the commit that the findings were held against. */
  readonly head: string;
  /** Of what the run says; a run that read strangers' text resolves nothing. */
  readonly lane: MarkLane;
  readonly ledger: Ledger;
  readonly news: News;
  readonly buffered: Buffered;
  /** Ids of findings that are answered elsewhere; left out: none. */
  readonly answered?: ReadonlySet<string>;
  /** Sentences for people about how the review came about, cleaned. */
  readonly remarks: readonly string[];
  /** The run answers a question: what it says nothing of is not its subject. */
  readonly isQuestion?: boolean;
  /** The run completed, or a limit ended it, and it may write comments. */
  readonly isOver: boolean;
  readonly maxComments: number;
  readonly blockOn: Severity | undefined;
  /** Undefined where a review without findings says nothing by that. */
  readonly extent: ReviewExtent | undefined;
  /** The small line at the end, cleaned markdown; empty for none. */
  readonly footer: string;
  /** Of a comment on a line: who says so. */
  readonly signature: string;
  readonly now: Date;
  warn(warning: Warning): void;
  /** Outbound cleaning (D24): each text by others goes through it by itself, and has to close what it opens. */
  clean(markdown: string): string;
}

/** What a review came to, posted or not. */
export interface ReviewEnd {
  /** The open findings, worst first. */
  readonly open: readonly Finding[];
  /** It asks for changes, or an earlier one does still. */
  readonly isBlocking: boolean;
  /** Findings that could not be posted, or were not to be. */
  readonly unposted: readonly PlacedFinding[];
}

/** What was said of the findings of a pull request. */
export interface MarksOnPull {
  readonly pull: number;
  readonly marks: readonly FindingMark[];
}

/** What became of a review. */
export interface PostedReview {
  /** The review says what the run had to say: no other comment is needed. */
  readonly isReview: boolean;
  readonly line?: string | undefined;
  readonly url?: string;
  readonly marks?: readonly MarksOnPull[];
  /** Ids of texts of ours that memory did not know. */
  readonly posted?: readonly number[];
  /** Every finding with its fate; left out where the run reviewed nothing. */
  readonly records?: readonly FindingRecord[];
  readonly isReviewLost?: boolean;
  /** Why GitHub did not take it. */
  readonly failure?: string;
  /** Markdown for the job summary that nobody has cleaned yet. */
  readonly details?: string;
  /** Left out where the run wanted none. */
  readonly review?: ReviewEnd;
}
