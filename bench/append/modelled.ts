// Many runs that save at the same time, in virtual time and under GitHub's limits: the real stores and the real GitHub client
// over the fake GitHub of the tests; of the cache the fake of the tests. Prints one line of JSON for the scene that is named.

import { createFakeCache } from '../../__tests__/adapters/stores/fake-cache.js';
import { createFakeFiles } from '../../__tests__/adapters/stores/fake-files.js';
import { seededRandom } from '../../__tests__/adapters/stores/simulated-clock.js';
import { GITHUB_TOKEN, startGitHubServer } from '../../__tests__/helpers/github-server.js';
import type { GitHubClient } from '../../src/adapters/github/client/client.js';
import { createCacheStore } from '../../src/adapters/stores/cache/cache-store.js';
import { createFallbackStore } from '../../src/adapters/stores/fallback/fallback-store.js';
import type { TreeStore } from '../../src/adapters/stores/store.js';
import { openBranchMemory } from '../../src/composition/branch-memory.js';
import { connectGitHub } from '../../src/composition/github.js';
import { SAVE_BUDGET_MS } from '../../src/core/defaults.js';
import { parseEntries } from '../../src/core/memory/run-log.js';
import type { MemoryStore } from '../../src/core/memory/store.js';
import { benchEntry } from './entry.js';
import { createQuota, LIMITS, type LimitedQuota, limitedFetch } from './github-limits.js';
import { createVirtualClock, type VirtualClock } from './virtual-clock.js';

const PATH = 'bench.md';
const never = new AbortController().signal;
const [, , scene = 'repo', runs = '20'] = process.argv;

const clock = createVirtualClock(seededRandom(1));
say(scene === 'fleet' ? await fleet() : await together(scene, Number(runs)));
process.exit(0);

/** Runs that finish within the same second. */
async function together(kind: string, count: number): Promise<object> {
  const isOther = kind === 'memory-repo';
  const world = await openWorld(clock, isOther ? LIMITS.tokenRequestsAnHour : LIMITS.requestsAnHour);
  const open = opener(kind, world);
  const read = opener(kind, world.unlimited);
  const ids = Array.from({ length: count }, (_, index) => `e${index}`);
  await clock.run([save(world.repo('octocat/hello', ''), 'first'), save(world.cache(), 'first')]);
  // As runs do: what is remembered is read at the start, and not counted here.
  const restored = await clock.run(
    ids.map(async (id) => {
      const store = open('octocat/hello', '');
      await store.read({ paths: [PATH], lastN: 0, count: false }, never);
      return { id, store };
    }),
  );
  const before = world.counts();
  const startMs = clock.elapsedMs();
  const saves = restored.map(async ({ id, store }) => {
    await clock.sleep(clock.random() * 1000);
    return await save(store, id);
  });
  const results = await clock.run(saves);
  return await describe({ world, open, read, before, startMs, results, ids });
}

function opener(kind: string, { repo, other, cache, both }: Stores): Stores['both'] {
  if (kind === 'cache') return cache;
  if (kind === 'memory-repo') return other;
  return kind === 'repo' ? repo : both;
}

/** Thirty repositories with ten runs an hour each, which keep their memory in one more (`memory-repo`). */
async function fleet(): Promise<object> {
  const world = await openWorld(clock, LIMITS.tokenRequestsAnHour);
  const open = (): MemoryStore => world.other('octocat/hello', 'octocat/r0');
  const repositories = Array.from({ length: 30 }, (_, index) => `octocat/r${index}`);
  const before = world.counts();
  const saves = repositories.flatMap((folder) =>
    Array.from({ length: 10 }, async (_, index) => {
      await clock.sleep(clock.random() * 3_600_000);
      const store = world.other('octocat/hello', folder);
      // As runs do: what is remembered is read at the start.
      await store.read({ paths: [PATH], lastN: 0, count: false }, never);
      await clock.sleep(60_000 + clock.random() * 120_000);
      return await save(store, `${folder.replace('/', '-')}-${index}`);
    }),
  );
  const results = await clock.run(saves);
  const ids = Array.from({ length: 10 }, (_, index) => `octocat-r0-${index}`);
  return await describe({ world, open, read: open, before, startMs: 0, results, ids, isFleet: true });
}

interface Stores {
  repo(repository: string, folder: string): TreeStore;
  /** The branch of another repository (`memory-repo`). */
  other(repository: string, folder: string): TreeStore;
  cache(): TreeStore;
  /** The branch, and the cache for what it does not take. */
  both(repository: string, folder: string): MemoryStore;
}

interface World extends Stores {
  /** For a reader whose requests are no part of the scene. */
  readonly unlimited: Stores;
  counts(): {
    readonly requests: number;
    readonly content: number;
    readonly refused: number;
    readonly cache: number;
  };
}

