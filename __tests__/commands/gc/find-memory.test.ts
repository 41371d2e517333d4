import { describe, expect, it } from '@jest/globals';
import { createFiles } from '../../../src/adapters/host/files.js';
import { createFallbackStore } from '../../../src/adapters/stores/fallback/fallback-store.js';
import { createFileStore } from '../../../src/adapters/stores/file/file-store.js';
import { inFolder } from '../../../src/adapters/stores/in-folder.js';
import { createRepoStore } from '../../../src/adapters/stores/repo/repo-store.js';
import { expiredChanges, findMemory } from '../../../src/commands/gc/find-memory.js';
import { notesPlaces, pathOf } from '../../../src/core/memory/notes/place.js';
import type { MemoryStore } from '../../../src/core/memory/store.js';
import { createFakeBranch, type FakeBranch } from '../../adapters/stores/fake-branch.js';
import { createPatientClock } from '../../adapters/stores/fake-clock.js';
import { createFakeDependencies } from '../../helpers/dependencies-fake.js';
import { tempDir, writeFiles } from '../../helpers/temp.js';

const never = new AbortController().signal;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The dates before 3 February 2026, the date of the clock, from the newest on. */
function datesBefore(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) =>
    new Date(Date.UTC(2026, 1, 2) - index * DAY_MS).toISOString().slice(0, 10),
  );
}

function filesOf(dates: readonly string[], text: string, folder = ''): Readonly<Record<string, string>> {
  return Object.fromEntries(dates.map((date) => [`${folder}${date}.md`, text]));
}

function fileStore(files: Readonly<Record<string, string>>): MemoryStore {
  const root = tempDir('memory');
  writeFiles(root, files);
  return createFileStore({ files: createFiles(), clock: createPatientClock(), root, followLinks: false });
}

async function finding(store: MemoryStore, keys: string) {
  const toml = `name = "bot"\nmodel = "openai/m"\n[memory]\nenabled = true\nnotes = true\n${keys}\n`;
  const deps = createFakeDependencies({ agents: { bot: toml } });
  const request = {
    agent: await deps.agents.loadAgent('bot'),
    store,
    path: 'bot.md',
    identity: 'octocat/hello-world',
  };
  const found = await findMemory(request, deps);
  return { deps, found, changes: expiredChanges(found.expired, request, deps) };
}

describe('daily logs that are too old', () => {
  it('are found even if newer ones take all the room that is read', async () => {
    const day = pathOf({ kind: 'daily', date: '2026-01-01' }, notesPlaces('project', 'p'));
    const folder = day.slice(0, -'2026-01-01.md'.length);
    const dates = datesBefore(140);
    // 128 of them are 8 MiB.
    const store = fileStore(filesOf(dates, 'a'.repeat(65_536), folder));
    const { found } = await finding(store, 'project = "p"\nretention_days = 100');
    expect(found.expired.days).toEqual(dates.slice(99).map((date) => `${folder}${date}.md`));
  });

  it.each<[string, string, (branch: FakeBranch) => MemoryStore]>([
    ['a repo store', '', repoStore],
    ['a fallback store', '', (branch) => createFallbackStore({ tiers: [repoStore(branch)], mode: 'auto' })],
    [
      'a fixed fallback store',
      '',
      (branch) => createFallbackStore({ tiers: [repoStore(branch)], mode: 'fixed' }),
    ],
    ['a store with a scope', 'web/', (branch) => inFolder(repoStore(branch), 'web')],
  ])('are removed from %s that holds more files than are read', async (_, folder, open) => {
    const branch = createFakeBranch();
    const dates = datesBefore(1010);
    branch.forcePush(filesOf(dates, 'day', folder));
    const keys = 'scope = "shared"\nretention_days = 1000';
    const { found, changes, deps } = await finding(open(branch), keys);
    expect(found.expired.days).toHaveLength(11);
    expect(new Set(found.expired.days)).toEqual(new Set(dates.slice(999).map((date) => `${date}.md`)));
    expect(deps.warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('it is one too many'),
    ]);
    expect(await open(branch).write(changes, never)).toMatchObject({ kind: 'saved' });
    expect(branch.text(`${folder}${dates[1009]}.md`)).toBeUndefined();
    expect(branch.text(`${folder}${dates[998]}.md`)).toBe('day');
  });

  it('are removed a hundred at a time, the oldest first', async () => {
    const dates = datesBefore(200);
    const { found, changes, deps } = await finding(
      fileStore({ ...filesOf(dates, 'day'), ...filesOf(dates.slice(-1), 'day', 'untrusted/') }),
      'scope = "shared"\nretention_days = 90',
    );
    const oldest = [...dates].reverse().slice(0, 99);
    const [last, ...others] = oldest.map((date) => `${date}.md`);
    expect(found.expired.days).toEqual([last, `untrusted/${last}`, ...others]);
    expect(changes).toHaveLength(300);
    expect(deps.warnings.map(({ message }) => message)).toEqual([
      '112 daily logs are older than `retention_days`, and one gc removes at most 100, the oldest; 12 are left for the next.',
    ]);
  });
});

describe('a warning about a memory that is read twice', () => {
  it('is reported from either reading, and once', async () => {
    const files = { 'stray.txt': 'x', 'bot.md/inner.txt': 'x', '2026-02-01.md': 'day' };
    const { deps } = await finding(fileStore(files), 'scope = "shared"\nretention_days = 30');
    const messages = deps.warnings.map(({ message }) => message);
    expect(messages).toEqual([...new Set(messages)]);
    expect(messages.join('\n')).toContain('"stray.txt"');
  });
});

function repoStore(branch: FakeBranch) {
  return createRepoStore({
    branch: branch.open({}),
    folder: '',
    clock: createPatientClock(),
    mayCreate: true,
  });
}
