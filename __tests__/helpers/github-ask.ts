import { GITHUB_TOKEN, type GitHubServer } from './github-server.js';

/** An answer with its parsed body. */
export interface Asked {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into bodies of many shapes and compare what they find
  readonly body: any;
}

/** Requests to the fake as a program with a token sends them; null sends none. */
export function asking(github: Pick<GitHubServer, 'env'>, token: string | null = GITHUB_TOKEN) {
  return {
    /** `route` is a method and a path below the API's address. */
    async rest(route: string, body?: unknown, accept?: string): Promise<Asked> {
      const [method = 'GET', path = ''] = route.split(' ');
      return await ask(`${github.env.GITHUB_API_URL}${path}`, method, { body, token, accept });
    },
    async graphql(query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<Asked> {
      return await ask(github.env.GITHUB_GRAPHQL_URL, 'POST', { body: { query, variables }, token });
    },
  };
}

async function ask(
  url: string,
  method: string,
  {
    body,
    token,
    accept,
  }: { readonly body: unknown; readonly token: string | null; readonly accept?: string | undefined },
): Promise<Asked> {
  const response = await fetch(url, {
    method,
    headers: {
      accept: accept ?? 'application/vnd.github+json',
      ...(token === null ? {} : { authorization: `token ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = (response.headers.get('content-type') ?? '').includes('application/json');
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}
