import { compareSeverity } from './severity.js';
import type { Category, Confidence, Evidence, FindingEffect, Reach, Severity, Side } from './terms.js';

/**
 * What has become of a finding: `new` was raised by this run, `open` before it. `refuted` and `held-back` were raised and
 * not posted.
 */
export const FINDING_STATES = [
  'new',
  'open',
  'settled',
  'outdated',
  'dismissed',
  'withdrawn',
  'refuted',
  'held-back',
] as const;

/** One of {@link FINDING_STATES}. */
export type FindingState = (typeof FINDING_STATES)[number];

/** A finding and its fate, as a run hands it to other programs. */
export interface FindingRecord {
  /** 16 hexadecimal digits, minted once. */
  readonly id: string;
  readonly state: FindingState;
  /** How it came into its state, in a word or a sentence. */
  readonly why?: string;
  /** Login of the person who decided. */
  readonly by?: string;
  readonly title: string;
  readonly body?: string;
  readonly trigger?: string;
  readonly path: string;
  readonly line: number;
  readonly startLine?: number;
  readonly side: Side;
  readonly severity: Severity;
  readonly confidence: Confidence;
  readonly category: Category;
  readonly effect?: FindingEffect;
  readonly reach?: Reach;
  readonly evidence?: readonly Evidence[];
  /** Text that takes the place of the lines; empty to delete them. */
  readonly suggestion?: string;
  readonly url?: string;
  readonly agent?: string;
  /** Passes that raised it. */
  readonly passes?: number;
}

/** Why a file was not looked at. */
export const UNREAD_REASONS = ['paths', 'size', 'budget', 'failed', 'unlisted'] as const;

/** One of {@link UNREAD_REASONS}. */
export type UnreadReason = (typeof UNREAD_REASONS)[number];

/** How much of a change was looked at. */
export const COVERAGE_KINDS = ['whole', 'part', 'none'] as const;

/** Which files of a change a review has looked at. */
export interface Coverage {
  readonly kind: (typeof COVERAGE_KINDS)[number];
  /** Files that the change has. */
  readonly files: number;
  readonly read: number;
  /** A file that GitHub counts and does not list has no path. */
  readonly unread: readonly { readonly path: string; readonly why: UnreadReason }[];
  /** GitHub lists only the first files, and nobody knows how many there are; left out: it lists all. */
  readonly isListShort?: true;
  /** The run ended before it had looked at everything that it was shown; left out: it did not. */
  readonly isCutShort?: true;
}

/** Whether people still have to do something about a finding. */
export function isOpen({ state }: Pick<FindingRecord, 'state'>): boolean {
  return state === 'new' || state === 'open';
}

/** The worst severity of the findings that are open; undefined if none is. */
export function worstOpen(records: readonly FindingRecord[]): Severity | undefined {
  return records
    .filter(isOpen)
    .map(({ severity }) => severity)
    .sort(compareSeverity)[0];
}
