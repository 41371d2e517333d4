import { describe, expect, it } from '@jest/globals';
import { limitTime, noteTimeLeft, timeLeftMs } from '../../src/lib/time-limit.js';
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
