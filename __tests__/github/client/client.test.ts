import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createGitHubClient, type GitHubClient } from '../../../src/github/client/client.js';
import { GitHubError } from '../../../src/github/client/errors.js';
import { noteTimeLeft } from '../../../src/lib/clock.js';
import { type Handler, type Peer, sendJson, startLoopback } from '../../helpers/loopback.js';
import { createFakeClock } from '../../memory/stores/fake-clock.js';

/** No time is left to wait in. */
const { signal } = new AbortController();
noteTimeLeft(signal, () => 0);

/** A client of a server that answers as told. */
async function connect(
  handle: Handler,
  prefix = '',
  needsWrite: readonly string[] = [],
): Promise<{ client: GitHubClient; peer: Peer }> {
  const peer = await startLoopback(handle);
  const client = await createGitHubClient({
    token: 'token-1',
    apiUrl: `${peer.url}${prefix}`,
    graphqlUrl: `${peer.url}${prefix.replace('/v3', '')}/graphql`,
    fetch: globalThis.fetch,
    userAgent: 'axe-action/test',
    needsWrite,
    clock: createFakeClock(),
  });
  return { client, peer };
}

async function githubError(promise: Promise<unknown>): Promise<GitHubError> {
  const thrown: unknown = await promise
    .then(() => new Error('it did not reject'))
    .catch((error) => error);
  if (thrown instanceof GitHubError) return thrown;
  throw thrown;
}

it('a request fills the route, sends the token and the user agent, and returns the parsed body', async () => {
  const { client, peer } = await connect((_, response) => sendJson(response, 200, { id: 7 }));
  const answer = await client.request('GET /repos/{owner}/{repo}/pulls', {
    params: { owner: 'octocat', repo: 'hello', per_page: 100 },
    signal,
  });
  expect(answer).toEqual({ body: { id: 7 } });
  const [seen] = peer.requests();
  expect(seen?.path).toBe('/repos/octocat/hello/pulls');
  expect(seen?.query.get('per_page')).toBe('100');
  expect(seen?.headers['authorization']).toBe('token token-1');
  expect(seen?.headers['user-agent']).toMatch(/^axe-action\/test /);
});

it('a request goes to the paths of a GHES server', async () => {
  const { client, peer } = await connect(
    (_, response) => sendJson(response, 200, { data: {} }),
    '/api/v3',
  );
  await client.request('GET /repos/{owner}/{repo}', { params: { owner: 'a', repo: 'b' }, signal });
  await client.graphql('query { viewer { login } }', { variables: {}, signal });
  expect(peer.requests().map((request) => request.path)).toEqual([
    '/api/v3/repos/a/b',
    '/api/graphql',
  ]);
});

describe('a download', () => {
  const TARBALL = 'GET /repos/{owner}/{repo}/tarball/{ref}';
  const params = { owner: 'a', repo: 'b', ref: 'main' };

  /** A server that leads to an address and keeps a file at `/file`. */
  async function leadingTo(location: (own: string) => string | undefined, file: Handler) {
    const { client, peer } = await connect((request, response) => {
      if (request.path === '/file') return file(request, response);
      const address = location(`http://${request.headers['host']}`);
      response.writeHead(302, address === undefined ? {} : { location: address }).end();
    });
    async function download(): Promise<string> {
      const parts: Uint8Array[] = [];
      const chunks = await client.download(TARBALL, { params, signal });
      for await (const part of chunks) parts.push(part);
      return Buffer.concat(parts).toString();
    }
    return { download, peer };
  }

  it('follows GitHub to the file without the token, also on the same host', async () => {
    const { download, peer } = await leadingTo(
      (own) => `${own}/file`,
      (_, response) => void response.end('packed'),
    );
    expect(await download()).toBe('packed');
    const [asked, fetched] = peer.requests();
    expect([asked?.path, fetched?.path]).toEqual(['/repos/a/b/tarball/main', '/file']);
    expect(asked?.headers['authorization']).toBe('token token-1');
    expect(fetched?.headers['authorization']).toBeUndefined();
  });

  it.each<[string, string | undefined]>([
    ['another host', 'http://example.com/file'],
    ['a host with a similar name', 'http://127.0.0.1.example.com/file'],
    ['another protocol', 'file:///etc/passwd'],
    ['no address', 'http://'],
    ['nowhere', undefined],
  ])('refuses to be led to %s', async (_, location) => {
    const { download, peer } = await leadingTo(
      () => location,
      (__, response) => void response.end('never'),
    );
    const { message, reason } = await githubError(download());
    expect(message).toBe(
      "GitHub's answer to `GET /repos/a/b/tarball/main` leads to none of its own hosts",
    );
    expect([reason, peer.requests()]).toEqual(['invalid', [expect.anything()]]);
  });

  it.each<[string, Handler, string]>([
    [
      'is refused',
      (_, response) => void response.writeHead(404).end('no'),
      'GitHub answered 404 to `GET /repos/a/b/tarball/main`',
    ],
    [
      'leads on',
      (_, response) => void response.writeHead(302, { location: 'http://example.com/' }).end(),
      'GitHub did not answer `GET /repos/a/b/tarball/main`: ',
    ],
    [
      'breaks off',
      (_, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('pack', () => response.destroy());
      },
      'GitHub did not answer `GET /repos/a/b/tarball/main`: ',
    ],
  ])('that %s is an error of GitHub', async (_, file, message) => {
    const { download } = await leadingTo((own) => `${own}/file`, file);
    expect((await githubError(download())).message).toContain(message);
  });
});

