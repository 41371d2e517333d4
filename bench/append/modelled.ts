// Many runs that save at the same time, in virtual time and under GitHub's limits: the real stores
// and the real GitHub client over the fake GitHub of the tests; of the cache the fake of the tests.
// Prints one line of JSON for the scene that is named.

import { GITHUB_TOKEN, startGitHubServer } from '../../__tests__/helpers/github-server.js';
import { createFakeCache } from '../../__tests__/memory/stores/fake-cache.js';
import { seededRandom } from '../../__tests__/memory/stores/fake-clock.js';
import { createFakeFiles } from '../../__tests__/memory/stores/fake-files.js';
import type { GitHubClient } from '../../src/github/client/client.js';
import { formatEntry, formatProvenance, parseEntries } from '../../src/memory/run-log.js';
import type { MemoryStore } from '../../src/memory/store.js';
import { openBranchMemory } from '../../src/memory/stores/branch/branch-store.js';
import { createCacheStore } from '../../src/memory/stores/cache/cache-store.js';
import { connectGitHub } from '../../src/run/github.js';
import { createQuota, LIMITS, type LimitedQuota, limitedFetch } from './github-limits.js';
import { createVirtualClock, type VirtualClock } from './virtual-clock.js';

const PATH = 'bench.md';
const never = new AbortController().signal;
const [, , scene = 'branch', runs = '20'] = process.argv;

const clock = createVirtualClock(seededRandom(1));
say(await together(scene, Number(runs)));
process.exit(0);

/** Runs that finish within the same second, with the post step of those that could not save. */
async function together(kind: string, count: number): Promise<object> {
  const world = await openWorld(clock);
  const open = kind === 'cache' ? world.cache : world.branch;
  const read = kind === 'cache' ? world.cache : world.unlimited;
  const ids = Array.from({ length: count }, (_, index) => `e${index}`);
  await clock.run([save(open(), 'first')]);
  // As runs do: what is remembered is read at the start, and not counted here.
  const restored = await clock.run(
    ids.map(async (id) => {
      const store = open();
      await store.read({ path: PATH, lastN: 0 }, never);
      return { id, store };
    }),
  );
  const before = world.counts();
  const startMs = clock.elapsedMs();
  const saves = restored.map(async ({ id, store }) => {
    await clock.sleep(clock.random() * 1000);
    const again = clock.now();
    const main = await save(store, id);
    return main.isSaved ? main : { ...(await save(open(), id, again)), isPost: true };
  });
  const results = await clock.run(saves);
  const after = world.counts();
  const [log] = await clock.run([read().read({ path: PATH, lastN: 0 }, never)]);
  const text = log?.kind === 'restored' ? log.text : '';
  const found = parseEntries(text).flatMap(
    ({ text: entry }) => / id=(\S+) /.exec(entry)?.[1] ?? [],
  );
  const saved = results.filter(({ isSaved }) => isSaved);
  return {
    runs: results.length,
    requests: after.requests - before.requests,
    content: after.content - before.content,
    saved: saved.length,
    post: saved.filter((result) => 'isPost' in result).length,
    lost: results.length - saved.length,
    lastMs: Math.max(...results.map(({ atMs }) => atMs)) - startMs,
    missing: saved.filter(({ id }) => !found.includes(id)).length,
    doubled: found.length - new Set(found).size,
  };
}

async function openWorld(time: VirtualClock) {
  const github = await startGitHubServer({ validate: false });
  github.addRepo('octocat/hello', { contents: 'write' });
  github.commit('octocat/hello', { 'README.md': '# Hello\n' });
  const quota = createQuota(time, { requestsAnHour: LIMITS.requestsAnHour });
  const client = await connect(quota);
  const reader = await connect(createQuota(time, { requestsAnHour: Number.POSITIVE_INFINITY }));
  const service = createFakeCache();
  let cacheRequests = 0;
  const uploads: number[] = [];
  return {
    branch: () => branch(client),
    /** For a reader whose requests are no part of the scene. */
    unlimited: () => branch(reader),
    cache,
    counts: () => ({
      requests: quota.counts.requests + cacheRequests,
      content: quota.counts.content,
    }),
  };

  async function connect(limits: LimitedQuota): Promise<GitHubClient> {
    const fetch = limitedFetch(time, limits);
    const connected = await connectGitHub(GITHUB_TOKEN, { env: github.env, fetch, clock: time });
    if (connected === undefined) throw new Error('no token');
    return connected;
  }

  function branch(through: GitHubClient): MemoryStore {
    const names = { owner: 'octocat', name: 'hello', branch: 'axe-memory', folder: '' };
    const place = { ...names, token: 'github-token', mayCreate: true } as const;
    return openBranchMemory({ client: through, ...place, env: github.env, clock: time });
  }

  function cache(): MemoryStore {
    const files = createFakeFiles();
    const latency = () => time.sleep(LIMITS.cacheMs * (0.7 + 0.6 * time.random()));
    const fake = service.client({
      files,
      workspace: '/w',
      faults: { latency, upload: () => time.sleep(LIMITS.uploadMs).then(() => 'done' as const) },
    });
    return createCacheStore({
      // As the client of `@actions/cache` asks: a look-up, and a download of what is found; a
      // reservation, and then the upload and its end.
      cache: {
        async restore(request, signal) {
          const found = await fake.restore(request, signal);
          cacheRequests += found.kind === 'hit' ? 2 : 1;
          if (found.kind === 'hit') await latency();
          return found;
        },
        async save(request, signal) {
          const nowMs = time.elapsedMs();
          cacheRequests += 1;
          if (uploads.filter((atMs) => atMs > nowMs - 60_000).length >= LIMITS.cacheUploadsAMinute)
            return { kind: 'rate-limited', message: 'too many uploads', retryAfterMs: 60_000 };
          const saved = await fake.save(request, signal);
          if (saved.kind !== 'saved') return saved;
          uploads.push(nowMs);
          cacheRequests += 2;
          return saved;
        },
      },
      files,
      clock: time,
      directory: '/w/.axe-action-memory',
      scope: 'trunk',
    });
  }
}

async function save(store: MemoryStore, id: string, again?: Date) {
  const provenance = formatProvenance({ id });
  const task = 'Review pull request #42';
  const text = formatEntry({ timestamp: clock.now(), task, result: 'x'.repeat(800), provenance });
  const change = {
    kind: 'append',
    path: PATH,
    id,
    text,
    ...(again === undefined ? {} : { again }),
  } as const;
  const { kind } = await store.write([change], never);
  return { id, isSaved: kind === 'saved', atMs: clock.elapsedMs() };
}

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
