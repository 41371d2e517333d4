import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readInputs } from '../../../src/actions/inputs/inputs.js';
import { openActionMemory } from '../../../src/actions/memory/memory.js';
import { createClock } from '../../../src/adapters/host/clock.js';
import { connectGitHub } from '../../../src/composition/github.js';
import type { Trigger } from '../../../src/core/event/trigger.js';
import type { MemoryStore, SaveResult } from '../../../src/core/memory/store.js';
import { append, idsIn } from '../../adapters/stores/entries.js';
import { type CacheServer, startCacheServer } from '../../helpers/cache-server.js';
import { noAbort } from '../../helpers/github-client-fake.js';
import { GITHUB_TOKEN, type GitHubServer, startGitHubServer } from '../../helpers/github-server.js';
import type { ContentsRight } from '../../helpers/github-state.js';
import { setProcessEnv } from '../../helpers/process-env.js';
import { realmFetch } from '../../helpers/realm-fetch.js';
import { tempDir } from '../../helpers/temp.js';
import { pullRequest, SCHEDULE } from '../../helpers/triggers.js';

const HERE = 'octocat/hello';
const THERE = 'octocat/memory';
const BRANCH = 'axe-memory';

let github: GitHubServer;
let cache: CacheServer;
const startFolder = process.cwd();

beforeEach(async () => {
  github = await startGitHubServer();
  cache = await startCacheServer();
  for (const name of [HERE, THERE]) {
    github.addRepo(name);
    github.commit(name, { 'README.md': '# Hello\n' });
  }
});

// The cache client masks its addresses on standard output.
const { write } = process.stdout;
beforeEach(() => {
  process.stdout.write = () => true;
});

afterEach(() => {
  process.stdout.write = write;
  process.chdir(startFolder);
});

interface Job {
  /** Inputs as a workflow writes them. */
  readonly given: Readonly<Record<string, string>>;
  readonly hasCache: boolean;
  /** What the job's token may do with contents; undefined for no token. */
  readonly token: ContentsRight | undefined;
  readonly trigger?: Trigger;
}

/** Opens the store as a job does, with the real clients, against servers on loopback. */
async function open({ given, hasCache, token, trigger = SCHEDULE }: Job): Promise<MemoryStore> {
  const workspace = tempDir('workspace');
  process.chdir(workspace);
  const none = {
    ACTIONS_RESULTS_URL: undefined,
    ACTIONS_CACHE_URL: undefined,
    ACTIONS_CACHE_MODE: undefined,
  };
  const env = { ...none, ...(hasCache ? cache.env() : {}), GITHUB_REF: 'refs/heads/main', ...github.env };
  setProcessEnv({ ...env, GITHUB_WORKSPACE: workspace, RUNNER_TEMP: tempDir('runner-temp') });
  for (const name of [HERE, THERE]) github.repo(name).contents = token ?? 'read';
  const access = { env, fetch: realmFetch, clock: createClock() };
  const client = await connectGitHub({ ...access, token: token === undefined ? '' : GITHUB_TOKEN });
  const inputs = Object.entries({ agent: 'bot', ...given }).map(([name, value]) => [
    `INPUT_${name.toUpperCase()}`,
    value,
  ]);
  return openActionMemory({
    inputs: readInputs(Object.fromEntries(inputs)).memory,
    env,
    trigger,
    workspace,
    cwd: workspace,
    client,
    memoryClient: client,
    clock: createClock(),
  });
}

/** Reads and adds an entry, as a run does. */
async function run(job: Job, id = 'a') {
  const store = await open(job);
  const restored = await store.read({ paths: ['bot.md'], lastN: 0, count: true }, noAbort());
  const result = await store.write([append(id)], noAbort());
  return { store, restored, result, ids: restored.kind === 'restored' ? idsIn(restored.text) : [] };
}

/** Where an entry is, in a word or two. */
function becameOf(result: SaveResult, store: MemoryStore): string {
  if (result.kind === 'saved') return `saved: ${result.store ?? store.kind}`;
  return result.kept === undefined ? 'not saved' : `kept: ${result.kept.store}`;
}

const REPO = { 'memory-store': 'repo' };
const CACHE = { 'memory-store': 'cache' };
const OTHER = { 'memory-repo': THERE };

