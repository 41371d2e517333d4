import type { Clock } from '../lib/clock.js';
import type { ProviderError, Warning } from '../lib/errors.js';
import type { NoteRequest } from '../memory/notes/session.js';
import type { TokenUse } from './budget.js';
import type { CountedReply } from './reply.js';

/** What a conversation reports while it goes on. */
export type LoopEvent =
  | {
      readonly kind: 'model-request';
      readonly turn: number;
      /** Messages in the conversation, the system prompt not counted. */
      readonly messages: number;
      /** Tool results sent so far, over all turns (axe-behaviour §17). */
      readonly toolResults: number;
      readonly tools: number;
    }
  | {
      readonly kind: 'model-reply';
      readonly turn: number;
      readonly stopReason: string;
      /** The tool of each call, as the model names it. */
      readonly called: readonly string[];
      /** Tools that were offered. */
      readonly tools: number;
    }
  | {
      /** A reply was received and counted. */
      readonly kind: 'tokens-used';
      /** What this reply used. */
      readonly use: TokenUse;
      /**
       * US dollars that the run has spent so far, sub-agents included; undefined if some price is
       * not known.
       */
      readonly costUsd: number | undefined;
    }
  | {
      /** A request failed for a passing reason and will be sent again. */
      readonly kind: 'retry';
      /** 1 for the first repetition. */
      readonly attempt: number;
      readonly maxRetries: number;
      readonly error: ProviderError;
      readonly delayMs: number;
    }
  /**
   * The provider found a conversation too long; it is shortened for the window that is known now.
   */
  | { readonly kind: 'too-long'; readonly model: string; readonly windowTokens: number }
  | {
      readonly kind: 'fallback';
      readonly from: string;
      readonly to: string;
      readonly error: ProviderError;
    }
  | {
      readonly kind: 'sub-agent-called';
      readonly agent: string;
      readonly depth: number;
      readonly task: string;
    }
  | {
      readonly kind: 'sub-agent-ended';
      readonly agent: string;
      readonly durationMs: number;
      /** What it returned, or why it failed. */
      readonly result:
        | { readonly kind: 'answer'; readonly text: string }
        /** An answer whose end is missing, and why. */
        | { readonly kind: 'part'; readonly text: string; readonly detail: string }
        | { readonly kind: 'failure'; readonly detail: string };
    }
  /** A review in several conversations is one again. */
  | { readonly kind: 'passes-joined'; readonly passes: number; readonly findings: number }
  /** Findings of a review were looked at a second time. */
  | {
      readonly kind: 'verified';
      /** Verdicts that were given. */
      readonly looks: number;
      readonly confirmed: number;
      readonly refuted: number;
      /** Findings that were to have a verdict and have none. */
      readonly unverified: number;
    }
  /** A change to the agent's notes was made, or in a workflow will be saved with the entry. */
  | {
      readonly kind: 'note-written';
      readonly action: NoteRequest['kind'];
      /** As the model was shown it. */
      readonly path: string;
      readonly bytes: number;
    }
  /** Followed by `tool-call` when it is over. */
  | {
      readonly kind: 'tool-started';
      readonly turn: number;
      readonly tool: string;
      readonly input: unknown;
    }
  | {
      readonly kind: 'tool-call';
      readonly turn: number;
      readonly tool: string;
      readonly input: unknown;
      readonly isError: boolean;
      readonly durationMs: number;
    };

/** A summary that takes the place of earlier turns of a conversation. */
export interface Summary {
  /** As the model wrote it. */
  readonly text: string;
  /** How many messages it stands for. */
  readonly messages: number;
}

export interface LoopDependencies {
  readonly clock: Clock;
  /** Must not throw. */
  readonly reporter: { event(event: LoopEvent): void; warn(warning: Warning): void };
  /**
   * Aborted with the error to report: the deadline's, or the one that says the run was cancelled.
   */
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline. */
  leftMs(): number;
  /**
   * Keeps a summary before the turns it stands for are left out; absent where nothing is kept. May
   * reject.
   */
  readonly keepSummary?: (summary: Summary) => Promise<void>;
  /** Is told that a server has cut a prompt without a word; absent where nobody asks. */
  readonly onCut?: () => void;
  /** Is told of each reply as it is counted; absent where nobody asks who took how much. */
  readonly onReply?: (reply: CountedReply) => void;
}
