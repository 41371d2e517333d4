import { describe, expect, it } from '@jest/globals';
import { createBrokenStore } from '../../../src/memory/stores/none-store.js';
import { append } from './entries.js';

const quiet = new AbortController().signal;
const request = { path: 'bot.md', lastN: 0, count: false };

describe('a store that could not be opened', () => {
  it('fails to read and to write with the reason and a remedy', async () => {
    const store = createBrokenStore('cache', 'there is no cache', 'Use `memory-store: file`.');
    expect(store.kind).toBe('cache');
    for (const result of [await store.read(request, quiet), await store.readTree(quiet)])
      expect(result).toEqual({
        kind: 'failed',
        location: 'cache',
        message: 'there is no cache',
        remedy: 'Use `memory-store: file`.',
      });
    expect(await store.write([append('a')], quiet)).toEqual({
      kind: 'failed',
      reason: 'unavailable',
      message: 'there is no cache',
      remedy: 'Use `memory-store: file`.',
    });
  });

  it('has no remedy if none is known', async () => {
    const store = createBrokenStore('file', 'no $HOME');
    expect(await store.read(request, quiet)).not.toHaveProperty('remedy');
    expect(await store.write([], quiet)).not.toHaveProperty('remedy');
  });
});
