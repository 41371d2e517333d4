import { describe, expect, it } from '@jest/globals';
import { createGitHubClient } from '../../../../src/adapters/github/client/client.js';
import { createMemoryBranch } from '../../../../src/adapters/github/memory-branch/memory-branch.js';
import type { MemoryBranch, PendingSave, PendingSaves } from '../../../../src/core/memory/branch.js';
import { ANSWER_LOST, secondaryRateLimit } from '../../../helpers/github-faults.js';
import { GITHUB_TOKEN, type GitHubServer, startGitHubServer } from '../../../helpers/github-server.js';
import { createFakeClock, type FakeClock } from '../../stores/fake-clock.js';

const signal = new AbortController().signal;
const REPO = 'octocat/hello';
const BRANCH = 'axe-memory';
const FILES = new Map([['bot.md', '## 2026-02-03T04:05:06Z\n**Task:** x\n']]);

async function start(): Promise<GitHubServer> {
  const github = await startGitHubServer();
  github.addRepo(REPO, { contents: 'write' });
  github.commit(REPO, { 'README.md': '# Hello\n' });
  github.commit(REPO, { 'bot.md': 'a\n' }, { branch: BRANCH });
  return github;
}

interface Opened {
  readonly branch: MemoryBranch;
  readonly saves: PendingSaves;
  readonly head: string;
  readonly clock: FakeClock;
}

/** A branch that was read, as before every save. */
async function open(github: GitHubServer): Promise<Opened> {
  const clock = createFakeClock();
  const client = await createGitHubClient({
    token: GITHUB_TOKEN,
    apiUrl: github.env.GITHUB_API_URL,
    graphqlUrl: github.env.GITHUB_GRAPHQL_URL,
    fetch: globalThis.fetch,
    userAgent: 'axe-action/test',
    clock,
  });
  const place = {
    owner: 'octocat',
    name: 'hello',
    branch: BRANCH,
    serverUrl: 'https://github.com',
    hasPending: true,
  };
  const branch = createMemoryBranch(client, place);
  const read = await branch.read(['bot.md'], signal);
  const saves = branch.pendingSaves;
  if (saves === undefined || read.kind !== 'found') throw new Error('nothing can be put aside');
  return { branch, saves, head: read.head, clock };
}

async function pendingOf(branch: MemoryBranch): Promise<readonly PendingSave[]> {
  const read = await branch.read(['bot.md'], signal);
  return read.kind === 'failed' ? [] : (read.pending ?? []);
}

function branches(github: GitHubServer): readonly string[] {
  return [...github.repo(REPO).branches.keys()].filter((name) => name !== 'main').sort();
}

function put(saves: PendingSaves, at: string, id = 'id1') {
  return saves.add({ id, at, files: FILES, message: 'Update memory of bot [skip ci]' }, signal);
}

