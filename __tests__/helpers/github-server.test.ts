import { describe, expect, it } from '@jest/globals';
import { makeGitRepo } from './git-repo.js';
import { asking } from './github-ask.js';
import { startGitHubServer } from './github-server.js';
import { tempDir } from './temp.js';

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
  it('names a commit made through the API as git names it', async () => {
    const { rest } = await start();
    const git = makeGitRepo(tempDir());
    git.commit('First', { 'a/b.md': 'old\n', 'c.md': 'c\n' });
    const sha = git.commit('Second', { 'a/b.md': 'new\n' });
    const person = {
      name: 'octocat',
      email: 'octocat@users.noreply.github.com',
      date: '2026-01-02T03:04:05Z',
    };
    const blob = await rest(`POST ${AT}/git/blobs`, {
      content: Buffer.from('old\n').toString('base64'),
      encoding: 'base64',
    });
    const first = await rest(`POST ${AT}/git/trees`, {
      tree: [
        { path: 'a/b.md', mode: '100644', type: 'blob', sha: blob.body.sha },
        { path: 'c.md', mode: '100644', type: 'blob', content: 'c\n' },
      ],
    });
    const root = await rest(`POST ${AT}/git/commits`, {
      message: 'First\n',
      tree: first.body.sha,
      parents: [],
      author: person,
    });
    const second = await rest(`POST ${AT}/git/trees`, {
      base_tree: first.body.sha,
      tree: [{ path: 'a/b.md', mode: '100644', type: 'blob', content: 'new\n' }],
    });
    const made = await rest(`POST ${AT}/git/commits`, {
      message: 'Second\n',
      tree: second.body.sha,
      parents: [root.body.sha],
      author: person,
    });
    expect(made.status).toBe(201);
    expect(made.body.sha).toBe(sha);
    expect(made.headers.get('location')).toMatch(new RegExp(`/git/commits/${sha}$`));
    const got = await rest(`GET ${AT}/git/commits/${sha}`);
    expect(got.body.parents.map((parent: { sha: string }) => parent.sha)).toEqual([root.body.sha]);
    expect(got.body.author).toEqual(person);
  });

  it('creates an orphan branch, moves it, forces it and deletes it', async () => {
    const { github, rest, ...others } = await start();
    const api = { rest, graphql: others.graphql };
    const root = await makeCommit(api, 'one.md', []);
    const next = await makeCommit(api, 'two.md', [root]);
    const other = await makeCommit(api, 'other.md', []);
    const created = await rest(`POST ${AT}/git/refs`, { ref: 'refs/heads/axe-memory', sha: root });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      ref: 'refs/heads/axe-memory',
      object: { type: 'commit', sha: root },
    });
    expect((await rest(`GET ${AT}/git/ref/heads/axe-memory`)).body.object.sha).toBe(root);
    const at = `${AT}/git/refs/heads/axe-memory`;
    expect((await rest(`PATCH ${at}`, { sha: next })).body.object.sha).toBe(next);
    expect(github.history(REPO, 'axe-memory').map(({ sha }) => sha)).toEqual([next, root]);
    expect((await rest(`PATCH ${at}`, { sha: other })).body.message).toBe('Update is not a fast forward');
    expect((await rest(`PATCH ${at}`, { sha: other, force: true })).status).toBe(200);
    expect(github.history(REPO, 'axe-memory').map(({ sha }) => sha)).toEqual([other]);
    expect(github.files(REPO, 'axe-memory')).toEqual({ 'other.md': 'other.md\n' });
    const deleted = await rest(`DELETE ${at}`);
    expect(deleted).toMatchObject({ status: 204, body: '' });
    expect((await rest(`GET ${AT}/git/ref/heads/axe-memory`)).status).toBe(404);
    expect(github.history(REPO, 'axe-memory')).toEqual([]);
    expect(github.history(REPO)).toHaveLength(1);
  });

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

  it('refuses a wrong token', async () => {
    const { github } = await start();
    expect((await asking(github, 'ghs_wrong').rest(`GET ${AT}`)).status).toBe(401);
  });
});
