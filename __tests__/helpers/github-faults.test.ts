import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { build, stop } from 'esbuild';
import { asking } from './github-ask.js';
import {
  ANSWER_LOST,
  BAD_GATEWAY,
  BAD_GATEWAY_AFTER_EFFECT,
  type FaultAnswer,
  graphQlRateLimit,
  primaryRateLimit,
  secondaryRateLimit,
  staleHead,
} from './github-faults.js';
import { startGitHubServer } from './github-server.js';
import { tempDir } from './temp.js';

const REPO = 'octocat/hello';
const OTHER = 'octocat/other';
const COMMIT = `mutation ($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }`;
const READ = `query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { id } }`;

// The process that builds would stay for as long as jest's own.
afterAll(stop);

async function start() {
  const github = await startGitHubServer();
  for (const name of [REPO, OTHER]) {
    github.addRepo(name, { contents: 'write' });
    github.commit(name, { 'review.md': '' });
  }
  const api = asking(github);
  const append = (repository = REPO) =>
    api.graphql(COMMIT, {
      input: {
        branch: { repositoryNameWithOwner: repository, branchName: 'main' },
        message: { headline: 'Remember' },
        expectedHeadOid: github.repo(repository).branches.get('main'),
        fileChanges: { additions: [{ path: 'review.md', contents: 'YQ==' }] },
      },
    });
  return { github, ...api, append };
}

it.each<[string, FaultAnswer, number, Record<string, string>, RegExp]>([
  ['a secondary limit', secondaryRateLimit(7), 403, { 'retry-after': '7' }, /secondary rate limit/],
  [
    'the primary limit',
    primaryRateLimit(1_800_000_000),
    403,
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1800000000' },
    /API rate limit exceeded/,
  ],
  [
    'the primary limit of GraphQL',
    graphQlRateLimit(1_800_000_000),
    200,
    { 'x-ratelimit-remaining': '0' },
    /RATE_LIMITED/,
  ],
  ['a stale head', staleHead(), 200, {}, /STALE_DATA.*but it did not\. {2}Pull and try again\./],
  ['a bad gateway', BAD_GATEWAY, 502, {}, /502 Bad Gateway/],
])(
  'the fake GitHub answers with %s as often as configured, without an effect',
  async (_, fault, status, headers, body) => {
    const { github, append } = await start();
    github.fail({ route: 'POST /graphql', contains: 'createCommitOnBranch', times: 2, ...fault });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const answer = await append();
      expect(answer.status).toBe(status);
      expect(JSON.stringify(answer.body)).toMatch(body);
      expect(Object.fromEntries(answer.headers)).toMatchObject(headers);
    }
    expect(github.history(REPO)).toHaveLength(1);
    expect((await append()).body.errors).toBeUndefined();
    expect(github.history(REPO)).toHaveLength(2);
  },
);

it('the fake GitHub commits and loses the answer', async () => {
  const { github, append } = await start();
  github.fail({ route: 'POST /graphql', ...ANSWER_LOST });
  await expect(append()).rejects.toThrow('fetch failed');
  expect(github.history(REPO)).toHaveLength(2);
  github.fail({ route: 'POST /graphql', ...BAD_GATEWAY_AFTER_EFFECT });
  expect((await append()).status).toBe(502);
  expect(github.history(REPO)).toHaveLength(3);
});

it('a fault affects only the requests it names: by repository, by content, by token and after some others', async () => {
  const { github, append, graphql, rest } = await start();
  const fault = { route: 'POST /graphql', status: 500 } as const;
  github.fail({ ...fault, repo: OTHER });
  expect((await append()).status).toBe(200);
  expect((await graphql(READ, { owner: 'octocat', name: 'hello' })).status).toBe(200);
  expect((await graphql(READ, { owner: 'octocat', name: 'other' })).status).toBe(500);
  github.fail({ ...fault, contains: 'createCommitOnBranch', skip: 1 });
  expect((await append(OTHER)).status).toBe(200);
  expect((await graphql(READ, { owner: 'octocat', name: 'other' })).status).toBe(200);
  expect((await append()).status).toBe(500);
  github.fail({ route: 'GET /repos/{owner}/{repo}', status: 500, token: 'ghs_wrong' });
  expect((await rest(`GET /repos/${REPO}`)).status).toBe(200);
  expect((await asking(github, 'ghs_wrong').rest(`GET /repos/${REPO}`)).status).toBe(500);
  expect(() => github.fail({ route: 'GET /nothing', status: 500 })).toThrow('the fake has no route');
});

it('a bundle that runs without the test framework serves twenty clients at once', async () => {
  const folder = tempDir();
  await build({
    entryPoints: [join(process.cwd(), '__tests__/helpers/github-server.ts')],
    outfile: join(folder, 'github.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
  });
  writeFileSync(
    join(folder, 'main.mjs'),
    `import { GITHUB_TOKEN, startGitHubServer } from './github.mjs';
    const github = await startGitHubServer({ validate: false });
    github.addRepo('octocat/hello', { contents: 'write' });
    const head = github.commit('octocat/hello', { 'review.md': '' });
    const append = async () => {
      const response = await fetch(github.env.GITHUB_GRAPHQL_URL, {
        method: 'POST',
        headers: { authorization: 'token ' + GITHUB_TOKEN, 'content-type': 'application/json' },
        body: JSON.stringify({ query: ${JSON.stringify(COMMIT)}, variables: { input: {
          branch: { repositoryNameWithOwner: 'octocat/hello', branchName: 'main' },
          message: { headline: 'Remember' }, expectedHeadOid: head,
        } } }),
      });
      return (await response.json()).errors === undefined;
    };
    const won = await Promise.all(Array.from({ length: 20 }, append));
    process.stdout.write(JSON.stringify({
      won: won.filter(Boolean).length,
      commits: github.history('octocat/hello').length,
      calls: github.calls().length,
      violations: await github.takeViolations(),
    }));
    await github.close();`,
  );
  const output = execFileSync(process.execPath, [join(folder, 'main.mjs')], { encoding: 'utf8' });
  expect(JSON.parse(output)).toEqual({ won: 1, commits: 2, calls: 20, violations: [] });
});
