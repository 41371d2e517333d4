import { describe, expect, it } from '@jest/globals';
import type { MemoryTree } from '../../../src/memory/change.js';
import type { TreeBackend } from '../../../src/memory/stores/backend.js';
import { createTreeStore } from '../../../src/memory/stores/store.js';
import { parseLog } from '../../../src/memory/units.js';
import { createFakeClock } from '../stores/fake-clock.js';
import { command, entry } from './memory-scene.js';

const [A, B, C] = [entry(1, { id: 'aaaaaa-1' }), entry(2, { id: 'bbbbbb-1' }), entry(3, { id: 'cccccc-1' })];

/** A place to which somebody else commits just before our first commit. */
function createRacedStore(first: Readonly<Record<string, string>>, theirs: Readonly<Record<string, string>>) {
  let tree: MemoryTree = new Map(Object.entries(first));
  let version = 0;
  const backend: TreeBackend = {
    kind: 'branch',
    read: async () => ({ kind: 'snapshot', tree, version: String(version), warnings: [] }),
    placeOf: () => ({ location: 'fake' }),
    async commit(snapshot, { tree: next }) {
      if (version === 0) [tree, version] = [new Map(Object.entries(theirs)), 1];
      if (snapshot.version !== String(version)) return { kind: 'conflict' };
      [tree, version] = [next, version + 1];
      return { kind: 'committed', version: String(version) };
    },
  };
  const store = createTreeStore(backend, { clock: createFakeClock(), budgetMs: 10_000 });
  return { store, textOf: (path: string) => tree.get(path) ?? '', all: () => [...tree.values()].join('') };
}

describe('a person changes memory while a run adds to it', () => {
  it('and nothing is lost or left', async () => {
    const { store, textOf, all } = createRacedStore({ 'bot.md': A + B }, { 'bot.md': A + B + C });
    expect(await command(store, 'forget aaaaaa-1')).toMatchObject({ kind: 'done', changed: true });
    expect(parseLog(textOf('bot.md')).units.map(({ id }) => id)).toEqual(['bbbbbb-1', 'cccccc-1']);
    expect(all()).not.toContain('**Result:** result 1\n');
  });

  it('and what was promoted exists once', async () => {
    const untrusted = entry(4, { id: 'dddddd-1' });
    const { store, textOf } = createRacedStore(
      { 'bot.md': A, 'untrusted/bot.md': untrusted },
      { 'bot.md': A + B, 'untrusted/bot.md': untrusted + C },
    );
    await command(store, 'promote dddddd-1');
    expect(parseLog(textOf('bot.md')).units.map(({ id }) => id)).toEqual([
      'aaaaaa-1',
      'bbbbbb-1',
      'p-dddddd-1',
    ]);
    expect(textOf('untrusted/bot.md')).toBe(C);
  });

  it('and two people who forget the same entry both succeed', async () => {
    const { store, textOf } = createRacedStore({ 'bot.md': A + B }, { 'bot.md': B });
    expect(await command(store, 'forget aaaaaa-1')).toMatchObject({ kind: 'done', changed: true });
    expect(textOf('bot.md')).toBe(B);
  });
});
