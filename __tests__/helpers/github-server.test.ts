import { describe, expect, it } from '@jest/globals';
import { asking } from './github-ask.js';
import { startGitHubServer } from './github-server.js';

const REPO = 'octocat/hello';
const AT = `/repos/${REPO}`;

async function start() {
  const github = await startGitHubServer();
  github.addRepo(REPO, { contents: 'write' });
  return { github, ...asking(github) };
}

/** Other suites rely on it: it takes and answers only what GitHub describes. */
describe('the fake GitHub', () => {
  it('rejects a request and a GraphQL query that GitHub does not describe', async () => {
    const { github, rest, graphql } = await start();
    github.addIssue(REPO, { number: 1 });
    await rest(`POST ${AT}/issues/1/comments`, { text: 'wrong key' });
    await rest(`GET ${AT}/no/such/thing`);
    await graphql('{ viewer { nickname } }', {});
    const violations = (await github.takeViolations()).join('\n');
    expect(violations).toContain("request: Request body must have required property 'body'");
    expect(violations).toContain('/no/such/thing');
    expect(violations).toContain('Cannot query field "nickname"');
  });

  it('rejects an answer of its own that GitHub does not describe', async () => {
    const { github, rest } = await start();
    const pull = {
      number: 1.5,
      base: { ref: 'main', sha: 'b' },
      head: { ref: 'x', sha: 'h', repository: REPO },
    };
    github.addPull(REPO, pull);
    await rest(`GET ${AT}/pulls`);
    expect((await github.takeViolations()).join('\n')).toContain('must be integer');
  });
});
