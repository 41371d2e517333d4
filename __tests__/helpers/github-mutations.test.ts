import { describe, expect, it } from '@jest/globals';
import { asking } from './github-ask.js';
import { type GitHubOptions, startGitHubServer } from './github-server.js';
import type { FileTree, RepoOptions, StoredRepo } from './github-state.js';

const REPO = 'octocat/hello';
const BRANCH = 'axe-memory';
const NO_COMMIT = '0'.repeat(40);
const FILES: FileTree = {
  'review.md': '## 2026-01-02T03:04:05Z\n',
  'untrusted/review.md': '',
  'link.md': { link: 'review.md' },
  'run.sh': { executable: '#!/bin/sh\n' },
  lib: { submodule: 'b'.repeat(40) },
};

const READ = `query ($owner: String!, $name: String!, $ref: String!, $expression: String!) {
  repository(owner: $owner, name: $name) {
    id nameWithOwner visibility isPrivate isArchived
    ref(qualifiedName: $ref) { name prefix target { oid ... on Commit { message history(first: 5) { totalCount nodes { oid parents(first: 2) { nodes { oid } } } } } } }
    object(expression: $expression) { __typename oid
      ... on Blob { text isTruncated isBinary byteSize }
      ... on Tree { entries { name path mode type oid size object { oid ... on Blob { text } } } }
    }
  }
}`;

const COMMIT = `mutation Append($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid url } ref { name target { oid } } }
}`;

const UPDATE_REFS = `mutation ($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }`;

interface Change {
  readonly head: string;
  readonly additions?: readonly { readonly path: string; readonly text: string }[];
  readonly deletions?: readonly { readonly path: string }[];
  readonly branchName?: string;
}

async function start(options: RepoOptions = { contents: 'write' }, server: GitHubOptions = {}) {
  const github = await startGitHubServer(server);
  const repo = github.addRepo(REPO, options);
  const head = github.commit(REPO, FILES, { branch: BRANCH });
  const api = asking(github);
  return {
    github,
    repo,
    head,
    ...api,
    read: (expression: string, ref = `refs/heads/${BRANCH}`) =>
      api.graphql(READ, { owner: 'octocat', name: 'hello', ref, expression }),
    append: ({ additions, deletions, branchName = BRANCH, ...change }: Change) =>
      api.graphql(COMMIT, {
        input: {
          branch: { repositoryNameWithOwner: REPO, branchName },
          message: { headline: 'Remember', body: '[skip ci]' },
          expectedHeadOid: change.head,
          fileChanges: {
            additions: additions?.map(({ path, text }) => ({
              path,
              contents: Buffer.from(text).toString('base64'),
            })),
            deletions,
          },
        },
      }),
  };
}

