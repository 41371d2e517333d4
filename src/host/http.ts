const PROXY_VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'];

/**
 * The fetch that every connection of ours uses: Node's own, or one that goes through the proxy the environment names,
 * `NO_PROXY` respected (D25). The proxy code is loaded only where there is a proxy, at the first request.
 * `NODE_EXTRA_CA_CERTS` is Node's own business.
 */
export function createFetch(env: Readonly<Record<string, string | undefined>>): typeof globalThis.fetch {
  if (!PROXY_VARIABLES.some((name) => (env[name] ?? '') !== '')) return globalThis.fetch;
  let proxied: Promise<typeof globalThis.fetch> | undefined;
  return async (input, init) => {
    proxied ??= createProxiedFetch(env);
    return await (await proxied)(input, init);
  };
}

async function createProxiedFetch(
  env: Readonly<Record<string, string | undefined>>,
): Promise<typeof globalThis.fetch> {
  const { EnvHttpProxyAgent, fetch } = await import('undici');
  const dispatcher = new EnvHttpProxyAgent(proxyOptions(env));
  // undici's fetch and Node's are the same function in two versions; only their declared types differ.
  const withProxy: unknown = (input: string, init: object) => fetch(input, { ...init, dispatcher });
  return withProxy as typeof globalThis.fetch;
}

function proxyOptions(env: Readonly<Record<string, string | undefined>>): {
  httpProxy?: string;
  httpsProxy?: string;
  noProxy?: string;
} {
  const httpProxy = env['http_proxy'] ?? env['HTTP_PROXY'];
  const httpsProxy = env['https_proxy'] ?? env['HTTPS_PROXY'];
  const noProxy = env['no_proxy'] ?? env['NO_PROXY'];
  return {
    ...(httpProxy === undefined ? {} : { httpProxy }),
    ...(httpsProxy === undefined ? {} : { httpsProxy }),
    ...(noProxy === undefined ? {} : { noProxy }),
  };
}
