import type { Clock, Timer } from '../../../src/lib/clock.js';

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
    newId: numbered('id'),
  };
}

/** The timers of a clock whose time a test moves on; `fire` ends those whose time has come. */
function createFakeTimers(nowMs: () => number) {
  const running = new Map<AbortController, number>();
  return {
    start(ms: number): Timer {
      const controller = new AbortController();
      running.set(controller, nowMs() + ms);
      return { signal: controller.signal, clear: () => void running.delete(controller) };
    },
    fire(): void {
      for (const [controller, atMs] of [...running]) {
        if (atMs > nowMs()) continue;
        running.delete(controller);
        controller.abort();
      }
    },
  };
}

/** A clock that many runs share: it moves to the next one to wake, once all are waiting. */
export interface SimulatedClock extends Clock {
  /** Resolves when nobody sleeps and nothing is under way. */
  idle(): Promise<void>;
}

/** Time starts on 3 February 2026; `random` is the only chance in it. */
export function createSimulatedClock(random: () => number): SimulatedClock {
  const sleepers: { readonly atMs: number; wake(): void }[] = [];
  let nowMs = Date.UTC(2026, 1, 3, 4, 5, 6);
  let isDraining = false;
  const timers = createFakeTimers(() => nowMs);
  return {
    now: () => new Date(nowMs),
    timer: timers.start,
    sleep: (ms) =>
      new Promise((resolve) => {
        sleepers.push({ atMs: nowMs + ms, wake: resolve });
        if (!isDraining) void drain();
      }),
    random,
    newId: numbered('id'),
    idle: async () => {
      do await turn();
      while (isDraining);
    },
  };

  async function drain(): Promise<void> {
    isDraining = true;
    for (;;) {
      await turn();
      sleepers.sort((left, right) => left.atMs - right.atMs);
      const next = sleepers.shift();
      if (next === undefined) break;
      nowMs = Math.max(nowMs, next.atMs);
      timers.fire();
      next.wake();
    }
    isDraining = false;
  }
}

/** All promises that can settle have settled by then. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Names that nobody else gets. */
export function numbered(name: string): () => string {
  let last = 0;
  return () => {
    last += 1;
    return `${name}${last}`;
  };
}

/** Numbers from 0 to below 1 that depend on the seed alone (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