describe('a failed answer', () => {
  const denied = { message: 'Resource not accessible by integration' };
  const SECONDARY = { message: 'You have exceeded a secondary rate limit' };

  it('names a `write` permission that will be needed at once, even if reading is enough', async () => {
    const refuses: Handler = (_, response) => sendJson(response, 403, denied);
    const { client } = await connect(refuses, '', ['checks']);
    const route = 'GET /repos/o/r/commits/main/check-runs';
    expect((await githubError(client.request(route, { signal }))).remedy).toBe(
      'Add `checks: write` under `permissions:` of the job.',
    );
  });
  const SPENT = { message: 'API rate limit exceeded' };
  const NOW = Date.parse('2026-01-02T03:04:05Z') / 1000;
  const date = 'Fri, 02 Jan 2026 03:04:05 GMT';
  const RESET = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW + 2400), date };
  const PULLS = 'add `pull-requests: read` under `permissions:` of the job.';
  const PAUSE = 'The token sends more requests than GitHub allows; GitHub asks for a pause of';
  const pause = (seconds: number) => ({
    retryAfterMs: seconds * 1000,
    remedy: `${PAUSE} ${seconds} s.`,
  });
  const BAD_TOKEN = 'The token is not valid (any more); check the `github-token` input.';
  const HIDDEN = `If it exists, the token cannot see it: ${PULLS}`;

  it.each<[string, number, { readonly message: string }, Readonly<Record<string, string>>, object]>(
    [
      [
        'a 403 names the permission',
        403,
        denied,
        {},
        { reason: 'denied', remedy: PULLS.replace('a', 'A') },
      ],
      [
        'a 401 is about the token',
        401,
        { message: 'Bad' },
        {},
        { reason: 'denied', remedy: BAD_TOKEN },
      ],
      [
        'a 404 might hide one',
        404,
        { message: 'Not Found' },
        {},
        { reason: 'missing', remedy: HIDDEN },
      ],
      ['a secondary limit says how long', 403, SECONDARY, { 'retry-after': '30' }, pause(30)],
      ['a spent limit counts by the server’s clock', 403, SPENT, RESET, pause(2400)],
      [
        'a 410 hides nothing',
        410,
        { message: 'Off' },
        {},
        { reason: 'invalid', remedy: undefined },
      ],
      [
        'a 406 is too large',
        406,
        { message: 'Sorry' },
        {},
        { reason: 'too-large', remedy: undefined },
      ],
    ],
  )('%s', async (_, ...[status, body, headers, expected]) => {
    const { client, peer } = await connect((__, response) =>
      sendJson(response, status, body, headers),
    );
    const params = { owner: 'octocat', repo: 'hello' };
    const error = await githubError(
      client.request('GET /repos/{owner}/{repo}/pulls', { params, signal }),
    );
    const reason = 'retryAfterMs' in expected ? 'rate-limited' : expect.any(String);
    const requestLine = 'GET /repos/octocat/hello/pulls';
    expect(error).toMatchObject({ status, reason, ...expected });
    expect(error.message).toContain(`GitHub answered ${status} to \`${requestLine}\``);
    expect(error.message).toContain(body.message);
    expect(peer.requests()).toHaveLength(1);
  });

  it('never shows the token or a page of HTML', async () => {
    const { client } = await connect((_, response) => {
      response.writeHead(500, { 'content-type': 'text/html' }).end('<html>Unicorn</html>');
    });
    const error = await githubError(
      client.request('POST /repos/{owner}/{repo}/git/refs', { signal }),
    );
    expect(error.message).not.toContain('Unicorn');
    expect(JSON.stringify({ ...error, message: error.message, cause: error.cause })).not.toContain(
      'token-1',
    );
  });
});

it('a missing answer is distinguished from one that comes, and a query is not shown', async () => {
  const { client } = await connect((_, response) => void response.destroy());
  const error = await githubError(client.request('POST /x', { signal }));
  expect(error).toMatchObject({ reason: 'unavailable', status: undefined });
  expect(error.message).toMatch(/^GitHub did not answer `POST \/x`: .+$/);
  expect(error.remedy).toContain('`GITHUB_API_URL`');
  const { message } = await githubError(client.graphql('query { x }', { variables: {}, signal }));
  expect(message).toMatch(/^GitHub did not answer: .+$/);
});

