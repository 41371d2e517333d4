import { describe, expect, it } from '@jest/globals';
import { proxyFor } from '../../../src/lib/net/proxy.js';

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
