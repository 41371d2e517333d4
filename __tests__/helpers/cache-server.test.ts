import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type CacheServer, type CacheToken, startCacheServer } from './cache-server.js';
import { startChild } from './child.js';
import { COMPILED_CODE } from './compiled-code.js';
import { tempDir, writeFiles } from './temp.js';

const PREFIX = 'axe-memory/v1/trunk/default/';

/** Calls the real library as an action does, and reports what it returns on the last line. */
const CALL = `
const cache = await import(${JSON.stringify(import.meta.resolve('@actions/cache'))});
const { call, args } = JSON.parse(process.argv[1]);
const result = await cache[call](...args);
process.stdout.write('\\n' + JSON.stringify(result === undefined ? 'undefined' : result));
`;

async function job(cache: CacheServer, token?: CacheToken) {
  const workspace = tempDir('workspace');
  const runnerTemp = tempDir('runner');
  async function call(name: 'saveCache' | 'restoreCache', ...args: unknown[]) {
    const { stdout, stderr } = await startChild({
      command: process.execPath,
      args: ['--input-type=module', '--eval', CALL, JSON.stringify({ call: name, args })],
      cwd: workspace,
      env: {
        ...COMPILED_CODE,
        PATH: process.env['PATH'] ?? '',
        RUNNER_TEMP: runnerTemp,
        GITHUB_WORKSPACE: workspace,
        ...cache.env(token),
      },
    }).finished;
    const lines = stdout.split('\n');
    return { result: JSON.parse(lines.pop() || '"no result"'), log: lines.join('\n') + stderr };
  }
  return {
    workspace,
    save: (key: string) => call('saveCache', ['.axe-memory'], key),
    restore: (key: string, ...restoreKeys: string[]) =>
      call('restoreCache', ['.axe-memory'], key, restoreKeys),
  };
}

describe('the fake Actions cache, driven by the real library', () => {
  it('saves, restores by prefix in another workspace, and never changes a key', async () => {
    const cache = await startCacheServer();
    const first = await job(cache);
    writeFiles(first.workspace, { '.axe-memory/reviewer.md': '## one\n' });
    expect((await first.save(`${PREFIX}0000000001.`)).result).toBe(1);
    writeFiles(first.workspace, { '.axe-memory/reviewer.md': '## one\n## two\n' });
    expect((await first.save(`${PREFIX}0000000002.`)).result).toBe(2);

    const second = await job(cache);
    expect((await second.restore(`${PREFIX}none`, PREFIX)).result).toBe(`${PREFIX}0000000002.`);
    expect(readFileSync(join(second.workspace, '.axe-memory/reviewer.md'), 'utf8')).toBe('## one\n## two\n');

    const again = await second.save(`${PREFIX}0000000002.`);
    expect(again.result).toBe(-1);
    expect(again.log).toContain('another job may be creating this cache');
  });

  it('denies a save to a read-only token, and a restore to a token that cannot read', async () => {
    const cache = await startCacheServer();
    const { workspace, save } = await job(cache, { mayWrite: false });
    mkdirSync(join(workspace, '.axe-memory'));
    const denied = await save(`${PREFIX}0000000001.`);
    expect(denied.result).toBe(-1);
    expect(denied.log).toContain('cache write denied: token has no writable scopes');
    expect(cache.entries()).toEqual([]);
    const blind = await (await job(cache, { mayRead: false })).restore('x', PREFIX);
    expect(blind.result).toBe('undefined');
    expect(blind.log).toContain('cache read denied');
  });

  it('shows a pull request what main saved, and main nothing of the pull request', async () => {
    const cache = await startCacheServer();
    const main = await job(cache);
    const pull = await job(cache, { ref: 'refs/pull/2/merge' });
    writeFiles(main.workspace, { '.axe-memory/a.md': 'main\n' });
    writeFiles(pull.workspace, { '.axe-memory/a.md': 'pull\n' });
    await main.save(`${PREFIX}1.`);
    await pull.save(`${PREFIX}2.`);
    expect((await pull.restore('x', PREFIX)).result).toBe(`${PREFIX}2.`);
    expect((await main.restore('x', PREFIX)).result).toBe(`${PREFIX}1.`);
    cache.evict((entry) => entry.scope === 'refs/pull/2/merge');
    expect((await pull.restore('x', PREFIX)).result).toBe(`${PREFIX}1.`);
    expect(readFileSync(join(pull.workspace, '.axe-memory/a.md'), 'utf8')).toBe('main\n');
  });

  it('distinguishes dead reservations, rate limits and refused reads from a miss only in the log', async () => {
    const cache = await startCacheServer();
    const { workspace, save, restore } = await job(cache);
    writeFiles(workspace, { '.axe-memory/a.md': 'a\n' });
    cache.reserve(`${PREFIX}1.`);
    expect((await save(`${PREFIX}1.`)).result).toBe(-1);
    cache.fail({ operation: 'CreateCacheEntry', status: 429, headers: { 'retry-after': '7' } });
    const limited = await save(`${PREFIX}2.`);
    expect(limited.result).toBe(-1);
    expect(limited.log).toContain('your rate limit will reset in 7 seconds');
    cache.fail({ operation: 'GetCacheEntryDownloadURL', status: 429 });
    const failed = await restore('x', PREFIX);
    expect(failed.result).toBe('undefined');
    expect(failed.log).toContain('Failed to restore: ');
    const missed = await restore('x', PREFIX);
    expect(missed.result).toBe('undefined');
    expect(missed.log).not.toContain('Failed');
    cache.fail({
      operation: 'FinalizeCacheEntryUpload',
      status: 200,
      body: { ok: false, message: 'not today' },
    });
    expect((await save(`${PREFIX}3.`)).log).toContain('not today');
    expect(cache.entries().map(({ key, finalized }) => [key, finalized])).toEqual([[`${PREFIX}3.`, false]]);
    rmSync(join(workspace, '.axe-memory'), { recursive: true });
    expect((await restore(`${PREFIX}3.`)).result).toBe('undefined');
    expect(existsSync(join(workspace, '.axe-memory'))).toBe(false);
  });
});
