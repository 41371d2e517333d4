import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { Clock } from '../../core/clock.js';
import type { StartLineProgram } from '../../core/tools/files/line-program.js';

/** What a connection to a server is made with. */
export interface TransportDependencies {
  /** The whole environment of a stdio server. */
  readonly childEnv: Readonly<Record<string, string>>;
  /** Absolute path of the folder a stdio server runs in. */
  readonly cwd: string;
  readonly startProgram: StartLineProgram;
  /** Every HTTP request goes through it (proxies, D25). */
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
}

/** One way to a server, with what the official client does not know about it. */
export interface McpTransport {
  readonly transport: Transport;
  /** Why the server ended by itself, for people; undefined while it has not. */
  ending(): string | undefined;
  /** What the server last complained of, for people; empty for nothing. */
  lastWords(): string;
  /** Whether nothing can come any more after this error. */
  isFatal(error: Error): boolean;
  /** Ends the session where the protocol has a word for it. */
  leave(): Promise<void>;
}

/**
 * The data of an error that stands for an answer that never came. No server can send it: what it sends is another object.
 */
export const LOST_ANSWER: object = Object.freeze({ reason: 'the answer broke off' });

/** JSON-RPC code that the client itself uses for a lost connection; servers use it for anything. */
const CONNECTION_CLOSED = -32_000;

/** What the client is given in the place of an answer that never came. */
export function lostAnswer(id: RequestId, message: string): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code: CONNECTION_CLOSED, message, data: LOST_ANSWER } };
}
