import { isDeepStrictEqual } from 'node:util';
import type {
  CallToolResult,
  Tool as DefinedTool,
  Client as McpClient,
  Transport,
} from '@modelcontextprotocol/client';
import * as v from 'valibot';
import type { McpServerConfig } from '../../agent/config.js';
import { isObject, mapTexts, parseJson, propertyOf } from '../../lib/data.js';
import { networkCause } from '../../lib/errors.js';
import { VERSION } from '../../lib/product.js';
import { truncate } from '../../lib/text/bytes.js';
import { cleanLine } from '../../lib/text/format.js';
import { redact } from '../../safety/redact.js';
import { escapeOutput, type ToolResult } from '../tool.js';
import type { ChosenTool, JsonObject, OfferedTool } from './choose-tools.js';
import { ProgramTransport } from './program-transport.js';

/**
 * Replaces the client's own `listTools`, which refuses a whole list for one broken schema, and
 * prints the server's words.
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

/** Limit for the pages of a tool list, because a list can be endless. */
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
  /** Used for every HTTP request, so that proxies are respected. */
  readonly fetch: typeof globalThis.fetch;
  /** Ends all waiting. */
  readonly signal: AbortSignal;
  /** Time to open a session and to list the tools, each, in milliseconds. */
  readonly timeoutMs: number;
  readonly callTimeoutMs: number;
  /** Removed from everything that a server says. */
  readonly secrets: readonly string[];
}

/**
 * Opens a server. A program that has ended is not started again. A session over HTTP is opened
 * again when a call finds it lost, because servers forget sessions and proxies cut idle streams.
 * `complain` is called for the first call that fails. Throws an Error for people.
 */
export async function openServer(
  config: McpServerConfig,
  deps: ServerDependencies,
  complain: (problem: string) => void,
): Promise<McpServer> {
  let latest = await openSession(config, deps);
  const opened = [latest];
  let reopening: Promise<Session> | undefined;
  let isClosed = false;
  let hasComplained = false;
  // Before anything is cut, since a part of a secret cannot be recognized.
  const clean = (text: string) => redact(text, deps.secrets);

  /** Replaces a lost session; all calls that find it lost share one new session. */
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
        // With the input schema the client fills headers from arguments. Without a schema of
        // results it accepts any result.
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
      // With a 404 the server says that it does not know the session (MCP specification, streamable
      // HTTP, session management), so nothing was called.
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
      tools.push(...mapTexts(page.tools, clean));
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
        return formatResult(mapTexts(await callTool(tool, input, signal), clean), clean);
      } catch (thrown) {
        signal.throwIfAborted();
        const reason = describeFailure(thrown, deps.secrets);
        // An error that the server answered on purpose is for the model alone.
        if (propertyOf(thrown, 'name') !== 'ProtocolError' && !hasComplained) {
          hasComplained = true;
          complain(`failed a call of \`${cleanLine(tool.tool, 64)}\` (${reason})`);
        }
        return { text: `Error: the MCP server "${config.name}" failed: ${reason}`, isError: true };
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
  /** Throws the client's Error, or one for people if the session has ended. */
  request<Answer>(ask: (client: McpClient) => Promise<Answer>): Promise<Answer>;
  close(): Promise<void>;
}

/**
 * The part of its time that a program has to answer a request of the newer protocol; after that we
 * use the older one.
 */
const PROBE_SHARE = 1 / 3;

/** Time for a server to end a session, in milliseconds. */
const LEAVE_MS = 2000;

