import { describe, expect, it } from '@jest/globals';
import { createNoneStore } from '../../../src/memory/stores/none-store.js';
import { append } from './entries.js';

const never = new AbortController().signal;

describe('the store `none`', () => {
  it('is empty, and drops what is written without an error', async () => {
    const store = createNoneStore();
    expect(await store.write([append('a')], never)).toMatchObject({ kind: 'saved', attempts: 0 });
    expect(await store.read({ path: 'bot.md', lastN: 0, count: true }, never)).toMatchObject({
      kind: 'empty',
      warnings: [],
    });
    expect(await store.readTree(never)).toMatchObject({ kind: 'tree', tree: new Map() });
  });
});
