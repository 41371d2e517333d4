import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.js';

/**
 * Why a URL must not be fetched, judged by its text alone; undefined if it may. `allowedHosts` is the agent's list, empty
 * for every public host: an entry is a host, or a domain with everything below it (`*.example.com`, `.example.com`; axe
 * knows exact hosts only). Addresses are judged in any spelling, since `URL` writes them in one
 * (memory-and-security C7 92).
 */
export function refuseUrl(url: URL, allowedHosts: readonly string[]): string | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return `unsupported scheme ${JSON.stringify(url.protocol.slice(0, -1))}: only http and https are allowed`;
  }
  const host = hostOf(url);
  if (host === '') return 'the URL has no host';
  if (allowedHosts.length > 0 && !allowedHosts.some((entry) => matchesHost(entry, host))) {
    return `host ${JSON.stringify(host)} is not in allowed_hosts (${allowedHosts.join(', ')})`;
  }
  if (isIP(host) !== 0) {
    return isPublicAddress(host) ? undefined : `address ${host} is a private or reserved one`;
  }
  return isLocalName(host) ? `host ${JSON.stringify(host)} is a name of a private network` : undefined;
}

/** The host without brackets and final dot. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

function matchesHost(entry: string, host: string): boolean {
  const allowed = entry.trim().toLowerCase().replace(/\.$/, '');
  const domain = /^\*?(\..+)$/.exec(allowed)?.[1];
  return domain === undefined ? allowed === host : host.endsWith(domain);
}

/** Names that never stand for a public host (RFC 6761, RFC 6762, RFC 8375, ICANN's `.internal`), and bare ones. */
function isLocalName(host: string): boolean {
  return !host.includes('.') || /(?:^|\.)(?:localhost|local|internal|home\.arpa|test|invalid)$/.test(host);
}
