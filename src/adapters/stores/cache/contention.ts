import type { Clock } from '../../../core/clock.js';
import { CACHE_CONFLICT_WAITS } from '../../../core/defaults.js';

/**
 * How many others save to the same chain, told by the numbers that go by while a run waits. That costs no request, and
 * nothing but the length of the waits depends on it.
 */
interface Contention {
  /** A read found this to be the newest version. */
  seen(number: number): void;
  /** A save found its number taken, after so many milliseconds. */
  lost(tookMs: number): void;
  /** How long to wait after a conflict, of the time that is left. */
  waitMs(leftMs: number): number;
  /** More versions may have been saved since the last read than one look-up by exact keys finds. */
  isFar(): boolean;
  /** A save got through: the next one begins anew. */
  settled(): void;
}

/** A look-up, a download, a reservation, an upload and its end; who finds a number taken knows how long a reservation takes. */
const REQUESTS_OF_A_SAVE = 5;
const LEAST_REQUEST_MS = 20;

/** How much longer or shorter than the last wait the next one may become. */
const LEAST_GROWTH = 0.2;
const MOST_GROWTH = 5;

/** A short wait would not show how many there are, so all but the first last at least this share. */
const LEAST_SHARE = 0.5;
const LEAST_CEILING_MS = 1_000;

/** While a number is held and nothing is saved, only time helps. */
const HELD_GROWTH = 2;
const MOST_HELD_MS = 7_000;

/** Whoever has little time left tries more often, so that none is left behind by one that died and was waited for. */
const SHARE_OF_TIME_LEFT = 1 / 8;

/** Exact keys find ten versions in one request, and how many there are is an estimate. */
const NEAR_VERSIONS = 7;

/** The contention that one run sees. */
export function createContention(clock: Pick<Clock, 'now' | 'random'>): Contention {
  let requestMs: number | undefined;
  let last: { readonly number: number; readonly atMs: number } | undefined;
  /** What went by between the last two reads. */
  let passed: { readonly versions: number; readonly spanMs: number } | undefined;
  let ceilingMs: number | undefined;
  return {
    seen(number) {
      const atMs = clock.now().getTime();
      if (last !== undefined)
        passed = { versions: Math.max(0, number - last.number), spanMs: atMs - last.atMs };
      last = { number, atMs };
    },
    lost(tookMs) {
      requestMs = Math.max(LEAST_REQUEST_MS, requestMs === undefined ? tookMs : (requestMs + tookMs) / 2);
    },
    waitMs(leftMs) {
      const isFirst = ceilingMs === undefined;
      const wantedMs = ceilingMs === undefined ? CACHE_CONFLICT_WAITS.firstMs : nextCeilingMs(ceilingMs);
      ceilingMs = Math.max(LEAST_CEILING_MS, Math.min(wantedMs, leftMs * SHARE_OF_TIME_LEFT));
      const leastMs = isFirst ? 0 : ceilingMs * LEAST_SHARE;
      return Math.max(1, Math.round(leastMs + clock.random() * (ceilingMs - leastMs)));
    },
    isFar() {
      if (ceilingMs === undefined || last === undefined || passed === undefined || passed.spanMs <= 0)
        return false;
      const sinceMs = clock.now().getTime() - last.atMs;
      return (passed.versions / passed.spanMs) * sinceMs > NEAR_VERSIONS;
    },
    settled() {
      ceilingMs = undefined;
    },
  };

  /**
   * Where `tries` begin in the time that one save takes, the service is busy `tries` times as long as it is free. The wait is
   * chosen for one: of two that try then, one gets through.
   */
  function nextCeilingMs(ceilingMs: number): number {
    const { versions, spanMs } = passed ?? { versions: 0, spanMs: 0 };
    if (versions === 0) return Math.min(ceilingMs * HELD_GROWTH, Math.max(ceilingMs, MOST_HELD_MS));
    const saveMs = REQUESTS_OF_A_SAVE * (requestMs ?? LEAST_REQUEST_MS);
    const busyMs = versions * saveMs;
    // A time as short as a save says little, so that one more is taken to be free.
    const tries = busyMs / (Math.max(0, spanMs - busyMs) + saveMs);
    const growth = Math.min(MOST_GROWTH, Math.max(LEAST_GROWTH, tries));
    return Math.min(CACHE_CONFLICT_WAITS.mostMs, ceilingMs * growth);
  }
}
