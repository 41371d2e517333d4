import type { Plan } from '../plan.js';
import type { RestoreResult } from '../ports.js';

/** What a run tells while it goes on; listeners make log lines of it. */
export type RunEvent =
  /** The plan stands and the model is ready; `restored` is undefined for an agent without memory. */
  | { readonly kind: 'run-started'; readonly plan: Plan; readonly restored: RestoreResult | undefined }
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
      readonly toolCalls: number;
      /** Tools that were offered. */
      readonly tools: number;
    }
  | {
      readonly kind: 'tool-call';
      readonly turn: number;
      readonly tool: string;
      readonly isError: boolean;
      readonly durationMs: number;
    };
