import type { Fresh } from './keyless.js';

/** Headers in which the packages send a key; each insists on one, also where there is none to send. */
const KEY_HEADERS = ['authorization', 'api-key', 'x-api-key', 'x-goog-api-key'];

/** Stands for the key that a package insists on, and never leaves: {@link withAuth} takes it out. */
export const NO_KEY = 'none';

/** Sends these headers instead of the package's own key. */
export function withAuth(
  fetch: typeof globalThis.fetch,
  auth: Fresh<Readonly<Record<string, string>>>,
): typeof globalThis.fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    for (const name of KEY_HEADERS) headers.delete(name);
    const own = await auth(init?.signal ?? undefined);
    return await fetch(input, { ...init, headers: { ...Object.fromEntries(headers), ...own } });
  };
}

/** The token as a header (RFC 6750). */
export function bearer(token: Fresh<string>): Fresh<Readonly<Record<string, string>>> {
  return async (signal) => ({ authorization: `Bearer ${await token(signal)}` });
}
