import type { Severity } from './terms.js';

/** The reactions GitHub knows (REST API, reactions). */
export const REACTIONS = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes'] as const;

/** One of {@link REACTIONS}. */
export type ReactionName = (typeof REACTIONS)[number];

/** What a run may publish at all, and how much of it. */
export interface PublishRules {
  /** Comments on lines in one review; further findings stand in its text. */
  readonly maxComments: number;
  /** Findings that are taken; further ones are refused. */
  readonly maxFindings: number;
  /** From which severity on an open finding asks for changes; undefined: a review never asks. */
  readonly blockOn: Severity | undefined;
  /** From which severity on an open finding fails the step; undefined: none does. */
  readonly failOn: Severity | undefined;
  /** Findings below it are not taken. */
  readonly minSeverity: Severity;
  /** Labels that may be set, taken off or put on a new issue; `*` stands for anything. */
  readonly labels: readonly string[];
  /** Labels that one run adds, and as many that it takes off. */
  readonly maxLabels: number;
  readonly maxIssues: number;
  readonly reactions: readonly ReactionName[];
}

/** What a run may publish where the workflow says nothing else: no label is set unasked. */
export const DEFAULT_PUBLISH_RULES: PublishRules = {
  maxComments: 10,
  maxFindings: 100,
  blockOn: undefined,
  failOn: undefined,
  minSeverity: 'minor',
  labels: [],
  maxLabels: 5,
  maxIssues: 1,
  reactions: REACTIONS,
};

/** Sizes of texts in bytes of UTF-8; a title in code points. */
export const TEXT_LIMITS = {
  commentBytes: 4096,
  pathBytes: 4096,
  suggestionBytes: 4096,
  summaryBytes: 8192,
  issueBytes: 32_768,
  titleCodePoints: 200,
  /** Of a finding: one line. */
  findingTitleBytes: 240,
} as const;
