import type { Clock } from '../../../core/clock.js';
import { parseState } from '../../../core/memory/state.js';

/** A reservation that is waited for. */
export interface Wait {
  readonly number: number;
  readonly waitedMs: number;
  /** How long it is still waited for. */
  readonly leftMs: number;
}

/** What a run knows of numbers that others reserved and that cannot be read yet. */
interface Reservations {
  /** The first number to try from this one on; undefined while somebody may still be uploading it. */
  nextFree(from: number): number | undefined;
  /** What keeps that number from being tried: a reservation somebody may still be uploading to. */
  waitedFor(from: number): Wait | undefined;
  /** A save found the number taken. Says whether it is waited for, or will be waited for no more. */
  taken(number: number): 'waited-for' | 'passed-over';
  /** Numbers that were waited for in vain. */
  skippedVersions(): SkippedVersions;
  /** A version with this number is there: what lies below is in it, or named by it. */
  defer(number: number): void;
}

/**
 * A number that stays taken this long without being readable was reserved by a job that died, or one that takes long;
 * the version after it says so, lest it hide what comes to light (memory-and-security A3.1).
 */
const DEAD_AFTER_MS = 60_000;

/**
 * The same for a number after one that was passed over. Whoever reserved it had waited for that one too, with a tree that
 * was ready, so it is done within seconds or never.
 */
const NEXT_DEAD_AFTER_MS = 20_000;

/** A save that took this long may have been passed over meanwhile. */
export const SLOW_SAVE_MS = DEAD_AFTER_MS / 2;

type Claim =
  | { readonly kind: 'taken'; readonly sinceMs: number }
  | { readonly kind: 'passed-over'; readonly atMs: number };

/** The claims of one run. */
export function createReservations(clock: Clock): Reservations {
  const reservations = new Map<number, Claim>();
  return {
    nextFree(from) {
      const number = firstOpen(from);
      return reservations.get(number)?.kind === 'taken' && !isDead(number) ? undefined : number;
    },
    waitedFor(from) {
      const number = firstOpen(from);
      const claim = reservations.get(number);
      if (claim?.kind !== 'taken') return undefined;
      const waitedMs = clock.now().getTime() - claim.sinceMs;
      return { number, waitedMs, leftMs: Math.max(0, waitMs(number) - waitedMs) };
    },
    // A dead number is tried once more before it is passed over: the service may have set it free, and then nobody
    // else shall take it after us.
    taken(number) {
      const nowMs = clock.now().getTime();
      const isSecond = isDead(number);
      reservations.set(
        number,
        isSecond ? { kind: 'passed-over', atMs: nowMs } : { kind: 'taken', sinceMs: nowMs },
      );
      return isSecond ? 'passed-over' : 'waited-for';
    },
    skippedVersions: () =>
      new Map(
        [...reservations].flatMap(([number, claim]) =>
          claim.kind === 'passed-over' ? [[number, claim.atMs] as const] : [],
        ),
      ),
    defer(number) {
      for (const claimed of [...reservations.keys()]) if (claimed <= number) reservations.delete(claimed);
    },
  };

  function firstOpen(from: number): number {
    let number = from;
    while (reservations.get(number)?.kind === 'passed-over') number += 1;
    return number;
  }

  function isDead(number: number): boolean {
    const claim = reservations.get(number);
    return claim?.kind === 'taken' && clock.now().getTime() - claim.sinceMs >= waitMs(number);
  }

  function waitMs(number: number): number {
    return reservations.get(number - 1)?.kind === 'passed-over' ? NEXT_DEAD_AFTER_MS : DEAD_AFTER_MS;
  }
}

/**
 * Versions that were passed over while somebody held their number and had not finished, by number, with the time in
 * milliseconds since 1970. Each of them may come to light later, and has to be folded in then.
 */
export type SkippedVersions = ReadonlyMap<number, number>;

/** Where a version says what it passed over. No agent's memory has that name, since none begins with a dot (D5). */
export const SKIPPED_VERSIONS_FILE = '.lineage.md';

/** The service sets a number free that nobody finished within a day (actions/cache#1612); one hour is for clocks. */
const OPEN_MS = 25 * 60 * 60 * 1000;

const KIND = 'passed-over';
const HEAD = `# Lineage

The cache store keeps this beside the memory. These versions were being saved for so long that later ones did not wait
for them; whoever reads this one looks for them, and adds what they hold.

`;

/** What {@link formatSkippedVersions} wrote. Lines that say something else are left out. */
export function parseSkippedVersions(text: string): SkippedVersions {
  const facts = parseState(text).flatMap(({ kind, key, rest }): readonly (readonly [number, number])[] => {
    const atMs = Date.parse(rest.replace(/^at=/, ''));
    return kind === KIND && /^[1-9]\d{0,9}$/.test(key) && !Number.isNaN(atMs) ? [[Number(key), atMs]] : [];
  });
  return new Map(facts);
}

/** The file for what a version passed over. */
export function formatSkippedVersions(passed: SkippedVersions): string {
  const lines = [...passed].map(([number, atMs]) => `- ${KIND} ${number} at=${new Date(atMs).toISOString()}`);
  return `${HEAD}${lines.join('\n')}\n`;
}

/** Those that may still come to light. */
export function unreleased(passed: SkippedVersions, now: Date): SkippedVersions {
  return new Map([...passed].filter(([, atMs]) => now.getTime() - atMs < OPEN_MS));
}
