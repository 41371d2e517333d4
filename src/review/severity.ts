import {
  type Category,
  type Confidence,
  type FindingEffect,
  type Reach,
  SEVERITIES,
  type Severity,
} from './finding.js';

/** What kind of file a finding is in, as far as it matters for its severity; `unread` is generated or vendored. */
type PathKind = 'source' | 'unread' | 'docs' | 'test';

/** The severity that an agent's file sets for a category (`[review.severity]`). */
export type SeverityOverrides = Readonly<Partial<Record<Category, Severity>>>;

/** What a severity is computed from. */
export interface SeverityFacts {
  readonly effect: FindingEffect;
  readonly reach: Reach;
  readonly category: Category;
  readonly pathKind: PathKind;
  readonly overrides: SeverityOverrides;
}

/**
 * The severity of a finding. The model answers two questions of fact, what happens and how often, and never says how bad
 * it is. Outside of source files nothing is worse than `minor`, unless the agent's file says otherwise for the category.
 */
export function severityOf({ effect, reach, category, pathKind, overrides }: SeverityFacts): Severity {
  const override = overrides[category];
  if (override !== undefined) return override;
  const severity = TABLE[effect][reach];
  return pathKind !== 'source' && atLeast(severity, CAP) ? CAP : severity;
}

const TABLE: Readonly<Record<FindingEffect, Readonly<Record<Reach, Severity>>>> = {
  breach: { always: 'critical', common: 'critical', rare: 'major' },
  'data-loss': { always: 'critical', common: 'critical', rare: 'major' },
  outage: { always: 'critical', common: 'major', rare: 'minor' },
  'wrong-result': { always: 'major', common: 'major', rare: 'minor' },
  failure: { always: 'major', common: 'major', rare: 'minor' },
  degraded: { always: 'minor', common: 'minor', rare: 'nit' },
  upkeep: { always: 'minor', common: 'nit', rare: 'nit' },
};

const CAP: Severity = 'minor';

/** Whether a severity is as bad as another, or worse. */
export function atLeast(severity: Severity, least: Severity): boolean {
  return compareSeverity(severity, least) <= 0;
}

/** Whether a finding is bad enough to block; what nobody is certain of blocks nothing. */
export function isBlocking(
  { severity, confidence }: { readonly severity: Severity; readonly confidence: Confidence },
  gate: Severity,
): boolean {
  return confidence !== 'unsure' && atLeast(severity, gate);
}

/** Sorts the worst first. */
export function compareSeverity(a: Severity, b: Severity): number {
  return SEVERITIES.indexOf(a) - SEVERITIES.indexOf(b);
}

/** The worse one of two. */
export function worse(a: Severity, b: Severity): Severity {
  return compareSeverity(a, b) < 0 ? a : b;
}

/** The kind of a file by its path; whether people read it is known from the diff. */
export function pathKindOf(path: string, isReadByPeople: boolean): PathKind {
  if (!isReadByPeople) return 'unread';
  if (TESTS.some((pattern) => pattern.test(path))) return 'test';
  return DOCS.some((pattern) => pattern.test(path)) ? 'docs' : 'source';
}

const TESTS: readonly RegExp[] = [
  /(?:^|\/)(?:__tests__|__mocks__|tests?|specs?|e2e|testdata|fixtures)\//i,
  /[._-](?:test|spec)\.\w+$/i,
  /(?:^|\/)(?:test_[^/]*|conftest)\.py$/,
  /[a-z0-9](?:Tests?|IT|Spec)\.(?:java|kt|kts|cs|scala|groovy|swift|php)$/,
];

const DOCS: readonly RegExp[] = [
  /\.(?:md|mdx|markdown|rst|adoc|asciidoc)$/i,
  /(?:^|\/)docs?\/.*\.(?:txt|html?|svg)$/i,
  /(?:^|\/)(?:readme|changelog|changes|contributing|license|licence|copying|notice|authors)(?:\.txt)?$/i,
];

/** How many there are of each severity, the worst first: `1 major, 2 minor`. */
export function formatSeverities(severities: readonly Severity[]): string {
  return SEVERITIES.flatMap((severity) => {
    const number = severities.filter((one) => one === severity).length;
    return number === 0 ? [] : [`${number} ${severity}`];
  }).join(', ');
}
