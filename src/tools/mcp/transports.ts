import type { FetchLike, Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { McpServerConfig } from '../../agent/config.js';
import type { Clock } from '../../lib/clock.js';
import { cleanLine } from '../../lib/text/cut.js';
import type { LineProgram, StartLineProgram } from '../files/line-program.js';
import { MAX_MESSAGE_BYTES, MAX_NOISE_LINES } from './limits.js';

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
function lostAnswer(id: RequestId, message: string): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code: CONNECTION_CLOSED, message, data: LOST_ANSWER } };
}

/** Longest line of a server that is quoted, in code points. */
const MAX_QUOTE = 200;

/** What says why a program ended, and is no line of its code; else its last lines may. */
const REASON = /(?:error|fatal)\b(?![(;.])/i;
const LAST_LINES = 5;

/**
 * A server that is a program, one JSON message per line (MCP specification, transports, stdio). The client's own
 * transport would hand parts of our environment down and end the program without its children.
 */
export async function createStdioTransport(
  { command, args, env }: McpServerConfig,
  { childEnv, cwd, startProgram }: TransportDependencies,
): Promise<McpTransport> {
  const { JSONRPCMessageSchema } = await import('@modelcontextprotocol/sdk/types.js');
  let program: LineProgram | undefined;
  let isClosing = false;
  let ending: string | undefined;
  let noiseLines = 0;
  let firstNoise = '';
  const waiting = new Set<RequestId>();

  const transport: Transport = {
    async start() {
      program = await startProgram({
        command,
        args,
        env: { ...childEnv, ...env },
        cwd,
        maxLineBytes: MAX_MESSAGE_BYTES,
        onLine: receive,
        onLongLine: miss,
        onEnd: end,
      });
      if (isClosing) await program.stop();
    },
    async send(message) {
      if ('method' in message && 'id' in message) waiting.add(message.id);
      // A program that is about to end refuses its input first; `onclose` tells all who wait.
      await program?.send(JSON.stringify(message)).catch(() => undefined);
    },
    async close() {
      isClosing = true;
      if (program === undefined) transport.onclose?.();
      else await program.stop();
    },
  };

  function receive(line: string): void {
    if (line.trim() === '' || ending !== undefined) return;
    const message = JSONRPCMessageSchema.safeParse(parse(line));
    if (message.success) {
      if (!('method' in message.data) && message.data.id !== undefined) waiting.delete(message.data.id);
      transport.onmessage?.(message.data);
    } else hearNoise(line);
  }

  /** An answer that is too long fails its request: the id stands at one of its ends, else all that wait are meant. */
  function miss(ends: string): void {
    const named = [...waiting].filter((id) => new RegExp(`"id"\\s*:\\s*${id}\\s*[,}]`).test(ends));
    for (const id of named.length === 1 ? named : [...waiting]) {
      waiting.delete(id);
      transport.onmessage?.(lostAnswer(id, `its answer is larger than ${MAX_MESSAGE_BYTES} bytes`));
    }
  }

  /** Programs greet on standard output; one that never stops is not a server. */
  function hearNoise(line: string): void {
    if (noiseLines === 0) firstNoise = cleanLine(line.slice(0, 4 * MAX_QUOTE), MAX_QUOTE);
    noiseLines += 1;
    if (noiseLines !== MAX_NOISE_LINES || isClosing) return;
    ending = `it wrote ${MAX_NOISE_LINES} lines that are not messages, the first one: ${firstNoise}`;
    void transport.close();
  }

  function end(reason: string): void {
    if (!isClosing) ending = reason;
    transport.onclose?.();
  }

  function lastOutput(): string {
    const lines = (program?.lastWords() ?? '').split('\n').filter((line) => line.trim() !== '');
    const reason = lines.find((line) => REASON.test(line));
    const said = reason === undefined ? lines.slice(-LAST_LINES) : [reason];
    const words = said.map((line) => cleanLine(line, MAX_QUOTE)).join(' | ');
    if (words !== '') return words;
    return noiseLines === 0 || ending !== undefined ? '' : `${firstNoise} (which is not a message)`;
  }

  return {
    transport,
    ending: () => ending,
    lastWords: lastOutput,
    isFatal: () => false,
    leave: async () => undefined,
  };
}

function parse(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line);
    return value;
  } catch {
    return undefined;
  }
}

/** How long the client may take to read the last of a stream before an answer counts as missing. */
const SETTLE_MS = 1000;

/**
 * A server behind streamable HTTP. Redirects are followed within the server's origin only (the client's rule), so
 * headers never reach another host. An answer that breaks off is told at once: the client would wait for its timeout.
 */
