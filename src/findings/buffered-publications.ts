import type { ReactionName } from '../github/posting/issues.js';
import { utf8Bytes } from '../lib/text/bytes.js';
import type { PlacedFinding } from './change/diff-lines.js';
import type { Finding, Severity } from './finding.js';
import type { KnownFinding, Lesson, Settlement } from './known-finding.js';

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

/** The model has said something about the change by a review tool, and it was accepted. */
export function holdsReview({
  findings,
  preexisting,
  repeated,
  heldBack,
  refuted,
  settlements,
  review,
}: BufferedPublications): boolean {
  const accepted = [findings, preexisting, repeated, heldBack, refuted, settlements];
  return accepted.some(({ length }) => length > 0) || review !== undefined;
}

/** What the model is told about something it wants published. */
export type PublicationAnswer =
  | { readonly kind: 'taken'; readonly text: string }
  /** Nothing was taken; the text says why and what would be. */
  | { readonly kind: 'refused'; readonly text: string };

export function acceptedAnswer(text: string): PublicationAnswer {
  return { kind: 'taken', text };
}

export function refusedAnswer(text: string): PublicationAnswer {
  return { kind: 'refused', text };
}

/** What is wrong with the size of a text, if anything; `name` is the argument's. */
export function sizeProblem(name: string, text: string, maxBytes: number): string | undefined {
  if (text.trim() === '') return `\`${name}\` is empty`;
  const bytes = utf8Bytes(text);
  return bytes > maxBytes
    ? `\`${name}\` has ${bytes} bytes; shorten it to at most ${maxBytes}`
    : undefined;
}

/**
 * The name as the allow-list writes it, if it allows it: `*` stands for anything, and case counts
 * for nothing, as with GitHub's labels and logins.
 */
export function nameOnAllowList(name: string, patterns: readonly string[]): string | undefined {
  const lower = name.toLowerCase();
  const exact = patterns.find((pattern) => pattern.toLowerCase() === lower);
  if (exact !== undefined) return exact;
  return patterns.some((pattern) => matches(lower, pattern.toLowerCase().split('*')))
    ? name
    : undefined;
}

/**
 * The names of a list as people and models write one: separated by commas or line breaks, each
 * once.
 */
export function parseNameList(list: string | undefined): readonly string[] {
  const names = (list ?? '').split(/[,\n]/).map((name) => name.trim());
  const seen = new Map(
    names.filter((name) => name !== '').map((name) => [name.toLowerCase(), name]),
  );
  return [...seen.values()];
}

/**
 * The parts in their order with anything between: the first place each fits is as good as any
 * other.
 */
function matches(name: string, [first = '', ...others]: readonly string[]): boolean {
  const last = others.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}

export interface IssueDraft {
  readonly title: string;
  /** Markdown of the model's. */
  readonly body: string;
  readonly labels: readonly string[];
}

export interface PullRequestDraft {
  readonly title: string;
  /** Markdown of the model's. */
  readonly body: string;
  /** Branch that it is to go into; undefined for the one that the run has read. */
  readonly base: string | undefined;
}

/** A commit for the branch of the run's pull request. */
interface CommitDraft {
  readonly message: string;
  /** By which its edits are found. */
  readonly number: number;
  /** The finding that it is for; left out: none. */
  readonly fixes?: { readonly handle: string; readonly title: string };
}

/** Why something that the model wanted published was refused. @internal */
export const REFUSAL_CODES = [
  'size',
  'label',
  'reaction',
  'issue-limit',
  'no-change',
  'commit-names-no-finding',
  'no-edit',
  'not-open',
  'by-rule',
  'test-fails',
  'no-reason',
  'no-proof',
  'unconfirmed',
] as const;

/** A call of a publishing tool that was refused, or taken only in part. */
export interface RefusedPublication {
  readonly tool: string;
  readonly code: (typeof REFUSAL_CODES)[number];
  /** The names, the argument or the half a sentence that the code is about; left out: nothing. */
  readonly detail?: string;
  /** The earlier finding that the call was to end; left out: none. */
  readonly finding?: Pick<Finding, 'id' | 'handle'>;
}

/** Why a finding was refused. @internal */
export const FINDING_REFUSAL_CODES = [
  'size',
  'unseen',
  'outside-paths',
  'wish',
  'too-mild',
  'not-from-change',
  'wrong-name',
  'limit',
] as const;

/** A finding that is in none of the other lists. */
export interface RefusedFinding extends Pick<Finding, 'path' | 'line' | 'title'> {
  readonly code: (typeof FINDING_REFUSAL_CODES)[number];
  /** It is milder than this, which would have been taken; only for `too-mild`. */
  readonly least?: Severity;
}

/** A finding of the run that the pull request has from an earlier one. */
interface Repeated {
  /** Open, or ended and now back. */
  readonly of: KnownFinding;
  readonly finding: Finding;
}

/** A finding of the run that is not posted, because a person has decided about it. */
export interface HeldBackFinding {
  readonly finding: Finding;
  /** The finding of this pull request that it is, or what was dismissed on another one. */
  readonly of: KnownFinding | Lesson;
}

/** A finding that a second look has thrown out. */
interface Refuted {
  readonly finding: Finding;
  readonly why: RefutationReason;
  /** The verifier's words on one line. */
  readonly reason: string;
}

/**
 * `unclear`: nobody could tell, and it would not be bad enough; `below-min-severity`: its effect or
 * reach was corrected.
 */
export type RefutationReason = 'refuted' | 'unclear' | 'below-min-severity';

/** A finding that a test was to show. */
export interface TestedFinding {
  readonly handle: string;
  /** Why no test shows it, as half a sentence; undefined if one does. */
  readonly why: string | undefined;
}

/** What a run wants published when it has ended. None of the text was cleaned yet. */
export interface BufferedPublications {
  readonly findings: readonly PlacedFinding[];
  /** Faults that the change did not bring: listed, and never counted or blocking. */
  readonly preexisting: readonly Finding[];
  readonly repeated: readonly Repeated[];
  readonly heldBack: readonly HeldBackFinding[];
  readonly refuted: readonly Refuted[];
  /** Findings that were to have a second look and had none; they are published all the same. */
  readonly unverified: number;
  /** Findings that tests were to show; left out: none. */
  readonly tested?: readonly TestedFinding[];
  readonly settlements: readonly Settlement[];
  /** Findings that were refused, and not taken after another call. */
  readonly refusedFindings: readonly RefusedFinding[];
  /** What the review says besides its findings: markdown of the model's. */
  readonly review: { readonly summary: string } | undefined;
  readonly labels: { readonly add: readonly string[]; readonly remove: readonly string[] };
  readonly issues: readonly IssueDraft[];
  readonly reaction: ReactionName | undefined;
  readonly pullRequest: PullRequestDraft | undefined;
  /** Oldest first; none where a pull request is to be opened. */
  readonly commits: readonly CommitDraft[];
  readonly refusals: readonly RefusedPublication[];
}

export const NO_PUBLICATIONS: BufferedPublications = {
  findings: [],
  preexisting: [],
  repeated: [],
  heldBack: [],
  refuted: [],
  unverified: 0,
  settlements: [],
  refusedFindings: [],
  review: undefined,
  labels: { add: [], remove: [] },
  issues: [],
  reaction: undefined,
  pullRequest: undefined,
  commits: [],
  refusals: [],
};
