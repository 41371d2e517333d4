import { describe, expect, it } from '@jest/globals';
import { VERSION } from '../../src/lib/product.js';
import { connectGitHub } from '../../src/run/github.js';
import { noAbort } from '../helpers/github-client-fake.js';
import { createFakeClock } from '../memory/stores/fake-clock.js';

interface Seen {
  readonly url: string;
  readonly headers: Headers;
}

/** A fetch that answers everything with an empty result, and what it was asked. */
function createFakeFetch(): { readonly fetch: typeof globalThis.fetch; readonly seen: readonly Seen[] } {
  const seen: Seen[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    seen.push({ url: String(input), headers: new Headers(init?.headers) });
    return new Response('{"data":{}}', { status: 200, headers: { 'content-type': 'application/json' } });
  };
  return { fetch, seen };
}

describe('connecting to GitHub', () => {
  it('is not done without a token', async () => {
    const { fetch, seen } = createFakeFetch();
    expect(await connectGitHub({ token: '', env: {}, fetch, clock: createFakeClock() })).toBeUndefined();
    expect(seen).toEqual([]);
  });

  it.each([
    [
      'a limit',
      403,
      { 'retry-after': '1' },
      [expect.stringMatching(/^Waiting \d s, as GitHub asks: GitHub answered 403 to /)],
    ],
    ['a wait that nobody notices', 502, {}, []],
  ])('writes a line for %s', async (_, status, headers, lines) => {
    const answers = [new Response('{"message":"rate limit"}', { status, headers }), new Response('{}')];
    const fetch = (async () => answers.shift()) as unknown as typeof globalThis.fetch;
    const told: string[] = [];
    const log = (line: string) => told.push(line);
    const client = await connectGitHub({ token: 't', env: {}, fetch, clock: createFakeClock(), log });
    expect(await client?.request('GET /x', { signal: noAbort() })).toEqual({ body: '{}' });
    expect(told).toEqual(lines);
  });

  const GHES = 'https://github.example.com/api';
  const GITHUB = 'https://api.github.com';
  it.each<[string, Readonly<Record<string, string>>, string, string]>([
    ['nothing that is set', {}, GITHUB, `${GITHUB}/graphql`],
    ['empty variables', { GITHUB_API_URL: '', GITHUB_GRAPHQL_URL: '' }, GITHUB, `${GITHUB}/graphql`],
    [
      'both addresses of an enterprise server',
      { GITHUB_API_URL: `${GHES}/v3`, GITHUB_GRAPHQL_URL: `${GHES}/graphql` },
      `${GHES}/v3`,
      `${GHES}/graphql`,
    ],
    [
      'the REST address of an enterprise server',
      { GITHUB_API_URL: `${GHES}/v3` },
      `${GHES}/v3`,
      `${GHES}/graphql`,
    ],
    ['a slash at its end', { GITHUB_API_URL: `${GHES}/v3/` }, `${GHES}/v3`, `${GHES}/graphql`],
    [
      'a data-residency tenant',
      { GITHUB_API_URL: 'https://api.octocorp.ghe.com' },
      'https://api.octocorp.ghe.com',
      'https://api.octocorp.ghe.com/graphql',
    ],
    [
      'a GraphQL address alone',
      { GITHUB_GRAPHQL_URL: 'https://elsewhere.example.com/graphql' },
      GITHUB,
      'https://elsewhere.example.com/graphql',
    ],
  ])('uses the addresses of the environment, with %s', async (_, env, rest, graphql) => {
    const { fetch, seen } = createFakeFetch();
    const client = await connectGitHub({ token: 'token-1', env, fetch, clock: createFakeClock() });
    const signal = noAbort();
    await client?.request('GET /repos/{owner}/{repo}', {
      params: { owner: 'octocat', repo: 'hello' },
      signal,
    });
    await client?.graphql('query { viewer { login } }', { variables: {}, signal });
    expect(seen.map(({ url }) => url)).toEqual([`${rest}/repos/octocat/hello`, graphql]);
    for (const { headers } of seen) {
      expect(headers.get('authorization')).toMatch(/ token-1$/);
      expect(headers.get('user-agent')).toMatch(new RegExp(`^axe-action/${VERSION} `));
    }
  });
});
