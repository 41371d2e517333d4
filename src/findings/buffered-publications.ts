import { isOffline, type ModelRef, parseModelRef, type ReviewConfig } from '../agent/config.js';
import type { ReviewDepth } from '../agent/keys.js';
import { utf8Bytes } from '../lib/text/bytes.js';
import { type PlacedFinding, placeKey } from './change/diff-lines.js';
import { isOfLine, type Lesson } from './decide/duplicates.js';
import { compareSeverity, type Finding, type Severity, type SeverityOverrides } from './finding.js';
import type { KnownFinding, Settlement } from './read/peoples-words.js';

/** The reactions GitHub knows (REST API, reactions). */
export const REACTIONS = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes'] as const;

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

/** What the model is told about something it wants published. */
export type PublicationAnswer =
  | { readonly kind: 'taken'; readonly text: string }
  /** Nothing was taken; the text says why and what would be. */
  | { readonly kind: 'refused'; readonly text: string };

export function taken(text: string): PublicationAnswer {
  return { kind: 'taken', text };
}

export function refused(text: string): PublicationAnswer {
  return { kind: 'refused', text };
}

/** What is wrong with the size of a text, if anything; `name` is the argument's. */
export function sizeProblem(name: string, text: string, maxBytes: number): string | undefined {
  if (text.trim() === '') return `\`${name}\` is empty`;
  const bytes = utf8Bytes(text);
  return bytes > maxBytes ? `\`${name}\` has ${bytes} bytes; shorten it to at most ${maxBytes}` : undefined;
}

/**
 * The name as the allow-list writes it, if it allows it: `*` stands for anything, and case counts for nothing, as with
 * GitHub's labels and logins.
 */
export function allowedName(name: string, patterns: readonly string[]): string | undefined {
  const lower = name.toLowerCase();
  const exact = patterns.find((pattern) => pattern.toLowerCase() === lower);
  if (exact !== undefined) return exact;
  return patterns.some((pattern) => matches(lower, pattern.toLowerCase().split('*'))) ? name : undefined;
}

/** The names of a list as people and models write one: separated by commas or line breaks, each once. */
export function splitNames(list: string | undefined): readonly string[] {
  const names = (list ?? '').split(/[,\n]/).map((name) => name.trim());
  const seen = new Map(names.filter((name) => name !== '').map((name) => [name.toLowerCase(), name]));
  return [...seen.values()];
}

/** The parts in their order with anything between: the first place each fits is as good as any other. */
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

/** What the starter of a run wants of its review; what is left out is the agent's to say. */
export interface ReviewWishes {
  readonly depth?: ReviewDepth;
  readonly minSeverity?: Severity;
}

export interface ReviewPlan {
  readonly depth: ReviewDepth;
  /** The model of the second look; undefined for that of whoever takes it. */
  readonly verifyModel: ModelRef | undefined;
  /** Name of the agent that takes the second look; empty for the built-in one, which has the model of the reviewer. */
  readonly verifier: string;
  /** Undefined where neither the workflow nor the agent says it. */
  readonly minSeverity: Severity | undefined;
  readonly overrides: SeverityOverrides;
}

const DEFAULT_DEPTH: ReviewDepth = 'standard';

/**
 * How a run reviews: as its workflow says, or else its agent. The offline rules are no model: nothing of theirs is looked at
 * twice, and they look at nothing. Throws an AxeError for a model of no use.
 */
export function planReview(
  { depth, minSeverity }: ReviewWishes,
  { config, model }: { readonly config: ReviewConfig; readonly model: ModelRef },
): ReviewPlan {
  const namedModel = config.verifyModel === '' ? undefined : parseModelRef(config.verifyModel);
  return {
    depth: isOffline(model) ? 'quick' : (depth ?? config.depth ?? DEFAULT_DEPTH),
    verifyModel: namedModel,
    verifier: config.verifier,
    minSeverity: minSeverity ?? config.minSeverity,
    overrides: config.severity,
  };
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
  readonly fixes?: { readonly handle: string; readonly title: string } | undefined;
}

export interface Refusal {
  readonly tool: string;
  readonly why: string;
}

/** A finding of the run that the pull request has from an earlier one. */
interface Repeated {
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
interface Refuted {
  readonly finding: Finding;
  readonly why: RefutedWhy;
  /** The verifier's words on one line. */
  readonly reason: string;
}

/** `unclear`: nobody could tell, and it would not be bad enough; `below-min-severity`: its effect or reach was corrected. */
export type RefutedWhy = 'refuted' | 'unclear' | 'below-min-severity';

/** What a run wants published when it has ended. None of the text was cleaned yet. */
export interface Buffered {
  readonly findings: readonly PlacedFinding[];
  readonly repeated: readonly Repeated[];
  readonly heldBack: readonly HeldBack[];
  readonly refuted: readonly Refuted[];
  /** Findings that were to have a second look and had none; they are published all the same. */
  readonly unverified: number;
  readonly settlements: readonly Settlement[];
  /** Findings that were not taken because a run had raised as many as it may. */
  readonly refusedFindings: number;
  /** What the review says besides its findings: markdown of the model's. */
  readonly review: { readonly summary: string } | undefined;
  readonly labels: { readonly add: readonly string[]; readonly remove: readonly string[] };
  readonly issues: readonly IssueDraft[];
  readonly reaction: ReactionName | undefined;
  readonly pullRequest: PullRequestDraft | undefined;
  /** Oldest first; none where a pull request is to be opened. */
  readonly commits: readonly CommitDraft[];
  readonly refusals: readonly Refusal[];
}

export const NOTHING_BUFFERED: Buffered = {
  findings: [],
  repeated: [],
  heldBack: [],
  refuted: [],
  unverified: 0,
  settlements: [],
  refusedFindings: 0,
  review: undefined,
  labels: { add: [], remove: [] },
  issues: [],
  reaction: undefined,
  pullRequest: undefined,
  commits: [],
  refusals: [],
};

/**
 * Joins what several passes want published. A finding that two passes raised is one; where that is in doubt they stay two,
 * since a fault that is lost costs more than one that is told twice. */
export function joinPasses(passes: readonly Buffered[], maxFindings: number): Buffered {
  const raised: PlacedFinding[] = [];
  for (const { findings } of passes) {
    // A pass has told its own findings apart: only those of the passes before are compared.
    const before = [...raised];
    raised.push(...findings.filter(({ finding }) => !before.some((one) => isOfLine(one.finding, finding))));
  }
  const kept = raised
    .toSorted(({ finding: a }, { finding: b }) => compareSeverity(a.severity, b.severity))
    .slice(0, maxFindings);
  const sum = (count: (one: Buffered) => number) => passes.reduce((total, one) => total + count(one), 0);
  const summaries = passes.flatMap(({ review }) => review?.summary ?? []);
  const repeated = passes.flatMap((one) => one.repeated);
  const heldBack = passes.flatMap((one) => one.heldBack);
  const settlements = passes.flatMap((one) => one.settlements);
  // What is not a review was offered to the first pass alone.
  const [first = NOTHING_BUFFERED] = passes;
  return {
    ...first,
    findings: kept,
    repeated: uniqueBy(repeated, ({ of }) => of.id),
    heldBack: uniqueBy(heldBack, placeKey),
    settlements: uniqueBy(settlements, ({ finding }) => finding.id),
    refusedFindings: sum((one) => one.refusedFindings) + raised.length - kept.length,
    refusals: passes.flatMap(({ refusals }) => refusals),
    review: summaries.length === 0 ? undefined : { summary: summaries.join('\n\n') },
  };
}

function uniqueBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}
