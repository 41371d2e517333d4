import { expect, it } from '@jest/globals';
import { createQuota, LIMITS, limitedFetch } from '../../bench/append/github-limits.js';
import { createVirtualClock } from '../../bench/append/virtual-clock.js';
import { createClock } from '../../src/lib/clock.js';
import { createFiles } from '../../src/lib/files.js';
import type { MemoryStore, SaveResult } from '../../src/memory/store.js';
import { openBranchMemory } from '../../src/memory/stores/branch/branch-store.js';
import { createFileStore } from '../../src/memory/stores/file/file-store.js';
import { connectGitHub } from '../../src/run/github.js';
import { GITHUB_TOKEN, startGitHubServer } from '../helpers/github-server.js';
import { tempDir } from '../helpers/temp.js';
import { append, idsIn, idsRead, never } from '../memory/stores/entries.js';
import { createFakeCache, openCacheJob } from '../memory/stores/fake-cache.js';
import { createSimulatedClock, seededRandom } from '../memory/stores/fake-clock.js';

const RUNS = 50;
const REPO = 'octocat/hello';
const IDS = Array.from({ length: RUNS }, (_, index) => `e${String(index).padStart(2, '0')}`);

/** Each run opens a store of its own, loads the memory and saves its entry; all of them at once. */
async function saveAll(
  open: () => Promise<MemoryStore> | MemoryStore,
): Promise<readonly SaveResult[]> {
  const stores = await Promise.all(IDS.map(() => open()));
  await Promise.all(stores.map(idsRead));
  return await Promise.all(
    stores.map((store, index) => store.write([append(IDS[index] ?? '')], never)),
  );
}

// GitHub's limits let some be saved by the post step only, which tries for as long again.
it.each([
  ['thirty are all saved to the memory branch that they create', 30, 0, false],
  ['fifty are all saved to the memory branch', RUNS, 1, false],
  ['twenty that read it before are all saved to the memory branch', 20, 1, true],
  ['fifty that read it before are all saved to the memory branch', RUNS, 1, true],
])('savers at once: %s, with few requests each', async (...[_, runs, before, isReadBefore]) => {
  const github = await startGitHubServer({ validate: false });
  github.addRepo(REPO, { contents: 'write' });
  github.commit(REPO, { 'README.md': '# Hello\n' });
  if (before > 0) github.commit(REPO, { 'bot.md': '' }, { branch: 'axe-memory' });
  const clock = createVirtualClock(seededRandom(runs));
  const quota = createQuota(clock, { requestsAnHour: LIMITS.requestsAnHour });
  const fetch = limitedFetch(clock, quota);
  // Each is a process of its own, with its own queue of writes.
  const clients = await Promise.all(
    IDS.slice(0, runs).map(() => connectGitHub(GITHUB_TOKEN, { env: github.env, fetch, clock })),
  );
  const names = { owner: 'octocat', name: 'hello', branch: 'axe-memory', folder: '' };
  const place = { ...names, token: 'github-token' } as const;
  const open = (index: number) => {
    const client = clients[index];
    if (client === undefined) throw new Error('there is no token');
    return openBranchMemory({ client, ...place, env: github.env, clock, mayCreate: true });
  };
  const stores = IDS.slice(0, runs).map((__, index) => open(index));
  if (isReadBefore) await clock.run(stores.map((store) => store.readTree(never)));
  const results = await clock.run(
    IDS.slice(0, runs).map(async (id, index) => {
      const again = clock.now();
      const main = (await stores[index]?.write([append(id)], never)) ?? { kind: 'failed' };
      return main.kind === 'saved'
        ? main
        : await open(index).write([{ ...append(id), again }], never);
    }),
  );
  expect(results.filter(({ kind }) => kind !== 'saved')).toEqual([]);
  // One to read, and at most one attempt on what all but the first have read too early.
  expect(quota.counts.requests / runs).toBeLessThanOrEqual(isReadBefore ? 13 : 10);
  expect([...idsIn(github.files(REPO, 'axe-memory')['bot.md'] ?? '')].sort()).toEqual(
    IDS.slice(0, runs),
  );
  const parents = github.history(REPO, 'axe-memory').map((commit) => commit.parents.length);
  expect(parents).toEqual([...Array(runs + before - 1).fill(1), 0]);
});

it('fifty savers at once are all saved to a file', async () => {
  const root = tempDir('memory');
  const clock = createClock();
  const open = () => createFileStore({ files: createFiles(), clock, root, followLinks: false });
  const results = await saveAll(open);
  expect(results.filter(({ kind }) => kind !== 'saved')).toEqual([]);
  expect([...(await idsRead(open()))].sort()).toEqual(IDS);
});

it('fifty savers at once are all saved to a cache, whose service answers in simulated time', async () => {
  const random = seededRandom(50);
  const clock = createSimulatedClock(random);
  const cache = createFakeCache();
  const upload = async () => {
    await clock.sleep(200 + random() * 200);
    return 'done' as const;
  };
  const latency = () => clock.sleep(80 + random() * 80);
  const open = () => openCacheJob(cache, clock, { latency, upload });
  const results = await saveAll(open);
  expect(results.filter(({ kind }) => kind !== 'saved')).toEqual([]);
  expect([...(await idsRead(open()))].sort()).toEqual(IDS);
  // One version chain: a version for each save, and no number left out.
  expect(cache.keys()).toHaveLength(RUNS);
});
