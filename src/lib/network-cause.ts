import { AxeError, ConfigError } from './errors.js';

/** What broke a connection, as the system tells it. */
export interface NetworkCause {
  readonly code: string | undefined;
  readonly message: string;
  /** What helps, if it is known where the cause was found. */
  readonly remedy?: string | undefined;
  /** The settings are wrong, so that asking again changes nothing. */
  readonly isMistake?: boolean;
}

const MAX_CAUSES = 5;

/**
 * fetch wraps the system's error, once or twice, and in an AggregateError without a message where it tried several
 * addresses; the first of them stands for all. Asked without `instanceof`: the error may come from another realm. An error
 * of ours on the way has found the cause already.
 */
export function networkCause(error: unknown, depth = 0): NetworkCause {
  if (error instanceof AxeError) {
    const { message, remedy } = error;
    return { code: undefined, message, remedy, isMistake: error instanceof ConfigError };
  }
  const errors = property(error, 'errors');
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  const code = property(error, 'code');
  const inner = first ?? (typeof code === 'string' ? undefined : property(error, 'cause'));
  if (inner !== undefined && depth < MAX_CAUSES) return networkCause(inner, depth + 1);
  const message = property(error, 'message');
  return {
    code: typeof code === 'string' ? code : undefined,
    message: typeof message === 'string' ? message : String(error),
  };
}

/** The message of a cause with a subject: the words of the system have none (`socket hang up`). */
export function describeCause({ code, message }: NetworkCause): string {
  const isBroken = BROKEN.has(code ?? '') || /socket hang up|other side closed|ECONNRESET/.test(message);
  return isBroken ? `the connection broke before the answer was complete (${message})` : message;
}

const BROKEN = new Set([
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'UND_ERR_SOCKET',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
]);

/** A property of something thrown, which may be anything. */
function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
