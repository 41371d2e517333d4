import { randomBytes } from 'node:crypto';
import { createServer as createTlsServer, globalAgent } from 'node:https';
import { type AddressInfo, createServer, type Server, Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { directFetch } from '../../../../src/adapters/host/net/direct-fetch.js';
import { networkCause } from '../../../../src/core/network-cause.js';
import { type Peer, sendJson, startLoopback } from '../../../helpers/loopback.js';

const TEXT = 'Ünïcode, and more of it. '.repeat(200);

const CODED: Readonly<Record<string, Buffer>> = {
  gzip: gzipSync(TEXT),
  'x-gzip': gzipSync(TEXT),
  deflate: deflateSync(TEXT),
  br: brotliCompressSync(TEXT),
  'deflate, gzip': gzipSync(deflateSync(TEXT)),
  // Without the end that says how long the text is.
  'GZIP ': gzipSync(TEXT).subarray(0, -8),
};

async function startPeer(): Promise<Peer> {
  return await startLoopback(({ path, query, method, body }, response) => {
    switch (path) {
      case '/coded': {
        const coding = query.get('coding') ?? '';
        return void response.writeHead(200, { 'content-encoding': coding }).end(CODED[coding]);
      }
      case '/large': {
        const text = randomBytes(Number(query.get('size')) / 2).toString('hex');
        const coding = query.get('coding') ?? '';
        const body = coding === 'gzip' ? gzipSync(text) : coding === 'br' ? brotliCompressSync(text) : text;
        return void response.writeHead(200, { 'content-encoding': coding }).end(body);
      }
      case '/status':
        return void response.writeHead(Number(query.get('code'))).end();
      case '/headers':
        return void response.writeHead(200, 'Quite Fine', { 'X-One': ' a', 'x-two': ['b', 'c'] }).end('x');
      case '/moved':
        return void response.writeHead(Number(query.get('code')), { location: '/echo' }).end('elsewhere');
      case '/break':
        response.writeHead(200, { 'content-length': '100' }).write('half');
        return void setImmediate(() => response.destroy());
      case '/hold':
        return void response.writeHead(200).write('begun');
      case '/never':
        return;
      default:
        return sendJson(response, 200, { method, body: body ?? null });
    }
  });
}

/** Node's own has to pass the same tests. */
describe.each([
  ['fetch without the code of fetch', directFetch],
  ["Node's own fetch", globalThis.fetch],
])('%s', (_, fetch) => {
  it.each([
    ['GET', undefined, null],
    ['POST', 'plain ✓', 'plain ✓'],
    ['put', new TextEncoder().encode('bytes ✓'), 'bytes ✓'],
    ['DELETE', null, null],
    ['DELETE', '{"sha":1}', '{"sha":1}'],
  ])('sends %s with the body %j', async (method, body, said) => {
    const peer = await startPeer();
    const init = body === undefined ? { method } : { method, body };
    const answer = await fetch(new URL(`${peer.url}/echo?a=b`), init);
    expect(await answer.json()).toEqual({ method: method.toUpperCase(), body: said });
    const [request] = peer.requests();
    expect(request?.query.get('a')).toBe('b');
    expect(request?.headers).toMatchObject({ accept: '*/*', host: new URL(peer.url).host });
    expect(request?.headers['accept-encoding']).toContain('gzip');
    expect(request?.headers['transfer-encoding']).toBeUndefined();
  });

  it.each<[string, NonNullable<RequestInit['headers']>]>([
    ['an object', { 'X-Own': ' yes ', 'User-Agent': 'me' }],
    [
      'pairs',
      [
        ['x-own', 'yes'],
        ['user-agent', 'me'],
      ],
    ],
    ["Node's own list", new Headers({ 'x-own': 'yes', 'user-agent': 'me' })],
  ])('sends headers from %s', async (__, headers) => {
    const peer = await startPeer();
    await (await fetch(`${peer.url}/echo`, { headers })).text();
    expect(peer.requests()[0]?.headers).toMatchObject({ 'x-own': 'yes', 'user-agent': 'me' });
  });

  it('shows status and headers', async () => {
    const answer = await fetch(`${(await startPeer()).url}/headers`);
    expect([answer.ok, answer.status, answer.statusText]).toEqual([true, 200, 'Quite Fine']);
    expect([answer.headers.get('X-ONE'), answer.headers.get('x-two'), answer.headers.get('no')]).toEqual([
      'a',
      'b, c',
      null,
    ]);
    expect([answer.headers.has('X-Two'), answer.headers.has('no')]).toEqual([true, false]);
    expect([...answer.headers]).toEqual(
      expect.arrayContaining([
        ['x-one', 'a'],
        ['x-two', 'b, c'],
      ]),
    );
    await answer.text();
  });

  it.each([
    [204, 'GET'],
    [304, 'GET'],
    [200, 'HEAD'],
    [404, 'HEAD'],
  ])('has no body for %i after %s', async (code, method) => {
    const answer = await fetch(`${(await startPeer()).url}/status?code=${code}`, { method });
    expect([answer.status, answer.ok, answer.body, await answer.text()]).toEqual([
      code,
      code < 300,
      null,
      '',
    ]);
  });

  it.each(Object.keys(CODED))('decodes a body that is coded as %j', async (coding) => {
    const url = `${(await startPeer()).url}/coded?coding=${encodeURIComponent(coding)}`;
    expect(await (await fetch(url)).text()).toBe(TEXT);
  });

  it('has a body that can be read once, in any way', async () => {
    const { url } = await startPeer();
    const answer = await fetch(`${url}/echo`);
    expect(answer.bodyUsed).toBe(false);
    const reader = answer.body?.getReader();
    const first = await reader?.read();
    expect(Buffer.from(first?.value ?? []).toString()).toBe('{"method":"GET","body":null}');
    expect(await reader?.read()).toMatchObject({ done: true });
    expect(answer.bodyUsed).toBe(true);
    await expect(answer.text()).rejects.toMatchObject({ name: 'TypeError' });
    expect(Buffer.from(await (await fetch(`${url}/echo`)).arrayBuffer()).toString()).toContain('GET');
  });

  it.each([301, 302, 303, 307, 308])('follows %i unless it is told not to', async (code) => {
    const peer = await startPeer();
    const url = `${peer.url}/moved?code=${code}`;
    const followed = await fetch(url, { method: 'POST', body: 'x' });
    expect(await followed.json()).toEqual(
      code < 304 ? { method: 'GET', body: null } : { method: 'POST', body: 'x' },
    );
    const left = await fetch(url, { redirect: 'manual' });
    expect([left.status, left.headers.get('location')]).toEqual([code, '/echo']);
    await left.text();
    await expect(fetch(url, { redirect: 'error' })).rejects.toThrow('fetch failed');
  });

  it('rejects with the reason of a signal that aborts, before, during and after the head', async () => {
    const peer = await startPeer();
    const reason = new Error('over');
    await expect(fetch(`${peer.url}/echo`, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(peer.requests()).toEqual([]);
    const during = new AbortController();
    peer.onRequest(({ path }) => path === '/never' && during.abort(reason));
    await expect(fetch(`${peer.url}/never`, { signal: during.signal })).rejects.toBe(reason);
    const after = new AbortController();
    const answer = await fetch(`${peer.url}/hold`, { signal: after.signal });
    const text = answer.text();
    after.abort(reason);
    await expect(text).rejects.toBe(reason);
  });

  it.each(['gzip', 'br', 'identity'])(
    'rejects with its reason while a body is read slowly (%s)',
    async (coding) => {
      const { url } = await startPeer();
      for (const size of [60_000, 150_000, 600_000]) {
        for (const reads of [1, 2, 4]) {
          const controller = new AbortController();
          const answer = await fetch(`${url}/large?coding=${coding}&size=${size}`, {
            signal: controller.signal,
          });
          const reader = answer.body?.getReader();
          for (let read = 0; read < reads; read += 1) await reader?.read();
          for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
          const reason = new Error('over');
          controller.abort(reason);
          const rest = (async () => {
            while ((await reader?.read())?.done === false);
          })();
          // Whoever has all of it already may have it; nobody may wait for ever.
          expect([undefined, reason]).toContain(await rest.catch((thrown: unknown) => thrown));
        }
      }
    },
  );

  it('lets go of a body that is cancelled', async () => {
    const answer = await fetch(`${(await startPeer()).url}/hold`);
    const reader = answer.body?.getReader();
    await reader?.read();
    const waiting = reader?.read();
    await reader?.cancel();
    expect(await waiting).toMatchObject({ done: true });
  });

  it('rejects as failed, with the cause, if nobody listens or the host has no name', async () => {
    const peer = await startPeer();
    await peer.close();
    const refused = await fetch(`${peer.url}/`).catch((error: unknown) => error);
    expect(refused).toMatchObject({ name: 'TypeError', message: 'fetch failed' });
    expect(networkCause(refused).code).toBe('ECONNREFUSED');
    const unknown = await fetch('http://nobody.invalid/').catch((error: unknown) => error);
    expect(unknown).toMatchObject({ name: 'TypeError', message: 'fetch failed' });
    expect(networkCause(unknown).code).toMatch(/^(?:ENOTFOUND|EAI_AGAIN)$/);
  });

  it('rejects where a body is read that breaks off', async () => {
    const answer = await fetch(`${(await startPeer()).url}/break`);
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toMatchObject({ name: 'TypeError', message: 'terminated' });
  });

  it.each(['not an address', 'ftp://example.com/', 'http://me:secret@127.0.0.1/'])(
    'refuses %j with a TypeError',
    async (url) => {
      await expect(fetch(url)).rejects.toMatchObject({ name: 'TypeError' });
    },
  );

  it('refuses a question with a body', async () => {
    const asked = fetch((await startPeer()).url, { method: 'GET', body: 'x' });
    await expect(asked).rejects.toMatchObject({ name: 'TypeError' });
  });

  it('refuses an answer with more codings than anybody needs', async () => {
    const { url } = await startPeer();
    const asked = fetch(`${url}/coded?coding=${encodeURIComponent('gzip, '.repeat(30))}`);
    await expect(asked).rejects.toMatchObject({ name: 'TypeError', message: 'fetch failed' });
  });

  it('refuses a header that cannot be sent with a TypeError', async () => {
    const { url } = await startPeer();
    await expect(fetch(url, { headers: { 'x-own': 'a\nb' } })).rejects.toMatchObject({ name: 'TypeError' });
  });

  it('accepts a request and a form', async () => {
    const peer = await startPeer();
    const request = new Request(`${peer.url}/echo`, { method: 'POST', body: 'x' });
    expect(await (await fetch(request)).json()).toEqual({ method: 'POST', body: 'x' });
    const form = await fetch(`${peer.url}/echo`, { method: 'POST', body: new URLSearchParams({ a: 'b' }) });
    expect(await form.json()).toEqual({ method: 'POST', body: 'a=b' });
  });
});

describe('a direct connection', () => {
  const servers: Server[] = [];
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => new Promise((closed) => server.close(closed))));
  });

  it('is kept for the next request', async () => {
    let connections = 0;
    const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
    const server = createServer((socket) => {
      connections += 1;
      socket.on('data', (head) => {
        if (String(head).includes('connection: close')) socket.end(answer);
        else socket.write(answer);
      });
    });
    servers.push(server);
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    for (const _ of [1, 2, 3]) {
      const { headers, body } = await directFetch(url, { headers: { connection: 'keep-alive' } });
      expect(headers.get('content-length')).toBe('2');
      expect((await body?.getReader().read())?.value).toHaveLength(2);
      await new Promise(setImmediate);
    }
    const last = await directFetch(url, { headers: { connection: 'close' } });
    await last.text();
    expect(connections).toBe(1);
  });

  it('keeps no program from its end if nobody reads the answer, and is closed by the signal', async () => {
    const unref = jest.spyOn(Socket.prototype, 'unref');
    const closed = Promise.withResolvers<void>();
    const server = createServer((socket) => {
      socket
        .unref()
        .on('error', () => undefined)
        .on('close', () => closed.resolve());
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'));
    });
    servers.push(server);
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const controller = new AbortController();
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const answer = await directFetch(url, { signal: controller.signal });
    expect(answer.status).toBe(200);
    // The server's own end of the connection has another port on its other side.
    const { port } = server.address() as AddressInfo;
    expect(
      unref.mock.contexts.filter((socket) => socket instanceof Socket && socket.remotePort === port),
    ).toHaveLength(1);
    unref.mockRestore();
    controller.abort(new Error('over'));
    await closed.promise;
    await expect(answer.text()).rejects.toThrow('over');
  });

  it('that the server would use for another protocol has failed', async () => {
    const server = createServer((socket) => {
      socket.on('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
      );
    });
    servers.push(server);
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    await expect(directFetch(url)).rejects.toMatchObject({
      message: 'fetch failed',
      cause: { message: 'the connection was closed without an answer' },
    });
  });

  it('is given up if it is not made in 10 s, the handshake included', async () => {
    const { promise: connected, resolve: connect } = Promise.withResolvers<void>();
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      connect();
    });
    servers.push(server);
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    jest.useFakeTimers({ now: 0, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    try {
      const asked = directFetch(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      const failed = expect(asked).rejects.toMatchObject({
        message: 'fetch failed',
        cause: { code: 'ETIMEDOUT', message: 'connecting took more than 10 s' },
      });
      await connected;
      jest.advanceTimersByTime(10_000);
      await failed;
    } finally {
      jest.useRealTimers();
    }
  });

  it('is encrypted for https', async () => {
    const key = { psk: Buffer.alloc(16, 7), identity: 'test' };
    const secure = { ciphers: 'PSK', maxVersion: 'TLSv1.2' as const };
    const server = createTlsServer({ ...secure, pskCallback: () => key.psk }, (request, response) => {
      response.end(`secret ${request.method} ${request.url}`);
    });
    servers.push(server);
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const before = { ...globalAgent.options };
    Object.assign(globalAgent.options, {
      ...secure,
      pskCallback: () => key,
      checkServerIdentity: () => undefined,
    });
    try {
      const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/a`;
      const answer = await directFetch(url, { headers: { connection: 'close' } });
      expect([answer.url, await answer.text()]).toEqual([url, 'secret GET /a']);
    } finally {
      for (const name of Object.keys(globalAgent.options)) Reflect.deleteProperty(globalAgent.options, name);
      Object.assign(globalAgent.options, before);
    }
  });
});
