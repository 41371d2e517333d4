import type { Clock } from '../../core/clock.js';

/** How long something is waited for. */
export interface WaitLimit {
  readonly limitMs: number;
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, 'sleep'>;
}

/** What a promise gives, or undefined if the time is up or the signal aborts before. */
export async function waitInTime<T>(
  pending: Promise<T>,
  { limitMs, signal, clock }: WaitLimit,
): Promise<T | undefined> {
  const answered = new AbortController();
  const timeUp = clock.sleep(limitMs, AbortSignal.any([signal, answered.signal])).then(() => undefined);
  try {
    return await Promise.race([pending, timeUp]);
  } finally {
    answered.abort();
  }
}
