import { connect, createServer, type Server } from 'node:net';
import { afterEach } from '@jest/globals';

/** Ports that fetch blocks and that every user may open (https://fetch.spec.whatwg.org/#port-blocking). */
const BLOCKED_PORTS = [6665, 6666, 6667, 6668, 6669, 6697, 10_080, 6566, 5060, 5061, 4190, 4045, 3659, 2049];

const open: Server[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

/** The address of a server on this machine at a port that fetch blocks: the first that is free. */
export async function atBlockedPort(url: string): Promise<string> {
  const target = new URL(url);
  const { port: inside, hostname } = target;
  for (const port of BLOCKED_PORTS) {
    const server = createServer((inner) => {
      const outer = connect(Number(inside), hostname);
      inner.on('error', () => outer.destroy()).on('close', () => outer.destroy());
      outer.on('error', () => inner.destroy()).on('close', () => inner.destroy());
      inner.pipe(outer).pipe(inner);
    });
    if (!(await listens(server, port, hostname))) continue;
    open.push(server);
    target.port = String(port);
    return target.href.replace(/\/$/, '');
  }
  throw new Error('no blocked port is free on this machine');
}

function listens(server: Server, port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, host, () => resolve(true));
  });
}
