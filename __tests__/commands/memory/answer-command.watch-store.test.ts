import { describe, expect, it } from '@jest/globals';
import { watchStore } from '../../../src/commands/memory/answer-command.js';
import type { SaveResult } from '../../../src/core/memory/store.js';
import { createFakeMemory, entry } from './memory-scene.js';

const SIGNAL = new AbortController().signal;
const SAVED = { kind: 'saved', location: 'x', attempts: 1 } as const;
const FAILED = { kind: 'failed', reason: 'denied', message: 'HTTP 403' } as const;

async function afterSave(save: SaveResult) {
  const watched = watchStore(createFakeMemory({}, { kind: 'repo', save }));
  expect(watched.store.kind).toBe('repo');
  expect(watched.notices()).toEqual([]);
  expect(await watched.store.write([], SIGNAL)).toBe(save);
  return { kind: watched.store.kind, notices: watched.notices() };
}

describe('a store that reports which tier saved', () => {
  it.each<[string, SaveResult, string, readonly string[]]>([
    ['its own kind', SAVED, 'repo', []],
    [
      'the kind of the one that took it',
      { ...SAVED, store: 'cache', notices: ['a', 'b'] },
      'cache',
      ['a', 'b'],
    ],
    [
      'the kind of the one that keeps it',
      { ...FAILED, kept: { location: 'x', store: 'cache' } },
      'cache',
      [],
    ],
    ['its own kind if no tier accepted it', FAILED, 'repo', []],
  ])('has %s', async (_, save, kind, notices) => {
    expect(await afterSave(save)).toEqual({ kind, notices });
  });

  it('otherwise equals the store', async () => {
    const memory = createFakeMemory({ 'bot.md': entry(1) }, { drop: { ...SAVED, notices: ['dropped'] } });
    const { store, notices } = watchStore(memory);
    expect(await store.readTree(SIGNAL)).toMatchObject({ kind: 'tree', tree: memory.tree });
    expect(await store.read({ paths: [], lastN: 0, count: false }, SIGNAL)).toMatchObject({ kind: 'failed' });
    expect(await store.dropHistory?.(SIGNAL)).toMatchObject({ kind: 'saved' });
    expect(notices()).toEqual(['dropped']);
    expect(watchStore(createFakeMemory({})).store.dropHistory).toBeUndefined();
  });
});
