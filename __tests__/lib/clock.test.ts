import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  createClock,
  createDeadline,
  pauseEnd,
  signalAfter,
  startTimeLimit,
  timeLeftMs,
  withinBoth,
} from '../../src/lib/clock.js';
import { formatError } from '../../src/lib/errors.js';
import { createFakeClock } from '../memory/stores/fake-clock.js';

it('the clock ends a sleep when the signal aborts, and leaves no listener', async () => {
  const controller = new AbortController();
  const slept = createClock().sleep(3_600_000, controller.signal);
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
  controller.abort();
  await slept;
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
});

it('the clock aborts the signal of a timer, unless the timer was cancelled', () => {
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

it('the clock makes ids of letters and digits that differ and sort by time', async () => {
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

const clock = createFakeClock();
const limitWithin = (signal: AbortSignal, limitMs = 1000) => startTimeLimit(clock, limitMs, signal);

it('a time limit aborts its signal when it is reached', () => {
  const limit = limitWithin(new AbortController().signal);
  clock.advance(999);
  expect([limit.signal.aborted, limit.isOver(), timeLeftMs(limit.signal)]).toEqual([
    false,
    false,
    1,
  ]);
  clock.advance(1);
  expect([limit.signal.aborted, limit.isOver(), timeLeftMs(limit.signal)]).toEqual([true, true, 0]);
});

it('a time limit ends with the outer signal, which is not its own time, and leaves no more time than that', () => {
  const outer = new AbortController();
  const limit = limitWithin(outer.signal);
  outer.abort();
  expect([limit.signal.aborted, limit.isOver()]).toEqual([true, false]);
  const within = limitWithin(limitWithin(new AbortController().signal, 500).signal);
  expect(timeLeftMs(within.signal)).toBe(500);
});

it('a time limit does not fire after its end', () => {
  const limit = limitWithin(new AbortController().signal);
  limit.end();
  clock.advance(1000);
  expect(limit.signal.aborted).toBe(false);
});

describe('the deadline of a run', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('counts from its start, and passes with the error of a timeout, exit status 3', () => {
    const { limit, signal } = createDeadline('Raise `timeout-minutes`.');
    jest.advanceTimersByTime(600);
    limit(1000);
    jest.advanceTimersByTime(399);
    expect(signal.aborted).toBe(false);
    jest.advanceTimersByTime(1);
    expect(signal.reason).toMatchObject({ name: 'ProviderError', exitCode: 3 });
    expect(formatError(signal.reason)).toBe(
      'timeout: the run reached its time limit of 1 s\n  Raise `timeout-minutes`.',
    );
  });

  it.each([5000, 500])('uses the last limit, later or sooner: %i', (second) => {
    const { limit, signal } = createDeadline();
    limit(1000);
    limit(second);
    jest.advanceTimersByTime(second - 1);
    expect(signal.aborted).toBe(false);
    jest.advanceTimersByTime(1);
    expect(signal.aborted).toBe(true);
    expect(jest.getTimerCount()).toBe(0);
  });

  it.each([0, -1000, 1999])(
    'is reached at once with a limit of %i that is in the past',
    (limitMs) => {
      const { limit, signal } = createDeadline();
      jest.advanceTimersByTime(2000);
      limit(limitMs);
      expect(signal.aborted).toBe(true);
    },
  );

  it.each([2 ** 31, Number.POSITIVE_INFINITY])(
    'is not reached at once with a limit of %d milliseconds, which exceeds every timer',
    (limitMs) => {
      const { limit, signal } = createDeadline();
      limit(limitMs);
      jest.advanceTimersByTime(86_400_000);
      expect(signal.aborted).toBe(false);
    },
  );

  it('is never reached after it was cleared, and leaves no timer', () => {
    const { clear, limit, signal } = createDeadline();
    limit(1000);
    clear();
    expect(jest.getTimerCount()).toBe(0);
    jest.advanceTimersByTime(5000);
    expect(signal.aborted).toBe(false);
  });

  it('knows how much time is left, and never less than zero', () => {
    const { limit, leftMs } = createDeadline();
    expect(leftMs()).toBe(Number.POSITIVE_INFINITY);
    jest.advanceTimersByTime(600);
    limit(1000);
    expect(leftMs()).toBe(400);
    limit(5000);
    expect(leftMs()).toBe(4400);
    jest.advanceTimersByTime(9000);
    expect(leftMs()).toBe(0);
  });

  it('keeps a part of its limit for what comes after the asking, which a limit never ends', () => {
    const { limit, signal, closing, leftMs } = createDeadline('', (limitMs) => limitMs / 10);
    limit(1000);
    expect([leftMs(), timeLeftMs(closing)]).toEqual([900, undefined]);
    jest.advanceTimersByTime(899);
    expect(signal.aborted).toBe(false);
    jest.advanceTimersByTime(86_400_000);
    expect([signal.aborted, closing.aborted]).toEqual([true, false]);
  });

  it('leaves a cancelled run the shortest time of several, and its first error', () => {
    const { cancel, clear, signal, closing } = createDeadline();
    const [first, second] = [new Error('first'), new Error('second')];
    cancel(first, 8500);
    jest.advanceTimersByTime(500);
    expect([signal.reason, timeLeftMs(closing)]).toEqual([first, 8000]);
    cancel(second, 1500);
    cancel(second, 1600);
    cancel(second);
    jest.advanceTimersByTime(1499);
    expect(closing.aborted).toBe(false);
    jest.advanceTimersByTime(1);
    expect([signal.reason, closing.reason]).toEqual([first, first]);
    clear();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('leaves a cancelled run no pauses, nor what it does within a limit of its own', () => {
    const { cancel, clear, closing } = createDeadline();
    const limited = withinBoth(closing, new AbortController().signal);
    expect([pauseEnd(closing), pauseEnd(limited)].map(({ aborted }) => aborted)).toEqual([
      false,
      false,
    ]);
    cancel(new Error('cancelled'), 8500);
    for (const signal of [closing, limited])
      expect([signal.aborted, pauseEnd(signal).aborted]).toEqual([false, true]);
    clear();
  });

  it('leaves what comes after the asking all its time if nobody says how much', () => {
    const { cancel, closing } = createDeadline();
    cancel(new Error('interrupted'));
    jest.advanceTimersByTime(86_400_000);
    expect([closing.aborted, timeLeftMs(closing)]).toEqual([false, undefined]);
    expect(pauseEnd(closing).aborted).toBe(false);
  });

  it('a signal that aborts after a time reports how much of it is left', () => {
    const signal = signalAfter(1000);
    jest.advanceTimersByTime(400);
    expect(timeLeftMs(signal)).toBe(600);
    jest.advanceTimersByTime(900);
    expect(timeLeftMs(signal)).toBe(0);
  });
});
