import { describe, expect, it } from '@jest/globals';
import type { MemoryStore } from '../../../src/memory/store.js';
import { oneAtATime } from '../../../src/memory/stores/guard.js';

const signal = new AbortController().signal;

/** A store that takes its time and notes when calls begin and end. */
function slowStore(failing: readonly string[] = []) {
  const log: string[] = [];
  const work = async (name: string) => {
    log.push(`begin ${name}`);
    await new Promise((resolve) => setImmediate(resolve));
    log.push(`end ${name}`);
    if (failing.includes(name)) throw new Error(`${name} is broken`);
  };
  const store: MemoryStore = {
    kind: 'cache',
    async read({ path }) {
      await work(`read ${path}`);
      return { kind: 'empty', location: path, warnings: [] };
    },
    async readTree() {
      await work('read all');
      return { kind: 'tree', location: 'all', tree: new Map(), warnings: [] };
    },
    async dropHistory() {
      await work('drop history');
      return { kind: 'saved', location: 'all', attempts: 1 };
    },
    async write([change]) {
      await work(`write ${change?.path}`);
      return { kind: 'saved', location: change?.path ?? '', attempts: 1 };
    },
  };
  return { store: oneAtATime(store), log };
}

const read = (path: string) => ({ path, lastN: 0, count: false });
const append = (path: string) => [{ kind: 'append' as const, path, id: path, text: 'x' }];

describe('a shared store', () => {
  it('runs one call after the other, in the order of the calls', async () => {
    const { store, log } = slowStore();
    const results = await Promise.all([
      store.read(read('a.md'), signal),
      store.write(append('b.md'), signal),
      store.read(read('c.md'), signal),
      store.write(append('d.md'), signal),
      store.readTree(signal),
      store.dropHistory?.(signal),
    ]);
    expect(log).toEqual(
      ['read a.md', 'write b.md', 'read c.md', 'write d.md', 'read all', 'drop history'].flatMap((name) => [
        `begin ${name}`,
        `end ${name}`,
      ]),
    );
    expect(results.map((result) => result?.kind)).toEqual([
      'empty',
      'saved',
      'empty',
      'saved',
      'tree',
      'saved',
    ]);
  });

  it('gives each call its own answer, and continues after a failure', async () => {
    const { store, log } = slowStore(['write b.md']);
    const results = await Promise.allSettled([
      store.read(read('a.md'), signal),
      store.write(append('b.md'), signal),
      store.read(read('c.md'), signal),
    ]);
    expect(results).toMatchObject([
      { value: { location: 'a.md' } },
      { reason: { message: 'write b.md is broken' } },
      { value: { location: 'c.md' } },
    ]);
    expect(log.at(-1)).toBe('end read c.md');
  });
});
