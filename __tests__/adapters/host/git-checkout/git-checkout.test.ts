import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { openCheckout } from '../../../../src/adapters/host/git-checkout/git-checkout.js';
import { noAbort } from '../../../helpers/github-client-fake.js';
import { startLoopback } from '../../../helpers/loopback.js';
import { gitIn, NOBODY } from '../../../helpers/run-steps.js';
import { tempDir, writeFiles } from '../../../helpers/temp.js';

const ENV = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', ...NOBODY };
const BOT = { name: 'bot', email: 'bot@example.com' };

let remote: string;
let clone: string;
let dir: string;

beforeEach(() => {
  remote = join(tempDir('remote'), 'repo.git');
  clone = join(tempDir('clone'), 'repo');
  dir = join(clone, '.axe/memory');
  const cwd = tempDir('cwd');
  gitIn(cwd, 'init', '--quiet', '--bare', '--initial-branch=main', remote);
  gitIn(cwd, 'clone', '--quiet', remote, clone);
  writeFiles(clone, { '.axe/memory/bot.md': 'one\n', '.axe/memory/old.md': 'old\n', 'src/a.ts': '1\n' });
  commit('Start');
});

function commit(message: string): void {
  gitIn(clone, 'add', '--all');
  gitIn(clone, 'commit', '--quiet', `--message=${message}`);
  gitIn(clone, 'push', '--quiet', 'origin', 'HEAD:main');
}

const open = (more: Partial<Parameters<typeof openCheckout>[0]> = {}) =>
  openCheckout({ dir, env: ENV, committer: BOT, ...more }, noAbort());

/** Commits one file of memory onto the branch, as a push does it. */
async function push(text: string, branch = 'main') {
  const opened = (await open()).openBranch(branch);
  const found = await opened.read(['.axe/memory/bot.md'], noAbort());
  const head = found.kind === 'found' ? found.head : '';
  const files = new Map([['.axe/memory/bot.md', text]]);
  return await opened.commit(head, { files, message: 'Update memory' }, noAbort());
}

describe('the memory folder of a checkout', () => {
  it('reports its changes, however they are staged, and nothing about other files', async () => {
    writeFiles(clone, {
      '.axe/memory/bot.md': 'one\ntwo\n',
      '.axe/memory/new.state.md': 'new\n',
      '.axe/memory/.gitignore': '*.bak\n',
      '.axe/memory/bot.md.bak': 'gone\n',
      'src/a.ts': '2\n',
      'src/note.md': 'no memory\n',
    });
    gitIn(clone, 'rm', '--quiet', '--cached', '.axe/memory/old.md');
    gitIn(clone, 'rm', '--quiet', '-f', '--ignore-unmatch', '.axe/memory/old.md');
    const { folder, branch, changed } = await open();
    expect([folder, branch]).toEqual(['.axe/memory', 'main']);
    expect(Object.fromEntries(changed)).toMatchObject({
      'bot.md': { before: 'one\n', now: 'one\ntwo\n' },
      'new.state.md': { before: '', now: 'new\n' },
      '.gitignore': { before: '', now: '*.bak\n' },
    });
    expect([...changed.keys()].filter((path) => /bak|src/.test(path))).toEqual([]);
    expect(gitIn(clone, 'status', '--porcelain')).toContain(' M src/a.ts');
  });

  it('is unchanged right after the checkout, and if it is empty', async () => {
    expect((await open()).changed.size).toBe(0);
    gitIn(clone, 'rm', '--quiet', '-r', '.axe');
    commit('Remove memory');
    mkdirSync(dir, { recursive: true });
    expect((await open()).changed.size).toBe(0);
  });

  it.each([
    ['in no repository', () => tempDir('alone'), 'memory is not in a git repository'],
    ['at the top of one', () => clone, 'memory is at the top of the repository'],
  ])('is refused %s', async (_, at, message) => {
    await expect(open({ dir: at() })).rejects.toThrow(message);
  });

  it('is refused if a link is in its place', async () => {
    symlinkSync('/etc/hostname', join(dir, 'linked.md'));
    await expect(open()).rejects.toThrow('`.axe/memory/linked.md` is not a regular file');
  });

  it('has no branch if a single commit is checked out', async () => {
    gitIn(clone, 'checkout', '--quiet', '--detach');
    expect((await open()).branch).toBeUndefined();
  });
});

