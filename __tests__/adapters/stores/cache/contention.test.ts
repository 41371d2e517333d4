import { describe, expect, it } from '@jest/globals';
import { createContention } from '../../../../src/adapters/stores/cache/contention.js';
import { CACHE_CONFLICT_WAITS } from '../../../../src/core/defaults.js';
import { createFakeClock } from '../fake-clock.js';

const PLENTY_MS = 180_000;
const REQUEST_MS = 120;

/** What a run sees that lost once and waited ten seconds, in which so many versions were saved. */
function seeing(versions: number, requestMs = REQUEST_MS) {
  const clock = createFakeClock();
  const contention = createContention(clock);
  contention.seen(7);
  contention.lost(requestMs);
  const firstMs = contention.waitMs(PLENTY_MS);
  clock.advance(10_000);
  contention.seen(7 + versions);
  contention.lost(requestMs);
  return { clock, contention, firstMs };
}

describe('the wait after a lost race for the cache', () => {
  it('is short the first time, with full jitter', () => {
    const random = [0, 0.5, 0.999];
    const waits = random.map((value) =>
      createContention({ ...createFakeClock(), random: () => value }).waitMs(PLENTY_MS),
    );
    expect(waits).toEqual([1, CACHE_CONFLICT_WAITS.firstMs / 2, CACHE_CONFLICT_WAITS.firstMs * 0.999]);
  });

  it('grows with the number of versions that went by, up to a limit, and shrinks where hardly anybody saves', () => {
    const waits = [1, 4, 8, 10, 12, 16].map((versions) => seeing(versions).contention.waitMs(PLENTY_MS));
    expect(waits).toEqual([...waits].sort((a, b) => a - b));
    expect(new Set(waits).size).toBeGreaterThan(3);
    expect(waits[0]).toBeLessThanOrEqual(seeing(1).firstMs);
    expect(waits.at(-1)).toBeGreaterThan(2 * CACHE_CONFLICT_WAITS.firstMs);
    const { contention, clock } = seeing(16);
    for (let number = 40; number < 200; number += 16) {
      clock.advance(10_000);
      contention.seen(number);
      expect(contention.waitMs(PLENTY_MS)).toBeLessThanOrEqual(CACHE_CONFLICT_WAITS.mostMs);
    }
  });

  it('is longer for as many versions where the service is slower, because more of them tried then', () => {
    expect(seeing(6, 300).contention.waitMs(PLENTY_MS)).toBeGreaterThan(
      seeing(6, 60).contention.waitMs(PLENTY_MS),
    );
  });

  it('stays within a few seconds while a number is held and nothing is saved', () => {
    const { contention } = seeing(0);
    const waits = Array.from({ length: 6 }, () => contention.waitMs(PLENTY_MS));
    for (const waitMs of waits) {
      expect(waitMs).toBeGreaterThan(2_000);
      expect(waitMs).toBeLessThan(8_000);
    }
  });

  it('leaves time for further attempts when little is left', () => {
    for (const leftMs of [40_000, 20_000, 8_000])
      expect(seeing(16).contention.waitMs(leftMs)).toBeLessThanOrEqual(leftMs / 8);
    expect(seeing(16).contention.waitMs(0)).toBeGreaterThanOrEqual(500);
  });

  it('is short again after a save that got through', () => {
    const { contention, firstMs } = seeing(16);
    contention.waitMs(PLENTY_MS);
    contention.settled();
    expect(contention.waitMs(PLENTY_MS)).toBe(firstMs);
  });
});

describe('a look-up by exact keys', () => {
  it('is not enough once more than seven versions are likely to have been saved since', () => {
    const { contention, clock } = seeing(5);
    clock.advance(10_000);
    expect(contention.isFar()).toBe(false);
    clock.advance(10_000);
    expect(contention.isFar()).toBe(true);
    contention.settled();
    expect(contention.isFar()).toBe(false);
  });

  it('is enough where nothing was saved, however long that is ago', () => {
    const { contention, clock } = seeing(0);
    clock.advance(100_000);
    expect(contention.isFar()).toBe(false);
  });
});
