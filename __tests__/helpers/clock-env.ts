import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const { now } = Date;

/**
 * When this file was loaded it was noon, so that no test that names a day lasts until the next one.
 */
const AHEAD_MS = noonOf(new Date()) - now();

/**
 * The variables of a Node program whose clock goes as {@link noonNow}: UTC days begin and end
 * twelve hours away.
 */
export const NOON_ENV = {
  ...preloading('./noon-clock.cjs'),
  NOON_AHEAD_MS: String(AHEAD_MS),
} as const;

/** The time by the clock of {@link NOON_ENV}. */
export function noonNow(): Date {
  return new Date(now() + AHEAD_MS);
}

/** Sets the clock of this very process so, for runs in it. */
export function setClockToNoon(): void {
  process.env['NOON_AHEAD_MS'] = NOON_ENV.NOON_AHEAD_MS;
  createRequire(import.meta.url)('./noon-clock.cjs');
}

function noonOf(day: Date): number {
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate(), 12);
}

/**
 * The variables of a Node program whose time jumps so many milliseconds ahead at each SIGUSR2: a
 * test that knows that the program waits need not wait itself.
 */
export function jumpEnv(ms: number): Readonly<Record<string, string>> {
  return { ...preloading('./jump-clock.cjs'), JUMP_MS: String(ms) };
}

function preloading(script: string) {
  return {
    NODE_OPTIONS: `--require ${JSON.stringify(fileURLToPath(new URL(script, import.meta.url)))}`,
  };
}
