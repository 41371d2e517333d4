/**
 * Whether an IP address, as a resolver or `URL` writes it, belongs to the public internet: not to this machine, its
 * networks, a cloud's metadata service, documentation or multicast. An IPv6 address that carries an IPv4 one is judged
 * by that. What cannot be read is not public (RFC 6890, IANA's special-purpose registries).
 */
export function isPublicAddress(address: string): boolean {
  const four = parseIPv4(address);
  if (four !== undefined) return isPublicIPv4(four);
  const six = parseIPv6(address);
  return six !== undefined && isPublicIPv6(six);
}

/** Whether a text is an IP address; brackets around IPv6 are not part of it. */
export function isAddress(text: string): boolean {
  return parseIPv4(text) !== undefined || parseIPv6(text) !== undefined;
}

type Block = readonly [first: string, bits: number];

const PRIVATE_IPV4: readonly Block[] = [
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
];

function isPublicIPv4(address: number): boolean {
  return !PRIVATE_IPV4.some(([first, bits]) => {
    const size = 2 ** (32 - bits);
    const start = parseIPv4(first) ?? 0;
    return address >= start && address < start + size;
  });
}

/** Only global unicast is public; of that, what tunnels, documents or is set aside is not. */
function isPublicIPv6(groups: readonly number[]): boolean {
  const [first = 0, second = 0] = groups;
  const embedded = embeddedIPv4(groups);
  if (embedded !== undefined) return isPublicIPv4(embedded);
  const isGlobal = first >= 0x2000 && first <= 0x3fff;
  const isSpecial = first === 0x2001 && (second < 0x0200 || second === 0x0db8);
  return isGlobal && !isSpecial && !(first === 0x3fff && second < 0x1000);
}

/** The IPv4 address inside of a mapped, compatible, translated (NAT64) or 6to4 address. */
function embeddedIPv4(groups: readonly number[]): number | undefined {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups;
  if (a === 0x2002) return b * 0x10000 + c;
  const isZero = b === 0 && c === 0 && d === 0 && e === 0;
  const isMapped = a === 0 && isZero && (f === 0xffff || f === 0);
  const isTranslated =
    (a === 0x64 && b === 0xff9b && c === 0 && d === 0 && e === 0 && f === 0) ||
    (a === 0 && b === 0 && c === 0 && d === 0 && e === 0xffff && f === 0);
  return isMapped || isTranslated ? g * 0x10000 + h : undefined;
}

function parseIPv4(text: string): number | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256))
    return undefined;
  return parts.reduce((sum, part) => sum * 256 + Number(part), 0);
}

/** Eight groups; a zone (`%eth0`) does not belong to the address, and only local ones have any. */
function parseIPv6(text: string): readonly number[] | undefined {
  const halves = withoutDots(text).split('::');
  if (halves.length > 2 || !text.includes(':')) return undefined;
  const [left = [], right = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - left.length - right.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...left, ...Array.from({ length: missing }, () => '0'), ...right];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return groups.map((group) => Number.parseInt(group, 16));
}

/** The form that ends in an IPv4 address, with that written as two groups. */
function withoutDots(text: string): string {
  const colon = text.lastIndexOf(':');
  const four = parseIPv4(text.slice(colon + 1));
  if (colon < 0 || four === undefined) return text;
  const high = Math.floor(four / 0x10000).toString(16);
  return `${text.slice(0, colon + 1)}${high}:${(four % 0x10000).toString(16)}`;
}