describe('a save put aside', () => {
  it('takes one request, leaves the branch as it is, and is read with it in one more', async () => {
    const github = await start();
    const { branch, saves, head } = await open(github);
    const before = github.requests().length;
    expect(await put(saves, head)).toMatchObject({ kind: 'committed' });
    expect(github.requests().length - before).toBe(1);
    expect(branches(github)).toEqual([BRANCH, `${BRANCH}-pending/id1`]);
    expect(github.history(REPO, BRANCH)[0]?.sha).toBe(head);
    expect(github.history(REPO, `${BRANCH}-pending/id1`)[0]?.message).toBe('Update memory of bot [skip ci]');
    const pending = await pendingOf(branch);
    expect(pending).toEqual([{ id: expect.any(String), name: 'id1', files: FILES }]);
    expect(github.requests().length - before).toBe(2);
  });

  it('is read with folders and with everything too', async () => {
    const github = await start();
    const { branch, saves, head } = await open(github);
    await put(saves, head);
    const [folder, all] = [await branch.read(['x/'], signal), await branch.readAll('', signal)];
    expect(folder).toMatchObject({ kind: 'found', pending: [{ files: FILES }] });
    expect(all).toMatchObject({ kind: 'found', pending: [{ files: FILES }] });
  });

  it('is removed with others in one request', async () => {
    const github = await start();
    const { branch, saves, head } = await open(github);
    for (const id of ['id1', 'id2', 'id3']) await put(saves, head, id);
    const pending = await pendingOf(branch);
    const before = github.requests().length;
    await saves.remove(pending, signal);
    expect(github.requests().length - before).toBe(1);
    expect(branches(github)).toEqual([BRANCH]);
    expect(await pendingOf(branch)).toEqual([]);
  });

  it('is removed though another run was faster with one of them', async () => {
    const github = await start();
    const { branch, saves, head } = await open(github);
    for (const id of ['id1', 'id2']) await put(saves, head, id);
    const pending = await pendingOf(branch);
    github.repo(REPO).branches.delete(`${BRANCH}-pending/id1`);
    await saves.remove(pending, signal);
    expect(branches(github)).toEqual([BRANCH]);
  });

  it('is read where there are more than GitHub lists at once, in the order of their names', async () => {
    const github = await start();
    const { branch, saves, head } = await open(github);
    const ids = Array.from({ length: 101 }, (_, index) => `id${String(index).padStart(3, '0')}`);
    await put(saves, head, 'id000');
    const { branches: all } = github.repo(REPO);
    const first = all.get(`${BRANCH}-pending/id000`) ?? '';
    for (const id of ids) all.set(`${BRANCH}-pending/${id}`, first);
    expect((await pendingOf(branch)).map(({ name }) => name)).toEqual(ids);
  });

  it('counts only if its file is there and is one: somebody may have made a branch of that name', async () => {
    const github = await start();
    const { branch } = await open(github);
    github.commit(REPO, { 'README.md': 'mine\n' }, { branch: `${BRANCH}-pending/mine` });
    github.commit(REPO, { 'axe-pending.json': '[]' }, { branch: `${BRANCH}-pending/list` });
    github.commit(REPO, { 'axe-pending.json': '{' }, { branch: `${BRANCH}-pending/torn` });
    expect(await pendingOf(branch)).toEqual([]);
  });
});

describe('trouble with a save put aside', () => {
  it('is a lost answer, whose save is there all the same', async () => {
    const github = await start();
    const { branch, saves, head } = await open(github);
    github.fail({ route: 'POST /graphql', contains: 'createRef', ...ANSWER_LOST, afterEffect: true });
    expect(await put(saves, head)).toMatchObject({ kind: 'unknown' });
    expect(await pendingOf(branch)).toHaveLength(1);
  });

  it('is a rule that forbids such branches, after which nothing is left behind', async () => {
    const github = await start();
    const { saves, head } = await open(github);
    github.repo(REPO).rules.push({ branch: `${BRANCH}-pending/id1`, kind: 'ruleset', forbids: ['create'] });
    expect(await put(saves, head)).toMatchObject({ kind: 'failed', reason: 'denied' });
    expect(branches(github)).toEqual([BRANCH]);
  });

  it('is a refusal of its commit alone, after which the branch is removed again', async () => {
    const github = await start();
    const { saves, head } = await open(github);
    github.repo(REPO).rules.push({ branch: `${BRANCH}-pending/id1`, kind: 'ruleset', forbids: ['update'] });
    expect(await put(saves, head)).toMatchObject({ kind: 'failed', reason: 'denied' });
    expect(branches(github)).toEqual([BRANCH]);
  });

  it('is a limit, which is reported at once and waited for by the save', async () => {
    const github = await start();
    const { saves, head, clock } = await open(github);
    github.fail({ route: 'POST /graphql', contains: 'createRef', ...secondaryRateLimit(60) });
    expect(await put(saves, head)).toMatchObject({
      kind: 'failed',
      reason: 'rate-limited',
      retryAfterMs: 60_000,
    });
    expect(clock.slept).toEqual([]);
  });

  it('is nothing where it only could not be removed', async () => {
    const github = await start();
    const { branch, saves, head, clock } = await open(github);
    await put(saves, head);
    github.fail({ route: 'POST /graphql', contains: 'deleteRef', ...secondaryRateLimit(60) });
    await saves.remove(await pendingOf(branch), signal);
    expect(clock.slept).toEqual([]);
    expect(await pendingOf(branch)).toHaveLength(1);
  });
});
