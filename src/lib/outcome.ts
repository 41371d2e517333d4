import { AxeError, CancelledError } from './errors.js';

/** A tool call as `--json` shows it. */
export interface ToolCallRecord {
  /** The reply of the conversation that made it, from 1. */
  readonly turn: number;
  readonly tool: string;
  readonly input: unknown;
  readonly output: string;
  readonly isError: boolean;
  /** The tool was not offered: unknown, or withheld by a rule. */
  readonly isDenied: boolean;
  readonly durationMs: number;
}

/** What a run used. Tokens are summed over all turns and sub-agents. */
export interface RunStats {
  readonly turns: number;
  readonly toolCalls: number;
  /** The calls of the agent itself, those of its sub-agents not included. */
  readonly calls: readonly ToolCallRecord[];
  /** Requests that were tried again, sub-agents' included. */
  readonly retries: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  /**
   * US dollars, sub-agents included; undefined if the price of any model that was asked is not
   * known.
   */
  readonly costUsd: number | undefined;
  /** Tokens that count towards the limit of the run, and the limit; undefined without one. */
  readonly budget: { readonly usedTokens: number; readonly maxTokens: number } | undefined;
  readonly durationMs: number;
  /** The model's name as the provider reports it, without the provider. */
  readonly modelId: string;
  /** The last reply's stop reason, as the provider writes it. */
  readonly stopReason: string;
}

export type Limit = 'turns' | 'tokens' | 'cost' | 'time';

/** How a run ended. Only `completed` is remembered (axe-behaviour §10). */
export type RunOutcome =
  | { readonly kind: 'completed'; readonly answer: string; readonly stats: RunStats }
  | {
      readonly kind: 'exhausted';
      readonly limit: Limit;
      /** Text of the last reply, to be published although the run was cut short. */
      readonly answer: string;
      /**
       * The model had come to its end: its last reply went over the limit, and nothing was left
       * undone (D2).
       */
      readonly isAnswered?: true;
      readonly error: AxeError;
      readonly stats: RunStats;
    }
  /** The model's last reply was cut, or ended with an error; the error says how. */
  | {
      readonly kind: 'incomplete';
      readonly answer: string;
      readonly error: AxeError;
      readonly stats: RunStats;
    }
  | { readonly kind: 'failed'; readonly error: AxeError; readonly stats: RunStats }
  | { readonly kind: 'refused'; readonly answer: string; readonly stats: RunStats };

/** The closed set a run's end is reported as: output `conclusion` (D27). */
export const CONCLUSIONS = [
  'success',
  'failure',
  'skipped',
  'timeout',
  'budget-exceeded',
  'max-turns',
  'refused',
  'incomplete',
  'cancelled',
] as const;

export type Conclusion = (typeof CONCLUSIONS)[number];

/** The outcome in the words of the `conclusion` output. */
export function conclusionOf(outcome: RunOutcome): Conclusion {
  switch (outcome.kind) {
    case 'completed':
      return 'success';
    case 'failed':
      return outcome.error instanceof CancelledError ? 'cancelled' : 'failure';
    case 'refused':
      return 'refused';
    case 'incomplete':
      return 'incomplete';
    case 'exhausted':
      return LIMIT_CONCLUSIONS[outcome.limit];
  }
}

/** Why an outcome is no success; undefined for one that is. */
export function errorOf(outcome: RunOutcome): AxeError | undefined {
  if (outcome.kind === 'refused') {
    return new AxeError('the model refused to answer', {
      remedy: 'Reword the task, or choose another model.',
    });
  }
  return outcome.kind === 'completed' ? undefined : outcome.error;
}

/** Whether a run ended before its work did: at a limit, or with a reply that is not whole. */
export function isCutShort(outcome: RunOutcome): boolean {
  return (
    outcome.kind === 'incomplete' || (outcome.kind === 'exhausted' && outcome.isAnswered !== true)
  );
}

/**
 * The answer where nothing else tells how the run ended: one that the model did not finish says so
 * itself.
 */
export function markedAnswer(outcome: RunOutcome): string {
  if (outcome.kind === 'failed') return '';
  if (outcome.kind !== 'incomplete') return outcome.answer;
  return [outcome.answer.trimEnd(), `[Incomplete: ${outcome.error.message}.]`]
    .join('\n\n')
    .trimStart();
}

const LIMIT_CONCLUSIONS: Record<Limit, Conclusion> = {
  turns: 'max-turns',
  tokens: 'budget-exceeded',
  cost: 'budget-exceeded',
  time: 'timeout',
};
