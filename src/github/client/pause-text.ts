import type { RetryPause } from './client.js';

/** Shorter pauses are not logged: idle connections break every day. */
const NOTICEABLE_MS = 3_000;

/** The line of the log about a pause; undefined if it is too short for one. */
export function formatPause({ pauseMs, spentMs, error }: RetryPause): string | undefined {
  const { message, reason } = error;
  const seconds = Math.ceil(pauseMs / 1000);
  if (reason === 'rate-limited') return `Waiting ${seconds} s, as GitHub asks: ${message}`;
  if (spentMs + pauseMs < NOTICEABLE_MS) return undefined;
  return `Asking GitHub again in ${seconds} s: ${message}`;
}
