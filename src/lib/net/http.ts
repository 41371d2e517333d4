import { isIP } from 'node:net';
// undici 6 is the version that `@actions/cache` and `@actions/github` depend on. 7 would be a second
// copy in the bundle.
import { Agent, type Dispatcher, Pool, ProxyAgent, fetch as undiciFetch } from 'undici';
import type { Environment } from '../environment.js';
import { AxeError, ConfigError, networkCause } from '../errors.js';

/**
 * A model may think longer than the 300 s that undici, and Node's own fetch, wait for the first
 * byte.
 */
const NO_TIME_LIMIT = { headersTimeout: 0, bodyTimeout: 0 };

/**
 * The fetch that every connection of ours uses, directly or through the proxy the environment
 * names, `NO_PROXY` respected (D25). Only the caller's signal limits how long an answer may take.
 * `NODE_EXTRA_CA_CERTS` is Node's own business. Rejects with a ConfigError where the proxy's
 * address is none, and as fetch does, with an AxeError as the cause, where the proxy does not let a
 * request through or a certificate is not known: nobody else is to be blamed for it.
 */
export function createFetch(env: Environment): typeof globalThis.fetch {
  const dispatchers = new Map<string, Dispatcher>();
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const named = proxyFor(url, env);
    const proxy = named === undefined ? undefined : proxyUrl(named);
    const key = proxy?.href ?? '';
    const dispatcher = dispatchers.get(key) ?? createDispatcher(proxy);
    dispatchers.set(key, dispatcher);
    // undici's fetch and Node's are the same function in two versions; only their declared types
    // differ.
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
    // For plain http the agent itself passes no limits on.
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

/**
 * A server of one's own, or a proxy that reads along, has a certificate that Node does not know.
 */
function certificateTrouble(thrown: unknown, { host }: URL): AxeError | undefined {
  const { code = '', message } = networkCause(thrown);
  if (!UNTRUSTED.has(code)) return undefined;
  return new ConfigError(`the certificate shown for ${host} is not trusted: ${message}`, {
    remedy: "Set `NODE_EXTRA_CA_CERTS` to a PEM file with your authority's certificate.",
    cause: thrown,
  });
}

/**
 * A chain without a known end (https://nodejs.org/api/tls.html, "X509 certificate error codes",
 * 2026-11-24).
 */
const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/**
 * Whether the proxy, which `variable` of the environment names, is to blame; a connection that was
 * made and broke later may be anybody's.
 */
function proxyTrouble(thrown: unknown, proxy: URL, variable: string): AxeError | undefined {
  const { code = '', message } = networkCause(thrown);
  // The words of undici 6 for a status with which the proxy refused: for a tunnel, and for plain
  // http.
  const [, tunnel, plain] = /^Proxy response \((\d{3})\)|\((407)\)$/.exec(message) ?? [];
  const status = tunnel ?? plain;
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

/**
 * What keeps a connection from being made. Whoever is asked through a proxy, it is the proxy that
 * is connected to.
 */
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
 * The proxy that the environment names for an address, as a URL; undefined where it is asked
 * directly. The rules are those of Go and so of axe: `HTTPS_PROXY` is for https alone, an address
 * without scheme is taken for http, empty means not set, this machine is never asked through a
 * proxy, and `NO_PROXY` is obeyed but for its ranges of addresses.
 */
export function proxyFor(url: URL, env: Environment): string | undefined {
  const isSecure = url.protocol === 'https:';
  const proxy = isSecure
    ? firstSet([env['HTTPS_PROXY'], env['https_proxy']])
    : firstSet([env['HTTP_PROXY'], env['http_proxy']]);
  if (proxy === undefined) return undefined;
  const host = url.hostname.toLowerCase().replace(/^\[|\]$/g, '');
  const port = url.port === '' ? (isSecure ? '443' : '80') : url.port;
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
 * Whether an entry of `NO_PROXY` covers a host: `*`, an address, a name with everything below it,
 * or with a dot before it only what is below; each may name a port.
 */
function covers(entry: string, host: string, port: string): boolean {
  const [, pattern = '', ownPort = ''] =
    /^\[?(.*?)\]?(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? [];
  if (pattern === '' || (ownPort !== '' && ownPort !== port)) return false;
  if (pattern === '*') return true;
  const name = pattern.replace(/^\*/, '');
  return name.startsWith('.') ? host.endsWith(name) : host === name || host.endsWith(`.${name}`);
}