it.each([
  ['NOT_FOUND', 'Could not resolve to a Repository', 'missing'],
  ['FORBIDDEN', 'Resource not accessible by integration', 'denied'],
  ['RATE_LIMITED', 'API rate limit exceeded', 'rate-limited'],
  ['RATE_LIMIT', 'API rate limit already exceeded for installation ID 1.', 'rate-limited'],
  ['INSUFFICIENT_SCOPES', 'Your token has not been granted the required scopes', 'denied'],
  [undefined, 'Timeout on validation of query', 'unavailable'],
  [undefined, 'Parse error', 'invalid'],
])('GraphQL rejects an answer with errors of type %s', async (type, message, reason) => {
  const { client } = await connect((_, response) =>
    sendJson(response, 200, { data: null, errors: [{ type, message }] }),
  );
  const error = await githubError(client.graphql('query { x }', { variables: {}, signal }));
  expect(error.reason).toBe(reason);
  expect(error.message).toContain(message.replace(/\.$/, ''));
});

it('GraphQL returns missing data as null if the caller asks for that', async () => {
  const data = { repository: { ref: { target: { file: null } } } };
  const missing = { type: 'NOT_FOUND', message: "Could not resolve file for path 'a.md'." };
  let errors: readonly unknown[] = [missing];
  const { client } = await connect((_, response) => sendJson(response, 200, { data, errors }));
  const ask = (missingIsNull: boolean) =>
    client.graphql('query { x }', { variables: {}, signal, missingIsNull });
  expect(await ask(true)).toEqual(data);
  expect((await githubError(ask(false))).reason).toBe('missing');
  errors = [missing, { message: 'Something went wrong' }];
  expect((await githubError(ask(true))).message).toContain('Something went wrong');
});

it('an address without a GraphQL API has a remedy that names the variable', async () => {
  const { client } = await connect((_, response) =>
    sendJson(response, 404, { message: 'Not Found' }),
  );
  const error = await githubError(client.graphql('query { x }', { variables: {}, signal }));
  expect(error).toMatchObject({ reason: 'invalid', message: 'GitHub answered 404: Not Found' });
  expect(error.remedy).toContain('`GITHUB_GRAPHQL_URL`');
});

it('an aborted signal rejects with its reason and sends nothing', async () => {
  const { client, peer } = await connect((_, response) => sendJson(response, 200, {}));
  const reason = new Error('time is up');
  await expect(client.request('GET /x', { signal: AbortSignal.abort(reason) })).rejects.toBe(
    reason,
  );
  expect(peer.requests()).toEqual([]);
});

describe('an answer that does not come', () => {
  afterEach(() => void jest.useRealTimers());

  /** A client on whose request so much time passes. */
  async function afterTime(handle: Handler, ms: number) {
    jest.useFakeTimers({
      doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'setInterval', 'Date'],
    });
    const { client, peer } = await connect(handle);
    peer.onRequest(() => void jest.advanceTimersByTime(ms));
    return { client, peer };
  }

  it('is not waited for more than 20 seconds', async () => {
    const { client } = await afterTime(() => {}, 20_000);
    const { reason, message } = await githubError(client.request('GET /x', { signal }));
    expect(reason).toBe('unavailable');
    expect(message).toBe('GitHub did not answer `GET /x`: no answer within 20 s');
  });

  it('is returned whole if it comes in time', async () => {
    const { client } = await afterTime((_, response) => {
      response.writeHead(201, { 'content-type': 'text/plain' });
      response.write('one ');
      setImmediate(() => response.end('two'));
    }, 19_999);
    expect(await client.request('GET /x', { signal })).toEqual({ body: 'one two' });
  });

  it('has more time after large bodies', async () => {
    const { client } = await afterTime((_, response) => sendJson(response, 200, {}), 39_999);
    const params = { text: 'x'.repeat(1_000_000) };
    expect(await client.request('POST /x', { params, signal })).toEqual({ body: {} });
  });

  it('is read if it arrived while the machine was busy', async () => {
    jest.useFakeTimers({
      doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'setInterval', 'Date'],
    });
    const client = await createGitHubClient({
      token: 'token-1',
      apiUrl: 'http://github.test',
      graphqlUrl: 'http://github.test/graphql',
      userAgent: 'axe-action/test',
      clock: createFakeClock(),
      fetch: async (_, init) => {
        // The timer is looked at first, and then the socket.
        jest.advanceTimersByTime(25_000);
        await new Promise((resolve) => setImmediate(resolve));
        init?.signal?.throwIfAborted();
        return Response.json({ id: 7 });
      },
    });
    expect(await client.request('GET /x', { signal })).toEqual({ body: { id: 7 } });
  });

  it('is abandoned when it stops in the middle', async () => {
    const { client, peer } = await afterTime((_, response) => void response.write('half'), 0);
    const asked = githubError(client.request('GET /x', { signal }));
    await peer.idle();
    // The half that came begins the time anew, so it takes as often as that.
    const ticking = setInterval(() => jest.advanceTimersByTime(20_000), 1);
    expect((await asked).message).toContain('no answer within 20 s');
    clearInterval(ticking);
  });

  it('is not taken for a whole one if it is interrupted', async () => {
    const { client } = await connect((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
      setImmediate(() => response.destroy());
    });
    expect((await githubError(client.request('GET /x', { signal }))).reason).toBe('unavailable');
  });
});
