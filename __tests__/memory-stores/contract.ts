import { describe, expect, it } from '@jest/globals';
import type { MemoryStore, RestoreResult } from '../../src/axe/memory/store.js';
import { append, entryText, idsIn, plainEntry } from './entries.js';

/** A place that keeps memory, and the stores that different runs open over it. */
export interface StorePlace {
  /** The store of a new run. */
  open(): MemoryStore;
  /** Puts a file there before any run. */
  put(path: string, text: string): Promise<void>;
  /** What the place holds now. */
  text(path: string): Promise<string | undefined>;
}

const never = new AbortController().signal;

/** What every memory store keeps to, whatever it stores in (D12). */
export function describeMemoryStore(name: string, makePlace: () => Promise<StorePlace>): void {
  describe(`${name} as a memory store`, () => {
    it('is empty where nothing was ever written (C2 17)', async () => {
      const { open } = await makePlace();
      expect(await open().read({ path: 'bot.md', lastN: 5, count: true }, never)).toMatchObject({
        kind: 'empty',
      });
    });

    it('gives the next run what a run appended', async () => {
      const { open } = await makePlace();
      expect(await open().write([append('a')], never)).toMatchObject({ kind: 'saved' });
      expect(await open().write([append('b')], never)).toMatchObject({ kind: 'saved' });
      expect(await open().read({ path: 'bot.md', lastN: 0, count: true }, never)).toMatchObject({
        kind: 'restored',
        text: entryText('a') + entryText('b'),
        loaded: 2,
        total: 2,
        truncated: undefined,
      });
    });

    it('gives the newest entries, and counts only when asked', async () => {
      const { open, put } = await makePlace();
      await put('bot.md', `preamble\n\n${['a', 'b', 'c'].map((id) => entryText(id)).join('')}`);
      const read = async (lastN: number, count: boolean) =>
        await open().read({ path: 'bot.md', lastN, count }, never);
      expect(await read(2, true)).toMatchObject({
        text: entryText('b') + entryText('c'),
        loaded: 2,
        total: 3,
      });
      expect(await read(1, false)).toMatchObject({ text: entryText('c'), loaded: 1, total: undefined });
      expect(textOf(await read(0, false))).toMatch(/^preamble\n\n## /);
    });

    it('keeps files apart and changes in order', async () => {
      const { open, text } = await makePlace();
      const rewrite = (old: string) => old.replaceAll('task of', 'job of');
      const result = await open().write(
        [
          append('a'),
          append('b', { path: 'untrusted/bot.md' }),
          { kind: 'rewrite', path: 'bot.md', rewrite },
          append('c'),
        ],
        never,
      );
      expect(result).toMatchObject({ kind: 'saved' });
      expect(await text('bot.md')).toBe(rewrite(entryText('a')) + entryText('c'));
      expect(await text('untrusted/bot.md')).toBe(entryText('b'));
    });

    it('writes an entry once, however often it is saved', async () => {
      const { open, text } = await makePlace();
      const store = open();
      for (const again of [store, store, open()])
        expect(await again.write([append('a')], never)).toMatchObject({ kind: 'saved' });
      expect(await text('bot.md')).toBe(entryText('a'));
    });

    it('keeps same words under two ids (C2 21)', async () => {
      const { open, text } = await makePlace();
      const same = (id: string) => ({ ...append(id), text: entryText(id).replace(`task of ${id}`, 'same') });
      await open().write([same('a'), same('b')], never);
      expect(idsIn((await text('bot.md')) ?? '')).toEqual(['a', 'b']);
    });

    it('keeps what others wrote after it was read', async () => {
      const { open, text } = await makePlace();
      const [first, second] = [open(), open()];
      for (const store of [first, second])
        await store.read({ path: 'bot.md', lastN: 0, count: false }, never);
      await first.write([append('a')], never);
      await second.write([append('b')], never);
      await first.write([append('c')], never);
      expect(idsIn((await text('bot.md')) ?? '')).toEqual(['a', 'b', 'c']);
    });

    it('keeps every entry of many that are written at once (C3 36)', async () => {
      const { open, text } = await makePlace();
      const ids = Array.from({ length: 18 }, (_, index) => `run${index}`);
      const results = await Promise.all(ids.map((id) => open().write([append(id)], never)));
      expect(results.map(({ kind }) => kind)).toEqual(ids.map(() => 'saved'));
      expect([...idsIn((await text('bot.md')) ?? '')].sort()).toEqual([...ids].sort());
    });

    it('appends to an empty file (C2 17)', async () => {
      const { open, put, text } = await makePlace();
      await put('bot.md', '');
      await put('other.md', 'x\n');
      expect(await open().read({ path: 'bot.md', lastN: 0, count: false }, never)).toMatchObject({
        kind: 'empty',
      });
      await open().write([append('a')], never);
      expect(await text('bot.md')).toBe(entryText('a'));
    });

    it('begins a fresh line after a file that was cut off (C2 18)', async () => {
      const torn = `${entryText('a')}## 2026-02-04T00:00:00Z\n**Task:** half a l`;
      const { open, put, text } = await makePlace();
      await put('bot.md', torn);
      await open().write([append('b')], never);
      expect(await text('bot.md')).toBe(`${torn}\n${entryText('b')}`);
    });

    it('reads and continues a file of axe (C2 23)', async () => {
      const { open, put, text } = await makePlace();
      await put('bot.md', plainEntry('one') + plainEntry('two'));
      expect(await open().read({ path: 'bot.md', lastN: 1, count: true }, never)).toMatchObject({
        text: plainEntry('two'),
        total: 2,
      });
      await open().write([append('a')], never);
      expect(await text('bot.md')).toBe(plainEntry('one') + plainEntry('two') + entryText('a'));
    });

    it('gives the newest entries that fit of more than may be loaded (C2 19)', async () => {
      const { open, put } = await makePlace();
      const log = Array.from({ length: 400 }, (_, index) => entryText(`e${index}`, 'x'.repeat(900))).join('');
      await put('bot.md', log);
      const result = await open().read({ path: 'bot.md', lastN: 0, count: true }, never);
      expect(result).toMatchObject({ kind: 'restored', total: 400, truncated: { fileBytes: log.length } });
      expect(log.endsWith(textOf(result))).toBe(true);
      expect(textOf(result).startsWith('## ')).toBe(true);
    });

    it('tells of conflict markers, and reads both sides (C2 20)', async () => {
      const { open, put } = await makePlace();
      await put('bot.md', `<<<<<<< HEAD\n${entryText('a')}=======\n${entryText('b')}>>>>>>> main\n`);
      const result = await open().read({ path: 'bot.md', lastN: 2, count: false }, never);
      expect(idsIn(textOf(result))).toEqual(['a', 'b']);
      expect(result).toMatchObject({ warnings: [{ code: 'memory-store-notice' }] });
    });

    it('writes nothing for a rewrite that changes nothing, nor for no changes', async () => {
      const { open, put, text } = await makePlace();
      await put('bot.md', entryText('a'));
      expect(
        await open().write([{ kind: 'rewrite', path: 'bot.md', rewrite: (old) => old }], never),
      ).toMatchObject({ kind: 'saved' });
      expect(await open().write([], never)).toMatchObject({ kind: 'saved' });
      expect(await text('bot.md')).toBe(entryText('a'));
      expect(await text('bot.md.bak')).toBeUndefined();
    });

    it.each(['../out.md', '/etc/out.md', 'a/../../out.md', 'a//b.md', 'a\\b.md', ''])(
      'refuses the path %j',
      async (path) => {
        const { open } = await makePlace();
        expect(await open().read({ path, lastN: 0, count: false }, never)).toMatchObject({ kind: 'failed' });
        expect(await open().write([append('a', { path })], never)).toMatchObject({
          kind: 'failed',
          reason: 'error',
        });
      },
    );

    it('answers instead of throwing when the run was stopped before (C3 54)', async () => {
      const { open, text } = await makePlace();
      expect(await open().write([append('a')], AbortSignal.abort())).toMatchObject({
        kind: 'failed',
        reason: 'timeout',
      });
      expect(await text('bot.md')).toBeUndefined();
    });

    it('answers instead of throwing when a rewrite throws', async () => {
      const { open, put, text } = await makePlace();
      await put('bot.md', entryText('a'));
      const rewrite = () => {
        throw new Error('broken rule');
      };
      expect(await open().write([{ kind: 'rewrite', path: 'bot.md', rewrite }], never)).toMatchObject({
        kind: 'failed',
        message: 'broken rule',
      });
      expect(await text('bot.md')).toBe(entryText('a'));
      expect(await open().write([append('b')], never)).toMatchObject({ kind: 'saved' });
    });
  });
}

/** The text of a result that has one. */
export function textOf(result: RestoreResult): string {
  return result.kind === 'restored' ? result.text : `(${result.kind})`;
}
