import { expect, it } from '@jest/globals';
import { GITHUB_TOKEN } from '../helpers/github-server.js';
import { type RecordedRequest, startLoopback } from '../helpers/loopback.js';
import { AGENT, ANSWER, type Stage, setStage, troubles } from './stage.js';

const AGENTS_TOKEN = 'ghs_ABCDEFGHIJ0123456789abcdefghij0123456';

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
])('reviews and comments are posted there, given %s', async (_, addresses) => {
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

it('agents come from another of its repositories, each requested with its own token', async () => {
  const stage = await setStage();
  stage.github.addRepo('octocat/agents', { isPrivate: true, contents: { [AGENTS_TOKEN]: 'read' } });
  const files = {
    'axe/agents/reviewer.toml': AGENT.replace('[memory]', 'skill = "law"\n\n[memory]'),
    'axe/skills/law/SKILL.md': 'Law of the house.',
  };
  stage.github.commit('octocat/agents', files, { branch: 'v1' });
  const server = await startEnterprise(stage);
  const step = await stage.run({
    inputs: { 'agents-repo': 'octocat/agents@v1', 'repositories-token': AGENTS_TOKEN },
    env: {
      GITHUB_API_URL: `${server.url}/api/v3`,
      GITHUB_GRAPHQL_URL: `${server.url}/api/graphql`,
      GITHUB_SERVER_URL: 'https://github.example.com',
    },
  });
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success' } });
  expect(stage.model.prompts()[0]?.system).toContain('Law of the house.');
  const isThere = ({ path }: RecordedRequest) => path.startsWith('/api/v3/repos/octocat/agents/');
  expect(tokensOf(server.requests().filter(isThere))).toEqual([AGENTS_TOKEN]);
  expect(tokensOf(server.requests().filter((request) => !isThere(request)))).toEqual([GITHUB_TOKEN]);
  expect(stage.github.requests()).toHaveLength(server.requests().length);
  expect(JSON.stringify(stage.model.requests())).not.toContain(AGENTS_TOKEN);
});

/** The tokens that requests were made with, each once. */
function tokensOf(requests: readonly RecordedRequest[]): readonly string[] {
  const sent = requests.map(({ headers }) => headers['authorization'] ?? '');
  return [...new Set(sent)].map((value) => value.replace(/^(?:token|bearer) /i, ''));
}

it('a refused request is named by its path, with the required permission', async () => {
  const stage = await setStage({ github: { readOnly: true } });
  const server = await startEnterprise(stage);
  const step = await stage.run({
    env: { GITHUB_API_URL: `${server.url}/api/v3`, GITHUB_GRAPHQL_URL: `${server.url}/api/graphql` },
    inputs: { 'memory-store': 'none' },
  });
  expect(troubles(step).map(({ message }) => message)).toEqual([
    expect.stringMatching(
      /`POST \/repos\/Codertocat\/Hello-World\/issues\/2\/comments`.*`pull-requests: write`/,
    ),
  ]);
});