/**
 * Opens a session with a server through the official client, in the newest protocol that both
 * speak. We announce no capability, so a server can request nothing (sampling, roots, elicitation).
 * Its `instructions` are not read. Throws an Error for people.
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
      const clean = (text: string) => redact(text, deps.secrets);
      const start = () => new ProgramTransport({ command, args, env, cwd, clean });
      const first = start();
      try {
        return await connect(first, 'auto', deps);
      } catch (thrown) {
        // Older servers can end at a request that they do not know.
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
  { timeoutMs, signal, secrets }: ServerDependencies,
): Promise<Session> {
  const { Client, SseError } = await import('@modelcontextprotocol/client');
  const program = transport instanceof ProgramTransport ? transport : undefined;
  const probe = { timeoutMs: program === undefined ? timeoutMs : timeoutMs * PROBE_SHARE };
  const client = new Client(
    { name: 'axe-action', version: VERSION },
    { versionNegotiation: { mode, probe } },
  );

  let ending: string | undefined;
  client.onclose = () => {
    ending ??= `${program?.ending ?? 'it closed the connection'}${program?.lastWords() ?? ''}`;
  };
  client.onerror = (error) => {
    // An SSE session has one stream, and ends with it.
    if (!(error instanceof SseError)) return;
    ending ??= describeFailure(error, secrets);
    void client.close();
  };
  const closeTransport = async () => await transport.close().catch(() => undefined);

  try {
    await within(client.connect(transport, { timeout: timeoutMs }), timeoutMs, signal);
    const receive = transport.onmessage;
    transport.onmessage = (message, extra) => receive?.(withKnownContent(message), extra);
  } catch (thrown) {
    const reason = `${program?.ending ?? describeFailure(thrown, secrets)}${program?.lastWords() ?? ''}`;
    await closeTransport();
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
        // The client only knows that the connection is closed, and we know the reason.
        throw ending === undefined ? thrown : new Error(ending, { cause: thrown });
      }
    },
    async close() {
      const wasOpen = ending === undefined;
      ending ??= 'its session was ended';
      if (
        wasOpen &&
        'terminateSession' in transport &&
        typeof transport.terminateSession === 'function'
      ) {
        const never = new AbortController().signal;
        await within(transport.terminateSession(), LEAVE_MS, never).catch(() => undefined);
      }
      await closeTransport();
    },
  };
}

const CONTENT_KINDS = ['text', 'image', 'audio', 'resource', 'resource_link'];

/** The client refuses a whole result for one content of a kind that is newer than it. */
function withKnownContent<Message>(message: Message): Message {
  const result = propertyOf(message, 'result');
  const content = propertyOf(result, 'content');
  const isKnown = (part: unknown) => CONTENT_KINDS.includes(String(propertyOf(part, 'type')));
  if (!isObject(result) || !Array.isArray(content) || content.every(isKnown)) return message;

  const known = content.map((part: unknown) => {
    if (isKnown(part)) return part;
    const kind = propertyOf(part, 'type');
    const label = typeof kind === 'string' ? shown(kind) : 'content of no kind';
    return { type: 'text', text: `[${label}, not shown]` };
  });
  return { ...message, result: { ...result, content: known } };
}

/** Throws an Error for people when the time is over, and the signal's reason when it aborts. */
async function within<T>(work: Promise<T>, ms: number, signal: AbortSignal): Promise<T> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
  const limitReached = new Promise<never>((_, reject) => {
    const end = () => reject(signal.aborted ? signal.reason : new Error(unanswered(ms)));
    limit.addEventListener('abort', end, { once: true });
    if (limit.aborted) end();
  });
  return await Promise.race([work, limitReached]);
}

function unanswered(ms: number): string {
  return `it did not answer within ${ms / 1000} s`;
}

/** Longest description of a failure, in code points: servers answer with whole pages. */
const MAX_FAILURE = 500;

/** Describes a failure of a server on one line, for people and for the model. */
export function describeFailure(thrown: unknown, secrets: readonly string[]): string {
  const code = propertyOf(thrown, 'code');
  const cause = propertyOf(thrown, 'cause');
  if (code === 'ERA_NEGOTIATION_FAILED' && cause !== undefined)
    return describeFailure(cause, secrets);
  if (code === 'REQUEST_TIMEOUT')
    return unanswered(Number(propertyOf(propertyOf(thrown, 'data'), 'timeout')));

  // The message of fetch's TypeError, which is not our realm's class, says nothing; its cause does.
  const isFromFetch = propertyOf(thrown, 'name') === 'TypeError' && cause !== undefined;
  const reason = isFromFetch ? `: ${networkCause(cause).message}` : '';
  const message = `${propertyOf(thrown, 'message') ?? thrown}${reason}`;
  const text = cleanLine(redact(message, secrets), MAX_FAILURE);
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
 * The answer of `tools/call` as text: its texts joined by newlines, as in axe, one line for each
 * part that is not text, and structured content as JSON if the parts do not say the same (MCP
 * specification, tools, tool result). Hidden characters are written out, and the whole is cut like
 * every tool's result. `clean` removes secrets, which colours can have split until then.
 * @internal
 */
export function formatResult(
  { content, structuredContent, isError = false }: CallToolResult,
  clean: (text: string) => string,
): ToolResult {
  const parts = content.map(formatPart);
  if (structuredContent !== undefined && !isRepeatedIn(content, structuredContent)) {
    parts.push(JSON.stringify(structuredContent, null, 2));
  }
  if (parts.length === 0) return { text: 'MCP tool returned no content', isError };
  return { text: truncate(clean(escapeOutput(parts.join('\n')))), isError };
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
      const type = shown(resource.mimeType ?? 'unknown type');
      const label = `resource ${shown(resource.uri)}: ${type}`;
      return 'text' in resource
        ? `[${label}]\n${resource.text}`
        : `[${label}, ${sizeOf(resource.blob)}, not shown]`;
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
 * For older clients, servers repeat structured content as JSON in the content (MCP specification,
 * tools, structured content): as one text, or as the texts or parts of a list. A single key around
 * it (`{"result": …}`) makes no difference.
 */
function isRepeatedIn(content: Content, structured: unknown): boolean {
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const values = texts.map((text) => parseJson(text, text));
  const repetitions = [...texts, ...values, ...content, texts.join('\n'), texts, values, content];

  const [only, ...more] = Object.values(Object(structured));
  return repetitions.some(
    (repetition) =>
      isDeepStrictEqual(repetition, structured) ||
      (more.length === 0 && isDeepStrictEqual(repetition, only)),
  );
}
