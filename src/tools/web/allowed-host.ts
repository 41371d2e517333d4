import { BlockList, isIP } from 'node:net';

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
  return isLocalName(host) ? `host ${JSON.stringify(host)} is a name in a private network` : undefined;
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

/**
 * Whether an IP address, as a resolver or `URL` writes it, belongs to the public internet: not to this machine, its
 * networks, a cloud's metadata service, documentation or multicast. An IPv6 address that carries an IPv4 one (mapped, or by
 * NAT64) is judged by that, which is how `BlockList` takes mapped ones. What cannot be read is not public (RFC 6890, IANA's
 * special-purpose registries).
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !SPECIAL.check(address);
  if (isIP(address) !== 6) return false;
  // `URL` writes one form. A zone (`%eth0`) does not belong to the address, and only local ones have any.
  const plain = new URL(`http://[${address.replace(/%.*/, '')}]`).hostname.slice(1, -1);
  const [, embedded] = /^(?:::ffff|64:ff9b:):([\da-f]+:[\da-f]+)$/.exec(plain) ?? [];
  if (embedded !== undefined) return !SPECIAL.check(`::ffff:${embedded}`, 'ipv6');
  return UNICAST.check(plain, 'ipv6') && !SPECIAL.check(plain, 'ipv6');
}

/** Only global unicast is public. */
const UNICAST = new BlockList();
UNICAST.addSubnet('2000::', 3, 'ipv6');

const SPECIAL = new BlockList();
for (const [first, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // The agent of Azure's machines, which GitHub's runners are; its address looks public.
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  // Tunnels, of which 6to4 is used no more, and documentation.
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  SPECIAL.addSubnet(first, bits, first.includes(':') ? 'ipv6' : 'ipv4');
}
