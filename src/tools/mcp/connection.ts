import type { McpServerConfig } from '../../agent/config.js';
import { VERSION } from '../../lib/version.js';
import { describeFailure } from './describe-failure.js';
import { TimeUp, within } from './limits.js';
import {
  createHttpTransport,
  createSseTransport,
  createStdioTransport,
  type McpTransport,
  type TransportDependencies,
} from './transports.js';

/** What a server answers: an object of which nothing is known yet. */
export type CallAnswer = Readonly<Record<string, unknown>>;

/** A session with a server. */
export interface Connection {
  /** Throws the server's error, a {@link TimeUp}, the signal's reason, or what happened on the way. */
  request(method: string, params: CallAnswer, patience: RequestBackoff): Promise<CallAnswer>;
  /** Why it is over, for people; undefined while it is open. */
  ending(): string | undefined;
  /** Ends session and server. Never rejects. */
  close(): Promise<void>;
}

interface RequestBackoff {
  readonly ms: number;
  readonly signal: AbortSignal;
}

interface OpenOptions extends RequestBackoff {
  readonly deps: TransportDependencies;
  /** Called when the session ends and nobody here ended it. */
  onLost(why: string): void;
  /** Called when the server says that its tools are others now. */
  onNewTools(): void;
}

/** setTimeout takes at most this many milliseconds (2^31 − 1); the client's own timers are never meant to fire. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Time for a server to let a session go, in milliseconds. */
const LEAVE_MS = 2000;

/**
 * Opens a session with a server through the official client. We announce no capability, so a server can ask for
 * nothing (sampling, roots, elicitation), and its `instructions` are not read. Throws an Error for people.
 */
export async function openConnection(server: McpServerConfig, options: OpenOptions): Promise<Connection> {
  const { deps, onLost, onNewTools, ms, signal } = options;
  const { clock } = deps;
  const [{ Client }, { ResultSchema, ToolListChangedNotificationSchema }, wire] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/types.js'),
    createWire(server, deps),
  ]);
  const client = new Client({ name: 'axe-action', version: VERSION });
  let isOpen = false;
  let over: string | undefined;
  const lose = (why: string): void => {
    if (over !== undefined) return;
    over = withLastOutput(why, wire);
    if (isOpen) onLost(over);
  };
  client.setNotificationHandler(ToolListChangedNotificationSchema, onNewTools);
  client.onclose = () => lose(wire.ending() ?? 'it closed the connection');
  client.onerror = (error) => {
    if (!wire.isFatal(error)) return;
    lose(describeFailure(error));
    void client.close();
  };
  try {
    await within(client.connect(wire.transport, { timeout: LONGEST_TIMER_MS }), { ms, clock, signal });
    isOpen = true;
  } catch (thrown) {
    const why = thrown instanceof TimeUp ? thrown.message : (wire.ending() ?? describeFailure(thrown));
    const reason = withLastOutput(why, wire);
    await wire.transport.close().catch(() => undefined);
    signal.throwIfAborted();
    throw new Error(reason, { cause: thrown });
  }
  return {
    async request(method, params, patience) {
      if (over !== undefined) throw new Error(over);
      const given = new AbortController();
      const answer = client.request({ method, params }, ResultSchema, {
        signal: given.signal,
        timeout: LONGEST_TIMER_MS,
      });
      try {
        return await within(answer, { ...patience, clock });
      } catch (thrown) {
        // Tells the server, which may stop working on it. Not for an answered request: the client would tell again.
        const isGivenUp = thrown instanceof TimeUp || patience.signal.aborted;
        if (isGivenUp) given.abort('nobody waits for it any more');
        // The client only knows that the connection is closed; we know why.
        throw over === undefined || isGivenUp ? thrown : new Error(over, { cause: thrown });
      }
    },
    ending: () => over,
    async close() {
      const isThere = over === undefined;
      over ??= 'its session was ended';
      const never = new AbortController().signal;
      if (isThere) await within(wire.leave(), { ms: LEAVE_MS, clock, signal: never }).catch(() => undefined);
      await wire.transport.close().catch(() => undefined);
    },
  };
}

async function createWire(server: McpServerConfig, deps: TransportDependencies): Promise<McpTransport> {
  switch (server.transport) {
    case 'stdio':
      return await createStdioTransport(server, deps);
    case 'streamable-http':
      return await createHttpTransport(server, deps);
    case 'sse':
      return await createSseTransport(server, deps);
  }
}

function withLastOutput(why: string, wire: McpTransport): string {
  const words = wire.lastWords();
  return words === '' ? why : `${why}; its last words: ${words}`;
}
