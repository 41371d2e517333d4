import { isDeepStrictEqual } from 'node:util';
import type {
  CallToolResult,
  Client,
  Tool as DefinedTool,
  Transport,
} from '@modelcontextprotocol/client';
import * as v from 'valibot';
import type { McpServerConfig } from '../../agent/config.js';
import { parseJson, propertyOf } from '../../lib/data.js';
import { networkCause } from '../../lib/errors.js';
import { VERSION } from '../../lib/product.js';
import { truncate } from '../../lib/text/bytes.js';
import { cleanLine } from '../../lib/text/format.js';
import { escapeOutput, type ToolResult } from '../tool.js';
import type { ChosenTool, JsonObject, OfferedTool } from './choose-tools.js';
import { ProgramTransport } from './program-transport.js';

/**
 * The client's own `listTools` refuses a whole list for one broken schema, and prints what the
 * server says.
 */
const PAGE = v.object({
  tools: v.array(
    v.object({
      name: v.string(),
      description: v.fallback(v.optional(v.string()), undefined),
      inputSchema: v.unknown(),
    }),
  ),
  nextCursor: v.nullish(v.string()),
});

/** Most pages of a tool list that are asked for: a list may be endless. */
const MAX_PAGES = 100;

export interface McpServer {
  readonly isProgram: boolean;
  /** Throws an Error for people. */
  listTools(): Promise<readonly OfferedTool[]>;
  /** Calls a tool by the server's own name for it. Throws only the signal's reason. */
  call(tool: ChosenTool<unknown>, input: JsonObject, signal: AbortSignal): Promise<ToolResult>;
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
 * Opens a server. A program that ends stays ended; a session over HTTP is opened again when a call
 * finds it lost: servers forget sessions, proxies cut idle streams. `complain` hears of the first
 * call that fails. Throws an Error for people.
 */
export async function openServer(
  config: McpServerConfig,
  deps: ServerDependencies,
  complain: (what: string) => void,
): Promise<McpServer> {
  let latest = await openSession(config, deps);
  const opened = [latest];
  let reopening: Promise<Session> | undefined;
  let isClosed = false;
  let hasComplained = false;

  /**
   * The session in the place of a lost one, which is opened once for all calls that find it lost.
   */
  async function reopen(lost: Session): Promise<Session> {
    if (latest !== lost || isClosed || config.transport === 'stdio') return latest;
    reopening ??= openSession(config, deps)
      .then((session) => {
        opened.push(session);
        latest = session;
        return session;
      })
      .finally(() => {
        reopening = undefined;
      });
    return await reopening;
  }

  async function callTool(tool: ChosenTool<unknown>, input: JsonObject, signal: AbortSignal) {
    const session = latest.ending() === undefined ? latest : await reopen(latest);
    const call = ({ request }: Session) =>
      request((client) => {
        const name = tool.tool;
        // With the schema the client fills headers from arguments, and without one of results it
        // takes any.
        const toolDefinition = {
          name,
          inputSchema: tool.inputSchema as DefinedTool['inputSchema'],
        };
        const limits = { timeout: deps.callTimeoutMs, signal, toolDefinition };
        return client.callTool({ name, arguments: input }, limits);
      });
    try {
      return await call(session);
    } catch (thrown) {
      // The server does not know the session (MCP specification, streamable HTTP, session
      // management): nothing was called.
      if (statusOf(thrown) !== 404) throw thrown;
      return await call(await reopen(session));
    }
  }

  async function listTools(): Promise<readonly OfferedTool[]> {
    const limits = { timeout: deps.timeoutMs, signal: deps.signal };
    const tools: OfferedTool[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const ask = { method: 'tools/list', params: { cursor } } as const;
      const page = await latest.request((client) => client.request(ask, PAGE, limits));
      tools.push(...page.tools);
      if (!page.nextCursor) return tools;
      cursor = page.nextCursor;
    }
    throw new Error(`its list of tools has more than ${MAX_PAGES} pages`);
  }

  return {
    isProgram: config.transport === 'stdio',
    listTools: () => within(listTools(), deps.timeoutMs, deps.signal),
    async call(tool, input, signal) {
      try {
        return formatResult(await callTool(tool, input, signal));
      } catch (thrown) {
        signal.throwIfAborted();
        const why = describeFailure(thrown);
        // An error that the server answered with on purpose is for the model alone.
        if (propertyOf(thrown, 'name') !== 'ProtocolError' && !hasComplained) {
          hasComplained = true;
          complain(`failed a call of \`${cleanLine(tool.tool, 64)}\` (${why})`);
        }
        return { text: `Error: the MCP server "${config.name}" failed: ${why}`, isError: true };
      }
    },
    async close() {
      isClosed = true;
      await reopening?.catch(() => undefined);
      await Promise.all(opened.map((session) => session.close()));
    },
  };
}

interface Session {
  /** Why no answer will come any more, for people; undefined while the session is open. */
  ending(): string | undefined;
  /** Throws an Error of the client's, or one for people where the session has ended. */
  request<Answer>(ask: (client: Client) => Promise<Answer>): Promise<Answer>;
  close(): Promise<void>;
}

/**
 * How long a program may be silent when it is asked for the newer protocol: then it speaks the
 * older one.
 */
const PROBE_MS = 10_000;

/** Time for a server to let a session go, in milliseconds. */
const LEAVE_MS = 2000;

/**
 * Opens a session with a server through the official client, in the newest protocol that both
 * speak. We announce no capability, so a server can ask for nothing (sampling, roots, elicitation),
 * and its `instructions` are not read. Throws an Error for people.
 */
async function openSession(server: McpServerConfig, deps: ServerDependencies): Promise<Session> {
  const { SSEClientTransport, StreamableHTTPClientTransport } = await import(
    '@modelcontextprotocol/client'
  );
  const { fetch, childEnv, cwd } = deps;
  const web = { fetch, requestInit: { headers: server.headers } };
  switch (server.transport) {
    case 'stdio': {
      const { command, args } = server;
      const env = { ...childEnv, ...server.env };
      const start = () => new ProgramTransport({ command, args, env, cwd });
      const first = start();
      try {
        return await connect(first, 'auto', deps);
      } catch (thrown) {
        // Older servers may end at a request that they do not know.
        if (first.ending === undefined || deps.signal.aborted) throw thrown;
        return await connect(start(), 'legacy', deps);
      }
    }
    case 'streamable-http':
      return await connect(
        new StreamableHTTPClientTransport(new URL(server.url), web),
        'auto',
        deps,
      );
    case 'sse':
      return await connect(new SSEClientTransport(new URL(server.url), web), 'legacy', deps);
  }
}

async function connect(
  transport: Transport,
  mode: 'auto' | 'legacy',
  { timeoutMs, signal }: ServerDependencies,
): Promise<Session> {
  const { Client, SseError } = await import('@modelcontextprotocol/client');
  const program = transport instanceof ProgramTransport ? transport : undefined;
  const probe = { timeoutMs: program === undefined ? timeoutMs : PROBE_MS };
  const client = new Client(
    { name: 'axe-action', version: VERSION },
    { versionNegotiation: { mode, probe } },
  );
  let ending: string | undefined;
  client.onclose = () => {
    ending ??= `${program?.ending ?? 'it closed the connection'}${program?.lastWords() ?? ''}`;
  };
  client.onerror = (error) => {
    // The one stream of an SSE session has ended, and the session with it.
    if (!(error instanceof SseError)) return;
    ending ??= describeFailure(error);
    void client.close();
  };
  const close = async () => await transport.close().catch(() => undefined);
  try {
    await within(client.connect(transport, { timeout: timeoutMs }), timeoutMs, signal);
  } catch (thrown) {
    const reason = `${program?.ending ?? describeFailure(thrown)}${program?.lastWords() ?? ''}`;
    await close();
    signal.throwIfAborted();
    throw new Error(reason, { cause: thrown });
  }
  return {
    ending: () => ending,
    async request(ask) {
      if (ending !== undefined) throw new Error(ending);
      try {
        return await ask(client);
      } catch (thrown) {
        // The client only knows that the connection is closed; we know why.
        throw ending === undefined ? thrown : new Error(ending, { cause: thrown });
      }
    },
    async close() {
      const isThere = ending === undefined;
      ending ??= 'its session was ended';
      if (
        isThere &&
        'terminateSession' in transport &&
        typeof transport.terminateSession === 'function'
      ) {
        const never = new AbortController().signal;
        await within(transport.terminateSession(), LEAVE_MS, never).catch(() => undefined);
      }
      await close();
    },
  };
}

/**
 * The result of some work; throws an Error for people when the time is over, and the signal's
 * reason when it aborts.
 */
async function within<T>(work: Promise<T>, ms: number, signal: AbortSignal): Promise<T> {
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
  const [code, cause] = [propertyOf(thrown, 'code'), propertyOf(thrown, 'cause')];
  if (code === 'ERA_NEGOTIATION_FAILED' && cause !== undefined) return describeFailure(cause);
  if (code === 'REQUEST_TIMEOUT')
    return unanswered(Number(propertyOf(propertyOf(thrown, 'data'), 'timeout')));
  // fetch's own TypeError, which is of another class than ours, says nothing; the reason is its
  // cause.
  const isOfFetch = propertyOf(thrown, 'name') === 'TypeError' && cause !== undefined;
  const reason = isOfFetch ? `: ${networkCause(cause).message}` : '';
  const text = cleanLine(`${propertyOf(thrown, 'message') ?? thrown}${reason}`, MAX_FAILURE);
  const status = statusOf(thrown);
  if (status === 401 || status === 403) return `HTTP ${status}, check its \`headers\` (${text})`;
  return status === undefined ? text : `HTTP ${status} (${text})`;
}

function statusOf(thrown: unknown): unknown {
  return propertyOf(thrown, propertyOf(thrown, 'name') === 'SseError' ? 'code' : 'status');
}

/** Longest name, address or type that is shown, in code points. */
const MAX_SHOWN = 200;

/**
 * The answer of `tools/call` as text: its texts joined by newlines, as in axe; what is not text
 * described in a line; structured content as JSON where it says more (MCP specification, tools,
 * tool result). Hidden characters are written out and the whole is cut by the one rule.
 */
export function formatResult({
  content,
  structuredContent,
  isError = false,
}: CallToolResult): ToolResult {
  const parts = content.map(formatPart);
  if (structuredContent !== undefined && !isSaid(structuredContent, content)) {
    parts.push(JSON.stringify(structuredContent, null, 2));
  }
  if (parts.length === 0) return { text: 'MCP tool returned no content', isError };
  return { text: truncate(escapeOutput(parts.join('\n'))), isError };
}

type Content = CallToolResult['content'];

function formatPart(part: Content[number]): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
    case 'audio':
      return `[${part.type}: ${shown(part.mimeType)}, ${sizeOf(part.data)}, not shown]`;
    case 'resource': {
      const { resource } = part;
      const what = `resource ${shown(resource.uri)}: ${shown(resource.mimeType ?? 'unknown type')}`;
      return 'text' in resource
        ? `[${what}]\n${resource.text}`
        : `[${what}, ${sizeOf(resource.blob)}, not shown]`;
    }
    case 'resource_link':
      return `[link to the resource ${shown(part.uri)} (${shown(part.title ?? part.name)})]`;
  }
}

function sizeOf(base64: string): string {
  return `${Buffer.byteLength(base64, 'base64')} bytes`;
}

function shown(text: string): string {
  return cleanLine(text, MAX_SHOWN);
}

/**
 * Whether the content says the same as JSON, which servers send for older clients (MCP
 * specification, tools, structured content): as one text, or as the texts or parts of a list in the
 * place of a single key (`{"result": …}`).
 */
function isSaid(structured: unknown, content: Content): boolean {
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const values = texts.map((text) => parseJson(text, text));
  const said = [...texts, ...values, ...content, texts.join('\n'), texts, values, content];
  const [only, ...more] = Object.values(Object(structured));
  return said.some(
    (one) =>
      isDeepStrictEqual(one, structured) || (more.length === 0 && isDeepStrictEqual(one, only)),
  );
}
