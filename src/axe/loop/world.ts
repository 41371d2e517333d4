import type { Clock, Reporter } from '../ports.js';

/** What the loop needs of the outside. */
export interface LoopWorld {
  readonly clock: Clock;
  readonly reporter: Reporter;
  /** Aborted with the error to report: the deadline's, or the one that says the run was cancelled. */
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline. */
  leftMs(): number;
}
