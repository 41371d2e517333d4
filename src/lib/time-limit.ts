import type { Clock } from './clock.js';

/** Part of a run that has a time limit of its own. */
interface TimeLimit {
  /** Aborted when the time is over or the outer signal aborts, whichever is first. */
  readonly signal: AbortSignal;
  /** Whether its own time is over. */
  isOver(): boolean;
  /** Takes the timer back. */
  end(): void;
}

/** Starts a time limit within that of `signal`. */
export function limitTime({
  clock,
  limitMs,
  signal,
}: {
  readonly clock: Pick<Clock, 'now' | 'timer'>;
  readonly limitMs: number;
  readonly signal: AbortSignal;
}): TimeLimit {
  const endsMs = clock.now().getTime() + limitMs;
  const timer = clock.timer(limitMs);
  const limited = AbortSignal.any([signal, timer.signal]);
  const ownLeftMs = () => Math.max(0, endsMs - clock.now().getTime());
  noteTimeLeft(limited, () => Math.min(ownLeftMs(), timeLeftMs(signal) ?? Number.POSITIVE_INFINITY));
  return { signal: limited, isOver: () => timer.signal.aborted, end: () => timer.clear() };
}

/** A signal does not say when it will abort, and the waiting code must know it: a pause that would be cut is not begun. */
const TIME_LEFT = new WeakMap<AbortSignal, () => number>();

/** Notes how long it is until a signal aborts, in milliseconds. */
export function noteTimeLeft(signal: AbortSignal, leftMs: () => number): void {
  TIME_LEFT.set(signal, leftMs);
}

/** How long it is until a signal aborts, in milliseconds; undefined where nobody has said so. */
export function timeLeftMs(signal: AbortSignal): number | undefined {
  return TIME_LEFT.get(signal)?.();
}

/**
 * Does work that can keep timers and signals waiting. If it fails, the deadline and signals that came due meanwhile are
 * heard first: they are the cause. Timers fire before signals arrive, so one pause would hear the deadline alone.
 */
export async function causeFirst<T>(
  work: () => T | Promise<T>,
  { clock, signal }: { readonly clock: Pick<Clock, 'sleep'>; readonly signal: AbortSignal },
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    await clock.sleep(0, signal);
    await clock.sleep(0, signal);
    signal.throwIfAborted();
    throw thrown;
  }
}
