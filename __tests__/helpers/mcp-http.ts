import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach } from '@jest/globals';
// src/ uses the newer client package. Most servers are built with this one, and only it still has the
// SSE transport.
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

/** An MCP server on 127.0.0.1; it is closed after the test. */
export interface McpHttp {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  /** `POST /mcp` and its headers. */
  requests(): readonly { readonly line: string; readonly headers: IncomingMessage['headers'] }[];
  /** Sessions that were opened and not ended by the client. */
  sessions(): number;
  /** Forgets every session, as a server does that was started anew. */
  forget(): void;
  /** Cuts every connection, but goes on listening. */
  cut(): void;
  close(): Promise<void>;
}

/** Answers a path in its own way; false leaves the request to the usual answers. */
export type Route = (request: IncomingMessage, response: ServerResponse) => boolean;

const open = new Set<McpHttp>();

afterEach(async () => {
  await Promise.all([...open].map((server) => server.close()));
});

const TOOLS = ['echo', 'whoami', 'refuse', 'vanish'].map((name) => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { type: 'object' as const },
}));

/**
 * Starts a server that speaks streamable HTTP at `/mcp` (answers as event streams) and `/json`
 * (answers as JSON), and HTTP with SSE at `/sse`, all through the server side of the official
 * package.
 */
export async function startMcpHttp(route: Route = () => false): Promise<McpHttp> {
  const requests: { line: string; headers: IncomingMessage['headers'] }[] = [];
  const sockets = new Set<Socket>();
  const streamable = new Map<string, StreamableHTTPServerTransport>();
  const sse = new Map<string, SSEServerTransport>();
  const server = createServer((request, response) => {
    requests.push({
      line: `${request.method} ${request.url?.split('?')[0]}`,
      headers: request.headers,
    });
    if (route(request, response)) return;
    answer(request, response).catch(() => response.destroy());
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (pathname === '/sse') {
      const transport = new SSEServerTransport('/messages', response);
      sse.set(transport.sessionId, transport);
      response.on('close', () => sse.delete(transport.sessionId));
      await createTools(cut).connect(transport);
    } else if (pathname === '/messages') {
      const transport = sse.get(searchParams.get('sessionId') ?? '');
      if (transport === undefined) response.writeHead(404).end('no such session');
      else await transport.handlePostMessage(request, response);
    } else await answerStreamable(request, response, pathname === '/json');
  }

  async function answerStreamable(
    request: IncomingMessage,
    response: ServerResponse,
    asJson: boolean,
  ): Promise<void> {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? streamable.get(id) : undefined;
    if (known !== undefined) return await known.handleRequest(request, response);
    if (id !== undefined) return void response.writeHead(404).end('no such session');
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      enableJsonResponse: asJson,
      onsessioninitialized: (session) => void streamable.set(session, transport),
      onsessionclosed: (session) => void streamable.delete(session),
    });
    // The package's own classes do not fit its own interface under exactOptionalPropertyTypes.
    await createTools(cut).connect(transport as Parameters<Server['connect']>[0]);
    await transport.handleRequest(request, response);
  }

  function cut(): void {
    for (const socket of sockets) socket.destroy();
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const self: McpHttp = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    sessions: () => streamable.size + sse.size,
    forget: () => streamable.clear(),
    cut,
    async close() {
      if (!open.delete(self)) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      cut();
      await closed;
    },
  };
  open.add(self);
  return self;
}

function createTools(cut: () => void): Server {
  const server = new Server(
    { name: 'loopback', version: '1.0.0' },
    { capabilities: { tools: {} } },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: TOOLS }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { requestInfo }) => {
    switch (params.name) {
      case 'whoami':
        return say(String(requestInfo?.headers['authorization']));
      case 'refuse':
        return { ...say('not today'), isError: true };
      case 'vanish':
        // The answer has begun by now: its headers are out.
        setTimeout(cut, 50);
        return await new Promise<never>(() => undefined);
      default:
        return say(JSON.stringify(params.arguments));
    }
  });
  return server;
}

function say(text: string): { content: { type: 'text'; text: string }[] } {
  return { content: [{ type: 'text', text }] };
}
