import { BlockList, isIP } from 'node:net';
import type { Environment } from '../environment.js';

/**
 * The proxy that the environment names for an address, as a URL; undefined where it is asked directly. The rules are
 * those of Go and so of axe: `HTTPS_PROXY` is for https alone, an address without scheme is taken for http, empty
 * means not set, this machine is never asked through a proxy, and `NO_PROXY` is obeyed.
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
  if (isLoopback(host) || exempt.some((entry) => covers(entry, host, port))) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

function firstSet(values: readonly (string | undefined)[]): string | undefined {
  return values.map((value) => value?.trim()).find((value) => value !== undefined && value !== '');
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/**
 * Whether an entry of `NO_PROXY` covers a host: `*`, an address, a range (`10.0.0.0/8`), a name with everything below
 * it, or with a dot before it only what is below; each may name a port.
 */
function covers(entry: string, host: string, port: string): boolean {
  const [, pattern = '', ownPort = ''] =
    /^\[?(.*?)\]?(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? [];
  if (pattern === '' || (ownPort !== '' && ownPort !== port)) return false;
  if (pattern === '*') return true;
  if (pattern.includes('/')) return isInRange(pattern, host);
  const name = pattern.replace(/^\*/, '');
  return name.startsWith('.') ? host.endsWith(name) : host === name || host.endsWith(`.${name}`);
}

function isInRange(range: string, host: string): boolean {
  const [network = '', prefix = ''] = range.split('/');
  const family = isIP(network);
  if (family === 0 || family !== isIP(host) || !/^\d{1,3}$/.test(prefix)) return false;
  if (Number(prefix) > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  const type = family === 4 ? 'ipv4' : 'ipv6';
  list.addSubnet(network, Number(prefix), type);
  return list.check(host, type);
}
