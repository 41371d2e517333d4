import { describe, expect, it } from '@jest/globals';
import { createFiles } from '../../../src/adapters/host/files.js';
import { createCacheStore } from '../../../src/adapters/stores/cache/cache-store.js';
import { createFallbackStore } from '../../../src/adapters/stores/fallback/fallback-store.js';
import { createFileStore } from '../../../src/adapters/stores/file/file-store.js';
import { inFolder } from '../../../src/adapters/stores/in-folder.js';
import { createRepoStore } from '../../../src/adapters/stores/repo/repo-store.js';
import { collect, type GcRequest } from '../../../src/commands/gc/gc.js';
import { bareProvenance } from '../../../src/core/memory/commands/compose.js';
import { notesPlaces, pathOf } from '../../../src/core/memory/notes/place.js';
import { formatProvenance } from '../../../src/core/memory/provenance.js';
import { formatEntry } from '../../../src/core/memory/run-log.js';
import type { MemoryStore } from '../../../src/core/memory/store.js';
import { parseLog } from '../../../src/core/memory/units.js';
import { createFakeBranch } from '../../adapters/stores/fake-branch.js';
import { createFakeCache } from '../../adapters/stores/fake-cache.js';
import { createPatientClock } from '../../adapters/stores/fake-clock.js';
import { createFakeFiles } from '../../adapters/stores/fake-files.js';
import { createFakePlace } from '../../adapters/stores/fake-place.js';
import { adding } from '../../adapters/stores/notes-contract.js';
import { createFakeDependencies } from '../../helpers/dependencies-fake.js';
import { createFakeModel, type FakeModel, type FakeReply, says } from '../../helpers/model-fake.js';
import { tempDir, writeFiles } from '../../helpers/temp.js';

const never = new AbortController().signal;
const LOG = 'bot.md';
const UNTRUSTED = 'untrusted/bot.md';
const TOML = `name = "bot"
model = "openai/m"
[memory]
enabled = true
last_n = 2
max_age_days = 30
notes = true
retention_days = 30
`;
const PLACES = notesPlaces('project', 'octocat/hello-world');
const OLD_DAY = pathOf({ kind: 'daily', date: '2025-12-01' }, PLACES);
const NEW_DAY = pathOf({ kind: 'daily', date: '2026-02-01' }, PLACES);

/** An entry of a day in 2026; the clock stands at 3 February. */
function entry(task: string, month: number, day: number): string {
  return formatEntry({ timestamp: new Date(Date.UTC(2026, month - 1, day)), task, result: `of ${task}` });
}

function append(path: string, text: string) {
  return { kind: 'append', path, text, id: parseLog(text).units[0]?.id ?? '' } as const;
}

/** How runs after each other open a store. */
const STORES: Readonly<Record<string, () => () => MemoryStore>> = {
  'a file store': () => {
    const root = tempDir('memory');
    return () =>
      createFileStore({ files: createFiles(), clock: createPatientClock(), root, followLinks: false });
  },
  'a repo store': () => {
    const branch = createFakeBranch();
    const clock = createPatientClock();
    return () => createRepoStore({ branch: branch.open({}), folder: '', clock, mayCreate: true });
  },
  'a cache store': () => {
    const cache = createFakeCache();
    return () => {
      const files = createFakeFiles();
      const parts = { cache: cache.client({ files, workspace: '/w' }), files, directory: '/w/.memory' };
      return createCacheStore({ ...parts, clock: createPatientClock(), scope: 'trunk', name: 'default' });
    };
  },
  'a fallback store': () => {
    const places = [createFakePlace('repo'), createFakePlace('cache')];
    return () => createFallbackStore({ tiers: places.map((place) => place.open()), mode: 'auto' });
  },
  'a store with a scope': () => {
    const place = createFakePlace('repo');
    return () => inFolder(place.open(), 'packages/web');
  },
};

const UNDER = [LOG, UNTRUSTED, OLD_DAY, NEW_DAY, `untrusted/${OLD_DAY}`, `untrusted/${NEW_DAY}`];

/** What is left, run logs as their tasks. */
async function left(open: () => MemoryStore): Promise<Readonly<Record<string, unknown>>> {
  const found = await open().readTree(never, UNDER);
  if (found.kind === 'failed') throw new Error(found.message);
  return Object.fromEntries(
    [...found.tree].map(([path, text]) => [path, /bot\.md$/.test(path) ? tasksIn(text) : text]),
  );
}

function tasksIn(text: string): readonly string[] {
  return [...text.matchAll(/^\*\*Task:\*\* (.*)$/gm)].map(([, task = '']) => task);
}

async function collecting(
  open: () => MemoryStore,
  replies: readonly FakeReply[],
  toml = TOML,
  maxTokens = 0,
) {
  const model: FakeModel = createFakeModel(replies);
  const deps = createFakeDependencies({ agents: { bot: toml }, model });
  const request: GcRequest = {
    agent: await deps.agents.loadAgent('bot'),
    model: '',
    fallbackModels: [],
    store: open(),
    path: LOG,
    identity: 'octocat/hello-world',
    limits: () => ({ maxTokens, maxCostUsd: 0 }),
    onAsking: () => {},
    dryRun: false,
    timeLimitMs: () => 60_000,
    onStep: () => {},
  };
  return { model, deps, run: () => collect(request, deps) };
}

