import type { AxeError } from '../errors.js';

/** What a run used. Tokens are summed over all turns. */
export interface RunStats {
  readonly turns: number;
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly durationMs: number;
  /** The model's name as the provider reports it, without the provider. */
  readonly modelId: string;
  /** The last reply's stop reason, as the provider writes it. */
  readonly stopReason: string;
}

/** The limit that ended a run. */
export type Limit = 'turns' | 'tokens' | 'time';

/** How a run ended. Only `completed` is remembered (source document 000, requirement 4.4). */
export type RunOutcome =
  | { readonly kind: 'completed'; readonly answer: string; readonly stats: RunStats }
  | {
      readonly kind: 'exhausted';
      readonly limit: Limit;
      /** Text of the last reply, to be published although the run was cut short. */
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
] as const;

/** One of {@link CONCLUSIONS}. */
export type Conclusion = (typeof CONCLUSIONS)[number];

/** The outcome in the words of the `conclusion` output. */
export function conclusionOf(outcome: RunOutcome): Conclusion {
  switch (outcome.kind) {
    case 'completed':
      return 'success';
    case 'failed':
      return 'failure';
    case 'refused':
      return 'refused';
    case 'exhausted':
      return LIMIT_CONCLUSIONS[outcome.limit];
  }
}

const LIMIT_CONCLUSIONS: Record<Limit, Conclusion> = {
  turns: 'max-turns',
  tokens: 'budget-exceeded',
  time: 'timeout',
};
