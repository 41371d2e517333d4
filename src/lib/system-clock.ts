import { randomBytes } from 'node:crypto';
import type { Clock, Timer } from './clock.js';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_DIGITS = 10;
const RANDOM_DIGITS = 16;

/** The machine's clock and chance. */
export function createClock(): Clock {
  return { now: () => new Date(), sleep, timer, random: () => Math.random(), newId };
}

/** Ends early when the signal aborts; neither timer nor listener outlives it. */
function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });

    function end(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    }
  });
}

function timer(ms: number): Timer {
  const controller = new AbortController();
  const timeout = setTimeout(() => controller.abort(), ms);
  return { signal: controller.signal, clear: () => clearTimeout(timeout) };
}

/** Milliseconds since 1970 and 80 random bits, both in base 32, so that ids sort by time. */
function newId(): string {
  let time = '';
  for (let rest = Date.now(), digit = 0; digit < TIME_DIGITS; digit += 1, rest = Math.floor(rest / 32)) {
    time = ALPHABET.charAt(rest % 32) + time;
  }
  const chance = [...randomBytes(RANDOM_DIGITS)].map((byte) => ALPHABET.charAt(byte % 32));
  return time + chance.join('');
}