describe.each(Object.entries(STORES))('garbage collection over %s', (_name, makePlace) => {
  const SEED = [
    append(LOG, entry('old', 1, 1)),
    append(LOG, entry('first', 2, 1)),
    append(LOG, entry('second', 2, 2)),
    append(UNTRUSTED, entry('a stranger long ago', 1, 2)),
    append(UNTRUSTED, entry('a stranger of late', 2, 1)),
    adding(OLD_DAY, 'old'),
    adding(NEW_DAY, 'new'),
    adding(`untrusted/${OLD_DAY}`, "a stranger's old day"),
    adding(`untrusted/${NEW_DAY}`, "a stranger's new day"),
  ];
  const KEPT = {
    [LOG]: ['first', 'second'],
    [UNTRUSTED]: ['a stranger of late'],
    [NEW_DAY]: 'new\n',
    [`untrusted/${NEW_DAY}`]: "a stranger's new day\n",
  };

  it('removes entries of the untrusted lane by age, and shows none of them to the model', async () => {
    const open = makePlace();
    await open().write(SEED, never);
    const { model, run } = await collecting(open, [says('Found it.')]);
    expect(await run()).toMatchObject({
      trim: { kind: 'trimmed', removed: 1, kept: 2 },
      removed: { days: 2, untrusted: 1 },
    });
    expect(JSON.stringify(model.asked)).not.toContain('stranger');
    expect(await left(open)).toEqual(KEPT);
    const again = await collecting(open, [says('Found it.')]);
    expect(await again.run()).toMatchObject({
      trim: { kind: 'within', entries: 2 },
      removed: { days: 0, untrusted: 0 },
    });
    expect(await left(open)).toEqual(KEPT);
  });

  it('does the same without a request if there is no run log', async () => {
    const open = makePlace();
    await open().write(
      SEED.filter(({ path }) => path !== LOG),
      never,
    );
    const { model, run } = await collecting(open, []);
    expect(await run()).toEqual({ kind: 'empty', removed: { days: 2, untrusted: 1 } });
    expect(model.asked).toEqual([]);
    const { [LOG]: _log, ...others } = KEPT;
    expect(await left(open)).toEqual(others);
  });

  it('leaves both lanes unchanged after an invalid analysis', async () => {
    const open = makePlace();
    await open().write(SEED, never);
    const before = await left(open);
    const { run } = await collecting(open, [says('')]);
    await expect(run()).rejects.toThrow('the analysis is empty, so nothing was trimmed');
    expect(await left(open)).toEqual(before);
  });

  it('keeps what runs add to either lane during the analysis', async () => {
    const open = makePlace();
    await open().write(SEED, never);
    const meanwhile: FakeReply = async () => {
      const late = [append(LOG, entry('late', 2, 3)), append(UNTRUSTED, entry('a late stranger', 2, 3))];
      await open().write([...late, adding(`untrusted/${NEW_DAY}`, 'added')], never);
      return says('Found it.');
    };
    const { run } = await collecting(open, [meanwhile]);
    await run();
    expect(await left(open)).toEqual({
      ...KEPT,
      [LOG]: ['first', 'second', 'late'],
      [UNTRUSTED]: ['a stranger of late', 'a late stranger'],
      [`untrusted/${NEW_DAY}`]: expect.stringContaining('added'),
    });
  });
});

describe('a run log of more than 8 MiB in a workspace', () => {
  const ENTRIES = 9_000;
  const HUGE = Array.from({ length: ENTRIES }, (_, index) =>
    formatEntry({
      timestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, index)),
      task: `task ${index}`,
      result: 'word '.repeat(200),
      provenance: formatProvenance(bareProvenance(`e${index}`)),
    }),
  ).join('');
  const KEEPING = TOML.replace('max_age_days = 30\n', '');
  const answers = (count: number): readonly FakeReply[] =>
    Array.from({ length: count }, (_, index) => says(`report ${index}`));

  it('is trimmed, in parts, even with daily logs next to it', async () => {
    const root = tempDir('memory');
    writeFiles(root, { [LOG]: HUGE });
    const open = () =>
      createFileStore({ files: createFiles(), clock: createPatientClock(), root, followLinks: false });
    const toml = `${KEEPING}scope = "shared"\n`;
    const { deps, run } = await collecting(open, answers(40), toml);
    expect(HUGE.length).toBeGreaterThan(8 * 1024 * 1024);
    expect(await run()).toMatchObject({
      entries: ENTRIES,
      trim: { kind: 'trimmed', removed: ENTRIES - 2, kept: 2 },
    });
    expect(deps.warnings).toEqual([]);
    expect(await left(open)).toEqual({ [LOG]: [`task ${ENTRIES - 2}`, `task ${ENTRIES - 1}`] });
  });

  it('is read from its oldest entries up to the limits, and is trimmed over several runs', async () => {
    const root = tempDir('memory');
    writeFiles(root, { [LOG]: HUGE });
    const open = () =>
      createFileStore({ files: createFiles(), clock: createPatientClock(), root, followLinks: false });
    const sizes: number[] = [];
    for (let runs = 0; runs < 3; runs += 1) {
      const { model, run } = await collecting(open, answers(40), KEEPING, 2_000_000);
      expect(await run()).toMatchObject({ kind: 'collected' });
      const asked = model.asked.reduce((sum, { prompt }) => sum + JSON.stringify(prompt).length, 0);
      expect(asked / 4).toBeLessThan(1_100_000);
      const { [LOG]: tasks } = await left(open);
      sizes.push((tasks as readonly string[]).length);
      expect((tasks as readonly string[]).at(-1)).toBe(`task ${ENTRIES - 1}`);
    }
    expect(sizes[0]).toBeLessThan(ENTRIES);
    expect(sizes[0]).toBeGreaterThan(2);
    expect(sizes.at(-1)).toBe(2);
  });
});