describe('a branch of the remote', () => {
  it('gets a commit on top of the newest, and the checkout follows', async () => {
    writeFiles(clone, { '.axe/memory/bot.md': 'two\n', 'src/a.ts': '2\n' });
    expect(await push('two\n')).toMatchObject({ kind: 'committed' });
    expect(gitIn(remote, 'log', '--format=%an %s', 'main')).toBe('bot Update memory\noctocat Start\n');
    expect(gitIn(clone, 'status', '--porcelain')).toBe(' M src/a.ts\n');
    expect(gitIn(clone, 'rev-parse', 'HEAD')).toBe(gitIn(remote, 'rev-parse', 'main'));
  });

  it('is stale for a later push, and the checkout stays at its commit', async () => {
    const head = gitIn(clone, 'rev-parse', 'HEAD').trim();
    const branch = (await open()).openBranch('main');
    await branch.read([], noAbort());
    const other = join(tempDir('other'), 'repo');
    gitIn(tempDir('cwd'), 'clone', '--quiet', remote, other);
    gitIn(other, 'commit', '--quiet', '--allow-empty', '--message=Faster');
    gitIn(other, 'push', '--quiet');
    const late = { files: new Map([['.axe/memory/bot.md', 'late\n']]), message: 'Late' };
    expect(await branch.commit(head, late, noAbort())).toEqual({ kind: 'stale' });
    expect(await push('in time\n')).toMatchObject({ kind: 'committed' });
    expect(gitIn(clone, 'rev-parse', 'HEAD').trim()).toBe(head);
  });

  it('is missing if it does not exist, and is created by the first push', async () => {
    const branch = (await open()).openBranch('memory');
    expect(await branch.read([], noAbort())).toEqual({ kind: 'missing', isPublic: false });
    const change = { files: new Map([['bot.md', 'one\n']]), message: 'First' };
    expect(await branch.create(change, noAbort())).toMatchObject({ kind: 'committed' });
    expect(await branch.create({ ...change, message: 'Second' }, noAbort())).toEqual({ kind: 'stale' });
    const found = await branch.readAll('', noAbort());
    expect(found).toMatchObject({
      kind: 'found',
      files: new Map([['bot.md', { kind: 'text', text: 'one\n' }]]),
    });
    if (found.kind !== 'found') return;
    expect(await branch.squash(found.head, 'Anew', noAbort())).toMatchObject({ kind: 'committed' });
    expect(gitIn(remote, 'log', '--format=%s', 'memory')).toBe('Anew\n');
    expect(await branch.growth(found.head, gitIn(remote, 'rev-parse', 'memory').trim(), noAbort())).toEqual({
      kind: 'replaced',
    });
    expect(await branch.growth(found.head, found.head, noAbort())).toEqual({ kind: 'grown' });
  });

  it('that the server protects is denied, with the server’s message and a remedy', async () => {
    const hook = join(remote, 'hooks/pre-receive');
    writeFiles(remote, {
      'hooks/pre-receive': '#!/bin/sh\necho "error: GH006: Protected branch update failed" >&2\nexit 1\n',
    });
    chmodSync(hook, 0o755);
    expect(await push('two\n')).toEqual({
      kind: 'failed',
      reason: 'denied',
      message: 'git push to `main`: pre-receive hook declined: GH006: Protected branch update failed',
      remedy: expect.stringMatching(/contents: write.*protected.*push --branch/),
    });
  });

  it('runs no hook of the checkout', async () => {
    writeFiles(clone, { '.git/hooks/pre-push': '#!/bin/sh\nexit 1\n' });
    chmodSync(join(clone, '.git/hooks/pre-push'), 0o755);
    expect(await push('two\n')).toMatchObject({ kind: 'committed' });
  });
});

describe('credentials', () => {
  async function asked(settings: readonly (readonly [string, string])[]) {
    const server = await startLoopback((_request, response) => {
      response.writeHead(403).end('denied');
    });
    gitIn(clone, 'remote', 'set-url', 'origin', `${server.url}/octocat/hello`);
    for (const [name, value] of settings) gitIn(clone, 'config', name.replace('SERVER', server.url), value);
    const checkout = await open({ access: { serverUrl: server.url, token: 'canary-token' } });
    const read = await checkout.openBranch('main').read([], noAbort());
    expect(read).toMatchObject({
      kind: 'failed',
      reason: 'denied',
      remedy: expect.stringMatching(/github-token/),
    });
    return server.requests().map(({ headers }) => headers['authorization']);
  }

  it('are the token if git has none', async () => {
    const basic = Buffer.from('x-access-token:canary-token').toString('base64');
    expect(await asked([])).toEqual([`basic ${basic}`]);
  });

  it('are those of the checkout if it has some: GitHub refuses two', async () => {
    expect(await asked([['http.SERVER/.extraheader', 'AUTHORIZATION: basic b3du']])).toEqual(['basic b3du']);
  });
});
