import type { ProxyAgent } from 'undici';
import { ConfigError } from '../../axe/errors.js';
import { proxyFor } from './proxy.js';

const PROXY_VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'];

/**
 * The fetch that every connection of ours uses: Node's own, or one that goes through the proxy the environment names,
 * `NO_PROXY` respected (D25). The proxy code is loaded only at the first request that needs it.
 * `NODE_EXTRA_CA_CERTS` is Node's own business. Rejects with a ConfigError where the proxy's address is none.
 */
export function createFetch(env: Readonly<Record<string, string | undefined>>): typeof globalThis.fetch {
  if (!PROXY_VARIABLES.some((name) => (env[name] ?? '') !== '')) return globalThis.fetch;
  const agents = new Map<string, ProxyAgent>();
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const proxy = proxyFor(url, env);
    if (proxy === undefined) return await globalThis.fetch(input, init);
    return await fetchThrough(proxyUrl(proxy), agents)(input, init);
  };
}

function proxyUrl(proxy: string): URL {
  const url = URL.canParse(proxy) ? new URL(proxy) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new ConfigError('the proxy in the environment has no address that can be used', {
    remedy: 'Set `HTTPS_PROXY` and `HTTP_PROXY` to an http address, for example `http://proxy.example:3128`.',
  });
}

function fetchThrough(proxy: URL, agents: Map<string, ProxyAgent>): typeof globalThis.fetch {
  return async (input, init) => {
    const { ProxyAgent, fetch } = await import('undici');
    const dispatcher = agents.get(proxy.href) ?? new ProxyAgent({ uri: proxy.href, proxyTunnel: false });
    agents.set(proxy.href, dispatcher);
    // undici's fetch and Node's are the same function in two versions; only their declared types differ.
    const withProxy: unknown = fetch;
    return await (withProxy as (input: unknown, init: object) => Promise<Response>)(input, {
      ...init,
      dispatcher,
    });
  };
}
