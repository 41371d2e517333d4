import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const { now } = Date;

/** When this file was loaded it was noon, so that no test that names a day lasts until the next one. */
const AHEAD_MS = noonOf(new Date()) - now();

/** The variables of a Node program whose clock goes as {@link noonNow}: UTC days begin and end twelve hours away. */
export const NOON_ENV = {
  NODE_OPTIONS: `--require ${JSON.stringify(fileURLToPath(new URL('./noon-clock.cjs', import.meta.url)))}`,
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
