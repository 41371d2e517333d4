import type { Clock } from '../lib/clock.js';
import type { ProviderError, Warning } from '../lib/errors.js';
import type { NoteRequest } from '../memory/notes/session.js';
import type { TokenUse } from './budget.js';
import type { CountedReply } from './reply.js';

export type LoopEvent =
  | {
      readonly kind: 'model-request';
      readonly turn: number;
      /** Messages in the conversation, the system prompt not counted. */
      readonly messages: number;
      /** Tool results sent so far, over all turns. */
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
      /** The tokens of this reply alone. */
      readonly use: TokenUse;
      /** The run's US dollars so far, with its sub-agents; undefined if a price is not known. */
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
  /** A server is still loading the model, and is waited for. */
  | { readonly kind: 'loading'; readonly model: string }
  /** The provider refused a conversation as too long; it is shortened to the window learnt so. */
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
      readonly result:
        | { readonly kind: 'answer'; readonly text: string }
        /** An answer whose end is missing; `detail` says why. */
        | { readonly kind: 'part'; readonly text: string; readonly detail: string }
        /** `axe` is the detail in axe's words, if they differ. */
        | { readonly kind: 'failure'; readonly detail: string; readonly axe?: string };
    }
  /** The findings of a review in several conversations were merged. */
  | { readonly kind: 'passes-joined'; readonly passes: number; readonly findings: number }
  /** Findings of a review were verified. */
  | {
      readonly kind: 'verified';
      /** Verdicts that were given. */
      readonly looks: number;
      readonly confirmed: number;
      readonly refuted: number;
      /** Findings due for a verdict that got none. */
      readonly unverified: number;
    }
  /** The agent's notes were changed; in a workflow the change is saved with the entry. */
  | {
      readonly kind: 'note-written';
      readonly action: NoteRequest['kind'];
      /** The path that the model sees. */
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
      /** The text that the model was given for a call that failed; left out for all others. */
      readonly reason?: string;
      readonly durationMs: number;
    };

/** A summary that replaces earlier turns of a conversation. @internal */
export interface Summary {
  /** The model's text, not sanitized. */
  readonly text: string;
  /** The number of messages that it replaces. */
  readonly messages: number;
}

export interface LoopDependencies {
  readonly clock: Clock;
  /** Must not throw. */
  readonly reporter: { event(event: LoopEvent): void; warn(warning: Warning): void };
  /** Aborted with the error to report: the deadline's, or that the run was cancelled. */
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline. */
  leftMs(): number;
  /** Saves a summary before it replaces its turns; absent if nothing is saved. Might reject. */
  readonly keepSummary?: (summary: Summary) => Promise<void>;
  /** Called when a server has cut a prompt without saying so. */
  readonly onCut?: () => void;
  /** Called for each counted reply. */
  readonly onReply?: (reply: CountedReply) => void;
}
