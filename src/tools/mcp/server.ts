import type { McpServerConfig } from '../../agent/config.js';
import { cleanLine } from '../../lib/text/cut.js';
import { truncate } from '../../lib/text/truncate.js';
import type { ToolResult } from '../tool.js';
import { showOutput } from '../visible.js';
import { type CallAnswer, type Connection, openConnection } from './connection.js';
import { describeFailure, mcpFailure } from './describe-failure.js';
import { MAX_REOPENINGS } from './limits.js';
import { base64Bytes, formatStructured, formatText } from './structured.js';
import { isJsonObject } from './tool-schema.js';
import { LOST_ANSWER, type TransportDependencies } from './transports.js';

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

export interface ServerDependencies extends TransportDependencies {
  /** Ends everything that waits. */
  readonly signal: AbortSignal;
  /** Time to open a session and to list the tools, each, in milliseconds. */
  readonly timeoutMs: number;
  readonly callTimeoutMs: number;
  /** Tells people what a server did wrong; the message begins with the server. */
  complain(what: string): void;
}

/**
 * Opens a server. A program that ends stays ended; a session over HTTP is opened again when the next call finds it
 * lost (servers forget sessions, proxies cut idle streams), a few times per run. Throws an Error for people.
 */
export async function openServer(config: McpServerConfig, deps: ServerDependencies): Promise<McpServer> {
  const { signal, timeoutMs: ms, complain } = deps;
  let reopenings = 0;
  let isClosed = false;
  let hasEnded = false;
  let hasNewTools = false;
  const complaints = new Set<string>();
  /** Sessions nothing new is asked of; calls may still be under way, so they are closed at the end. */
  const retired = new Set<Connection>();
  let latest: Promise<Connection> = Promise.resolve(await open());

  async function open(): Promise<Connection> {
    return await openConnection(config, { deps, ms, signal, onLost, onNewTools });
  }

  function onNewTools(): void {
    hasNewTools = true;
  }

  function onLost(why: string): void {
    if (config.transport !== 'stdio') return;
    hasEnded = true;
    complainOnce(`ended in the middle of the run (${why})`);
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
    const patience = { ms: deps.callTimeoutMs, signal: callSignal };
    const connection = await openSession();
    try {
      return await connection.request('tools/call', params, patience);
    } catch (thrown) {
      if (!isForgotten(thrown)) throw thrown;
      retired.add(connection);
      const session = await openSession();
      return await session.request('tools/call', params, patience);
    }
  }

  return {
    name: config.name,
    async request(method, params) {
      const session = await openSession();
      return await session.request(method, params, { ms, signal });
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

/** Most warnings about one server that is open. */
const MAX_COMPLAINTS = 5;

/** The server does not know the session (MCP specification, streamable HTTP, session management). */
function isForgotten(thrown: unknown): boolean {
  const { name, code } = mcpFailure(thrown);
  return code === 404 && name !== 'McpError';
}

/** An error the server answered with on purpose is for the model alone. */
function isAnswer(thrown: unknown): boolean {
  const { name, data } = mcpFailure(thrown);
  return name === 'McpError' && data !== LOST_ANSWER;
}

/** Longest name, address or type that is shown, in code points. */
const MAX_SHOWN = 200;

/**
 * The answer of `tools/call` as text: its texts joined by newlines, as in axe; what is not text described in a line;
 * structured content as JSON where it says more (MCP specification, tools, tool result). Hidden characters are written
 * out and the whole is cut by the one rule.
 */
export function formatResult(answer: CallAnswer): ToolResult {
  const content: readonly unknown[] = Array.isArray(answer['content']) ? answer['content'] : [];
  const { structuredContent } = answer;
  const more = isJsonObject(structuredContent) ? formatStructured(structuredContent, content) : undefined;
  const parts = [...content.map(formatPart), ...(more === undefined ? [] : [more])];
  const isError = answer['isError'] === true;
  if (parts.length === 0) return { text: 'MCP tool returned no content', isError };
  return { text: truncate(showOutput(parts.join('\n'))), isError };
}

function formatPart(part: unknown): string {
  if (!isJsonObject(part)) return '[content that does not follow the protocol, not shown]';
  switch (part['type']) {
    case 'text':
      return formatText(textOf(part['text']));
    case 'image':
    case 'audio':
      return `[${part['type']}: ${mediaTypeOf(part)}, ${sizeOf(part['data'])}, not shown]`;
    case 'resource':
      return formatResource(part['resource']);
    case 'resource_link':
      return formatLink(part);
    default:
      return `[content of the type ${JSON.stringify(shown(part['type']))}, not shown]`;
  }
}

function formatResource(resource: unknown): string {
  if (!isJsonObject(resource)) return '[a resource that does not follow the protocol, not shown]';
  const what = `resource ${shown(resource['uri'])}: ${mediaTypeOf(resource)}`;
  return typeof resource['text'] === 'string'
    ? `[${what}]\n${resource['text']}`
    : `[${what}, ${sizeOf(resource['blob'])}, not shown]`;
}

function formatLink(link: CallAnswer): string {
  const words = [shown(link['title'] ?? link['name']), shown(link['description'])].filter(Boolean).join(': ');
  return `[link to the resource ${shown(link['uri'])}${words === '' ? '' : ` (${words})`}]`;
}

function mediaTypeOf(part: CallAnswer): string {
  return shown(part['mimeType']) || 'unknown type';
}

function sizeOf(base64: unknown): string {
  return `${base64Bytes(textOf(base64))} bytes`;
}

function shown(value: unknown): string {
  return cleanLine(textOf(value).slice(0, 4 * MAX_SHOWN), MAX_SHOWN);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
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
