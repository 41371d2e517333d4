import { realmFetch } from '../helpers/realm-fetch.js';

/** GitHub's statement of who runs the job, which a cloud exchanges for a token. */
export const STATEMENT = 'eyJhbGciOi.statement.signature';

export const idToken = async () => STATEMENT;

/** The same, with the audiences that it was asked for. */
export function countedIdToken() {
  const audiences: string[] = [];
  return {
    audiences,
    idToken: async (audience: string) => {
      audiences.push(audience);
      return STATEMENT;
    },
  };
}

/** The form in the body of a request. */
export function formIn(request: { readonly body: unknown } | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(String(request?.body)));
}

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