describe('reading a branch by GraphQL', () => {
  it('returns the head, the text of a file and the facts of the repository', async () => {
    const { read, head } = await start();
    const { body } = await read(`${BRANCH}:review.md`);
    expect(body.data.repository).toMatchObject({
      nameWithOwner: REPO,
      visibility: 'PUBLIC',
      isPrivate: false,
      isArchived: false,
      ref: { name: BRANCH, prefix: 'refs/heads/', target: { oid: head } },
      object: { text: FILES['review.md'], isTruncated: false, isBinary: false, byteSize: 24 },
    });
  });

  it('returns modes as decimal numbers, links as their targets and no object for a submodule', async () => {
    const { read } = await start();
    const { body } = await read(`refs/heads/${BRANCH}:`);
    const { entries } = body.data.repository.object;
    expect(
      entries.map((entry: Record<string, unknown>) => [
        entry['path'],
        entry['mode'],
        entry['type'],
        entry['size'],
      ]),
    ).toEqual([
      ['lib', 0o160000, 'commit', 0],
      ['link.md', 0o120000, 'blob', 9],
      ['review.md', 0o100644, 'blob', 24],
      ['run.sh', 0o100755, 'blob', 10],
      ['untrusted', 0o040000, 'tree', 0],
    ]);
    expect(entries[0].object).toBeNull();
    expect(entries[1].object.text).toBe('review.md');
  });

  it.each<[string, Uint8Array, Record<string, unknown>]>([
    ['a text at the limit', Buffer.alloc(512_000, 'x'), { isTruncated: false, text: 'x'.repeat(512_000) }],
    ['a longer text', Buffer.alloc(512_001, 'x'), { isTruncated: true, text: 'x'.repeat(512_000) }],
    [
      'a longer text cut inside a character',
      Buffer.from(`${'x'.repeat(511_999)}é`),
      { isTruncated: true, text: 'x'.repeat(511_999) },
    ],
    ['bytes', Buffer.from([1, 0, 2]), { isBinary: true, text: null, byteSize: 3 }],
    ['another encoding', Buffer.from('caf\xe9', 'latin1'), { isBinary: false, text: 'café', byteSize: 4 }],
    ['a byte order mark', Buffer.from('\ufeffa'), { text: '\ufeffa' }],
  ])('returns %s as GitHub does', async (_, bytes, expected) => {
    const { github, read } = await start();
    github.commit(REPO, { 'a.md': bytes }, { branch: BRANCH });
    expect((await read(`${BRANCH}:a.md`)).body.data.repository.object).toMatchObject(expected);
  });

  it.each([
    ['a branch', 'HEAD:review.md', 'refs/heads/no'],
    ['a path', `${BRANCH}:no.md`, `refs/heads/${BRANCH}`],
  ])('returns null for %s that does not exist', async (_, expression, ref) => {
    const { read } = await start();
    const { body } = await read(expression, ref);
    expect(body.errors).toBeUndefined();
    expect(body.data.repository.object).toBeNull();
  });

  it('returns null and an error for each file of a commit that does not exist', async () => {
    const { graphql, head } = await start();
    const { body } = await graphql(
      `query ($oid: GitObjectID!) {
        repository(owner: "octocat", name: "hello") {
          object(oid: $oid) { ... on Commit { a: file(path: "untrusted/review.md") { mode } b: file(path: "b.md") { mode } } }
        }
      }`,
      { oid: head },
    );
    expect(body.data.repository.object).toEqual({ a: { mode: 0o100644 }, b: null });
    expect(body.errors).toMatchObject([
      {
        type: 'NOT_FOUND',
        path: ['repository', 'object', 'b'],
        message: "Could not resolve file for path 'b.md'.",
      },
    ]);
  });

  it.each<[string, RepoOptions, string, string, readonly string[]]>([
    [
      'a private repository of another token',
      { isPrivate: true, contents: { github_pat_memory: 'write' } },
      'NOT_FOUND',
      "Could not resolve to a Repository with the name 'octocat/hello'.",
      ['repository'],
    ],
    [
      'a private repository without the permission',
      { isPrivate: true, contents: 'none' },
      'FORBIDDEN',
      'Resource not accessible by integration',
      ['repository', 'ref'],
    ],
  ])('refuses %s', async (_, options, type, message, path) => {
    const { read } = await start(options);
    const { body } = await read(`${BRANCH}:review.md`);
    expect(body.errors[0]).toMatchObject({ type, message, path, locations: [expect.any(Object)] });
  });
});

describe('createCommitOnBranch', () => {
  it('adds, changes and deletes files in one commit on top of the head', async () => {
    const { github, head, append } = await start();
    const { body } = await append({
      head,
      additions: [
        { path: 'review.md', text: 'new\n' },
        { path: 'notes/a.md', text: 'a\n' },
        { path: 'run.sh', text: 'changed' },
      ],
      deletions: [{ path: 'untrusted/review.md' }],
    });
    const { commit, ref } = body.data.createCommitOnBranch;
    expect(ref).toEqual({ name: BRANCH, target: { oid: commit.oid } });
    expect(commit.url).toBe(`https://github.com/${REPO}/commit/${commit.oid}`);
    expect(github.files(REPO, BRANCH)).toEqual({
      'review.md': 'new\n',
      'notes/a.md': 'a\n',
      'link.md': 'review.md',
      'run.sh': 'changed',
    });
    expect(github.history(REPO, BRANCH)).toMatchObject([
      { sha: commit.oid, parents: [head], message: 'Remember\n\n[skip ci]' },
      { sha: head, parents: [] },
    ]);
  });

  it('lets exactly one of twenty succeed on the same head', async () => {
    const { github, head, append } = await start();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, writer) =>
        append({ head, additions: [{ path: 'review.md', text: `${writer}\n` }] }),
      ),
    );
    const won = answers.filter(({ body }) => body.data.createCommitOnBranch !== null);
    const lost = answers.filter(({ body }) => body.errors?.[0].type === 'STALE_DATA');
    expect([won.length, lost.length]).toEqual([1, 19]);
    expect(lost[0]?.body.errors[0]).toEqual({
      type: 'STALE_DATA',
      message: `Expected branch to point to "${head}" but it did not.  Pull and try again.`,
      path: ['createCommitOnBranch'],
      locations: [{ line: 2, column: 3 }],
    });
    expect(github.history(REPO, BRANCH)).toHaveLength(2);
    expect(github.calls()).toHaveLength(20);
  });

  it('keeps every entry of twenty clients that read again after each conflict', async () => {
    const { github, read, append } = await start();
    async function add(writer: number): Promise<void> {
      for (;;) {
        const { repository } = (await read(`${BRANCH}:review.md`)).body.data;
        const text = `${repository.object.text}entry ${writer}\n`;
        const answer = await append({
          head: repository.ref.target.oid,
          additions: [{ path: 'review.md', text }],
        });
        if (answer.body.errors === undefined) return;
      }
    }
    await Promise.all(Array.from({ length: 20 }, (_, writer) => add(writer)));
    const entries = github.files(REPO, BRANCH)['review.md']?.match(/^entry \d+$/gm);
    expect(new Set(entries).size).toBe(20);
    expect(github.history(REPO, BRANCH)).toHaveLength(21);
  });

  it.each<[string, (repo: StoredRepo) => void, Partial<Change>, string, string]>([
    [
      'a token that can read',
      (repo) => {
        repo.contents = 'read';
      },
      {},
      'FORBIDDEN',
      'Resource not accessible by integration',
    ],
    [
      'an archived repository',
      (repo) => {
        repo.isArchived = true;
      },
      {},
      'FORBIDDEN',
      'Repository was archived so is read-only.',
    ],
    ['a branch that is not there', () => {}, { branchName: 'no' }, 'NOT_FOUND', 'Branch not found'],
    [
      'a ruleset',
      (repo) => repo.rules.push({ branch: BRANCH, kind: 'ruleset' }),
      {},
      'UNPROCESSABLE',
      'Repository rule violations found\n\nChanges must be made through a pull request.\n\n',
    ],
    [
      'a protected branch',
      (repo) => repo.rules.push({ branch: BRANCH, kind: 'protection' }),
      {},
      'BRANCH_PROTECTION_RULE_VIOLATION',
      'Changes must be made through a pull request.',
    ],
    [
      'the deletion of what is not there',
      () => {},
      { deletions: [{ path: 'no.md' }] },
      'UNPROCESSABLE',
      'A path was requested for deletion which does not exist as of commit oid `HEAD`',
    ],
    [
      'a path twice',
      () => {},
      { deletions: [{ path: 'review.md' }] },
      'UNPROCESSABLE',
      'Path must be unique: review.md',
    ],
    [
      'a path that leads out',
      () => {},
      { additions: [{ path: '../a.md', text: '' }] },
      'UNPROCESSABLE',
      'Path is not valid: ../a.md',
    ],
  ])('refuses %s', async (_, prepare, change, type, message) => {
    const { github, repo, head, append } = await start();
    prepare(repo);
    const answer = await append({ head, additions: [{ path: 'review.md', text: 'x' }], ...change });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual({ createCommitOnBranch: null });
    expect(answer.body.errors).toMatchObject([{ type, message: message.replace('HEAD', head) }]);
    expect(github.history(REPO, BRANCH)).toHaveLength(1);
  });
});

