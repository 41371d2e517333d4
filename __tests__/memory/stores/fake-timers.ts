import type { Timer } from '../../../src/lib/clock.js';

/** The timers of a clock whose time a test moves on. */
export interface FakeTimers {
  start(ms: number): Timer;
  /** Ends those whose time has come. */
  fire(): void;
}

/** No timers yet. */
export function createFakeTimers(nowMs: () => number): FakeTimers {
  const running = new Map<AbortController, number>();
  return {
    start(ms) {
      const controller = new AbortController();
      running.set(controller, nowMs() + ms);
      return { signal: controller.signal, clear: () => void running.delete(controller) };
    },
    fire() {
      for (const [controller, atMs] of [...running]) {
        if (atMs > nowMs()) continue;
        running.delete(controller);
        controller.abort();
      }
    },
  };
}
