import type { FindingVerdict } from './claims.js';
import type { Finding, Severity } from './finding.js';
import { lineOf, type PlacedFinding } from './place.js';
import type { ReactionName } from './publish-rules.js';
import { isOfLine, type Lesson } from './same.js';
import type { KnownFinding, Settlement } from './seen.js';
import { atLeast, compareSeverity, pathKindOf, type SeverityOverrides, severityOf } from './severity.js';

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
type RefutedWhy = 'refuted' | 'unclear' | 'below-min-severity';

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
  const reviews = passes.flatMap(({ review }) => (review === undefined ? [] : [review]));
  // What is not a review was offered to the first pass alone.
  const [first = NOTHING_BUFFERED] = passes;
  return {
    ...first,
    findings: kept,
    repeated: uniqueBy(
      passes.flatMap(({ repeated }) => repeated),
      ({ of }: Repeated) => of.id,
    ),
    heldBack: uniqueBy(
      passes.flatMap(({ heldBack }) => heldBack),
      lineOf,
    ),
    settlements: uniqueBy(
      passes.flatMap(({ settlements }) => settlements),
      ({ finding }) => finding.id,
    ),
    refusedFindings: sum((one) => one.refusedFindings) + raised.length - kept.length,
    refusals: passes.flatMap(({ refusals }) => refusals),
    review:
      reviews.length === 0 ? undefined : { summary: reviews.map(({ summary }) => summary).join('\n\n') },
  };
}

function uniqueBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}

interface VerdictScope {
  readonly overrides: SeverityOverrides;
  /** Whether people read a file, which is not generated or vendored. */
  isRead(path: string): boolean;
  readonly minSeverity: Severity;
}

/**
 * The findings of a run after their second look. Only a verdict takes a finding away: one that was not given, because the
 * verifier failed or the budget was spent, leaves it as it is, and is counted. `requested` are ids of the findings that were to
 * have a second look.
 */
export function applyVerdicts(
  buffered: Buffered,
  {
    requested,
    verdicts,
  }: {
    readonly requested: ReadonlySet<string>;
    readonly verdicts: ReadonlyMap<string, FindingVerdict>;
  },
  scope: VerdictScope,
): Buffered {
  const findings: PlacedFinding[] = [];
  const refuted = [...buffered.refuted];
  for (const placed of buffered.findings) {
    const { finding } = placed;
    const verdict = requested.has(finding.id) ? verdicts.get(finding.id) : undefined;
    const drop = (why: RefutedWhy, of = finding) =>
      refuted.push({ finding: of, why, reason: verdict?.reason ?? '' });
    if (verdict === undefined) findings.push(placed);
    else if (verdict.kind === 'refuted') drop('refuted');
    else if (verdict.kind === 'unclear') {
      const isBad = atLeast(finding.severity, 'major');
      if (isBad) findings.push({ ...placed, finding: { ...finding, confidence: 'unsure' } });
      else drop('unclear');
    } else {
      const held = corrected(finding, verdict, scope);
      if (atLeast(held.severity, scope.minSeverity)) findings.push({ ...placed, finding: held });
      else drop('below-min-severity', held);
    }
  }
  const unverified = buffered.unverified + [...requested].filter((id) => !verdicts.has(id)).length;
  return { ...buffered, findings, refuted, unverified };
}

function corrected(
  raised: Finding,
  { effect = raised.effect, reach = raised.reach, suggestionFixes = true }: FindingVerdict,
  { isRead, overrides }: VerdictScope,
): Finding {
  const { path, category, suggestion } = raised;
  const pathKind = pathKindOf(path, isRead(path));
  const severity =
    effect === undefined || reach === undefined
      ? raised.severity
      : severityOf({ effect, reach, category, pathKind, overrides });
  return {
    ...raised,
    suggestion: suggestionFixes ? suggestion : undefined,
    effect,
    reach,
    severity,
    confidence: 'confirmed',
  };
}
