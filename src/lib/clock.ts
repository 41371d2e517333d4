import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ProviderError } from './errors.js';
import { count, formatInteger } from './text/format.js';

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
  noteTimeLeft(timer.signal, () => Math.max(0, endsMs - clock.now().getTime()));
  const limited = withinBoth(signal, timer.signal);
  return { signal: limited, isOver: () => timer.signal.aborted, end: () => timer.clear() };
}

/**
 * A signal does not say when it will abort, but code that waits must know it: a pause that would be
 * interrupted is not started.
 */
const TIME_LEFT = new WeakMap<AbortSignal, () => number | undefined>();

/** Records how many milliseconds are left until a signal aborts; undefined while nobody knows. */
export function noteTimeLeft(signal: AbortSignal, leftMs: () => number | undefined): void {
  TIME_LEFT.set(signal, leftMs);
}

/** Milliseconds until a signal aborts; undefined if nobody knows. */
export function timeLeftMs(signal: AbortSignal): number | undefined {
  return TIME_LEFT.get(signal)?.();
}

/** A cancelled run has time for requests, but none for pauses between them. */
const PAUSE_ENDS = new WeakMap<AbortSignal, AbortSignal>();

/** Ends a pause between two requests that may go on until `signal` is aborted. */
export function pauseEnd(signal: AbortSignal): AbortSignal {
  return PAUSE_ENDS.get(signal) ?? signal;
}

/** A signal that is aborted with the first of two, and has the time that both have left. */
export function withinBoth(first: AbortSignal, second: AbortSignal): AbortSignal {
  const both = AbortSignal.any([first, second]);
  PAUSE_ENDS.set(both, AbortSignal.any([pauseEnd(first), pauseEnd(second)]));
  noteTimeLeft(both, () => {
    const known = [first, second].flatMap((signal) => timeLeftMs(signal) ?? []);
    return known.length === 0 ? undefined : Math.min(...known);
  });
  return both;
}

/** A run's only deadline: every wait listens to it. */
export interface Deadline {
  /**
   * Ends the conversation, or a step before it: aborted when time is up or the run is cancelled, with
   * the error to report.
   */
  readonly signal: AbortSignal;
  /**
   * For deciding, saving and reporting, which come afterwards. A time limit does not abort it,
   * since each of their steps has a limit of its own: only a cancelled run has no time in the end.
   * Such a run does not pause any more (see {@link pauseEnd}).
   */
  readonly closing: AbortSignal;
  /** Sets the limit, counted in milliseconds from the start of the run. */
  limit(limitMs: number): void;
  /** Milliseconds until `signal` aborts; Infinity while there is no limit. */
  leftMs(): number;
  /**
   * Aborts `signal` with this error. `closingMs` is the time for the rest; left out: no limit. Of
   * several calls the first names the error, and the shortest time counts.
   */
  cancel(reason: Error, closingMs?: number): void;
  /** Stops the timers, so that they cannot fire after the work is done. */
  clear(): void;
}

/** setTimeout takes at most this many milliseconds (2^31 − 1). */
export const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * A deadline that counts from now and has no limit yet. A limit of zero or less, or one that has
 * passed already, expires at once, as in axe. `remedy` tells people what to do about the error.
 * `keptMs` is the part of a limit that is kept for the steps after the conversation.
 */
export function createDeadline(
  remedy?: string,
  keptMs: (limitMs: number) => number = () => 0,
): Deadline {
  const startedAt = performance.now();
  let endsAt = Number.POSITIVE_INFINITY;
  let closesAt: number | undefined;
  const asking = new AbortController();
  const closing = new AbortController();
  const pausing = new AbortController();
  let askingTimer: NodeJS.Timeout | undefined;
  let closingTimer: NodeJS.Timeout | undefined;

  const expire = (limitMs: number) => {
    const axe = 'context deadline exceeded';
    const text = `the run reached its time limit of ${formatLimit(limitMs)}`;
    asking.abort(new ProviderError('timeout', text, { axe, remedy }));
  };
  const leftMs = () => Math.max(0, endsAt - performance.now());
  noteTimeLeft(asking.signal, leftMs);
  PAUSE_ENDS.set(closing.signal, pausing.signal);
  noteTimeLeft(closing.signal, () => closesAt && Math.max(0, closesAt - performance.now()));

  return {
    signal: asking.signal,
    closing: closing.signal,
    leftMs,
    limit(limitMs) {
      clearTimeout(askingTimer);
      endsAt = startedAt + limitMs - keptMs(limitMs);
      if (limitMs <= 0 || leftMs() <= 0) expire(limitMs);
      else askingTimer = setTimeout(expire, Math.min(leftMs(), LONGEST_TIMER_MS), limitMs);
    },
    cancel(reason, closingMs) {
      asking.abort(reason);
      if (closingMs === undefined) return;
      pausing.abort(reason);
      const soonest = performance.now() + closingMs;
      if (closesAt !== undefined && closesAt <= soonest) return;
      closesAt = soonest;
      clearTimeout(closingTimer);
      closingTimer = setTimeout(() => closing.abort(asking.signal.reason), closingMs);
    },
    clear() {
      clearTimeout(askingTimer);
      clearTimeout(closingTimer);
    },
  };
}

/** `15 minutes`, `90 s`, as a person sets a limit. */
function formatLimit(limitMs: number): string {
  const minutes = limitMs / 60_000;
  return Number.isInteger(minutes) && minutes > 0
    ? count(minutes, 'minute')
    : `${formatInteger(Math.max(0, Math.round(limitMs / 1000)))} s`;
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
