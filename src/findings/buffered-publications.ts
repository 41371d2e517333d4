import type { ReactionName } from '../github/posting/issues.js';
import { utf8Bytes } from '../lib/text/bytes.js';
import type { PlacedFinding } from './change/diff-lines.js';
import type { CheckOverrule, CheckRow } from './check-rows.js';
import type { Finding, FindingTest, Severity } from './finding.js';
import type { KnownFinding, Lesson, Settlement } from './known-finding.js';

/** Limits on the kinds, the number and the severity of the things that a run publishes. */
export interface PublishRules {
  /** Comments on lines in one review; the review text lists the other findings. */
  readonly maxComments: number;
  /** Findings that are accepted; further ones are refused. */
  readonly maxFindings: number;
  /** An open finding this bad or worse requests changes; undefined: a review never does. */
  readonly blockOn: Severity | undefined;
  /** An open finding this bad or worse fails the step; undefined: none does. */
  readonly failOn: Severity | undefined;
  /** Milder findings are refused. */
  readonly minSeverity: Severity;
  /** Labels that can be added, removed or put on a new issue; `*` matches any text. */
  readonly labels: readonly string[];
  /** Labels that one run adds; it removes at most as many. */
  readonly maxLabels: number;
  readonly maxIssues: number;
}

/** Defaults for workflows that set no limits. No label is allowed, so none is set unasked. */
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

/** Maximum sizes of texts in UTF-8 bytes; of a title in code points. */
export const TEXT_LIMITS = {
  commentBytes: 4096,
  pathBytes: 4096,
  suggestionBytes: 4096,
  summaryBytes: 8192,
  issueBytes: 32_768,
  titleCodePoints: 200,
  /** A finding's title is one line. */
  findingTitleBytes: 240,
} as const;

/** A review tool has accepted something that the model says about the change. */
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

/** The reply to a publishing tool call, for the model. */
export type PublicationAnswer =
  | { readonly kind: 'taken'; readonly text: string }
  /** Nothing was accepted; the text says why, and what would be accepted. */
  | { readonly kind: 'refused'; readonly text: string };

export function acceptedAnswer(text: string): PublicationAnswer {
  return { kind: 'taken', text };
}

export function refusedAnswer(text: string): PublicationAnswer {
  return { kind: 'refused', text };
}

/** The problem with the size of a text, if any; `name` is the name of the tool argument. */
export function sizeProblem(name: string, text: string, maxBytes: number): string | undefined {
  if (text.trim() === '') return `\`${name}\` is empty`;
  const bytes = utf8Bytes(text);
  return bytes > maxBytes
    ? `\`${name}\` has ${bytes} bytes; shorten it to at most ${maxBytes}`
    : undefined;
}

/**
 * The name as the allow-list writes it, if the list allows it. `*` matches any text. Case is
 * ignored, because GitHub ignores it in labels and logins.
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
 * Looks for the parts in their order, with any text between them. The first match of each part is
 * enough: a later match leaves less room for the parts that follow.
 */
function matches(name: string, [first = '', ...others]: readonly string[]): boolean {
  const last = others.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first)) return false;
  let position = first.length;
  for (const part of others) {
    const start = name.indexOf(part, position);
    if (start < 0) return false;
    position = start + part.length;
  }
  return name.length - last.length >= position && name.endsWith(last);
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
  /** Target branch; undefined for the branch that the run has read. */
  readonly base: string | undefined;
}

/** A commit for the branch of the run's pull request. */
interface CommitDraft {
  readonly message: string;
  /** Identifies the edits that belong to this commit. */
  readonly number: number;
  /** The finding that it fixes; left out: none. */
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

/** A call of a publishing tool that was refused, or accepted only in part. */
export interface RefusedPublication {
  readonly tool: string;
  readonly code: (typeof REFUSAL_CODES)[number];
  /** The names, the argument or the clause that the code is about; left out: nothing. */
  readonly detail?: string;
  /** The earlier finding that the call tried to end; left out: none. */
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
  /** The mildest severity that is accepted; only for `too-mild`. */
  readonly least?: Severity;
}

/** A finding of this run that an earlier run has already raised on the pull request. */
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

/** A finding that a second look has rejected. */
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

/** A finding for which the run tried to write a failing test. */
export interface TestedFinding {
  readonly handle: string;
  /** The reason why no test shows it, as a clause; undefined if one does. */
  readonly why: string | undefined;
}

/** Everything that is published when the run has ended. None of the text is sanitised yet. */
export interface BufferedPublications {
  readonly findings: readonly PlacedFinding[];
  /** Faults older than the change: listed, but never counted and never blocking. */
  readonly preexisting: readonly Finding[];
  readonly repeated: readonly Repeated[];
  readonly heldBack: readonly HeldBackFinding[];
  readonly refuted: readonly Refuted[];
  /** Number of findings whose second look did not take place; they are published all the same. */
  readonly unverified: number;
  /** Findings for which the run tried to write a test; left out: none. */
  readonly tested?: readonly TestedFinding[];
  /** The checks of the project with their answers; left out: none were asked. */
  readonly checks?: readonly CheckRow[];
  /** A person's word on a check, or its end; left out: this is not a command about one. */
  readonly overruled?: { readonly name: string; readonly word: CheckOverrule | undefined };
  /** Tests that show findings of earlier runs; left out: none. */
  readonly shownNow?: readonly { readonly id: string; readonly test: FindingTest }[];
  readonly settlements: readonly Settlement[];
  /** Findings that were refused, and that no later call got accepted. */
  readonly refusedFindings: readonly RefusedFinding[];
  /** The model's words about the change as a whole; the summary is markdown. */
  readonly review: { readonly summary: string } | undefined;
  readonly labels: { readonly add: readonly string[]; readonly remove: readonly string[] };
  readonly issues: readonly IssueDraft[];
  readonly reaction: ReactionName | undefined;
  readonly pullRequest: PullRequestDraft | undefined;
  /** Oldest first; none where a pull request is to be opened. */
  readonly commits: readonly CommitDraft[];
  readonly refusals: readonly RefusedPublication[];
}

/** Calls that were refused. */
export type Refused = Pick<BufferedPublications, 'refusedFindings' | 'refusals'>;

/** Without refused ends of findings that have ended in another way: people need not read of them. */
export function withoutEnded(
  { refusedFindings, refusals }: Refused,
  endedIds: ReadonlySet<string>,
): Refused {
  const isLeft = ({ finding }: RefusedPublication) =>
    finding === undefined || !endedIds.has(finding.id);
  return { refusedFindings, refusals: refusals.filter(isLeft) };
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
