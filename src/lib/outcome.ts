import { AxeError, CancelledError } from './errors.js';

/** A tool call as `--json` shows it. */
export interface ToolCallRecord {
  /** The reply of the conversation that made it, from 1. */
  readonly turn: number;
  readonly tool: string;
  readonly input: unknown;
  readonly output: string;
  readonly isError: boolean;
  /** The tool was not available: it is unknown, or a rule withheld it. */
  readonly isDenied: boolean;
  readonly durationMs: number;
}

/** Tokens are summed over all turns and sub-agents. */
export interface RunStats {
  readonly turns: number;
  readonly toolCalls: number;
  /** The agent's own calls, without those of its sub-agents. */
  readonly calls: readonly ToolCallRecord[];
  /** Requests that were repeated, including those of sub-agents. */
  readonly retries: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  /** The part of the input that the provider wrote to its cache. */
  readonly cacheWriteTokens: number;
  /**
   * US dollars, including sub-agents; undefined if the price of a model that was used is unknown.
   */
  readonly costUsd: number | undefined;
  /** The tokens that count towards the run's limit, and the limit; undefined without one. */
  readonly budget: { readonly usedTokens: number; readonly maxTokens: number } | undefined;
  readonly durationMs: number;
  /** The model's name as the provider reports it, without the provider. */
  readonly modelId: string;
  /** The last reply's stop reason, as the provider writes it. */
  readonly stopReason: string;
}

export type Limit = 'turns' | 'tokens' | 'cost' | 'time';

/** Only a `completed` run adds an entry to the memory, as in axe. */
export type RunOutcome =
  | {
      readonly kind: 'completed';
      readonly answer: string;
      /** The part of the answer that memory keeps; left out: all of it. */
      readonly keptAnswer?: string;
      readonly stats: RunStats;
    }
  | {
      readonly kind: 'exhausted';
      readonly limit: Limit;
      /** The text of the last reply, which is published although the limit ended the run. */
      readonly answer: string;
      /** The model had finished: only its last reply exceeded the limit. */
      readonly isAnswered?: true;
      readonly error: AxeError;
      readonly stats: RunStats;
    }
  /** The model's last reply was cut off or ended with an error, which `error` describes. */
  | {
      readonly kind: 'incomplete';
      readonly answer: string;
      /** The answer is whole, but no call of a review tool was accepted, so it is not a review. */
      readonly isUnreviewed?: true;
      readonly error: AxeError;
      readonly stats: RunStats;
    }
  | (CutByTrouble & { readonly kind: 'failed'; readonly error: AxeError })
  | (CutByTrouble & { readonly kind: 'refused'; readonly answer: string });

interface CutByTrouble {
  /** A part of the review was accepted before, and is posted; left out: the run came to nothing. */
  readonly hasFound?: true;
  readonly stats: RunStats;
}

/** All values of the `conclusion` output. */
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

/** The value of the `conclusion` output for an outcome. */
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

/** The error of an outcome that is not a success; undefined for a success. */
export function errorOf(outcome: RunOutcome): AxeError | undefined {
  if (outcome.kind === 'refused') {
    return new AxeError('the model refused to answer', {
      remedy: 'Reword the task, or choose another model.',
    });
  }
  return outcome.kind === 'completed' ? undefined : outcome.error;
}

/** The run failed, was cancelled or refused before it had anything to post. */
export function cameToNothing({
  kind,
  hasFound,
}: Pick<RunOutcome, 'kind'> & { readonly hasFound?: true }): boolean {
  return (kind === 'failed' || kind === 'refused') && hasFound !== true;
}

/** The run has something to post, but ended before its work was done. */
export function isCutShort(outcome: RunOutcome): boolean {
  if (outcome.kind === 'exhausted') return outcome.isAnswered !== true;
  return outcome.kind !== 'completed' && !cameToNothing(outcome);
}

/** The model reviewed nothing, although that was its task. */
export function isUnreviewed(outcome: RunOutcome): boolean {
  return outcome.kind === 'incomplete' && outcome.isUnreviewed === true;
}

/**
 * The answer for places where nothing else says how the run ended: an incomplete answer says so
 * itself.
 */
export function markedAnswer({
  kind,
  answer = '',
  error,
}: Pick<RunOutcome, 'kind'> & {
  readonly answer?: string;
  readonly error?: { readonly message: string };
}): string {
  if (kind !== 'incomplete' || error === undefined) return answer;
  return [answer.trimEnd(), `[Incomplete: ${error.message}.]`].join('\n\n').trimStart();
}

const LIMIT_CONCLUSIONS: Record<Limit, Conclusion> = {
  turns: 'max-turns',
  tokens: 'budget-exceeded',
  cost: 'budget-exceeded',
  time: 'timeout',
};
