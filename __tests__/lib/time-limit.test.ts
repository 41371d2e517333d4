import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AxeError, formatError, ProviderError } from '../../src/lib/errors.js';
import {
  createDeadline,
  limitTime,
  noteTimeLeft,
  signalAfter,
  timeLeftMs,
} from '../../src/lib/time-limit.js';
import { createFakeClock } from '../memory/stores/fake-clock.js';

describe('a time limit', () => {
  it('aborts its signal when it is reached', () => {
    const clock = createFakeClock();
    const limit = limitTime({ clock, limitMs: 1000, signal: new AbortController().signal });
    clock.advance(999);
    expect([limit.signal.aborted, limit.isOver(), timeLeftMs(limit.signal)]).toEqual([false, false, 1]);
    clock.advance(1);
    expect([limit.signal.aborted, limit.isOver(), timeLeftMs(limit.signal)]).toEqual([true, true, 0]);
  });

  it('ends with the outer signal, which is not its own time', () => {
    const outer = new AbortController();
    const limit = limitTime({ clock: createFakeClock(), limitMs: 1000, signal: outer.signal });
    outer.abort();
    expect([limit.signal.aborted, limit.isOver()]).toEqual([true, false]);
  });

  it('leaves no more time than the outer limit', () => {
    const clock = createFakeClock();
    const outer = limitTime({ clock, limitMs: 500, signal: new AbortController().signal });
    const limit = limitTime({ clock, limitMs: 1000, signal: outer.signal });
    expect(timeLeftMs(limit.signal)).toBe(500);
  });

  it('does not fire after its end', () => {
    const clock = createFakeClock();
    const limit = limitTime({ clock, limitMs: 1000, signal: new AbortController().signal });
    limit.end();
    clock.advance(1000);
    expect(limit.signal.aborted).toBe(false);
  });
});

it('the time left of a signal is unknown unless it was registered', () => {
  const { signal } = new AbortController();
  expect(timeLeftMs(signal)).toBeUndefined();
  noteTimeLeft(signal, () => 7);
  expect(timeLeftMs(signal)).toBe(7);
});

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('the deadline of a run', () => {
  it('passes with the error of a timeout, exit status 3', () => {
    const { limit, signal } = createDeadline();
    limit(1000);
    jest.advanceTimersByTime(999);
    expect(signal.aborted).toBe(false);
    jest.advanceTimersByTime(1);
    expect(signal.reason).toBeInstanceOf(ProviderError);
    expect(signal.reason).toMatchObject({ message: 'timeout: context deadline exceeded', exitCode: 3 });
  });

  it('has a remedy if one is known', () => {
    const { limit, signal } = createDeadline('Raise `timeout-minutes`.');
    limit(0);
    expect(formatError(signal.reason)).toBe('timeout: context deadline exceeded\n  Raise `timeout-minutes`.');
  });

  it('counts from its start, not from when the limit is known', () => {
    const { limit, signal } = createDeadline();
    jest.advanceTimersByTime(600);
    limit(1000);
    jest.advanceTimersByTime(399);
    expect(signal.aborted).toBe(false);
    jest.advanceTimersByTime(1);
    expect(signal.aborted).toBe(true);
  });

  it.each([
    ['later', 5000],
    ['sooner', 500],
  ])('uses the last limit, also a %s one', (_, second) => {
    const { limit, signal } = createDeadline();
    limit(1000);
    limit(second);
    jest.advanceTimersByTime(second - 1);
    expect(signal.aborted).toBe(false);
    jest.advanceTimersByTime(1);
    expect(signal.aborted).toBe(true);
    expect(jest.getTimerCount()).toBe(0);
  });

  it.each([0, -1, -1000])('is reached at once with a limit of %i (axe-behaviour §12)', (limitMs) => {
    const { limit, signal } = createDeadline();
    limit(limitMs);
    expect(signal.aborted).toBe(true);
  });

  it('is reached at once with a limit in the past', () => {
    const { limit, signal } = createDeadline();
    jest.advanceTimersByTime(2000);
    limit(1999);
    expect(signal.aborted).toBe(true);
  });

  it.each([2 ** 31, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY])(
    'is not reached at once with a limit of %d milliseconds, which exceeds every timer',
    (limitMs) => {
      const { limit, signal } = createDeadline();
      limit(limitMs);
      jest.advanceTimersByTime(86_400_000);
      expect(signal.aborted).toBe(false);
    },
  );

  it('ends early with a given reason, and keeps it', () => {
    const { cancel, limit, signal } = createDeadline();
    const reason = new AxeError('the run was cancelled');
    limit(1000);
    cancel(reason);
    expect(signal.reason).toBe(reason);
    jest.advanceTimersByTime(1000);
    expect(signal.reason).toBe(reason);
  });

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
    jest.advanceTimersByTime(399);
    expect(leftMs()).toBe(1);
    limit(5000);
    expect(leftMs()).toBe(4001);
    jest.advanceTimersByTime(9000);
    expect(leftMs()).toBe(0);
    limit(-1);
    expect(leftMs()).toBe(0);
  });
});

it('a signal that aborts after a time reports how much of it is left', () => {
  const signal = signalAfter(1000);
  jest.advanceTimersByTime(400);
  expect(timeLeftMs(signal)).toBe(600);
  jest.advanceTimersByTime(900);
  expect(timeLeftMs(signal)).toBe(0);
});
