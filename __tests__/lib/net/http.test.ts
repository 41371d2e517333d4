import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { networkCause } from '../../../src/lib/errors.js';
import { createFetch, proxyFor } from '../../../src/lib/net/http.js';
import { type Peer, sendJson, startLoopback } from '../../helpers/loopback.js';
import { startProxy } from '../../helpers/proxy-server.js';
import { tempDir } from '../../helpers/temp.js';

async function startOrigin(): Promise<Peer> {
  return await startLoopback((request, response) => {
    if (request.path === '/moved')
      return void response.writeHead(302, { location: '/elsewhere' }).end();
    if (request.path === '/never') return;
    sendJson(response, 200, { said: request.body ?? null });
  });
}

describe('the fetch of every connection', () => {
  it.each([{}, { HTTPS_PROXY: '' }, { NO_PROXY: '*' }])(
    'connects directly with %j',
    async (env) => {
      const origin = await startOrigin();
      const answer = await createFetch(env)(origin.url, { method: 'PUT', body: 'x' });
      expect(await answer.json()).toEqual({ said: 'x' });
    },
  );

  it('names `NODE_EXTRA_CA_CERTS` where a certificate is of an authority of its own', async () => {
    const folder = tempDir('certificate');
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const asked = [
      'req',
      '-x509',
      '-nodes',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
    ];
    execFileSync('openssl', [...asked, '-subj', '/CN=own', '-keyout', key, '-out', cert], {
      stdio: 'pipe',
    });
    const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const thrown = await createFetch({})(`https://127.0.0.1:${port}/`).catch(
      (error: unknown) => error,
    );
    server.close();
    const cause = networkCause(thrown);
    expect(cause).toMatchObject({
      message: expect.stringContaining(`127.0.0.1:${port}`),
      isMistake: true,
    });
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
    const headers = { host: 'models.example', 'x-own': 'yes' };
    expect(origin.requests()[0]).toMatchObject({ path: '/v1/chat', headers });
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
    const fetch = createFetch({
      HTTP_PROXY: proxy.url,
      HTTPS_PROXY: proxy.url,
      NO_PROXY: '.internal',
    });
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

  it('stops when its signal aborts', async () => {
    const origin = await startOrigin();
    const proxy = await startProxy(origin.url);
    const controller = new AbortController();
    const reason = new Error('over');
    origin.onRequest(() => controller.abort(reason));
    const fetch = createFetch({ HTTP_PROXY: proxy.url });
    const asked = fetch('http://models.example/never', { signal: controller.signal });
    await expect(asked).rejects.toBe(reason);
  });

  it.each([
    ['HTTPS_PROXY', 'https', 407],
    ['HTTP_PROXY', 'http', 407],
    ['HTTPS_PROXY', 'https', 403],
  ])('reports when %s refuses %s with %i', async (variable, protocol, refuse) => {
    const origin = await startOrigin();
    const proxy = await startProxy(origin.url, { refuse });
    const fetch = createFetch({ [variable]: proxy.url.replace('http://', 'http://octo:c%40t@') });
    const thrown = await fetch(`${protocol}://models.example/`).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ name: 'TypeError', message: 'fetch failed' });
    const cause = networkCause(thrown);
    expect(cause.message).toBe(
      `the proxy ${new URL(proxy.url).host} (\`${variable}\`) answered ${refuse}`,
    );
    expect(cause.remedy).toContain(`Check \`${variable}\` and the user and password in it`);
    expect(JSON.stringify(cause)).not.toContain('octo');
    expect(origin.requests()).toEqual([]);
  });

  it.each(['HTTPS_PROXY', 'HTTP_PROXY'])('reports when %s is unreachable', async (variable) => {
    const origin = await startOrigin();
    await origin.close();
    const scheme = variable === 'HTTP_PROXY' ? 'http' : 'https';
    const asked = createFetch({ [variable]: origin.url })(`${scheme}://models.example/`);
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
      await expect(
        createFetch({ HTTPS_PROXY: proxy })('https://models.example/'),
      ).rejects.toMatchObject({
        name: 'ConfigError',
        message: 'the proxy in the environment is not a usable address',
        exitCode: 2,
      });
    },
  );
});

const PROXY = 'http://proxy.example:3128';
const SECURE = 'https://api.example/';
const PLAIN = 'http://api.example/';

it.each<[string, Record<string, string>, string | undefined]>([
  [SECURE, { HTTPS_PROXY: PROXY }, PROXY],
  [SECURE, { https_proxy: PROXY }, PROXY],
  [PLAIN, { HTTP_PROXY: PROXY }, PROXY],
  [PLAIN, { http_proxy: PROXY }, PROXY],
  [SECURE, { HTTP_PROXY: PROXY }, undefined],
  [PLAIN, { HTTPS_PROXY: PROXY }, undefined],
  [SECURE, { https_proxy: '', HTTPS_PROXY: PROXY }, PROXY],
  [SECURE, { HTTPS_PROXY: ' ', https_proxy: PROXY }, PROXY],
  [SECURE, {}, undefined],
  [SECURE, { HTTPS_PROXY: 'proxy.example:3128' }, PROXY],
  [SECURE, { HTTPS_PROXY: `${PROXY}\n` }, PROXY],
  // This machine, and what only looks like it.
  ['http://localhost:11434/', { HTTP_PROXY: PROXY }, undefined],
  ['http://127.8.9.1/', { HTTP_PROXY: PROXY }, undefined],
  ['http://[::1]:8080/', { HTTP_PROXY: PROXY }, undefined],
  ['http://127.example/', { HTTP_PROXY: PROXY }, PROXY],
  ['http://localhost.example/', { HTTP_PROXY: PROXY }, PROXY],
  ['http://192.168.0.1/', { HTTP_PROXY: PROXY }, PROXY],
])('the proxy for %s in %j is %s', (url, env, proxy) => {
  expect(proxyFor(new URL(url), env)).toBe(proxy);
});

it.each([
  ['*', true, SECURE],
  ['api.example', true, SECURE],
  ['API.Example', true, SECURE],
  ['example', true, SECURE],
  ['pi.example', false, SECURE],
  ['.example', true, SECURE],
  ['.api.example', false, SECURE],
  ['*.example', true, SECURE],
  ['api.example:443', true, SECURE],
  ['api.example:8443', false, SECURE],
  ['api.example:8443', true, 'https://api.example:8443/'],
  ['other.example, api.example', true, SECURE],
  ['other.example api.example', true, SECURE],
  ['fd00::1', true, 'https://[fd00::1]/'],
  ['[fd00::1]:443', true, 'https://[fd00::1]/'],
  ['', false, SECURE],
  [',', false, SECURE],
])('`NO_PROXY: %s` covers, %s: %s', (noProxy, covered, url) => {
  for (const name of ['NO_PROXY', 'no_proxy'])
    expect(proxyFor(new URL(url), { HTTPS_PROXY: PROXY, [name]: noProxy }) === undefined).toBe(
      covered,
    );
});
