import type { FetchLike, Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { McpServerConfig } from '../../core/agent/config.js';
import { MAX_MESSAGE_BYTES } from './limits.js';
import { lostAnswer, type McpTransport, type TransportDependencies } from './transport.js';

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

/** What is said about a body on its way. */
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
