import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ProviderError } from './errors.js';

/** A running time limit. */
export interface Timer {
  /** Aborted once the time is over. */
  readonly signal: AbortSignal;
  /** Stops the timer, so that it cannot fire any more. */
  clear(): void;
}

/** Time and randomness are passed in, so that tests can control them. */
export interface Clock {
  now(): Date;
  /** Resolves after the time or when the signal aborts, whichever is first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  timer(ms: number): Timer;
  /** From 0 to below 1. */
  random(): number;
  /** A new unique id: letters, digits and hyphens, sortable by time. */
  newId(): string;
}

/** The machine's clock and random numbers. */
export function createClock(): Clock {
  return {
    now: () => new Date(),
    sleep,
    timer: startTimer,
    random: () => Math.random(),
    newId,
  };
}

async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  // It rejects only if the signal is aborted.
  await delay(Math.min(ms, LONGEST_TIMER_MS), undefined, { signal }).catch(() => undefined);
}

function startTimer(ms: number): Timer {
  const controller = new AbortController();
  const timeout = setTimeout(() => controller.abort(), Math.min(ms, LONGEST_TIMER_MS));
  return { signal: controller.signal, clear: () => clearTimeout(timeout) };
}

/** Milliseconds since 1970, padded so that ids sort by time, and 64 random bits. */
function newId(): string {
  return Date.now().toString(36).padStart(10, '0') + randomBytes(8).toString('hex');
}

export const DAY_MS = 24 * 60 * 60 * 1000;

/** The day of a time, `YYYY-MM-DD`, in UTC. */
export function dateOf(time: Date | number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** True for a day of the calendar, `YYYY-MM-DD`. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const timeMs = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(timeMs) && dateOf(timeMs) === text;
}

/**
 * Starts a time limit within that of `signal`. The new signal is aborted when either is over;
 * `isOver` says whether this limit is, and `end` stops its timer.
 */
export function startTimeLimit(
  clock: Pick<Clock, 'now' | 'timer'>,
  limitMs: number,
  signal: AbortSignal,
) {
  const endsMs = clock.now().getTime() + limitMs;
  const timer = clock.timer(limitMs);
  const limited = AbortSignal.any([signal, timer.signal]);

  noteTimeLeft(limited, () => {
    const limitLeftMs = Math.max(0, endsMs - clock.now().getTime());
    return Math.min(limitLeftMs, timeLeftMs(signal) ?? Number.POSITIVE_INFINITY);
  });
  return { signal: limited, isOver: () => timer.signal.aborted, end: () => timer.clear() };
}

/**
 * A signal does not say when it will abort, but code that waits must know it: a pause that would be
 * interrupted is not started.
 */
const TIME_LEFT = new WeakMap<AbortSignal, () => number>();

/** Records how many milliseconds are left until a signal aborts. */
export function noteTimeLeft(signal: AbortSignal, leftMs: () => number): void {
  TIME_LEFT.set(signal, leftMs);
}

/** Milliseconds until a signal aborts; undefined if nobody has recorded them. */
export function timeLeftMs(signal: AbortSignal): number | undefined {
  return TIME_LEFT.get(signal)?.();
}

/** A run's only deadline: every wait listens to it. */
export interface Deadline {
  /** Aborted when time is up or the run is cancelled, with the error to report as its reason. */
  readonly signal: AbortSignal;
  /** Sets the limit, counted in milliseconds from the start of the run. */
  limit(limitMs: number): void;
  /** Milliseconds that are left; Infinity while there is no limit. */
  leftMs(): number;
  cancel(reason: Error): void;
  /** Stops the timer, so that it cannot fire after the work is done. */
  clear(): void;
}

/** setTimeout takes at most this many milliseconds (2^31 − 1). */
const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * A deadline that counts from now and has no limit yet. A limit of zero or less, or one that has
 * passed already, expires at once, as in axe. `remedy` tells people what to do about the error.
 */
export function createDeadline(remedy?: string): Deadline {
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

/** A signal that aborts after so many milliseconds, even if the run has ended. */
export function signalAfter(limitMs: number): AbortSignal {
  const endsAt = performance.now() + limitMs;
  const signal = AbortSignal.timeout(limitMs);
  noteTimeLeft(signal, () => Math.max(0, endsAt - performance.now()));
  return signal;
}

/** Runs calls one after the other; a call that fails does not stop the next. */
export function createQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}

/** Works on at most `width` items at the same time; the results are in the order of the items. */
export async function mapWithLimit<Item, Result>(
  width: number,
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const queue = items.entries();
  const results: Result[] = [];
  const workThrough = async () => {
    for (const [index, item] of queue) results[index] = await work(item, index);
  };

  await Promise.all(Array.from({ length: width }, workThrough));
  return results;
}
