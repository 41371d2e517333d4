/** What a finding is about. A closed set: nothing that a model invents becomes a key. */
export const CATEGORIES = [
  'correctness',
  'security',
  'data',
  'concurrency',
  'resource',
  'error-handling',
  'interface',
  'performance',
  'test',
  'docs',
  'other',
] as const;

/** One of {@link CATEGORIES}. */
export type Category = (typeof CATEGORIES)[number];

/** What happens because of the fault, worst first. */
export const EFFECTS = [
  'breach',
  'data-loss',
  'outage',
  'wrong-result',
  'failure',
  'degraded',
  'upkeep',
] as const;

/** One of {@link EFFECTS}. */
export type FindingEffect = (typeof EFFECTS)[number];

/** How often it happens. */
export const REACHES = ['always', 'common', 'rare'] as const;

/** One of {@link REACHES}. */
export type Reach = (typeof REACHES)[number];

/** How much it matters, worst first; computed from effect and reach. */
export const SEVERITIES = ['critical', 'major', 'minor', 'nit'] as const;

/** One of {@link SEVERITIES}. */
export type Severity = (typeof SEVERITIES)[number];

/** How certain it is, most certain first; computed from evidence and verification. */
export const CONFIDENCES = ['confirmed', 'likely', 'unsure'] as const;

/** One of {@link CONFIDENCES}. */
export type Confidence = (typeof CONFIDENCES)[number];

/** The version of a file that a line number counts in, as GitHub names it: before the change or after it. */
export type Side = 'LEFT' | 'RIGHT';

/** A line that proves a finding. */
export interface Evidence {
  readonly path: string;
  /** Counts from 1, in the version after the change. */
  readonly line: number;
  /** The line as it was copied. */
  readonly code: string;
}
