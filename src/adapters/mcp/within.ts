import type { Clock } from '../../core/clock.js';

/** A server did not answer in time. */
export class TimeUp extends Error {
  override readonly name = 'TimeUp';

  constructor(ms: number) {
    super(`it did not answer within ${ms / 1000} s`);
  }
}

/** How long to wait. */
export interface CallTimeout {
  readonly ms: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The result of some work; throws {@link TimeUp} when the time is over, and the signal's reason when it aborts. */
export async function within<T>(work: Promise<T>, { ms, clock, signal }: CallTimeout): Promise<T> {
  const done = new AbortController();
  const timeUp = clock.sleep(ms, AbortSignal.any([signal, done.signal])).then(() => {
    signal.throwIfAborted();
    throw new TimeUp(ms);
  });
  try {
    return await Promise.race([work, timeUp]);
  } finally {
    done.abort();
  }
}