async function openWorld(time: VirtualClock, requestsAnHour: number): Promise<World> {
  const github = await startGitHubServer({ validate: false });
  github.addRepo('octocat/hello', { contents: 'write' });
  github.commit('octocat/hello', { 'README.md': '# Hello\n' });
  const quota = createQuota(time, { requestsAnHour });
  const client = await connect(quota);
  const reader = await connect(createQuota(time, { requestsAnHour: Number.POSITIVE_INFINITY }));
  const service = createFakeCache();
  let cacheRequests = 0;
  const uploads: number[] = [];
  const stores = (through: GitHubClient): Stores => ({
    repo: (repository, folder) => repo(through, repository, { folder }),
    other: (repository, folder) => repo(through, repository, { folder, budgetMs: SAVE_BUDGET_MS.otherRepo }),
    cache,
    both: (repository, folder) =>
      createFallbackStore({ tiers: [repo(through, repository, { folder }), cache()], mode: 'fixed' }),
  });
  return {
    ...stores(client),
    unlimited: stores(reader),
    counts: () => ({ ...quota.counts, cache: cacheRequests }),
  };

  async function connect(limits: LimitedQuota): Promise<GitHubClient> {
    const fetch = limitedFetch(time, limits);
    const connected = await connectGitHub({ token: GITHUB_TOKEN, env: github.env, fetch, clock: time });
    if (connected === undefined) throw new Error('no token');
    return connected;
  }

  function repo(
    through: GitHubClient,
    repository: string,
    given: { readonly folder: string; readonly budgetMs?: number },
  ): TreeStore {
    const isOther = given.budgetMs !== undefined;
    const env = { ...github.env, GITHUB_REPOSITORY: isOther ? 'octocat/elsewhere' : repository };
    const [owner = '', name = ''] = repository.split('/');
    const place = { owner, name, branch: 'axe-memory', ...given };
    return openBranchMemory({ client: through, ...place, env, clock: time, mayCreate: true });
  }

  function cache(): TreeStore {
    const files = createFakeFiles();
    const latency = () => time.sleep(LIMITS.cacheMs * (0.7 + 0.6 * time.random()));
    const fake = service.client({
      files,
      workspace: '/w',
      faults: { latency, upload: () => time.sleep(LIMITS.uploadMs).then(() => 'done' as const) },
    });
    return createCacheStore({
      // As the client of `@actions/cache` asks: a look-up, and a download of what is found; a reservation, and then the upload
      // and its end.
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
      name: 'bench',
    });
  }
}

interface Saved {
  readonly id: string;
  readonly kind: 'saved' | 'kept' | 'lost';
  readonly atMs: number;
  readonly why?: string;
}

async function save(store: MemoryStore, id: string): Promise<Saved> {
  const text = benchEntry(id, clock.now());
  const result = await store.write([{ kind: 'append', path: PATH, id, text }], never);
  const atMs = clock.elapsedMs();
  if (result.kind === 'saved') return { id, kind: 'saved', atMs };
  return { id, kind: result.kept === undefined ? 'lost' : 'kept', atMs, why: result.message };
}

interface Described {
  readonly world: World;
  readonly open: Stores['both'];
  readonly read: Stores['both'];
  readonly before: ReturnType<World['counts']>;
  readonly startMs: number;
  readonly results: readonly Saved[];
  /** Those that the reader is to see. */
  readonly ids: readonly string[];
  readonly isFleet?: boolean;
}

/** With what the next run reads, once it has saved an entry of its own an hour later. */
async function describe({
  world,
  open,
  read,
  before,
  startMs,
  results,
  ids,
  isFleet,
}: Described): Promise<object> {
  const after = world.counts();
  const of = (kind: Saved['kind']) => results.filter((result) => result.kind === kind);
  const lastMs = Math.max(...results.map(({ atMs }) => atMs)) - startMs;
  const seen = async (): Promise<readonly string[]> => {
    const [log] = await clock.run([
      read('octocat/hello', '').read({ paths: [PATH], lastN: 0, count: false }, never),
    ]);
    const text = log?.kind === 'restored' ? log.text : '';
    return parseEntries(text).flatMap(({ text: entry }) => / id=(\S+) /.exec(entry)?.[1] ?? []);
  };
  const atOnce = await seen();
  await clock.run([clock.sleep(3_600_000)]);
  await clock.run([save(open('octocat/hello', ''), 'next')]);
  const found = await seen();
  const due = [...of('saved'), ...of('kept')].filter(({ id }) => ids.includes(id));
  return {
    runs: results.length,
    requests: after.requests - before.requests + (isFleet === true ? 0 : after.cache - before.cache),
    content: after.content - before.content,
    refused: after.refused - before.refused,
    saved: of('saved').length,
    kept: of('kept').length,
    lost: of('lost').length,
    why: of('lost')[0]?.why,
    lastMs,
    unseen: of('saved').filter(({ id }) => ids.includes(id) && !atOnce.includes(id)).length,
    missing: due.filter(({ id }) => !found.includes(id)).length,
    doubled: found.length - new Set(found).size,
  };
}

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
