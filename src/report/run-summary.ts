import type { SourcePosition, Warning } from '../lib/errors.js';
import type { RunReport } from '../run/records.js';
import type { NoteWrite } from '../runner/action-reporter.js';

/** A report, or the error that ended a run before there was one. */
export type FinishedRun = RunReport | { readonly kind: 'failed'; readonly thrown: unknown };

export type ReportOf<K extends FinishedRun['kind']> = Extract<FinishedRun, { readonly kind: K }>;

export interface SummaryOptions {
  readonly warnings: readonly Warning[];
  /** Memory is in another repository, so the summary has no more than ids. */
  readonly isHidden: boolean;
  readonly clean: (markdown: string) => string;
  /** Writes of notes, oldest first; left out if there are none. */
  readonly noteWrites?: readonly NoteWrite[];
  /** The number of requests to GitHub; left out if nobody counts. */
  readonly requests?: number;
}

/** An annotation of the workflow run; its message is not yet cleaned for the log. */
export interface Annotation {
  readonly level: 'notice' | 'warning' | 'error';
  readonly title: string;
  readonly message: string;
  readonly at?: SourcePosition;
}

/**
 * A report as the action shows it; `report.ts` cleans and writes it. Empty parts have nothing to
 * show.
 */
export interface RunSummary {
  readonly outputs: Outputs;
  /**
   * The job summary. Only the texts by others are clean already, by `clean`: a code fence that one
   * leaves open must not swallow what follows.
   */
  readonly markdown: string;
  readonly log: readonly string[];
  /** Annotations in addition to those of warnings. */
  readonly annotations: readonly Annotation[];
}

/**
 * Names of the action's outputs, as `action.yml` has them; a test holds the two equal.
 * @internal
 */
export const OUTPUT_NAMES = [
  'conclusion',
  'reason',
  'response',
  'response-file',
  'structured-output',
  'artifact-dir',
  'memory-saved',
  'memory-save-error',
  'memory-entry',
  'memory-entry-id',
  'memory-loaded',
  'input-tokens',
  'output-tokens',
  'cost-usd',
  'comment-url',
  'pull-request-url',
  'findings-file',
  'findings-open',
  'findings-worst',
  'coverage',
  'sarif-file',
  'transcript-file',
] as const;

/** Values of the outputs that a run sets; the others stay empty. */
export type Outputs = { readonly [Name in (typeof OUTPUT_NAMES)[number]]?: string | undefined };
