import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

/** A limit of time that has begun. */
export interface Timer {
  /** Aborted once the time is over. */
  readonly signal: AbortSignal;
  /** Takes the timer back, so that it cannot fire any more. */
  clear(): void;
}

/** Time and chance come in from outside, so a test can hold them still. */
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

/** The machine's clock and chance. */
export function createClock(): Clock {
  return { now: () => new Date(), sleep, timer, random: () => Math.random(), newId };
}

async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  // It rejects for an aborted signal alone.
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

function timer(ms: number): Timer {
  const controller = new AbortController();
  const timeout = setTimeout(() => controller.abort(), ms);
  return { signal: controller.signal, clear: () => clearTimeout(timeout) };
}

/** Milliseconds since 1970, in as many digits at all times so that ids sort, and 64 random bits. */
function newId(): string {
  return Date.now().toString(36).padStart(10, '0') + randomBytes(8).toString('hex');
}

/** The day of a time, `YYYY-MM-DD`, in UTC. */
export function dateOf(time: Date | number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Whether a text is a day of the calendar, `YYYY-MM-DD`. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const timeMs = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(timeMs) && dateOf(timeMs) === text;
}
