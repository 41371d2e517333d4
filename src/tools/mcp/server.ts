import type { Transport } from '@modelcontextprotocol/client';
import * as v from 'valibot';
import type { McpServerConfig } from '../../agent/config.js';
import { networkCause } from '../../lib/errors.js';
import { VERSION } from '../../lib/product.js';
import { cleanLine } from '../../lib/text/cut.js';
import type { Tool, ToolResult } from '../tool.js';
import { ProgramTransport } from './program-transport.js';
import { formatResult } from './results.js';
import type { JsonObject } from './tool-schema.js';

/** How often a lost HTTP or SSE session is opened again in a run. */
export const MAX_REOPENINGS = 5;

/** Most warnings about one server that is open. */
const MAX_COMPLAINTS = 5;

interface CalledTool {
  readonly name: string;
  readonly inputSchema: Tool['inputSchema'];
}

export interface McpServer {
  readonly name: string;
  /** One request of the protocol; throws as {@link Connection.request} does. */
  request(method: string, params: JsonObject): Promise<JsonObject>;
  /** Calls a tool by the server's own name for it. Throws only the signal's reason. */
  call(tool: CalledTool, input: JsonObject, signal: AbortSignal): Promise<ToolResult>;
  close(): Promise<void>;
}

export interface ServerDependencies {
  /** The whole environment of a stdio server. */
  readonly childEnv: Readonly<Record<string, string>>;
  /** Absolute path of the folder a stdio server runs in. */
  readonly cwd: string;
  /** Every HTTP request goes through it (proxies, D25). */
  readonly fetch: typeof globalThis.fetch;
  /** Ends everything that waits. */
  readonly signal: AbortSignal;
  /** Time to open a session and to list the tools, each, in milliseconds. */
  readonly timeoutMs: number;
  readonly callTimeoutMs: number;
}

/**
 * Opens a server. A program that ends stays ended; a session over HTTP is opened again when the next call finds it
 * lost (servers forget sessions, proxies cut idle streams), a few times per run. `complain` is told what a server does wrong
 * later. Throws an Error for people.
 */