describe('an entry (D13, D14)', () => {
  it.each<[Readonly<Record<string, string>>, boolean, ContentsRight | undefined, string]>([
    [{}, true, 'write', 'saved: repo'],
    [{}, true, 'read', 'saved: cache'],
    [{}, true, undefined, 'saved: cache'],
    [{}, false, 'write', 'saved: repo'],
    [{}, false, 'read', 'not saved'],
    [{}, false, undefined, 'not saved'],
    [REPO, true, 'write', 'saved: repo'],
    [REPO, true, 'read', 'kept: cache'],
    [REPO, true, undefined, 'kept: cache'],
    [REPO, false, 'write', 'saved: repo'],
    [REPO, false, 'read', 'not saved'],
    [REPO, false, undefined, 'not saved'],
    [CACHE, true, 'write', 'saved: cache'],
    [CACHE, true, undefined, 'saved: cache'],
    [CACHE, false, 'write', 'not saved'],
    [CACHE, false, undefined, 'not saved'],
    [OTHER, true, 'write', 'saved: repo'],
    [OTHER, true, 'read', 'not saved'],
    [OTHER, true, undefined, 'not saved'],
    [{ ...OTHER, ...REPO }, true, 'read', 'not saved'],
    [{ 'memory-repo': HERE }, true, 'read', 'not saved'],
  ])('with %j, a cache: %j and a token that can %s ends as %s', async (given, hasCache, token, expected) => {
    const { store, restored, result } = await run({ given, hasCache, token });
    expect(becameOf(result, store)).toBe(expected);
    const isInCache = expected.endsWith('cache');
    expect(cache.entries().length > 0).toBe(isInCache);
    const branches = [HERE, THERE].filter((name) => github.repo(name).branches.has(BRANCH));
    const isElsewhere = given['memory-repo'] === THERE;
    expect(branches).toEqual(expected === 'saved: repo' ? [isElsewhere ? THERE : HERE] : []);
    // An entry that could not be kept anywhere comes with a remedy.
    if (result.kind === 'failed') expect(result.remedy).toMatch(/`/);
    const isOutOfReach =
      (given['memory-store'] === 'repo' || isElsewhere || 'memory-repo' in given) && !token;
    if (isOutOfReach || (given === CACHE && !hasCache)) expect(restored.kind).toBe('failed');
    else expect(restored.kind).toBe('empty');
  });

  it('that the cache refuses goes to an existing branch, but creates none', async () => {
    github.commit(HERE, { 'bot.md': '' }, { branch: BRANCH });
    const { store, result } = await run({ given: CACHE, hasCache: false, token: 'write' });
    expect(becameOf(result, store)).toBe('kept: repo');
    expect(idsIn(github.files(HERE, BRANCH)['bot.md'] ?? '')).toEqual(['a']);
  });

  it('that went to the cache states why, and how it gets to the branch', async () => {
    const { result } = await run({ given: {}, hasCache: true, token: 'read' });
    expect(result).toMatchObject({
      kind: 'saved',
      store: 'cache',
      location: expect.stringMatching(/^cache /),
    });
    const [notice = '', ...others] = result.kind === 'saved' ? (result.notices ?? []) : [];
    expect(others).toEqual([]);
    expect(notice).toMatch(
      /^Memory went to the Actions cache, since the token cannot write the memory branch\. .*`contents: write`/,
    );
  });

  it.each([{}, REPO])(
    'that the cache holds reaches the branch with the next run that can write: %j',
    async (given) => {
      await run({ given, hasCache: true, token: 'read' }, 'a');
      const next = await run({ given, hasCache: true, token: 'write' }, 'b');
      expect(next.ids).toEqual(given === REPO ? [] : ['a']);
      expect(becameOf(next.result, next.store)).toBe('saved: repo');
      expect(idsIn(github.files(HERE, BRANCH)['bot.md'] ?? '')).toEqual(['a', 'b']);
      const third = await run({ given, hasCache: true, token: 'read' }, 'c');
      expect(third.ids).toEqual(['a', 'b']);
    },
  );

  it('in a folder is stored there, in either store', async () => {
    const given = { 'memory-path': 'bots/api' };
    await run({ given, hasCache: true, token: 'read' }, 'a');
    const next = await run({ given, hasCache: true, token: 'write' }, 'b');
    expect(next.ids).toEqual(['a']);
    expect(Object.keys(github.files(HERE, BRANCH))).toEqual(['bots/api/bot.md']);
    const other = await run({ given: { 'memory-path': 'bots/web' }, hasCache: true, token: 'write' });
    expect(other.restored.kind).toBe('empty');
  });

  it('from a pull request is read and saved with those of all runs, on the branch', async () => {
    await run({ given: {}, hasCache: true, token: 'write' }, 'a');
    const next = await run({ given: {}, hasCache: true, token: 'write', trigger: pullRequest() }, 'b');
    expect(next.ids).toEqual(['a']);
    expect(next.restored).toMatchObject({
      location: 'octocat/hello@axe-memory:bot.md',
      url: 'https://github.com/octocat/hello/blob/axe-memory/bot.md',
    });
    expect(idsIn(github.files(HERE, BRANCH)['bot.md'] ?? '')).toEqual(['a', 'b']);
  });

  it('from one repository of a fleet has a folder of its own', async () => {
    await run({ given: OTHER, hasCache: true, token: 'write' });
    expect(Object.keys(github.files(THERE, BRANCH))).toEqual([`${HERE}/bot.md`]);
  });
});
