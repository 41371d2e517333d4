import { createServer, type IncomingMessage, request as requestOf } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach } from '@jest/globals';

const open = new Set<() => Promise<void>>();

afterEach(async () => {
  await Promise.all([...open].map((close) => close()));
  open.clear();
});

/**
 * Starts a forward proxy that treats every host as one server; `refuse` is the status with which it
 * answers instead.
 */
export async function startProxy(target: string, { refuse }: { refuse?: number } = {}) {
  /**
   * `CONNECT host:port` or `GET http://host/path`, in their order, and the `Proxy-Authorization` of
   * each.
   */
  const asked: string[] = [];
  const credentials: (string | undefined)[] = [];
  /** The first byte that was sent through a tunnel: 22 begins TLS. */
  const firstBytes: number[] = [];
  const sockets = new Set<Socket>();
  const { port: targetPort } = new URL(target);
  const note = (request: IncomingMessage) => {
    asked.push(`${request.method} ${request.url}`);
    credentials.push(request.headers['proxy-authorization']);
  };
  const server = createServer((incoming, response) => {
    note(incoming);
    if (refuse !== undefined) return void response.writeHead(refuse).end();
    const { pathname } = new URL(incoming.url ?? '');
    const options = {
      host: '127.0.0.1',
      port: targetPort,
      path: pathname,
      method: incoming.method,
    };
    const { 'proxy-authorization': _own, ...headers } = incoming.headers;
    const outgoing = requestOf({ ...options, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  });
  server.on('connection', (socket) => void sockets.add(socket));
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    note(request);
    socket.on('error', () => undefined);
    if (refuse !== undefined) return void socket.end(`HTTP/1.1 ${refuse} No\r\n\r\n`);
    const upstream = connect(Number(targetPort), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.once('data', (chunk: Buffer) => void firstBytes.push(chunk[0] ?? 0));
      socket.pipe(upstream).pipe(socket);
    });
    sockets.add(upstream);
    upstream.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.add(async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked, credentials, firstBytes };
}
