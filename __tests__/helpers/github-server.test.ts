import { describe, expect, it } from '@jest/globals';
import { asking } from './github-ask.js';
import { startGitHubServer } from './github-server.js';

const REPO = 'octocat/hello';
const AT = `/repos/${REPO}`;

const COMMIT = `mutation ($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid } }
}`;

async function start() {
  const github = await startGitHubServer();
  github.addRepo(REPO, { contents: 'write' });
  const head = github.commit(REPO, { 'README.md': '# Hello\n' });
  return { github, head, ...asking(github) };
}

/** A commit on top of others with one file, made through the API. */
async function makeCommit({ rest }: ReturnType<typeof asking>, path: string, parents: readonly string[]) {
  const tree = await rest(`POST ${AT}/git/trees`, {
    tree: [{ path, mode: '100644', type: 'blob', content: `${path}\n` }],
  });
  const made = await rest(`POST ${AT}/git/commits`, { message: path, tree: tree.body.sha, parents });
  return String(made.body.sha);
}

/** What other suites stand on: git's own names, one winner of a race, and nothing that GitHub does not describe. */
describe('the fake GitHub', () => {
  it('lets one of twenty create a branch', async () => {
    const { github, rest, ...others } = await start();
    const api = { rest, graphql: others.graphql };
    const commits = await Promise.all(
      Array.from({ length: 20 }, (_, writer) => makeCommit(api, `${writer}.md`, [])),
    );
    const answers = await Promise.all(
      commits.map((sha) => rest(`POST ${AT}/git/refs`, { ref: 'refs/heads/axe-memory', sha })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(19);
    expect(github.history(REPO, 'axe-memory')).toHaveLength(1);
  });

  it('lets one of twenty commit on the same head', async () => {
    const { github, head, graphql } = await start();
    const input = {
      branch: { repositoryNameWithOwner: REPO, branchName: 'main' },
      message: { headline: 'Remember' },
      expectedHeadOid: head,
      fileChanges: { additions: [{ path: 'review.md', contents: 'YQ==' }] },
    };
    const answers = await Promise.all(Array.from({ length: 20 }, () => graphql(COMMIT, { input })));
    const lost = answers.filter(({ body }) => body.errors?.[0].type === 'STALE_DATA');
    expect(lost).toHaveLength(19);
    expect(github.history(REPO)).toHaveLength(2);
  });

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
    github.addIssue(REPO, { number: 1 });
    const wrong = { id: 1.5, issue: 1, author: 'octocat', body: '', createdAt: 'x', updatedAt: 'y' };
    github.repo(REPO).comments.push(wrong);
    await rest(`GET ${AT}/issues/1/comments`);
    expect((await github.takeViolations()).join('\n')).toContain('must be integer');
  });
});
