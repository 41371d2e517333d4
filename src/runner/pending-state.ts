import type { Environment } from '../lib/environment.js';
/** Name of the state in which a journal keeps what is not saved yet. */
export const PENDING_STATE = 'pending';

/** Name of the state that holds a check which waits for its end. */
export const CHECK_STATE = 'check';

/** What the post step reports when there is nothing to save. */
export const NOTHING_PENDING = 'Memory: nothing is left to save.';

/**
 * Whether `main` left nothing to save and no check to end: the runner gives no state back, or the empty list that a journal writes last. It
 * reads nothing else, and this file imports nothing, because most post steps end here. Any other state is for `readPending`.
 */
export function isNothingPending(env: Environment): boolean {
  const state = env[`STATE_${PENDING_STATE}`] ?? '';
  return (state === '' || state === '[]') && (env[`STATE_${CHECK_STATE}`] ?? '') === '';
}
