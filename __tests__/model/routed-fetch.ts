import { realmFetch } from '../helpers/realm-fetch.js';

/** A fetch that goes to servers of the test instead of the hosts of the real world; any other host is refused. */
export function routedFetch(servers: Readonly<Record<string, string>>): typeof globalThis.fetch {
  return (input, init) => {
    const url = new URL(String(input));
    const server = servers[url.host];
    if (server === undefined && url.hostname !== '127.0.0.1') {
      return Promise.reject(new Error(`nobody may be asked at ${url.href}`));
    }
    return realmFetch(server === undefined ? url.href : `${server}${url.pathname}${url.search}`, init);
  };
}