export async function openServer(
  config: McpServerConfig,
  deps: ServerDependencies,
  complain: (what: string) => void,
): Promise<McpServer> {
  const { signal, timeoutMs } = deps;
  let reopenings = 0;
  let isClosed = false;
  let hasEnded = false;
  const complaints = new Set<string>();
  /** Sessions nothing new is asked of; calls may still be under way, so they are closed at the end. */
  const retired = new Set<Connection>();
  let latest: Promise<Connection> = Promise.resolve(await open());

  async function open(): Promise<Connection> {
    return await openConnection(config, deps, (why) => {
      if (config.transport !== 'stdio') return;
      hasEnded = true;
      complainOnce(`ended in the middle of the run (${why})`);
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
  async function callTool(tool: CalledTool, input: JsonObject, callSignal: AbortSignal): Promise<JsonObject> {
    const limits = { timeout: deps.callTimeoutMs, signal: callSignal };
    const connection = await openSession();
    try {
      return await connection.callTool(tool, input, limits);
    } catch (thrown) {
      // The server does not know the session (MCP specification, streamable HTTP, session management).
      if (statusOf(thrown) !== 404) throw thrown;
      retired.add(connection);
      const session = await openSession();
      return await session.callTool(tool, input, limits);
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
        return formatResult(await callTool(tool, input, callSignal));
      } catch (thrown) {
        callSignal.throwIfAborted();
        const why = describeFailure(thrown);
        // An error that the server answered with on purpose is for the model alone.
        const { name, data } = failureOf(thrown);
        if ((name !== 'ProtocolError' || data === LOST_ANSWER) && !hasEnded)
          complainOnce(`failed a call of \`${tool.name}\` (${why})`);
        return { text: `Error: the MCP server "${config.name}" failed: ${why}`, isError: true };
      }
    },
    async close() {
      isClosed = true;
      const connections = new Set([...retired, await latest]);
      await Promise.all([...connections].map((connection) => connection.close()));
    },
  };
}

const ANSWER = v.record(v.string(), v.unknown());

interface Limits {
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** A session with a server. */
interface Connection {
  /** Throws the server's error, or what happened on the way. */
  request(method: string, params: JsonObject, limits: Limits): Promise<JsonObject>;
  /** The same for a call of a tool, with the arguments in headers that its schema wants there. */
  callTool(tool: CalledTool, input: JsonObject, limits: Limits): Promise<JsonObject>;
  /** Why it is over, for people; undefined while it is open. */
  ending(): string | undefined;
  /** Ends session and server. Never rejects. */
  close(): Promise<void>;
}

/** Called when the session ends and nobody here ended it. */
type OnLost = (why: string) => void;

/** setTimeout takes at most this many milliseconds (2^31 − 1). */
const LONGEST_TIMER_MS = 2_147_483_647;

/** How long a program may be silent when it is asked for the newer protocol: then it speaks the older one. */
const PROBE_MS = 10_000;

/** Time for a server to let a session go, in milliseconds. */
const LEAVE_MS = 2000;

/**
 * The data of an error in the place of an answer that never came. No server can send it: what it sends is another object.
 */
const LOST_ANSWER: object = Object.freeze({ reason: 'the answer broke off' });

/**
 * Opens a session with a server through the official client, in the newest protocol that both speak. We announce no
 * capability, so a server can ask for nothing (sampling, roots, elicitation), and its `instructions` are not read. Throws
 * an Error for people.
 */
async function openConnection(
  server: McpServerConfig,
  deps: ServerDependencies,
  onLost: OnLost,
): Promise<Connection> {
  const { deserializeMessage, SSEClientTransport, StreamableHTTPClientTransport } = await loadClient();
  const { fetch, childEnv, cwd } = deps;
  const web = { fetch, requestInit: { headers: server.headers } };
  switch (server.transport) {
    case 'stdio': {
      const { command, args } = server;
      const env = { ...childEnv, ...server.env };
      const start = () => new ProgramTransport({ command, args, env, cwd }, deserializeMessage);
      const first = start();
      try {
        return await connect(first, 'auto', deps, onLost);
      } catch (thrown) {
        // Older servers may end at a request that they do not know.
        if (first.ending === undefined || deps.signal.aborted) throw thrown;
        return await connect(start(), 'legacy', deps, onLost);
      }
    }
    case 'streamable-http': {
      const transport = new StreamableHTTPClientTransport(new URL(server.url), web);
      return await connect(failBrokenAnswers(transport), 'auto', deps, onLost);
    }
    case 'sse':
      return await connect(new SSEClientTransport(new URL(server.url), web), 'legacy', deps, onLost);
  }
}

async function loadClient() {
  return await import('@modelcontextprotocol/client');
}

async function connect(
  transport: Transport,
  mode: 'auto' | 'legacy',
  { timeoutMs, signal }: ServerDependencies,
  onLost: OnLost,
): Promise<Connection> {
  const { Client, SseError } = await loadClient();
  const program = transport instanceof ProgramTransport ? transport : undefined;
  const client = new Client(
    { name: 'axe-action', version: VERSION },
    {
      versionNegotiation: {
        mode,
        probe: { timeoutMs: program === undefined ? LONGEST_TIMER_MS : PROBE_MS },
      },
    },
  );
  let isOpen = false;
  let over: string | undefined;
  const lose = (why: string): void => {
    if (over !== undefined) return;
    over = withLastWords(why, program);
    if (isOpen) onLost(over);
  };
  client.onclose = () => lose(program?.ending ?? 'it closed the connection');
  client.onerror = (error) => {
    // The one stream of an SSE session has ended, and the session with it.
    if (!(error instanceof SseError)) return;
    lose(describeFailure(error));
    void client.close();
  };
  const close = async () => await transport.close().catch(() => undefined);
  try {
    await within(client.connect(transport, { timeout: LONGEST_TIMER_MS }), timeoutMs, signal);
    isOpen = true;
  } catch (thrown) {
    const reason = withLastWords(program?.ending ?? describeFailure(thrown), program);
    await close();
    signal.throwIfAborted();
    throw new Error(reason, { cause: thrown });
  }
  async function answerTo(ask: () => Promise<JsonObject>): Promise<JsonObject> {
    if (over !== undefined) throw new Error(over);
    try {
      return await ask();
    } catch (thrown) {
      // The client only knows that the connection is closed; we know why.
      throw over === undefined ? thrown : new Error(over, { cause: thrown });
    }
  }
  const request: Connection['request'] = (method, params, limits) =>
    answerTo(() => client.request({ method, params }, ANSWER, limits));
  return {
    request,
    async callTool(tool, input, limits) {
      const params = { name: tool.name, arguments: input };
      const schema = JSON.stringify(tool.inputSchema);
      if (!schema.includes('"x-mcp-header"')) return await request('tools/call', params, limits);
      // The client fills the headers, and reads the answer more strictly than we do.
      const toolDefinition = { name: tool.name, inputSchema: JSON.parse(schema) };
      return await answerTo(() => client.callTool(params, { ...limits, toolDefinition }));
    },
    ending: () => over,
    async close() {
      const isThere = over === undefined;
      over ??= 'its session was ended';
      if (isThere && 'terminateSession' in transport && typeof transport.terminateSession === 'function') {
        const never = new AbortController().signal;
        await within(transport.terminateSession(), LEAVE_MS, never).catch(() => undefined);
      }
      await close();
    },
  };
}

/** An answer that breaks off fails its request at once: the client would wait for its timeout. */
function failBrokenAnswers(transport: Transport): Transport {
  const send = transport.send.bind(transport);
  transport.send = (message, options) =>
    send(message, {
      ...options,
      onRequestStreamEnd() {
        if (!('method' in message && 'id' in message)) return;
        const error = { code: -32_000, message: 'the answer broke off', data: LOST_ANSWER };
        transport.onmessage?.({ jsonrpc: '2.0', id: message.id, error });
      },
    });
  return transport;
}

function withLastWords(why: string, program: ProgramTransport | undefined): string {
  const words = program?.lastWords() ?? '';
  return words === '' ? why : `${why}; its last words: ${words}`;
}

/** The result of some work; throws an Error for people when the time is over, and the signal's reason when it aborts. */
export async function within<T>(work: Promise<T>, ms: number, signal: AbortSignal): Promise<T> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
  const over = new Promise<never>((_, reject) => {
    const end = () => reject(signal.aborted ? signal.reason : new Error(unanswered(ms)));
    limit.addEventListener('abort', end, { once: true });
    if (limit.aborted) end();
  });
  return await Promise.race([work, over]);
}

function unanswered(ms: number): string {
  return `it did not answer within ${ms / 1000} s`;
}

/** Longest description of a failure, in code points: servers answer with whole pages. */
const MAX_FAILURE = 500;

/** What went wrong with a server, on one line, for people and for the model. */
export function describeFailure(thrown: unknown): string {
  const { name, message, code, cause, data } = failureOf(thrown);
  if (code === 'ERA_NEGOTIATION_FAILED' && cause !== undefined) return describeFailure(cause);
  if (code === 'REQUEST_TIMEOUT' && typeof data?.timeout === 'number') return unanswered(data.timeout);
  if (name === 'SyntaxError') return 'its answer is not JSON';
  if (String(name).endsWith('ZodError')) return 'its answer does not follow the protocol';
  if (name === 'ProtocolError') return cleanLine(`MCP error ${code}: ${message}`, MAX_FAILURE);
  // fetch's own TypeError says nothing; the reason is its cause.
  const reason = name === 'TypeError' && cause !== undefined ? `: ${networkCause(cause).message}` : '';
  const text = cleanLine(`${message}${reason}`, MAX_FAILURE);
  const status = statusOf(thrown);
  if (status === 401 || status === 403) return `HTTP ${status}, check its \`headers\` (${text})`;
  return status === undefined ? text : `HTTP ${status} (${text})`;
}

function statusOf(thrown: unknown): unknown {
  const { name, code, status } = failureOf(thrown);
  return name === 'SseError' ? code : status;
}

/** Looks at what was thrown without asking which class it is of: errors of fetch are not of ours. */
function failureOf(thrown: unknown): {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly status?: unknown;
  readonly cause?: unknown;
  readonly data?: { readonly timeout?: unknown };
} {
  return typeof thrown === 'object' && thrown !== null ? thrown : { message: thrown };
}
