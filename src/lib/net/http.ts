import { isIP } from 'node:net';
import type { Environment } from '../environment.js';
import { AxeError, ConfigError, networkCause } from '../errors.js';
import { Agent, type Dispatcher, Pool, ProxyAgent, fetch as undiciFetch } from './undici.js';

/** Models can think longer than the 300 s that undici and Node's fetch wait for the first byte. */
const NO_TIME_LIMIT = { headersTimeout: 0, bodyTimeout: 0 };

/**
 * The fetch that all our connections use: direct, or through the proxy that the environment names
 * (`NO_PROXY` is respected). Only the caller's signal limits how long an answer can take. Node
 * itself reads `NODE_EXTRA_CA_CERTS`. Rejects with a ConfigError if the proxy's address is invalid.
 * Other errors are fetch's; their cause is an AxeError if the proxy refused the request or a
 * certificate is not trusted, so that the server is not blamed for it.
 */
export function createFetch(env: Environment): typeof globalThis.fetch {
  const dispatchers = new Map<string, Dispatcher>();
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const proxyAddress = proxyFor(url, env);
    const proxy = proxyAddress === undefined ? undefined : proxyUrl(proxyAddress);

    const key = proxy?.href ?? '';
    const dispatcher = dispatchers.get(key) ?? createDispatcher(proxy);
    dispatchers.set(key, dispatcher);

    // undici's fetch and Node's are the same function in two versions; only their types differ.
    const fetch = undiciFetch as unknown as (input: unknown, init: object) => Promise<Response>;
    try {
      return await fetch(input, { ...init, dispatcher });
    } catch (thrown) {
      const variable = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
      const cause =
        certificateTrouble(thrown, url) ?? (proxy && proxyTrouble(thrown, proxy, variable));
      throw cause === undefined ? thrown : new TypeError('fetch failed', { cause });
    }
  };
}

function createDispatcher(proxy: URL | undefined): Dispatcher {
  if (proxy === undefined) return new Agent(NO_TIME_LIMIT);
  return new ProxyAgent({
    uri: proxy.href,
    proxyTunnel: false,
    ...NO_TIME_LIMIT,
    // For plain http the agent does not pass its limits on to its pools.
    factory: (origin, options) => new Pool(origin, { ...options, ...NO_TIME_LIMIT }),
  });
}

function proxyUrl(proxy: string): URL {
  const url = URL.canParse(proxy) ? new URL(proxy) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new ConfigError('the proxy in the environment is not a usable address', {
    remedy:
      'Set `HTTPS_PROXY` and `HTTP_PROXY` to an http address, for example `http://proxy.example:3128`.',
  });
}

/** Private servers, and proxies that decrypt traffic, have certificates that Node does not know. */
function certificateTrouble(thrown: unknown, { host }: URL): AxeError | undefined {
  const { code = '', message } = networkCause(thrown);
  if (!UNTRUSTED.has(code)) return undefined;
  return new ConfigError(`the certificate shown for ${host} is not trusted: ${message}`, {
    remedy: "Set `NODE_EXTRA_CA_CERTS` to a PEM file with your authority's certificate.",
    cause: thrown,
  });
}

/**
 * Codes of a certificate chain without a trusted root (https://nodejs.org/api/tls.html, "X509
 * certificate error codes", 2026-11-24).
 */
const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/**
 * The error if the proxy, which `variable` of the environment names, is to blame. It is not blamed
 * for a connection that was made and broke later: that could be the server's fault.
 */
function proxyTrouble(thrown: unknown, proxy: URL, variable: string): AxeError | undefined {
  const { code = '', message } = networkCause(thrown);
  // undici 6 reports a proxy's refusal in these words: for a tunnel, and for plain http.
  const [, tunnelStatus, httpStatus] = /^Proxy response \((\d{3})\)|\((407)\)$/.exec(message) ?? [];
  const status = tunnelStatus ?? httpStatus;
  if (status === undefined && !UNCONNECTED.has(code)) return undefined;

  const name = `the proxy ${proxy.host} (\`${variable}\`)`;
  const details = {
    remedy: `Check \`${variable}\` and the user and password in it, or name the host in \`NO_PROXY\`.`,
    cause: thrown,
  };
  return status === undefined
    ? new AxeError(`${name} cannot be reached: ${message}`, details)
    : new ConfigError(`${name} answered ${status}`, details);
}

/** Codes of a connection that was never made. With a proxy, it is the proxy that we connect to. */
const UNCONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * The URL of the proxy that the environment names for an address; undefined for a direct
 * connection. The rules are Go's, and so axe's: `HTTPS_PROXY` is for https alone, an address
 * without a scheme is http, empty means not set, and loopback addresses never go through a proxy.
 * `NO_PROXY` is obeyed except for its address ranges.
 */
export function proxyFor(url: URL, env: Environment): string | undefined {
  const isSecure = url.protocol === 'https:';
  const proxy = isSecure
    ? firstSet([env['HTTPS_PROXY'], env['https_proxy']])
    : firstSet([env['HTTP_PROXY'], env['http_proxy']]);
  if (proxy === undefined) return undefined;

  const host = url.hostname.toLowerCase().replace(/^\[|\]$/g, '');
  const port = url.port || (isSecure ? '443' : '80');
  const exempt = (firstSet([env['NO_PROXY'], env['no_proxy']]) ?? '').toLowerCase().split(/[\s,]+/);
  const isLoopback =
    host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
  if (isLoopback || exempt.some((entry) => covers(entry, host, port))) return undefined;

  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

function firstSet(values: readonly (string | undefined)[]): string | undefined {
  return values.map((value) => value?.trim()).find((value) => value !== undefined && value !== '');
}

/**
 * An entry of `NO_PROXY` is `*`, an address, a name (which covers its subdomains too), or a name
 * after a dot (which covers the subdomains alone). Each can have a port.
 */
function covers(entry: string, host: string, port: string): boolean {
  const bracketed = isIP(entry) === 6 ? `[${entry}]` : entry;
  const [, pattern = '', entryPort = ''] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(bracketed) ?? [];
  if (pattern === '' || (entryPort !== '' && entryPort !== port)) return false;
  if (pattern === '*') return true;

  const name = pattern.replace(/^\*/, '');
  return name.startsWith('.') ? host.endsWith(name) : host === name || host.endsWith(`.${name}`);
}
