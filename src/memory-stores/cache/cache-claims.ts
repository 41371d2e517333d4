import type { Clock } from '../../axe/ports.js';
import type { PassedOver } from './passed-over.js';

/** What a run knows of numbers that others reserved and that cannot be read yet. */
export interface Claims {
  /** The first number to try from this one on; undefined while somebody may still be uploading it. */
  nextFree(from: number): number | undefined;
  /** A save found the number taken. */
  taken(number: number): void;
  /** Numbers that were waited for in vain. */
  passedOver(): PassedOver;
  /** A version with this number is there: what lies below is in it, or named by it. */
  settle(number: number): void;
}

/**
 * A number that stays taken this long without being readable was reserved by a job that died, or one that takes long;
 * the version after it says so, lest it hide what comes to light (memory-and-security A3.1).
 */
const DEAD_AFTER_MS = 60_000;

/** A save that took this long may have been passed over meanwhile. */
export const SLOW_SAVE_MS = DEAD_AFTER_MS / 2;

type Claim =
  | { readonly kind: 'taken'; readonly sinceMs: number }
  | { readonly kind: 'passed-over'; readonly atMs: number };

/** The claims of one run. */
export function createClaims(clock: Clock): Claims {
  const claims = new Map<number, Claim>();
  return {
    nextFree(from) {
      let number = from;
      while (claims.get(number)?.kind === 'passed-over') number += 1;
      const claim = claims.get(number);
      return claim?.kind === 'taken' && !isDead(claim) ? undefined : number;
    },
    // A dead number is tried once more before it is passed over: the service may have set it free, and then nobody
    // else shall take it after us.
    taken(number) {
      const nowMs = clock.now().getTime();
      const isSecond = isDead(claims.get(number));
      claims.set(number, isSecond ? { kind: 'passed-over', atMs: nowMs } : { kind: 'taken', sinceMs: nowMs });
    },
    passedOver: () =>
      new Map(
        [...claims].flatMap(([number, claim]) =>
          claim.kind === 'passed-over' ? [[number, claim.atMs] as const] : [],
        ),
      ),
    settle(number) {
      for (const claimed of [...claims.keys()]) if (claimed <= number) claims.delete(claimed);
    },
  };

  function isDead(claim: Claim | undefined): boolean {
    return claim?.kind === 'taken' && clock.now().getTime() - claim.sinceMs >= DEAD_AFTER_MS;
  }
}
