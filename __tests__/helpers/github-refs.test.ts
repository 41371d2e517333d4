import { describe, expect, it } from '@jest/globals';
import { makeGitRepo } from './git-repo.js';
import { asking } from './github-ask.js';
import { type GitHubServer, startGitHubServer } from './github-server.js';
import type { BranchRule, FileTree, RepoOptions } from './github-state.js';
import { tempDir } from './temp.js';

const REPO = 'octocat/hello';
const AT = `/repos/${REPO}`;
const NOWHERE = 'a'.repeat(40);
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const FILES: FileTree = { 'README.md': '# Hello\n', 'docs/a.md': 'a\n', 'docs/b.md': 'b\n' };

async function start(options: RepoOptions = { contents: 'write' }) {
  const github = await startGitHubServer();
  const repo = github.addRepo(REPO, options);
  const head = github.commit(REPO, FILES);
  return { github, repo, head, ...asking(github) };
}

/** A commit on top of others with one file, made through the API. */
async function makeCommit({ rest }: ReturnType<typeof asking>, path: string, parents: readonly string[]) {
  const tree = await rest(`POST ${AT}/git/trees`, {
    tree: [{ path, mode: '100644', type: 'blob', content: `${path}\n` }],
  });
  const made = await rest(`POST ${AT}/git/commits`, { message: path, tree: tree.body.sha, parents });
  return String(made.body.sha);
}

describe('git objects of the fake GitHub', () => {
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

  it('puts a tree on top of another one, with added files and without deleted ones', async () => {
    const { rest, head } = await start();
    const made = await rest(`POST ${AT}/git/trees`, {
      base_tree: head,
      tree: [
        { path: 'docs/a.md', mode: '100644', type: 'blob', sha: null },
        { path: 'run.sh', mode: '100755', type: 'blob', content: '#!/bin/sh\n' },
        { path: 'link', mode: '120000', type: 'blob', content: 'README.md' },
        { path: 'lib', mode: '160000', type: 'commit', sha: NOWHERE },
      ],
    });
    const listed = await rest(`GET ${AT}/git/trees/${made.body.sha}?recursive=1`);
    expect(
      listed.body.tree.map(
        (entry: Record<string, string>) => `${entry['mode']} ${entry['type']} ${entry['path']}`,
      ),
    ).toEqual([
      '100644 blob README.md',
      '040000 tree docs',
      '100644 blob docs/b.md',
      '160000 commit lib',
      '120000 blob link',
      '100755 blob run.sh',
    ]);
  });

  it('keeps blobs of more than a megabyte whole, and reports in the contents that they are too large', async () => {
    const { github, rest } = await start();
    const text = 'x'.repeat(1024 * 1024 + 1);
    github.commit(REPO, { 'large.md': text });
    const file = await rest(`GET ${AT}/contents/large.md`);
    expect(file.body).toMatchObject({ encoding: 'none', content: '', size: text.length });
    const blob = await rest(`GET ${AT}/git/blobs/${file.body.sha}`);
    expect(Buffer.from(blob.body.content, 'base64').toString()).toBe(text);
    const raw = await rest(`GET ${AT}/contents/large.md`, undefined, 'application/vnd.github.raw+json');
    expect(raw.body).toBe(text);
  });

  it.each([
    ['a tree without entries', 'trees', { tree: [] }, 422, 'Invalid tree info'],
    ['a tree on top of nothing', 'trees', { base_tree: NOWHERE, tree: [] }, 404, 'Not Found'],
    [
      'the deletion of what is not there',
      'trees',
      { base_tree: 'main', tree: [{ path: 'no.md', mode: '100644', type: 'blob', sha: null }] },
      422,
      'GitRPC::BadObjectState',
    ],
    [
      'an entry that is nowhere',
      'trees',
      { tree: [{ path: 'no.md', mode: '100644', type: 'blob', sha: NOWHERE }] },
      422,
      `tree.sha ${NOWHERE} is not a valid blob`,
    ],
    [
      'a path that leads out',
      'trees',
      { tree: [{ path: '../a.md', mode: '100644', type: 'blob', content: 'a' }] },
      422,
      'tree.path contains a malformed path component',
    ],
    ['a commit without its tree', 'commits', { message: 'm', tree: NOWHERE }, 422, 'Tree SHA does not exist'],
    [
      'a commit without its parent',
      'commits',
      { message: 'm', tree: EMPTY_TREE, parents: [NOWHERE] },
      422,
      'Parent SHA does not exist or is not a commit object',
    ],
  ])('refuses %s', async (_, kind, body, status, message) => {
    const { rest } = await start();
    const answer = await rest(`POST ${AT}/git/${kind}`, body);
    const what = kind === 'trees' ? 'trees#create-a-tree' : 'commits#create-a-commit';
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({
      message,
      status: String(status),
      documentation_url: `https://docs.github.com/rest/git/${what}`,
    });
  });
});

