import { getEventListeners } from 'node:events';
import { describe, expect, it, jest } from '@jest/globals';
import { createClock } from '../../src/lib/clock.js';

describe('the clock', () => {
  it('ends a sleep when the signal aborts, and leaves no listener', async () => {
    const controller = new AbortController();
    const slept = createClock().sleep(3_600_000, controller.signal);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    controller.abort();
    await slept;
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('aborts the signal of a timer, unless the timer was cancelled', () => {
    jest.useFakeTimers();
    try {
      const [kept, cleared] = [1000, 1000].map((ms) => createClock().timer(ms));
      cleared?.clear();
      jest.advanceTimersByTime(999);
      expect(kept?.signal.aborted).toBe(false);
      jest.advanceTimersByTime(1);
      expect([kept?.signal.aborted, cleared?.signal.aborted]).toEqual([true, false]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('makes ids of letters and digits that differ and sort by time', async () => {
    const clock = createClock();
    const first = clock.newId();
    await clock.sleep(5);
    const later = Array.from({ length: 1_000 }, () => clock.newId());
    expect(new Set(later).size).toBe(1_000);
    for (const id of later) {
      expect(id).toMatch(/^[0-9a-z]{26}$/);
      expect(id > first).toBe(true);
    }
  });
});