describe('updateRefs', () => {
  async function startWithTwo(options?: RepoOptions) {
    const scene = await start(options);
    const { rest, head } = scene;
    const orphan = await rest(`POST /repos/${REPO}/git/commits`, {
      message: 'Squash',
      tree: scene.repo.git.commits.get(head)?.tree,
      parents: [],
    });
    const { id } = (await scene.read('HEAD')).body.data.repository;
    const update = (beforeOid: string | null, afterOid: string, force = false) =>
      scene.graphql(UPDATE_REFS, {
        input: {
          repositoryId: id,
          refUpdates: [{ name: `refs/heads/${BRANCH}`, beforeOid, afterOid, force }],
        },
      });
    return { ...scene, orphan: String(orphan.body.sha), update };
  }

  it('replaces the expected head with a commit without a parent, by force', async () => {
    const { github, head, orphan, update } = await startWithTwo();
    expect((await update(head, orphan)).body.errors[0].message).toBe('Update is not a fast forward');
    expect((await update(head, orphan, true)).body).toEqual({
      data: { updateRefs: { clientMutationId: null } },
    });
    expect(github.history(REPO, BRANCH).map(({ sha }) => sha)).toEqual([orphan]);
    const late = await update(head, orphan, true);
    expect(late.body.errors[0]).toMatchObject({
      message: expect.stringContaining(`is at ${orphan} but expected`),
    });
  });

  it('deletes and creates with a commit of zeros', async () => {
    const { github, head, orphan, update } = await startWithTwo();
    expect((await update(head, NO_COMMIT)).body.errors).toBeUndefined();
    expect(github.repo(REPO).branches.has(BRANCH)).toBe(false);
    expect((await update(NO_COMMIT, orphan)).body.errors).toBeUndefined();
    expect((await update(NO_COMMIT, head)).body.errors).toHaveLength(1);
    expect(github.history(REPO, BRANCH).map(({ sha }) => sha)).toEqual([orphan]);
  });

  it('respects a rule against force pushes and the right of the token', async () => {
    const { github, repo, head, orphan, update } = await startWithTwo();
    repo.rules.push({ branch: BRANCH, kind: 'ruleset', forbids: ['force'] });
    expect((await update(head, orphan, true)).body.errors[0].message).toContain('Cannot force-push');
    repo.contents = 'read';
    expect((await update(head, orphan, true)).body.errors[0].type).toBe('FORBIDDEN');
    expect(github.history(REPO, BRANCH).map(({ sha }) => sha)).toEqual([head]);
  });
});
