import type { Clock } from '../../../src/lib/clock.js';
import { createFakeTimers } from './fake-timers.js';

/** A clock that only moves for sleepers: each sleep moves it on at once. */
export interface FakeClock extends Clock {
  readonly slept: readonly number[];
  advance(ms: number): void;
}

/** One of those who wait for each other: a sleep lets the others go on, and no time passes. */
export function createPatientClock(): Clock {
  return { ...createFakeClock(), sleep: () => new Promise((resolve) => setImmediate(resolve)) };
}

/** Starts on 3 February 2026; chance is always one half unless another sequence is given. */
export function createFakeClock(random: () => number = () => 0.5): FakeClock {
  let nowMs = Date.UTC(2026, 1, 3, 4, 5, 6);
  let ids = 0;
  const slept: number[] = [];
  const timers = createFakeTimers(() => nowMs);
  const advance = (ms: number) => {
    nowMs += ms;
    timers.fire();
  };
  return {
    slept,
    advance,
    now: () => new Date(nowMs),
    sleep: async (ms) => {
      slept.push(ms);
      advance(ms);
    },
    timer: timers.start,
    random,
    newId: () => {
      ids += 1;
      return `id${ids}`;
    },
  };
}
