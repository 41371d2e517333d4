import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createFetch, proxyFor } from '../../../src/lib/net/http.js';
import { networkCause } from '../../../src/lib/network-cause.js';
import { type Peer, sendJson, startLoopback } from '../../helpers/loopback.js';
import { startProxy } from '../../helpers/proxy-server.js';
import { tempDir } from '../../helpers/temp.js';

async function startOrigin(): Promise<Peer> {
  return await startLoopback((request, response) => {
    if (request.path === '/moved') return void response.writeHead(302, { location: '/elsewhere' }).end();
    if (request.path === '/never') return;
    sendJson(response, 200, { said: request.body ?? null });
  });
}

describe('the fetch of every connection', () => {
  it.each([{}, { HTTPS_PROXY: '' }, { NO_PROXY: '*' }])('connects directly with %j', async (env) => {
    const origin = await startOrigin();
    const answer = await createFetch(env)(origin.url, { method: 'PUT', body: 'x' });
    expect(await answer.json()).toEqual({ said: 'x' });
  });

  it('names `NODE_EXTRA_CA_CERTS` where a certificate is of an authority of its own', async () => {
    const folder = tempDir('certificate');
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const asked = ['req', '-x509', '-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    execFileSync('openssl', [...asked, '-subj', '/CN=own', '-keyout', key, '-out', cert], { stdio: 'pipe' });
    const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const thrown = await createFetch({})(`https://127.0.0.1:${port}/`).catch((error: unknown) => error);
    server.close();
    const cause = networkCause(thrown);
    expect(cause).toMatchObject({ message: expect.stringContaining(`127.0.0.1:${port}`), isMistake: true });
    expect(cause.remedy).toContain('`NODE_EXTRA_CA_CERTS`');
  });

  it('calls a plain http server through the proxy, by its name', async () => {
    const origin = await startOrigin();
    const proxy = await startProxy(origin.url);
    const fetch = createFetch({ HTTP_PROXY: proxy.url });
    const answer = await fetch('http://models.example/v1/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-own': 'yes' },
      body: '{"a":1}',
    });
    expect(await answer.json()).toEqual({ said: { a: 1 } });
    expect(proxy.asked).toEqual(['POST http://models.example/v1/chat']);
    expect(origin.requests()[0]).toMatchObject({
      path: '/v1/chat',
      headers: { host: 'models.example', 'x-own': 'yes' },
    });
  });

  it('calls a TLS server through a tunnel', async () => {
    const origin = await startOrigin();
    const proxy = await startProxy(origin.url);
    const fetch = createFetch({ HTTPS_PROXY: proxy.url });
    // The server behind the tunnel speaks no TLS; that the client does is what matters.
    await expect(fetch('https://models.example/v1')).rejects.toThrow('fetch failed');
    expect(proxy.asked).toEqual(['CONNECT models.example:443']);
    expect(proxy.firstBytes).toEqual([22]);
    expect(origin.requests()).toEqual([]);
  });

  it('calls hosts in NO_PROXY, and this machine, directly', async () => {
    const origin = await startOrigin();
    const proxy = await startProxy(origin.url);
    const fetch = createFetch({ HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, NO_PROXY: '.internal' });
    expect((await fetch(`${origin.url}/local`)).status).toBe(200);
    await expect(fetch('http://nobody.internal/')).rejects.toThrow();
    expect(proxy.asked).toEqual([]);
    expect(origin.requests()).toHaveLength(1);
  });

  it('sends its credentials to the proxy', async () => {
    const origin = await startOrigin();
    const proxy = await startProxy(origin.url);
    const fetch = createFetch({ HTTP_PROXY: proxy.url.replace('http://', 'http://octo:c%40t@') });
    await (await fetch('http://models.example/')).text();
    expect(proxy.credentials).toEqual([`Basic ${Buffer.from('octo:c@t').toString('base64')}`]);
    expect(origin.requests()[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  it('accepts a URL and a request too, and keeps one connection to the proxy', async () => {
    const origin = await startOrigin();
    const proxy = await startProxy(origin.url);
    const fetch = createFetch({ HTTP_PROXY: proxy.url });
    for (const input of [new URL('http://models.example/a'), 'http://models.example/b'])
      expect((await fetch(input)).status).toBe(200);
    expect(proxy.asked).toEqual(['GET http://models.example/a', 'GET http://models.example/b']);
  });

  it('follows no redirect if the caller forbids it', async () => {
    const origin = await startOrigin();
    const proxy = await startProxy(origin.url);
    const answer = await createFetch({ HTTP_PROXY: proxy.url })('http://models.example/moved', {
      redirect: 'manual',
    });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/elsewhere']);
    expect(origin.requests()).toHaveLength(1);
  });

  it('stops when its signal aborts', async () => {
    const origin = await startOrigin();
    const proxy = await startProxy(origin.url);
    const controller = new AbortController();
    const reason = new Error('over');
    origin.onRequest(() => controller.abort(reason));
    const asked = createFetch({ HTTP_PROXY: proxy.url })('http://models.example/never', {
      signal: controller.signal,
    });
    await expect(asked).rejects.toBe(reason);
  });

  it.each([
    ['HTTPS_PROXY', 'https', 407, 'requires a user and a password (407)', 'http://user:password@'],
    ['HTTP_PROXY', 'http', 407, 'requires a user and a password (407)', 'http://user:password@'],
    ['HTTPS_PROXY', 'https', 403, 'answered 403', '`NO_PROXY`'],
  ])('reports when %s refuses %s with %i', async (variable, protocol, refuse, why, remedy) => {
    const origin = await startOrigin();
    const proxy = await startProxy(origin.url, { refuse });
    const fetch = createFetch({ [variable]: proxy.url.replace('http://', 'http://octo:c%40t@') });
    const thrown = await fetch(`${protocol}://models.example/`).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ name: 'TypeError', message: 'fetch failed' });
    const cause = networkCause(thrown);
    expect(cause.message).toBe(`the proxy ${new URL(proxy.url).host} (\`${variable}\`) ${why}`);
    expect(cause.remedy).toContain(remedy);
    expect(JSON.stringify(cause)).not.toContain('octo');
    expect(origin.requests()).toEqual([]);
  });

  it.each(['HTTPS_PROXY', 'HTTP_PROXY'])('reports when %s is unreachable', async (variable) => {
    const origin = await startOrigin();
    await origin.close();
    const asked = createFetch({ [variable]: origin.url })(
      `${variable === 'HTTP_PROXY' ? 'http' : 'https'}://models.example/`,
    );
    const cause = networkCause(await asked.catch((error: unknown) => error));
    expect(cause.message).toMatch(
      /^the proxy 127\.0\.0\.1:\d+ \(`HTTPS?_PROXY`\) cannot be reached: connect ECONNREFUSED/,
    );
    expect(cause.remedy).toContain(variable);
  });

  it('blames no proxy for errors of the server', async () => {
    const origin = await startOrigin();
    const proxy = await startProxy(origin.url);
    const asked = createFetch({ HTTPS_PROXY: proxy.url })('https://models.example/');
    expect(networkCause(await asked.catch((error: unknown) => error)).remedy).toBeUndefined();
  });

  it.each(['socks5://proxy.example', 'http://', '://', 'ftp://proxy.example'])(
    'reports that %s is not an address of a proxy, without showing it',
    async (proxy) => {
      await expect(createFetch({ HTTPS_PROXY: proxy })('https://models.example/')).rejects.toMatchObject({
        name: 'ConfigError',
        message: 'the proxy in the environment has no address that can be used',
        exitCode: 2,
      });
    },
  );
});

const PROXY = 'http://proxy.example:3128';

function proxyOf(url: string, env: Readonly<Record<string, string>>): string | undefined {
  return proxyFor(new URL(url), env);
}

describe('the proxy of the environment', () => {
  it.each([
    ['https://api.example/v1', { HTTPS_PROXY: PROXY }, PROXY],
    ['https://api.example/v1', { https_proxy: PROXY }, PROXY],
    ['http://api.example/v1', { HTTP_PROXY: PROXY }, PROXY],
    ['http://api.example/v1', { http_proxy: PROXY }, PROXY],
    ['https://api.example/v1', { HTTP_PROXY: PROXY }, undefined],
    ['http://api.example/v1', { HTTPS_PROXY: PROXY }, undefined],
    ['https://api.example/v1', { https_proxy: '', HTTPS_PROXY: PROXY }, PROXY],
    ['https://api.example/v1', { HTTPS_PROXY: ' ', https_proxy: PROXY }, PROXY],
    ['https://api.example/v1', {}, undefined],
    ['https://api.example/v1', { HTTPS_PROXY: 'proxy.example:3128' }, PROXY],
    ['https://api.example/v1', { HTTPS_PROXY: `${PROXY}\n` }, PROXY],
  ])('for %s in %j is %s', (url, env, proxy) => {
    expect(proxyOf(url, env)).toBe(proxy);
  });

  it.each(['http://localhost:11434/', 'http://127.0.0.1:8080/', 'http://127.8.9.1/', 'http://[::1]:8080/'])(
    'is not used for this machine: %s',
    (url) => {
      expect(proxyOf(url, { HTTP_PROXY: PROXY })).toBeUndefined();
    },
  );

  it.each(['http://127.example/', 'http://localhost.example/', 'http://192.168.0.1/'])(
    'is used for what only looks like this machine: %s',
    (url) => {
      expect(proxyOf(url, { HTTP_PROXY: PROXY })).toBe(PROXY);
    },
  );
});

describe('NO_PROXY', () => {
  it.each([
    ['*', 'https://api.example/', true],
    ['api.example', 'https://api.example/', true],
    ['API.Example', 'https://api.example/', true],
    ['example', 'https://api.example/', true],
    ['pi.example', 'https://api.example/', false],
    ['.example', 'https://api.example/', true],
    ['.api.example', 'https://api.example/', false],
    ['*.example', 'https://api.example/', true],
    ['api.example:443', 'https://api.example/', true],
    ['api.example:8443', 'https://api.example/', false],
    ['api.example:8443', 'https://api.example:8443/', true],
    ['other.example, api.example', 'https://api.example/', true],
    ['other.example api.example', 'https://api.example/', true],
    ['10.0.0.0/8', 'https://10.1.2.3/', true],
    ['10.0.0.0/8', 'https://11.1.2.3/', false],
    ['10.0.0.0/99', 'https://10.1.2.3/', false],
    ['10.0.0.0/8', 'https://api.example/', false],
    ['fd00::/8', 'https://[fd00::1]/', true],
    ['fd00::/8', 'https://[fe80::1]/', false],
    ['fd00::1', 'https://[fd00::1]/', true],
    ['[fd00::1]:443', 'https://[fd00::1]/', true],
    ['10.1.2.3', 'https://10.1.2.3/', true],
    ['', 'https://api.example/', false],
    [',', 'https://api.example/', false],
  ])('%j covers %s: %s', (noProxy, url, covered) => {
    for (const name of ['NO_PROXY', 'no_proxy']) {
      expect(proxyOf(url, { HTTPS_PROXY: PROXY, [name]: noProxy }) === undefined).toBe(covered);
    }
  });
});
