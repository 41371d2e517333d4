import type { Dispatcher } from 'undici';
import type { Environment } from '../../../core/environment.js';
import { AxeError, ConfigError } from '../../../core/errors.js';
import { type NetworkCause, networkCause } from '../../../core/network-cause.js';
import { withAnyPort } from './any-port.js';
import { directFetch } from './direct-fetch.js';
import { proxyFor } from './proxy.js';

const PROXY_VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'];

/**
 * The fetch that every connection of ours uses: {@link directFetch}, or one that goes through the proxy the environment
 * names, `NO_PROXY` respected (D25), to any port. The code for both is loaded only at the first request that needs it.
 * `NODE_EXTRA_CA_CERTS` is Node's own business. Rejects with a ConfigError where the proxy's address is none, and as fetch
 * does, with an AxeError as the cause, where the proxy does not let a request through: nobody else is to be blamed for it.
 */
export function createFetch(env: Environment): typeof globalThis.fetch {
  const dispatchers = new Map<string, Dispatcher>();
  const isProxied = PROXY_VARIABLES.some((name) => (env[name] ?? '') !== '');
  const proxyOf = (url: URL): URL | undefined => {
    const proxy = isProxied ? proxyFor(url, env) : undefined;
    return proxy === undefined ? undefined : proxyUrl(proxy);
  };
  const direct: typeof globalThis.fetch = async (input, init) => {
    const proxy = isProxied ? proxyOf(new URL(input instanceof Request ? input.url : input)) : undefined;
    if (proxy === undefined) return await directFetch(input, init);
    return await fetchThrough(await dispatcherOf(proxy, dispatchers))(input, init);
  };
  const fetch = withAnyPort(direct, (url) => dispatcherOf(proxyOf(url), dispatchers));
  if (!isProxied) return fetch;
  return async (input, init) => {
    try {
      return await fetch(input, init);
    } catch (thrown) {
      const url = new URL(input instanceof Request ? input.url : input);
      const proxy = proxyOf(url);
      if (proxy === undefined) throw thrown;
      const variable = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
      const cause = proxyTrouble(thrown, { proxy, variable });
      throw cause === undefined ? thrown : new TypeError('fetch failed', { cause });
    }
  };
}

function proxyUrl(proxy: string): URL {
  const url = URL.canParse(proxy) ? new URL(proxy) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new ConfigError('the proxy in the environment has no address that can be used', {
    remedy: 'Set `HTTPS_PROXY` and `HTTP_PROXY` to an http address, for example `http://proxy.example:3128`.',
  });
}

interface NamedProxy {
  readonly proxy: URL;
  /** The variable of the environment that names it. */
  readonly variable: string;
}

/** Whether the proxy is to blame; a connection that was made and broke later may be anybody's. */
function proxyTrouble(thrown: unknown, { proxy, variable }: NamedProxy): AxeError | undefined {
  const cause = networkCause(thrown);
  const name = `the proxy ${proxy.host} (\`${variable}\`)`;
  const status = refusalOf(cause);
  if (status === 407) {
    return new ConfigError(`${name} requires a user and a password (407)`, {
      remedy: `Write them into the address: \`${variable}: http://user:password@${proxy.host}\`, from a secret.`,
      cause: thrown,
    });
  }
  const isAway = UNCONNECTED.has(cause.code ?? '');
  if (status === undefined && !isAway) return undefined;
  const details = {
    remedy: `Check \`${variable}\`, or name the host in \`NO_PROXY\` to reach it without the proxy.`,
    cause: thrown,
  };
  return status === undefined
    ? new AxeError(`${name} cannot be reached: ${cause.message}`, details)
    : new ConfigError(`${name} answered ${status}`, details);
}

/** What keeps a connection from being made. Whoever is asked through a proxy, it is the proxy that is connected to. */
const UNCONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** The status with which the proxy refused, in the words of undici 6: for a tunnel, and for plain http. */
function refusalOf({ message }: NetworkCause): number | undefined {
  const [, tunnel, plain] = /^Proxy response \((\d{3})\)|\((407)\)$/.exec(message) ?? [];
  const status = tunnel ?? plain;
  return status === undefined ? undefined : Number(status);
}

/** One for each proxy, and one for none. */
async function dispatcherOf(proxy: URL | undefined, known: Map<string, Dispatcher>): Promise<Dispatcher> {
  const { default: undici } = await import('undici');
  const key = proxy?.href ?? '';
  const dispatcher =
    known.get(key) ??
    (proxy === undefined
      ? new undici.Agent()
      : new undici.ProxyAgent({ uri: proxy.href, proxyTunnel: false }));
  known.set(key, dispatcher);
  return dispatcher;
}

function fetchThrough(dispatcher: Dispatcher): typeof globalThis.fetch {
  return async (input, init) => {
    const { default: undici } = await import('undici');
    // undici's fetch and Node's are the same function in two versions; only their declared types differ.
    const withProxy: unknown = undici.fetch;
    return await (withProxy as (input: unknown, init: object) => Promise<Response>)(input, {
      ...init,
      dispatcher,
    });
  };
}
