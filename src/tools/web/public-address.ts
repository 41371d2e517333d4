import { BlockList, isIP } from 'node:net';

/**
 * Whether an IP address, as a resolver or `URL` writes it, belongs to the public internet: not to this machine, its
 * networks, a cloud's metadata service, documentation or multicast. An IPv6 address that carries an IPv4 one is judged
 * by that. What cannot be read is not public (RFC 6890, IANA's special-purpose registries).
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !SPECIAL.check(address);
    case 6:
      return isPublicIPv6(groupsOf(address));
    default:
      return false;
  }
}

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
] as const) {
  SPECIAL.addSubnet(first, bits);
}

/** Only global unicast is public; of that, what tunnels, documents or is set aside is not. */
function isPublicIPv6(groups: readonly number[]): boolean {
  const [first = 0, second = 0] = groups;
  const embedded = embeddedIPv4(groups);
  if (embedded !== undefined) return !SPECIAL.check(embedded);
  const isGlobal = first >= 0x2000 && first <= 0x3fff;
  const isSpecial = first === 0x2001 && (second < 0x0200 || second === 0x0db8);
  return isGlobal && !isSpecial && !(first === 0x3fff && second < 0x1000);
}

/** The IPv4 address inside of a mapped, compatible, translated (NAT64) or 6to4 address. */
function embeddedIPv4(groups: readonly number[]): string | undefined {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups;
  if (a === 0x2002) return fromGroups(b, c);
  const isZero = b === 0 && c === 0 && d === 0 && e === 0;
  const isMapped = a === 0 && isZero && (f === 0xffff || f === 0);
  const isTranslated =
    (a === 0x64 && b === 0xff9b && c === 0 && d === 0 && e === 0 && f === 0) ||
    (a === 0 && b === 0 && c === 0 && d === 0 && e === 0xffff && f === 0);
  return isMapped || isTranslated ? fromGroups(g, h) : undefined;
}

function fromGroups(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

/** Eight groups; a zone (`%eth0`) does not belong to the address, and only local ones have any. `URL` writes one form. */
function groupsOf(address: string): readonly number[] {
  const { hostname } = new URL(`http://[${address.replace(/%.*/, '')}]`);
  const [left = [], right = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((half) => (half === '' ? [] : half.split(':').map((group) => Number.parseInt(group, 16))));
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => 0);
  return [...left, ...zeros, ...right];
}
