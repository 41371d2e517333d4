import type { Buffered, Refuted, RefutedWhy } from './buffered.js';
import type { DiffLines } from './diff-lines.js';
import type { Finding } from './finding.js';
import { type PlacedFinding, placeFinding } from './place.js';
import { atLeast, pathKindOf, type SeverityOverrides, severityOf } from './severity.js';
import type { Severity } from './terms.js';
import type { FindingVerdict } from './verdict.js';

/** What corrections are held against. */
interface VerdictScope {
  readonly lines: DiffLines;
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
  const judged = buffered.findings.map((placed) => {
    const verdict = requested.has(placed.finding.id) ? verdicts.get(placed.finding.id) : undefined;
    return verdict === undefined ? { kept: placed } : applyVerdict(placed, verdict, scope);
  });
  return {
    ...buffered,
    findings: judged.flatMap((one) => ('kept' in one ? [one.kept] : [])),
    refuted: [...buffered.refuted, ...judged.flatMap((one) => ('refuted' in one ? [one.refuted] : []))],
    unverified: buffered.unverified + [...requested].filter((id) => !verdicts.has(id)).length,
  };
}

type Judged = { readonly kept: PlacedFinding } | { readonly refuted: Refuted };

function applyVerdict(placed: PlacedFinding, verdict: FindingVerdict, scope: VerdictScope): Judged {
  const { finding } = placed;
  const drop = (why: RefutedWhy, of: Finding = finding): Judged => {
    return { refuted: { finding: of, why, reason: verdict.reason } };
  };
  switch (verdict.kind) {
    case 'refuted':
      return drop('refuted');
    case 'unclear':
      if (!atLeast(finding.severity, 'major')) return drop('unclear');
      return { kept: { ...placed, finding: { ...finding, confidence: 'unsure' } } };
    case 'holds': {
      const kept = corrected(placed, verdict, scope);
      return atLeast(kept.finding.severity, scope.minSeverity)
        ? { kept }
        : drop('below-min-severity', kept.finding);
    }
  }
}

/** How far a correction may move a finding; further away is another finding. */
const MAX_MOVE = 40;

function corrected(placed: PlacedFinding, verdict: FindingVerdict, scope: VerdictScope): PlacedFinding {
  const { finding: raised } = placed;
  const { effect = raised.effect, reach = raised.reach, suggestionFixes } = verdict;
  const { path, category } = raised;
  const pathKind = pathKindOf(path, scope.isRead(path));
  const severity =
    effect === undefined || reach === undefined
      ? raised.severity
      : severityOf({ effect, reach, category, pathKind, overrides: scope.overrides });
  const finding = {
    ...raised,
    suggestion: suggestionFixes ? raised.suggestion : undefined,
    effect,
    reach,
    severity,
    confidence: 'confirmed' as const,
  };
  return moved({ ...placed, finding }, verdict.line, scope) ?? { ...placed, finding };
}

/** The finding at another line of its file that can carry it; undefined where it stays. What was to replace the old lines cannot replace others. */
function moved(
  { finding }: PlacedFinding,
  line: number | undefined,
  { lines }: VerdictScope,
): PlacedFinding | undefined {
  const { startLine = finding.line } = finding;
  if (line === undefined || (line >= startLine && line <= finding.line)) return undefined;
  if (Math.abs(line - finding.line) > MAX_MOVE) return undefined;
  const elsewhere = { ...finding, line, startLine: undefined, suggestion: undefined, code: undefined };
  const { finding: there, placement } = placeFinding(elsewhere, lines);
  if (placement.kind !== 'line' || placement.about !== undefined) return undefined;
  return { finding: there, placement };
}
