import { lookup as resolveName } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, fetch, ProxyAgent } from 'undici';
import type { Environment } from '../../lib/environment.js';
import { messageOf, ToolError } from '../../lib/errors.js';
import { proxyFor } from '../../lib/net/http.js';
import { networkCause } from '../../lib/network-cause.js';
import { VERSION } from '../../lib/product.js';
import { shown } from '../../lib/text/cut.js';
import { hostOf, refuseUrl } from './allowed-host.js';
import { isPublicAddress } from './public-address.js';

/** What a page may be. */
export interface PageOptions {
  /** As in the agent's `allowed_hosts`; empty for every public host. */
  readonly allowedHosts: readonly string[];
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** A page as it was received. */
export interface Page {
  /** Where it was found in the end. */
  readonly url: string;
  readonly status: number;
  /** In lower case and without parameters: `text/html`; empty if the server named none. */
  readonly mediaType: string;
  readonly text: string;
  /** There was more than `maxBytes`. */
  readonly truncated: boolean;
  /** Something the reader should know of how the address was checked. */
  readonly note: string | undefined;
}

export interface WebOptions extends PublicLookupOptions {
  /** The environment, for the proxies and the services of the runner it names. */
  readonly env: Environment;
  readonly signal: AbortSignal;
}

const MAX_REDIRECTS = 5;
const MAX_URL = 2048;

const PROXY_NOTE =
  'a proxy resolved the name of the host: only literal addresses and names were checked, not what they resolve to';

/**
 * Fetches pages for a model. Only http and https, no credentials, no cookies; redirects are followed by hand, five at
 * most, and each is checked like the first address. Names are resolved once and the addresses checked at the moment of
 * connecting, so no second answer of a name server can change them; private, local and reserved ones are refused
 * (memory-and-security C7 92).
 *
 * Behind a proxy the name is resolved by the proxy, out of our sight: then literal addresses, local names and
 * `allowed_hosts` are all that is checked, and the page says so in its `note`. Hosts that `NO_PROXY` names are reached
 * directly and checked in full. Throws a ToolError for whatever is refused or fails; the signal's reason if it aborts.
 */
export async function fetchPage(
  url: string,
  page: PageOptions,
  { signal: outer, ...options }: WebOptions,
): Promise<Page> {
  const timeout = AbortSignal.timeout(page.timeoutMs);
  const signal = AbortSignal.any([outer, timeout]);
  let note: string | undefined;
  try {
    let target = parseUrl(url);
    for (let redirects = 0; ; redirects += 1) {
      refuseOrThrow(target, page.allowedHosts, options.env);
      const hop = await openHop(target, { ...options, signal });
      note ??= hop.isProxied && isIP(hostOf(target)) === 0 ? PROXY_NOTE : undefined;
      try {
        const response = await hop.response();
        const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
        if (location === null) return { ...(await receive(response, target, page.maxBytes)), note };
        if (redirects >= MAX_REDIRECTS) throw new ToolError(`more than ${MAX_REDIRECTS} redirects`);
        target = parseUrl(location, target.href);
      } finally {
        await hop.close();
      }
    }
  } catch (thrown) {
    outer.throwIfAborted();
    throw explain(thrown, url, page.timeoutMs, timeout.aborted);
  }
}

const ACCEPT = 'text/html, text/*;q=0.9, application/json;q=0.9, application/xml;q=0.8, */*;q=0.1';
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** A request with connections of its own: nothing stays open, and what was checked once is not trusted later. */
async function openHop(url: URL, { env, signal, ...lookupOptions }: WebOptions) {
  const proxy = proxyFor(url, env);
  if (proxy !== undefined && !URL.canParse(proxy)) {
    throw new ToolError('the proxy in the environment has no address that can be used');
  }
  const dispatcher =
    proxy === undefined
      ? new Agent({ connect: { lookup: createPublicLookup(lookupOptions) } })
      : new ProxyAgent({ uri: proxy, proxyTunnel: false });
  const headers = { 'user-agent': `axe-action/${VERSION}`, accept: ACCEPT };
  return {
    isProxied: proxy !== undefined,
    response: () => fetch(url.href, { dispatcher, redirect: 'manual', signal, headers }),
    close: () => dispatcher.destroy(),
  };
}

function parseUrl(url: string, base?: string): URL {
  if (url.length > MAX_URL || !URL.canParse(url, base)) {
    throw new ToolError(`${shown(url)} is not a complete address; write it with https://`);
  }
  const parsed = new URL(url, base);
  // Neither the model's nor a page's credentials go anywhere.
  parsed.username = '';
  parsed.password = '';
  parsed.hash = '';
  return parsed;
}

function refuseOrThrow(url: URL, allowedHosts: readonly string[], env: WebOptions['env']): void {
  const reason = refuseUrl(url, allowedHosts);
  if (reason !== undefined) throw new ToolError(reason);
  const host = hostOf(url);
  if (runnerHosts(env).has(host)) throw new ToolError(`host ${shown(host)} is a service of the runner`);
}

/**
 * Where the runner keeps caches, artifacts and results. On a server of one's own they share the host of its pages,
 * which are not refused.
 */
function runnerHosts(env: WebOptions['env']): ReadonlySet<string> {
  const services = Object.keys(env).filter((name) => /^ACTIONS_\w+_URL$/.test(name));
  const hosts = new Set(services.map((name) => hostIn(env[name])));
  for (const host of ['', hostIn(env['GITHUB_SERVER_URL'])]) hosts.delete(host);
  return hosts;
}

function hostIn(url = ''): string {
  return URL.canParse(url) ? hostOf(new URL(url)) : '';
}

async function receive(
  { status, headers, body }: Awaited<ReturnType<typeof fetch>>,
  url: URL,
  maxBytes: number,
): Promise<Omit<Page, 'note'>> {
  const [mediaType = '', ...parameters] = (headers.get('content-type') ?? '').toLowerCase().split(';');
  const type = mediaType.trim();
  if (!isText(type)) throw new ToolError(`${shown(url.href)} is ${shown(type)}, which is not text`);
  const { bytes, truncated } = await readCapped(body, maxBytes);
  if (type === '' && bytes.includes(0)) throw new ToolError(`${shown(url.href)} is not text`);
  return { url: url.href, status, mediaType: type, text: decode(bytes, parameters), truncated };
}

function isText(type: string): boolean {
  return (
    type === '' ||
    type.startsWith('text/') ||
    /^application\/(?:(?:[\w.-]+\+)?(?:json|xml)|(?:x-)?(?:javascript|yaml|toml|ndjson|sh))$/.test(type)
  );
}

function decode(bytes: Uint8Array, parameters: readonly string[]): string {
  const charset = parameters.map((one) => /^\s*charset="?([\w.:-]+)"?\s*$/.exec(one)?.[1]).find(Boolean);
  try {
    return new TextDecoder(charset ?? 'utf-8').decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function explain(thrown: unknown, url: string, timeoutMs: number, isTimeout: boolean): ToolError {
  const cause = thrown instanceof TypeError ? thrown.cause : thrown;
  if (cause instanceof ToolError) return cause;
  if (isTimeout) return new ToolError(`${shown(url)} did not answer within ${timeoutMs / 1000} seconds`);
  return new ToolError(`${shown(url)} could not be fetched: ${networkCause(thrown).message}`);
}

/** Where addresses come from; both are the system's own unless a test says otherwise. */
interface PublicLookupOptions {
  /** Every address of a host. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** The address that is connected to for one that was found public. */
  readonly route?: (address: string) => string;
}

/**
 * A lookup that gives public addresses only, for a socket to connect to: what is checked is what is used. A host with a
 * single address that is not public fails as a whole, with a ToolError (memory-and-security C7 92).
 */
function createPublicLookup({
  resolve = resolveAll,
  route = (address) => address,
}: PublicLookupOptions): LookupFunction {
  return (host, options, callback) => {
    publicAddresses(host, resolve).then(
      (addresses) => {
        const found = addresses.map(route).map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (options.all === true) callback(null, found);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: Error) => callback(error, ''),
    );
  };
}

async function publicAddresses(
  host: string,
  resolve: (host: string) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const addresses = await resolve(host);
  if (addresses.length === 0) throw new ToolError(`host "${host}" has no address`);
  const wrong = addresses.find((address) => !isPublicAddress(address));
  if (wrong === undefined) return addresses;
  throw new ToolError(`host "${host}" resolves to the private or reserved address ${wrong}`);
}

async function resolveAll(host: string): Promise<readonly string[]> {
  try {
    return (await resolveName(host, { all: true })).map(({ address }) => address);
  } catch (thrown) {
    throw new ToolError(`host "${host}" could not be resolved: ${messageOf(thrown)}`);
  }
}

/** The first bytes of a body; what is beyond them is not received. */
export async function readCapped(body: AsyncIterable<Uint8Array> | null, maxBytes: number) {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    total += chunk.length;
    if (total > maxBytes) break;
  }
  return { bytes: new Uint8Array(Buffer.concat(chunks).subarray(0, maxBytes)), truncated: total > maxBytes };
}
