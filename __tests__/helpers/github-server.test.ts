import { expect, it } from '@jest/globals';
import { GITHUB_TOKEN, startGitHubServer } from './github-server.js';

const REPO = 'octocat/hello';
const AT = `/repos/${REPO}`;

async function start() {
  const github = await startGitHubServer();
  github.addRepo(REPO, { contents: 'write' });
  const headers = { authorization: `token ${GITHUB_TOKEN}`, 'content-type': 'application/json' };
  const ask = (url: string, method: string, body?: object) =>
    fetch(url, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  return {
    github,
    rest: (method: string, path: string, body?: object) =>
      ask(`${github.env.GITHUB_API_URL}${AT}${path}`, method, body),
    graphql: (query: string) => ask(github.env.GITHUB_GRAPHQL_URL, 'POST', { query }),
  };
}

/** Other suites rely on it: it takes and answers only what GitHub describes. */
it('the fake GitHub rejects a request and a GraphQL query that GitHub does not describe', async () => {
  const { github, rest, graphql } = await start();
  github.addIssue(REPO, { number: 1 });
  await rest('POST', '/issues/1/comments', { text: 'wrong key' });
  await rest('GET', '/no/such/thing');
  await graphql('{ viewer { nickname } }');
  const violations = (await github.takeViolations()).join('\n');
  expect(violations).toContain("request: Request body must have required property 'body'");
  expect(violations).toContain('/no/such/thing');
  expect(violations).toContain('Cannot query field "nickname"');
});

it('the fake GitHub rejects an answer of its own that GitHub does not describe', async () => {
  const { github, rest } = await start();
  const base = { ref: 'main', sha: 'b' };
  github.addPull(REPO, { number: 1.5, base, head: { ref: 'x', sha: 'h', repository: REPO } });
  await rest('GET', '/pulls');
  expect((await github.takeViolations()).join('\n')).toContain('must be integer');
});
