import { expect, it } from '@jest/globals';
import { type RecordedRequest, startLoopback } from '../helpers/loopback.js';
import { ANSWER, type Stage, setStage, troubles } from './stage.js';

/** A GitHub whose API lies below a path, as on GitHub Enterprise Server; whatever is asked elsewhere is a 404. */
async function startEnterprise({ github }: Stage) {
  return await startLoopback(async (request, response) => {
    const path = request.path.startsWith('/api/v3/')
      ? request.path.slice('/api/v3'.length)
      : graphQlPath(request);
    if (path === undefined) return void response.writeHead(404).end();
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const answer = await fetch(`${github.url}${path}?${request.query}`, {
      method: request.method,
      headers,
      body: request.bytes.length === 0 ? null : new Uint8Array(request.bytes),
    });
    const type = answer.headers.get('content-type') ?? 'application/json';
    response.writeHead(answer.status, { 'content-type': type }).end(Buffer.from(await answer.arrayBuffer()));
  });
}

function graphQlPath({ path }: RecordedRequest): string | undefined {
  return path === '/api/graphql' ? '/graphql' : undefined;
}

it.each([
  [
    'both addresses',
    (url: string) => ({ GITHUB_API_URL: `${url}/api/v3`, GITHUB_GRAPHQL_URL: `${url}/api/graphql` }),
  ],
  ['the REST address only', (url: string) => ({ GITHUB_API_URL: `${url}/api/v3`, GITHUB_GRAPHQL_URL: '' })],
])('reviews and comments there, given %s', async (_, addresses) => {
  const stage = await setStage();
  const server = await startEnterprise(stage);
  const step = await stage.run({
    inputs: { 'memory-store': 'file' },
    env: { ...addresses(server.url), GITHUB_SERVER_URL: 'https://github.example.com' },
  });
  expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: 'success' } });
  expect(server.requests().length).toBeGreaterThan(5);
  expect(server.requests().filter(({ path }) => !path.startsWith('/api/'))).toEqual([]);
  expect(stage.github.requests()).toHaveLength(server.requests().length);
  expect(stage.repo.comments.map(({ body }) => body)).toEqual([expect.stringContaining(ANSWER)]);
  expect(stage.repo.comments[0]?.body).toContain(
    'https://github.example.com/Codertocat/Hello-World/actions/runs/1658821493',
  );
});

it('names a refused request by its path, and the permission it wants', async () => {
  const stage = await setStage({ github: { readOnly: true } });
  const server = await startEnterprise(stage);
  const step = await stage.run({
    env: { GITHUB_API_URL: `${server.url}/api/v3`, GITHUB_GRAPHQL_URL: `${server.url}/api/graphql` },
  });
  expect(troubles(step).map(({ message }) => message)).toEqual([
    expect.stringMatching(
      /`POST \/repos\/Codertocat\/Hello-World\/issues\/2\/comments`.*`pull-requests: write`/,
    ),
  ]);
});
