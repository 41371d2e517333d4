import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEachTest } from './test-end.js';

/** One request as a peer received it. */
export interface RecordedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  /** The parsed body where it is JSON, else its text, else undefined. */
  readonly body: unknown;
}

/** A server on 127.0.0.1 that a test started. */
export interface Peer {
  /** `http://127.0.0.1:port`, no slash at the end. */
  readonly url: string;
  requests(): readonly RecordedRequest[];
  /** Calls back for each request, after it was recorded and before it is answered. */
  onRequest(listener: (request: RecordedRequest) => void): void;
  /** Resolves when every request so far was dealt with, also one whose sender has disconnected. */
  idle(): Promise<void>;
  /** Ends the server and its connections; a second call does nothing. */
  close(): Promise<void>;
}

/** What a peer does with a request; a rejection becomes a 500 that names it. */
export type Handler = (request: RecordedRequest, response: ServerResponse) => Promise<void> | void;

const open = new Set<Peer>();

afterEachTest(async () => {
  await Promise.all([...open].map((peer) => peer.close()));
});

/**
 * Starts a recording server on a free port of 127.0.0.1; it is closed after the test if the test
 * did not.
 */
export async function startLoopback(handle: Handler): Promise<Peer> {
  const requests: RecordedRequest[] = [];
  const listeners: ((request: RecordedRequest) => void)[] = [];
  const answering = new Set<Promise<void>>();
  const server = createServer((incoming, response) => {
    const answered = answer(incoming, response)
      .catch((thrown: unknown) => {
        if (response.headersSent) return void response.destroy();
        response
          .writeHead(500, { 'content-type': 'text/plain' })
          .end(`the peer failed: ${String(thrown)}`);
      })
      .finally(() => answering.delete(answered));
    answering.add(answered);
  });
  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await record(incoming);
    requests.push(request);
    for (const listener of listeners) listener(request);
    await handle(request, response);
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const peer: Peer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    onRequest: (listener) => void listeners.push(listener),
    async idle() {
      await Promise.all(answering);
    },
    async close() {
      if (!open.delete(peer)) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
  open.add(peer);
  return peer;
}

/** Answers with JSON. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(body);
  response
    .writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(text)),
      ...headers,
    })
    .end(text);
}

async function record(incoming: IncomingMessage): Promise<RecordedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const url = new URL(incoming.url ?? '/', 'http://127.0.0.1');
  const given = Object.entries(incoming.headers);
  const headers = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers,
    bytes,
    body: parseBody(bytes, headers['content-type'] ?? ''),
  };
}

function parseBody(bytes: Buffer, contentType: string): unknown {
  if (bytes.length === 0) return undefined;
  const text = bytes.toString('utf8');
  if (!contentType.includes('json')) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