describe('branches of the fake GitHub', () => {
  it('create an orphan branch, move it, force it and delete it', async () => {
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

  it.each([
    [
      'POST',
      'refs',
      { ref: 'refs/heads/main', sha: 'head' },
      'Reference already exists',
      'create-a-reference',
    ],
    ['POST', 'refs', { ref: 'refs/heads/new', sha: NOWHERE }, 'Object does not exist', 'create-a-reference'],
    ['POST', 'refs', { ref: 'new', sha: 'head' }, 'new is not a valid ref name.', 'create-a-reference'],
    [
      'POST',
      'refs',
      { ref: 'refs/heads/a..b', sha: 'head' },
      'refs/heads/a..b is not a valid ref name.',
      'create-a-reference',
    ],
    ['PATCH', 'refs/heads/new', { sha: 'head' }, 'Reference does not exist', 'update-a-reference'],
    ['PATCH', 'refs/heads/main', { sha: NOWHERE }, 'Object does not exist', 'update-a-reference'],
    ['DELETE', 'refs/heads/new', undefined, 'Reference does not exist', 'delete-a-reference'],
  ])('refuse %s of %s with %j', async (method, path, body, message, docs) => {
    const { rest, head } = await start();
    const sent = body?.sha === 'head' ? { ...body, sha: head } : body;
    const answer = await rest(`${method} ${AT}/git/${path}`, sent);
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({
      message,
      status: '422',
      documentation_url: `https://docs.github.com/rest/git/refs#${docs}`,
    });
  });

  it('let one of twenty create a branch', async () => {
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

  it.each<[string, BranchRule, string, unknown, string]>([
    [
      'a ruleset that requires pull requests',
      { branch: 'main', kind: 'ruleset' },
      'PATCH /git/refs/heads/main',
      { sha: 'child' },
      'Repository rule violations found\n\nChanges must be made through a pull request.\n\n',
    ],
    [
      'a protected branch',
      { branch: 'main', kind: 'protection' },
      'PATCH /git/refs/heads/main',
      { sha: 'child' },
      'Changes must be made through a pull request.',
    ],
    [
      'a ruleset against force pushes',
      { branch: '*', kind: 'ruleset', forbids: ['force', 'delete'] },
      'PATCH /git/refs/heads/main',
      { sha: 'orphan', force: true },
      'Repository rule violations found\n\nCannot force-push to this branch\n\n',
    ],
    [
      'a ruleset against deletions',
      { branch: '*', kind: 'ruleset', forbids: ['force', 'delete'] },
      'DELETE /git/refs/heads/main',
      undefined,
      'Repository rule violations found\n\nCannot delete this branch\n\n',
    ],
    [
      'a ruleset against new branches',
      { branch: 'axe-memory', kind: 'ruleset', forbids: ['create'] },
      'POST /git/refs',
      { ref: 'refs/heads/axe-memory', sha: 'orphan' },
      'Repository rule violations found\n\nCannot create ref due to creations being restricted.\n\n',
    ],
  ])('respect %s', async (_, rule, route, body, message) => {
    const { github, repo, rest, head, ...others } = await start();
    const api = { rest, graphql: others.graphql };
    const shas = { child: await makeCommit(api, 'a.md', [head]), orphan: await makeCommit(api, 'b.md', []) };
    const [method, path] = route.split(' ');
    const sent =
      body === undefined
        ? undefined
        : JSON.parse(
            JSON.stringify(body).replace(/"(child|orphan)"/, (_all, name: 'child') => `"${shas[name]}"`),
          );
    repo.rules.push(rule);
    const refused = await rest(`${method} ${AT}${path}`, sent);
    expect(refused.status).toBe(422);
    expect(refused.body.message).toBe(message);
    expect(github.history(REPO).map(({ sha }) => sha)).toEqual([head]);
    repo.rules.length = 0;
    expect((await rest(`${method} ${AT}${path}`, sent)).status).toBeLessThan(300);
  });
});

describe('the rights of a token in the fake GitHub', () => {
  const MEMORY_TOKEN = 'github_pat_memory';

  const WRITES: readonly (readonly [string, unknown])[] = [
    [`POST ${AT}/git/blobs`, { content: 'a' }],
    [`POST ${AT}/git/trees`, { tree: [{ path: 'a', mode: '100644', type: 'blob', content: 'a' }] }],
    [`POST ${AT}/git/commits`, { message: 'm', tree: EMPTY_TREE, parents: [] }],
    [`POST ${AT}/git/refs`, { ref: 'refs/heads/new', sha: NOWHERE }],
    [`PATCH ${AT}/git/refs/heads/main`, { sha: NOWHERE }],
    [`DELETE ${AT}/git/refs/heads/main`, undefined],
    [`PUT ${AT}/contents/a.md`, { message: 'm', content: 'YQ==' }],
  ];

  it.each(WRITES)('refuse %s to a token that can only read', async (route, body) => {
    const { rest } = await start({});
    const answer = await rest(route, body);
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ message: 'Resource not accessible by integration', status: '403' });
    expect(answer.headers.get('x-accepted-github-permissions')).toBe('contents=write');
  });

  it.each(WRITES)('refuse %s in an archived repository', async (route, body) => {
    const { repo, rest } = await start();
    repo.isArchived = true;
    const answer = await rest(route, body);
    expect(answer.status).toBe(403);
    expect(answer.body.message).toBe('Repository was archived so is read-only.');
    expect((await rest(`GET ${AT}/git/ref/heads/main`)).status).toBe(200);
  });

  it.each(WRITES.filter(([route]) => !route.startsWith('PUT ')))(
    'offer no place to do %s in an empty repository',
    async (route, body) => {
      const github = await startGitHubServer();
      github.addRepo(REPO, { contents: 'write' });
      const answer = await asking(github).rest(route, body);
      expect(answer.status).toBe(409);
      expect(answer.body.message).toBe('Git Repository is empty.');
    },
  );

  it.each<[string, RepoOptions, string | null, number, number]>([
    ['the expected token by default', {}, 'expected', 200, 403],
    ['the expected token with a right of its own', { contents: 'write' }, 'expected', 200, 201],
    ['a token without contents, public', { contents: 'none' }, 'expected', 200, 403],
    ['a token without contents, private', { contents: 'none', isPrivate: true }, 'expected', 403, 403],
    [
      'a named token, private',
      { contents: { [MEMORY_TOKEN]: 'write' }, isPrivate: true },
      MEMORY_TOKEN,
      200,
      201,
    ],
    [
      'any other token, private',
      { contents: { [MEMORY_TOKEN]: 'write' }, isPrivate: true },
      'expected',
      404,
      404,
    ],
    ['any other token, public', { contents: { [MEMORY_TOKEN]: 'write' } }, 'expected', 200, 403],
    ['a wrong token', { contents: 'write' }, 'ghs_wrong', 401, 401],
    ['no token, public', { contents: 'write' }, null, 200, 401],
    ['no token, private', { contents: 'write', isPrivate: true }, null, 404, 401],
  ])('include those of %s', async (_, options, token, readStatus, writeStatus) => {
    const github = await startGitHubServer();
    github.addRepo(REPO, options);
    github.commit(REPO, FILES);
    const { rest } = token === 'expected' ? asking(github) : asking(github, token);
    expect((await rest(`GET ${AT}/git/trees/main`)).status).toBe(readStatus);
    expect((await rest(`POST ${AT}/git/blobs`, { content: 'a' })).status).toBe(writeStatus);
  });
});

describe('PUT of contents in the fake GitHub', () => {
  async function put({ rest }: ReturnType<typeof asking>, path: string, body: Record<string, unknown>) {
    return await rest(`PUT ${AT}/contents/${path}`, { message: 'Write', content: 'YQ==', ...body });
  }

  it('makes the first commit of an empty repository, and then one commit per file', async () => {
    const github = await startGitHubServer();
    github.addRepo(REPO, { contents: 'write' });
    const api = asking(github);
    const first = await put(api, 'a.md', {});
    expect(first.status).toBe(201);
    const again = await put(api, 'a.md', { sha: first.body.content.sha, content: 'Yg==' });
    expect(again.status).toBe(200);
    expect(again.body.commit.parents[0].sha).toBe(first.body.commit.sha);
    expect(github.files(REPO)).toEqual({ 'a.md': 'b' });
    expect(github.history(REPO)).toHaveLength(2);
  });

  it.each<[string, string, Record<string, unknown>, number, string]>([
    ['a file that exists', 'README.md', {}, 422, 'Invalid request.\n\n"sha" wasn\'t supplied.'],
    ['an old version', 'README.md', { sha: NOWHERE }, 409, `README.md does not match ${NOWHERE}`],
    ['a branch that is not there', 'a.md', { branch: 'no' }, 404, 'Branch no not found'],
  ])('refuses %s', async (_, path, body, status, message) => {
    const api = await start();
    const answer = await put(api, path, body);
    expect({ status: answer.status, message: answer.body.message }).toEqual({ status, message });
  });

  it('answers a branch rule with a conflict', async () => {
    const { repo, ...api } = await start();
    repo.rules.push({ branch: 'main', kind: 'ruleset' });
    const answer = await put(api, 'a.md', {});
    expect(answer.status).toBe(409);
    expect(answer.body.message).toContain('Changes must be made through a pull request.');
  });
});

it('counts its requests', async () => {
  const { github, rest, graphql }: { github: GitHubServer } & ReturnType<typeof asking> = await start();
  await rest(`GET ${AT}/git/ref/heads/main`);
  await graphql('query Q { repository(owner: "octocat", name: "hello") { id } }');
  await rest(`DELETE ${AT}/git/refs/heads/main`);
  expect(github.calls()).toEqual([
    'GET /repos/{owner}/{repo}/git/ref/{ref}',
    'POST /graphql repository',
    'DELETE /repos/{owner}/{repo}/git/refs/{ref}',
  ]);
});
