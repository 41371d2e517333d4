import type { SourcePosition } from '../lib/position.js';
import type { Warning } from '../lib/warning.js';
import type { ReviewResult } from '../review/findings-json.js';
import type { RunReport } from '../run/request.js';
import type { LoadedMemoryView } from './format-memory.js';
import type { MemoryNotes } from './memory-notes.js';
import type { Outputs } from './outputs.js';

/** A report of one kind. */
export type ReportOf<K extends RunReport['kind']> = Extract<RunReport, { readonly kind: K }>;

/** What a summary is made with beside the report. */
export interface SummaryOptions {
  readonly warnings: readonly Warning[];
  readonly view: LoadedMemoryView;
  readonly clean: (markdown: string) => string;
  /** How often GitHub was asked; left out where nobody counts. */
  readonly requests?: number;
}

/** An annotation of the workflow run; its message is not yet cleaned for the log. */
export interface Annotation {
  readonly level: 'notice' | 'warning' | 'error';
  readonly title: string;
  readonly message: string;
  readonly at?: SourcePosition | undefined;
}

/**
 * What the action does with a report: each kind makes one in a file of its own, and nothing else asks for the kind. All
 * of it is decided here and written elsewhere. The exit status follows from the output `conclusion` and `fail-on`.
 */
export interface KindReporter {
  /** The outputs before redaction; `isHidden`: memory is in another repository, of which no more than ids is told (D14). */
  outputs(isHidden: boolean): Outputs;
  /**
   * The job summary, as markdown that has not been through outbound cleaning yet. Only the answer has, by `clean`: a code
   * fence that it leaves open must not swallow what follows.
   */
  formatSummary(options: SummaryOptions): string;
  /** What happened, for the job log. */
  logLines(): readonly string[];
  /** Annotations beside those of warnings. */
  annotations(): readonly Annotation[];
  /** The line that whoever asked in a comment is told where nothing else answers it. */
  noAnswer?(): string | undefined;
  /** What people should know of the store, of a run that used one; `isElsewhere`: it is in another repository. */
  memoryNotes?(isElsewhere: boolean): MemoryNotes;
  /** The entry that a run adds to memory; absent in what adds none. */
  readonly entry?: { readonly isUnsaved: boolean };
  /** What a review found; absent in what is no review. */
  readonly review?: ReviewResult;
  /** Nothing of what the run was there for could be published: the warning of it fails the step. */
  readonly isUnpublished?: boolean;
  /** The step fails whatever `fail-on` says. */
  readonly alwaysFails?: true;
}