export async function createHttpTransport(
  server: McpServerConfig,
  { fetch, clock }: TransportDependencies,
): Promise<McpTransport> {
  const { StreamableHTTPClientTransport } = await import(
    '@modelcontextprotocol/sdk/client/streamableHttp.js'
  );
  const waiting = new Set<RequestId>();
  const over = new AbortController();
  const guarded: FetchLike = async (url, init) => {
    const id = requestIdOf(init);
    if (id !== undefined) waiting.add(id);
    const response = await fetch(url, { ...init, redirect: 'manual' });
    return watchBody(response, {
      maxBytes: MAX_MESSAGE_BYTES,
      onOver: ({ isResumable }) => {
        if (id !== undefined && !isResumable) void missAnswer(id);
      },
    });
  };
  const official = new StreamableHTTPClientTransport(new URL(server.url), {
    fetch: guarded,
    requestInit: { headers: server.headers },
  });
  // The door: the class declares its session id less exactly than the interface it implements.
  const transport = official as unknown as Transport;
  transport.onmessage = (message) => void waiting.delete(idOf(message) ?? '');
  transport.onclose = () => over.abort();

  async function missAnswer(id: RequestId): Promise<void> {
    await clock.sleep(SETTLE_MS, over.signal);
    if (over.signal.aborted || !waiting.has(id)) return;
    transport.onmessage?.(lostAnswer(id, 'the answer broke off'));
  }

  return {
    transport,
    ending: () => undefined,
    lastWords: () => '',
    isFatal: () => false,
    leave: () => official.terminateSession(),
  };
}

/** A server behind the older HTTP with SSE; when its one stream ends, so does the session. */
export async function createSseTransport(
  server: McpServerConfig,
  { fetch }: TransportDependencies,
): Promise<McpTransport> {
  const { SSEClientTransport, SseError } = await import('@modelcontextprotocol/sdk/client/sse.js');
  const transport: Transport = new SSEClientTransport(new URL(server.url), {
    fetch: async (url, init) =>
      watchBody(await fetch(url, { ...init, redirect: 'manual' }), { maxBytes: MAX_MESSAGE_BYTES }),
    requestInit: { headers: server.headers },
  });
  return {
    transport,
    ending: () => undefined,
    lastWords: () => '',
    isFatal: (error) => error instanceof SseError,
    leave: async () => undefined,
  };
}

function requestIdOf(init: RequestInit | undefined): RequestId | undefined {
  if (init?.method !== 'POST' || typeof init.body !== 'string') return undefined;
  const message: unknown = JSON.parse(init.body);
  const isRequest = typeof message === 'object' && message !== null && 'method' in message;
  return isRequest && 'id' in message && typeof message.id === 'number' ? message.id : undefined;
}

function idOf(message: JSONRPCMessage): RequestId | undefined {
  return 'id' in message ? message.id : undefined;
}

const NEWLINE = 0x0a;

interface BodyWatch {
  readonly maxBytes: number;
  /** Called once, when the body is over, however that came. */
  onOver?(body: { readonly isResumable: boolean }): void;
}

/**
 * A response whose body breaks off with an error when it, or one event of an event stream, grows too large: the client
 * collects either in memory. Status and headers stay.
 */
export function watchBody(response: Response, { maxBytes, onOver }: BodyWatch): Response {
  if (response.body === null) return response;
  const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
  const reader = response.body.getReader();
  const meter = createMeter(isStream);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done && meter.add(value) > maxBytes)
          throw new Error(`it sent more than ${maxBytes} bytes at once`);
        if (!done) return controller.enqueue(value);
        onOver?.({ isResumable: meter.isResumable() });
        controller.close();
      } catch (thrown) {
        onOver?.({ isResumable: meter.isResumable() });
        controller.error(thrown);
        await reader.cancel(thrown).catch(() => undefined);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(body, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  });
}

interface Meter {
  /** Bytes so far, in a stream those since the last event. */
  add(chunk: Uint8Array): number;
  /** Whether an event carried an id, so that the client asks for the rest by itself. */
  isResumable(): boolean;
}

/** Events end at an empty line (HTML standard, server-sent events); lines that end in CR alone are not looked for. */
function createMeter(isStream: boolean): Meter {
  let bytes = 0;
  let lineBytes = 0;
  let lineStart = '';
  let hasId = false;

  /** Takes a part of a line, or a whole one. */
  function takeLine(part: Uint8Array): void {
    if (lineStart.length < 3) lineStart += String.fromCharCode(...part.subarray(0, 3 - lineStart.length));
    lineBytes += part.length;
    hasId ||= lineStart === 'id:';
  }

  function add(chunk: Uint8Array): number {
    bytes += chunk.length;
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); isStream && at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      takeLine(chunk.subarray(from, at));
      from = at + 1;
      if (lineBytes === 0 || lineStart === '\r') bytes = chunk.length - from;
      lineBytes = 0;
      lineStart = '';
    }
    takeLine(chunk.subarray(from));
    return bytes;
  }

  return { add, isResumable: () => hasId };
}
