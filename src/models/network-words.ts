import { field } from './json.js';

/** What broke a connection, as the system tells it. */
export interface NetworkCause {
  readonly code: string | undefined;
  readonly message: string;
}

const MAX_CAUSES = 5;

/**
 * fetch wraps the system's error, once or twice, and in an AggregateError without a message where it tried several
 * addresses; the first of them stands for all. Asked without `instanceof`: the error may come from another realm.
 */
export function networkCause(error: unknown, depth = 0): NetworkCause {
  const errors = field(error, 'errors');
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  const code = field(error, 'code');
  const inner = first ?? (typeof code === 'string' ? undefined : field(error, 'cause'));
  if (inner !== undefined && depth < MAX_CAUSES) return networkCause(inner, depth + 1);
  const message = field(error, 'message');
  return {
    code: typeof code === 'string' ? code : undefined,
    message: typeof message === 'string' ? message : String(error),
  };
}

/** Go's words for the network errors people meet, so that logs read as axe's (axe-behaviour §12). */
export function networkText({ code, message }: NetworkCause, { host, hostname }: URL): string {
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${host}: connect: connection refused`;
    case 'ENOTFOUND':
      return `dial tcp: lookup ${hostname}: no such host`;
    case 'ECONNRESET':
      return 'connection reset by peer';
    default:
      return message;
  }
}
