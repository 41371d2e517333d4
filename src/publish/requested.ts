import type { Repository, Trigger } from '../event/trigger.js';
import type { GitHubClient } from '../github/client/client.js';
import type { PullRequestPlace } from '../github/reading/changed-files.js';
import type { Buffered } from '../review/buffered.js';
import type { Finding } from '../review/finding.js';
import type { PlacedFinding } from '../review/place.js';
import type { FindingRecord } from '../review/record.js';
import type { ReviewExtent } from '../review/review-body.js';
import type { Severity } from '../review/terms.js';
import type { FindingsToTell, Published, Reporter, ReviewedChange } from '../run/dependencies.js';
import type { MarkLane } from '../safety/mark.js';

/** How what a run wants is published. */
export interface RequestedOptions {
  readonly client: GitHubClient | undefined;
  readonly maxComments: number;
  readonly blockOn: Severity | undefined;
  /** How much was looked at; undefined for an agent that raises no findings. */
  readonly extent: ReviewExtent | undefined;
  /** Who reviewed, at what cost, and where to read more: markdown of ours. */
  readonly footer: string;
  /** The same for a comment on a line. */
  readonly signature: string;
  readonly reporter: Reporter;
  /** Outbound cleaning for comments (D24). */
  clean(markdown: string): string;
  /** The same for titles, which are plain text. */
  cleanTitle(title: string): string;
}

/** A part of what was published. */
export interface PublishedPart extends Partial<Published> {
  /** The review says what the run had to say: no other comment is needed. */
  readonly isReview: boolean;
  /** Every finding with its fate; left out where the run reviewed nothing. */
  readonly records?: readonly FindingRecord[];
  /** What the review came to; left out where the run wanted none, or did not get so far. */
  readonly review?: ReviewEnd;
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

/** What a review is posted from. */
export interface RequestedReview {
  readonly buffered: Buffered;
  readonly place: PullRequestPlace;
  /** Whose review it is. */
  readonly agent: string;
  readonly commits: ReviewedChange;
  readonly findings: FindingsToTell;
  /** Ids of findings that are answered elsewhere; left out: none. */
  readonly answered?: ReadonlySet<string>;
  /** Sentences for people about how the review came about. */
  readonly remarks: readonly string[];
  /** `trusted`: nobody without write access wrote what the run has read, so the model's word may end a finding. */
  readonly lane: MarkLane;
  readonly now: Date;
  /** The run answers a question: what it says nothing of is not its subject. */
  readonly isQuestion?: boolean;
  /** The run completed, or a limit ended it: what it had found by then counts. */
  readonly isOver: boolean;
  readonly options: RequestedOptions;
}

/** What labels and the like are changed from. */
export interface RequestedEffects {
  readonly buffered: Buffered;
  readonly trigger: Trigger;
  readonly repository: Repository;
  /** The issue or pull request. */
  readonly number: number | undefined;
  readonly agent: string;
  readonly lane: MarkLane;
  readonly options: RequestedOptions;
}
