import { lookup as resolveName } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { messageOf } from '../../../core/errors.js';
import { ToolError } from '../../../core/tool-error.js';
import { isPublicAddress } from '../../../core/tools/web/public-address.js';

/** Where addresses come from; both are the system's own unless a test says otherwise. */
export interface PublicLookupOptions {
  /** Every address of a host. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** The address that is connected to for one that was found public. */
  readonly route?: (address: string) => string;
}

/**
 * A lookup that gives public addresses only, for a socket to connect to: what is checked is what is used. A host with a
 * single address that is not public fails as a whole, with a ToolError (memory-and-security C7 92).
 */
export function createPublicLookup({
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
