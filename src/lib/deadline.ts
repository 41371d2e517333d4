import { ProviderError } from './errors.js';
import { noteTimeLeft } from './time-limit.js';

/** The one deadline of a run: every wait listens to it. */
export interface Deadline {
  /** Aborted when time is up or the run is cancelled, with the error to report as its reason. */
  readonly signal: AbortSignal;
  /** Sets the limit, counted in milliseconds from the start of the run. */
  limit(limitMs: number): void;
  /** Milliseconds that are left; Infinity while there is no limit. */
  leftMs(): number;
}

export interface RunDeadline extends Deadline {
  cancel(reason: Error): void;
  /** Takes the timer back, so that it cannot fire after the work is done. */
  clear(): void;
}

/** setTimeout takes at most this many milliseconds (2^31 − 1). */
const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * A deadline whose clock starts now and which has no limit yet. A limit of zero or less, or one that lies behind us,
 * is over at once, as in axe. `remedy` is what the error tells people to do about it.
 */
export function createDeadline(remedy?: string): RunDeadline {
  const startedAt = performance.now();
  let endsAt = Number.POSITIVE_INFINITY;
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const expire = () =>
    controller.abort(new ProviderError('timeout', 'context deadline exceeded', { remedy }));
  const leftMs = () => Math.max(0, endsAt - performance.now());
  noteTimeLeft(controller.signal, leftMs);
  return {
    signal: controller.signal,
    leftMs,
    limit(limitMs) {
      clearTimeout(timer);
      endsAt = startedAt + limitMs;
      if (limitMs <= 0 || leftMs() <= 0) expire();
      else timer = setTimeout(expire, Math.min(leftMs(), LONGEST_TIMER_MS));
    },
    cancel: (reason) => controller.abort(reason),
    clear: () => clearTimeout(timer),
  };
}

/** A signal that aborts after so many milliseconds, whatever becomes of the run. */
export function signalAfter(limitMs: number): AbortSignal {
  const endsAt = performance.now() + limitMs;
  const signal = AbortSignal.timeout(limitMs);
  noteTimeLeft(signal, () => Math.max(0, endsAt - performance.now()));
  return signal;
}
