import type { Clock, Timer } from '../../src/lib/clock.js';

/**
 * Time that many runs share and that nobody waits for: it moves on to whoever has to be woken next.
 */
export interface VirtualClock extends Clock {
  /** Work of the real world, which virtual time waits for. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** Milliseconds since the beginning. */
  elapsedMs(): number;
  /** Lets time pass until all of this is done. */
  run<T>(work: readonly Promise<T>[]): Promise<readonly T[]>;
}

interface Sleeper {
  readonly atMs: number;
  readonly order: number;
  wake(): void;
}

const START_MS = Date.UTC(2026, 1, 3, 4, 5, 6);
/** Promises of several libraries lie between an answer and what is done with it. */
const TURNS = 3;

/** `random` is the only chance in it. */
export function createVirtualClock(random: () => number): VirtualClock {
  const sleepers = new Set<Sleeper>();
  let nowMs = START_MS;
  let order = 0;
  let working = 0;
  let ids = 0;
  return {
    now: () => new Date(nowMs),
    elapsedMs: () => nowMs - START_MS,
    sleep,
    timer,
    random,
    newId() {
      ids += 1;
      return `id${String(ids).padStart(6, '0')}`;
    },
    async during(work) {
      working += 1;
      try {
        return await work();
      } finally {
        working -= 1;
      }
    },
    async run(work) {
      let isDone = false;
      const all = Promise.all(work).finally(() => {
        isDone = true;
      });
      all.catch(() => {});
      while (!isDone) {
        for (let turn = 0; turn < TURNS || working > 0; turn += 1) await immediate();
        const next = [...sleepers].sort((a, b) => a.atMs - b.atMs || a.order - b.order)[0];
        if (next === undefined || isDone) continue;
        sleepers.delete(next);
        nowMs = Math.max(nowMs, next.atMs);
        next.wake();
      }
      return await all;
    },
  };

  function add(ms: number, wake: () => void): Sleeper {
    order += 1;
    const sleeper = { atMs: nowMs + ms, order, wake };
    sleepers.add(sleeper);
    return sleeper;
  }

  function sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const sleeper = add(ms, end);
      signal?.addEventListener('abort', end, { once: true });
      function end(): void {
        sleepers.delete(sleeper);
        signal?.removeEventListener('abort', end);
        resolve();
      }
    });
  }

  function timer(ms: number): Timer {
    const controller = new AbortController();
    const sleeper = add(ms, () => controller.abort());
    return { signal: controller.signal, clear: () => void sleepers.delete(sleeper) };
  }
}

function immediate(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
