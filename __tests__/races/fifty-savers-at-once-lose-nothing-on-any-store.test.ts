import { describe, expect, it } from '@jest/globals';
import { createClock } from '../../src/adapters/host/clock.js';
import { createFiles } from '../../src/adapters/host/files.js';
import { createCacheStore } from '../../src/adapters/stores/cache/cache-store.js';
import { createFileStore } from '../../src/adapters/stores/file/file-store.js';
import { openBranchMemory } from '../../src/composition/branch-memory.js';
import { connectGitHub } from '../../src/composition/github.js';
import type { MemoryStore, SaveResult } from '../../src/core/memory/store.js';
import { textOf } from '../adapters/stores/contract.js';
import { append, idsIn } from '../adapters/stores/entries.js';
import { createFakeCache } from '../adapters/stores/fake-cache.js';
import { createFakeFiles } from '../adapters/stores/fake-files.js';
import { createSimulatedClock, seededRandom } from '../adapters/stores/simulated-clock.js';
import { GITHUB_TOKEN, type GitHubServer, startGitHubServer } from '../helpers/github-server.js';
import { tempDir } from '../helpers/temp.js';

const RUNS = 50;
const REPO = 'octocat/hello';
const never = new AbortController().signal;
const IDS = Array.from({ length: RUNS }, (_, index) => `e${String(index).padStart(2, '0')}`);

/** Each run opens a store of its own, loads the memory and saves its entry; all of them at once. */
async function saveAll(open: () => Promise<MemoryStore> | MemoryStore): Promise<readonly SaveResult[]> {
  const stores = await Promise.all(IDS.map(() => open()));
  await Promise.all(stores.map(idsOf));
  return await Promise.all(stores.map((store, index) => store.write([append(IDS[index] ?? '')], never)));
}

async function idsOf(store: MemoryStore): Promise<readonly string[]> {
  return idsIn(textOf(await store.read({ paths: ['bot.md'], lastN: 0, count: true }, never)));
}

function pendingIn(github: GitHubServer): readonly string[] {
  return [...github.repo(REPO).branches.keys()].filter((name) => name.startsWith('axe-memory-pending/'));
}

describe('fifty savers at once', () => {
  it('are all saved to the memory branch, with seven requests each or fewer, and folded into it by the next', async () => {
    const github = await startGitHubServer({ validate: false });
    github.addRepo(REPO, { contents: 'write' });
    github.commit(REPO, { 'README.md': '# Hello\n' });
    github.commit(REPO, { 'bot.md': '' }, { branch: 'axe-memory' });
    const clock = createClock();
    const open = async (): Promise<MemoryStore> => {
      const client = await connectGitHub({ token: GITHUB_TOKEN, env: github.env, fetch, clock });
      if (client === undefined) throw new Error('there is no token');
      const place = { owner: 'octocat', name: 'hello', branch: 'axe-memory', folder: '' };
      return openBranchMemory({ client, ...place, env: github.env, clock, mayCreate: true });
    };
    const stores = await Promise.all(IDS.map(open));
    const saves = stores.map((store, index) => store.write([append(IDS[index] ?? '')], never));
    const results = await Promise.all(saves);
    expect(results.filter(({ kind }) => kind !== 'saved')).toEqual([]);
    expect(github.requests().length / RUNS).toBeLessThanOrEqual(7);
    expect([...(await idsOf(await open()))].sort()).toEqual(IDS);

    expect(await (await open()).write([append('next')], never)).toMatchObject({ kind: 'saved' });
    expect(pendingIn(github)).toEqual([]);
    expect([...idsIn(github.files(REPO, 'axe-memory')['bot.md'] ?? '')].sort()).toEqual([...IDS, 'next']);
    const parents = github.history(REPO, 'axe-memory').map((commit) => commit.parents.length);
    expect(parents).toEqual([...Array(parents.length - 1).fill(1), 0]);
  });

  it('are all saved to a file', async () => {
    const root = tempDir('memory');
    const clock = createClock();
    const open = () => createFileStore({ files: createFiles(), clock, root, followLinks: false });
    const results = await saveAll(open);
    expect(results.filter(({ kind }) => kind !== 'saved')).toEqual([]);
    expect([...(await idsOf(open()))].sort()).toEqual(IDS);
  });

  it('are all saved to a cache, whose service answers in simulated time', async () => {
    const random = seededRandom(50);
    const clock = createSimulatedClock(random);
    const cache = createFakeCache();
    const open = () => {
      const files = createFakeFiles();
      const faults = {
        latency: () => clock.sleep(80 + random() * 80),
        upload: async () => {
          await clock.sleep(200 + random() * 200);
          return 'done' as const;
        },
      };
      return createCacheStore({
        cache: cache.client({ files, workspace: '/w', faults }),
        files,
        clock,
        directory: '/w/.axe-action-memory',
        scope: 'trunk',
        name: 'default',
      });
    };
    const results = await saveAll(open);
    expect(results.filter(({ kind }) => kind !== 'saved')).toEqual([]);
    expect([...(await idsOf(open()))].sort()).toEqual(IDS);
    // One version chain: a version for each save, and no number left out.
    expect(cache.keys()).toHaveLength(RUNS);
  });
});
