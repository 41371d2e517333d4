import type { Clock, Reporter } from '../dependencies.js';

/** A summary that takes the place of earlier turns of a conversation. */
export interface Summary {
  /** As the model wrote it. */
  readonly text: string;
  /** How many messages it stands for. */
  readonly messages: number;
}

/** What the loop needs of the outside. */
export interface LoopDependencies {
  readonly clock: Clock;
  readonly reporter: Reporter;
  /** Aborted with the error to report: the deadline's, or the one that says the run was cancelled. */
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline. */
  leftMs(): number;
  /** Keeps a summary before the turns it stands for are left out; absent where nothing is kept. May reject. */
  readonly keepSummary?: (summary: Summary) => Promise<void>;
}
