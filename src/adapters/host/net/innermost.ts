import { AxeError } from '../../../core/errors.js';
import { property } from '../../../core/network-cause.js';

/**
 * What went wrong in the end: fetch wraps it as the cause of a `fetch failed`, and a connection that tried several
 * addresses in a list. Asked without `instanceof`, since such errors may come from another realm; but for an error of ours,
 * which has found it out already.
 */
export function innermost(thrown: unknown): unknown {
  if (thrown instanceof AxeError) return thrown;
  const inner = property(thrown, 'cause') ?? firstOf(property(thrown, 'errors'));
  return inner === undefined ? thrown : innermost(inner);
}

/** The message of {@link innermost}. */
export function innermostMessage(thrown: unknown): string {
  const inner = innermost(thrown);
  const message = property(inner, 'message');
  return typeof message === 'string' && message !== '' ? message : String(inner);
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined;
}
