import type { Clock } from '../clock.js';
import type { Warning } from '../warning.js';
import type { LoopEvent } from './events.js';
import type { CountedReply } from './usage-by-agent.js';

/** A summary that takes the place of earlier turns of a conversation. */
export interface Summary {
  /** As the model wrote it. */
  readonly text: string;
  /** How many messages it stands for. */
  readonly messages: number;
}

/** Listener of a conversation. Must not throw. */
export interface LoopReporter {
  event(event: LoopEvent): void;
  warn(warning: Warning): void;
}

/** What the loop needs of the outside. */
export interface LoopDependencies {
  readonly clock: Clock;
  readonly reporter: LoopReporter;
  /** Aborted with the error to report: the deadline's, or the one that says the run was cancelled. */
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline. */
  leftMs(): number;
  /** Keeps a summary before the turns it stands for are left out; absent where nothing is kept. May reject. */
  readonly keepSummary?: (summary: Summary) => Promise<void>;
  /** Is told of each reply as it is counted; absent where nobody asks who took how much. */
  readonly onReply?: (reply: CountedReply) => void;
}
