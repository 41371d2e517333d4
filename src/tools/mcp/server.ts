import type { McpServerConfig } from '../../agent/config.js';
import type { ToolResult } from '../tool.js';
import {
  type CallAnswer,
  type Connection,
  type ConnectionDependencies,
  describeFailure,
  isAnswer,
  isForgotten,
  openConnection,
} from './connection.js';
import { formatResult } from './results.js';

/** How often a lost HTTP or SSE session is opened again in a run. */
export const MAX_REOPENINGS = 5;

/** Most warnings about one server that is open. */
const MAX_COMPLAINTS = 5;

export interface McpServer {
  readonly name: string;
  /** One request of the protocol; throws as {@link Connection.request} does. */
  request(method: string, params: CallAnswer): Promise<CallAnswer>;
  /** Calls a tool by the server's own name for it. Throws only the signal's reason. */
  call(tool: string, input: CallAnswer, signal: AbortSignal): Promise<ToolResult>;
  /** Whether it has said since this was asked last that its tools are others now. */
  hasNewTools(): boolean;
  close(): Promise<void>;
}

export interface ServerDependencies extends ConnectionDependencies {
  readonly callTimeoutMs: number;
  /** Tells people what a server did wrong; the message begins with the server. */
  complain(what: string): void;
}

/**
 * Opens a server. A program that ends stays ended; a session over HTTP is opened again when the next call finds it
 * lost (servers forget sessions, proxies cut idle streams), a few times per run. Throws an Error for people.
 */
export async function openServer(config: McpServerConfig, deps: ServerDependencies): Promise<McpServer> {
  const { signal, timeoutMs, complain } = deps;
  let reopenings = 0;
  let isClosed = false;
  let hasEnded = false;
  let hasNewTools = false;
  const complaints = new Set<string>();
  /** Sessions nothing new is asked of; calls may still be under way, so they are closed at the end. */
  const retired = new Set<Connection>();
  let latest: Promise<Connection> = Promise.resolve(await open());

  async function open(): Promise<Connection> {
    return await openConnection(config, deps, {
      onNewTools() {
        hasNewTools = true;
      },
      onLost(why) {
        if (config.transport !== 'stdio') return;
        hasEnded = true;
        complainOnce(`ended in the middle of the run (${why})`);
      },
    });
  }

  function complainOnce(what: string): void {
    if (!complaints.has(what) && complaints.size < MAX_COMPLAINTS) complain(what);
    complaints.add(what);
  }

  const isOver = (connection: Connection): boolean =>
    connection.ending() !== undefined || retired.has(connection);

  /** The open session, opened again if it does not and may be. */
  async function openSession(): Promise<Connection> {
    const seen = latest;
    const connection = await seen;
    if (!isOver(connection) || config.transport === 'stdio' || isClosed) return connection;
    if (latest !== seen) return await openSession();
    if (reopenings >= MAX_REOPENINGS) return connection;
    reopenings += 1;
    retired.add(connection);
    latest = open().catch((thrown: unknown) => {
      complainOnce(`was lost in the middle of the run (${describeFailure(thrown)})`);
      return connection;
    });
    return await latest;
  }

  /** A call that never reached a session is made once more on a new one. */
  async function callTool(params: CallAnswer, callSignal: AbortSignal): Promise<CallAnswer> {
    const limits = { timeout: deps.callTimeoutMs, signal: callSignal };
    const connection = await openSession();
    try {
      return await connection.request('tools/call', params, limits);
    } catch (thrown) {
      if (!isForgotten(thrown)) throw thrown;
      retired.add(connection);
      const session = await openSession();
      return await session.request('tools/call', params, limits);
    }
  }

  return {
    name: config.name,
    async request(method, params) {
      const session = await openSession();
      return await session.request(method, params, { timeout: timeoutMs, signal });
    },
    async call(tool, input, callSignal) {
      try {
        return formatResult(await callTool({ name: tool, arguments: input }, callSignal));
      } catch (thrown) {
        callSignal.throwIfAborted();
        const why = describeFailure(thrown);
        if (!isAnswer(thrown) && !hasEnded) complainOnce(`failed a call of \`${tool}\` (${why})`);
        return { text: `Error: the MCP server "${config.name}" failed: ${why}`, isError: true };
      }
    },
    hasNewTools() {
      const seen = hasNewTools;
      hasNewTools = false;
      return seen;
    },
    async close() {
      isClosed = true;
      const connections = new Set([...retired, await latest]);
      await Promise.all([...connections].map((connection) => connection.close()));
    },
  };
}

/** Keeps the stdio servers of a run in which tools write: each starts before the first of them does, and ends with it. */
export function createRunServers() {
  const started = new Map<string, Promise<McpServer>>();
  let isSealed = false;

  function start(config: McpServerConfig, deps: ServerDependencies): Promise<McpServer> {
    if (isSealed) {
      const reason = 'its program was not running when a tool first wrote, and may have been changed since';
      return Promise.reject(new Error(reason));
    }
    return openServer(config, deps);
  }

  return {
    /** The server of a configuration, started if it was not; over HTTP a new session. Rejects with an Error for people. */
    async open(config: McpServerConfig, deps: ServerDependencies): Promise<McpServer> {
      if (config.transport !== 'stdio') return await openServer(config, deps);
      const key = JSON.stringify(config);
      const server = started.get(key) ?? start(config, deps);
      started.set(key, server);
      return { ...(await server), close: async () => {} };
    },
    /** From now on no program is started: what it is made of may have been written. */
    seal(): void {
      isSealed = true;
    },
    async close(): Promise<void> {
      const ended = await Promise.allSettled(started.values());
      await Promise.all(
        ended.map(async (end) => (end.status === 'fulfilled' ? await end.value.close() : undefined)),
      );
    },
  };
}
