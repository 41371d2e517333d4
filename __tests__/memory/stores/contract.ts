import { describe, expect, it } from '@jest/globals';
import { decodeBytes } from '../../../src/lib/text/bytes.js';
import type { MemoryChange } from '../../../src/memory/change.js';
import type { MemoryStore } from '../../../src/memory/store.js';
import { append, entryText, forget, idsIn, never, plainEntry, read, textOf } from './entries.js';
import { describeNotesStore } from './notes-contract.js';

/** A place that keeps memory, and the stores that different runs open over it. */
export interface StorePlace {
  /** The store of a new run. */
  open(): MemoryStore;
  /**
   * Puts a file there before any run; bytes that are not UTF-8 as `decodeBytes` gives them, here
   * and below.
   */
  put(path: string, text: string): Promise<void>;
  /** What the place holds now. */
  text(path: string): Promise<string | undefined>;
}

/** What every memory store keeps to, whatever it stores in (D12). */
export function describeMemoryStore(name: string, makePlace: () => Promise<StorePlace>): void {
  describe(`${name} as a memory store`, () => {
    it('is empty if nothing was ever written (C2 17)', async () => {
      const { open } = await makePlace();
      expect(await read(open())).toMatchObject({ kind: 'empty' });
    });

    it('trims the requested entries and nothing added since, and keeps them in the backup', async () => {
      const { open, text } = await makePlace();
      await open().write([append('a'), append('b'), append('c')], never);
      const keeps = new Map(idsIn(entryText('a') + entryText('b')).map((id) => [id, 0]));
      await open().write([append('d')], never);
      const trim: MemoryChange = { kind: 'trim', path: 'bot.md', keeps };
      expect(await open().write([trim], never)).toMatchObject({ kind: 'saved' });
      expect(await text('bot.md')).toBe(entryText('c') + entryText('d'));
      expect(await text('bot.md.bak')).toBe(entryText('a') + entryText('b'));
      expect(await open().write([trim], never)).toMatchObject({ kind: 'saved' });
      expect(await text('bot.md.bak')).toBe(entryText('a') + entryText('b'));
    });

    it('returns the state next to the run log, whether there is a log or not (D36)', async () => {
      const { open } = await makePlace();
      const state = '# State\n\n- {"kind":"reviewed","pull":42,"at":1}\n';
      const rewrite = () => state;
      await open().write([{ kind: 'rewrite', path: 'bot.state.md', rewrite }], never);
      expect(await read(open())).toMatchObject({ kind: 'empty', state });
      await open().write([append('a')], never);
      expect(await read(open())).toMatchObject({ kind: 'restored', loaded: 1, state });
    });

    it('returns the newest entries, and how many there are', async () => {
      const { open, put } = await makePlace();
      await put('bot.md', `preamble\n\n${['a', 'b', 'c'].map((id) => entryText(id)).join('')}`);
      const newest = { text: entryText('b') + entryText('c'), loaded: 2, total: 3 };
      expect(await open().read({ path: 'bot.md', lastN: 2 }, never)).toMatchObject(newest);
      expect(textOf(await read(open()))).toMatch(/^preamble\n\n## /);
    });

    it('returns the newest entries that fit, and says what the file holds', async () => {
      const { open, put } = await makePlace();
      const log = ['a', 'b', 'c'].map((id) => entryText(id)).join('');
      await put('bot.md', log);
      const request = { path: 'bot.md', lastN: 0, maxBytes: 2 * entryText('a').length };
      expect(await open().read(request, never)).toMatchObject({
        text: entryText('b') + entryText('c'),
        loaded: 2,
        total: 3,
        truncated: { fileBytes: log.length },
      });
    });

    it('keeps files apart and changes in order', async () => {
      const { open, text } = await makePlace();
      const rewrite = (old: string) => old.replaceAll('task of', 'job of');
      const other = append('b', { path: 'apart/bot.md' });
      const all = [
        append('a'),
        other,
        { kind: 'rewrite', path: 'bot.md', rewrite },
        append('c'),
      ] as const;
      expect(await open().write(all, never)).toMatchObject({ kind: 'saved' });
      expect(await text('bot.md')).toBe(rewrite(entryText('a')) + entryText('c'));
      expect(await text('apart/bot.md')).toBe(entryText('b'));
    });

    it('writes an entry once, however often it is saved', async () => {
      const { open, text } = await makePlace();
      const store = open();
      for (const again of [store, store, open()])
        expect(await again.write([append('a')], never)).toMatchObject({ kind: 'saved' });
      expect(await text('bot.md')).toBe(entryText('a'));
    });

    it('C2 21: keeps equal texts under two ids', async () => {
      const { open, text } = await makePlace();
      const same = (id: string) => ({
        ...append(id),
        text: entryText(id).replace(`task of ${id}`, 'same'),
      });
      await open().write([same('a'), same('b')], never);
      expect(idsIn((await text('bot.md')) ?? '')).toEqual(['a', 'b']);
    });

    it('keeps what others wrote after it was read', async () => {
      const { open, text } = await makePlace();
      const [first, second] = [open(), open()];
      for (const store of [first, second]) await read(store);
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
      expect(await read(open())).toMatchObject({ kind: 'empty' });
      await open().write([append('a')], never);
      expect(await text('bot.md')).toBe(entryText('a'));
    });

    it('starts a new line after a file that was cut off (C2 18)', async () => {
      const torn = `${entryText('a')}## 2026-02-04T00:00:00Z\n**Task:** half a l`;
      const { open, put, text } = await makePlace();
      await put('bot.md', torn);
      await open().write([append('b')], never);
      expect(await text('bot.md')).toBe(`${torn}\n${entryText('b')}`);
    });

    it('reads and continues a file of axe (C2 23)', async () => {
      const { open, put, text } = await makePlace();
      const [one, two] = [plainEntry('one'), plainEntry('two')];
      await put('bot.md', one + two);
      expect(await open().read({ path: 'bot.md', lastN: 1 }, never)).toMatchObject({
        text: two,
        total: 2,
      });
      await open().write([append('a')], never);
      expect(await text('bot.md')).toBe(one + two + entryText('a'));
    });

    it('reports conflict markers, in the state too, and reads both sides (C2 20)', async () => {
      const { open, put } = await makePlace();
      await put('bot.state.md', '<<<<<<< HEAD\n- seen a\n');
      await put(
        'bot.md',
        `<<<<<<< HEAD\n${entryText('a')}=======\n${entryText('b')}>>>>>>> main\n`,
      );
      const result = await open().read({ path: 'bot.md', lastN: 2 }, never);
      expect(idsIn(textOf(result))).toEqual(['a', 'b']);
      const warning = { code: 'memory-damaged' };
      expect(result).toMatchObject({ warnings: [warning, warning] });
    });

    it('adds facts to a state, the later one of the same kind and key', async () => {
      const { open, put, text } = await makePlace();
      await put('bot.state.md', '- seen b\n- {"kind":"spent","id":"a","at":1}\n');
      const later = '- {"kind":"spent","v":1,"id":"a","at":2}\n';
      for (const _ of [1, 2])
        await open().write(
          [{ kind: 'facts', path: 'bot.state.md', text: later }, append('c')],
          never,
        );
      expect(await text('bot.state.md')).toBe(`- seen b\n${later}`);
      expect(await text('bot.md')).toBe(entryText('c'));
    });

    it.each([
      ['Windows line ends', `intro\r\n\r\n${entryText('a').replaceAll('\n', '\r\n')}`],
      ['a byte order mark', `\uFEFF${entryText('a')}`],
      ['trailing spaces and tabs', entryText('a').replaceAll('\n', ' \t\n')],
      [
        'bytes that are not UTF-8, and NUL',
        `${decodeBytes(new Uint8Array([0xff, 0, 0xed, 0xa0, 0x80, 0xc3]))}\n${entryText('a')}`,
      ],
      ['a last line without an end', entryText('a').trimEnd()],
    ] as const)(
      'keeps %s through an append, a rewrite and a forgetting (C2 25, C3 52)',
      async (_, foreign) => {
        const { open, put, text } = await makePlace();
        await put('bot.md', foreign);
        await open().write([append('b')], never);
        const between = foreign.endsWith('\n') ? '' : '\n';
        expect(await text('bot.md')).toBe(foreign + between + entryText('b'));
        const rewrite = (old: string) => old.replace('task of b', 'job of b');
        await open().write([{ kind: 'rewrite', path: 'bot.md', rewrite }], never);
        expect(await text('bot.md')).toBe(foreign + between + rewrite(entryText('b')));
        await open().write(forget(['b']), never);
        expect(await text('bot.md')).toBe(foreign + between);
      },
    );

    it('C2 22: does not treat a foreign time as an entry, nor lose the text below it', async () => {
      const { open, put, text } = await makePlace();
      const odd = [
        entryText('late', 'done', 9),
        '## hello\nbody\n\n',
        entryText('early', 'done', 1),
        '## 2999-01-01T00:00:00+02:00\n**Task:** far\n**Result:** x\n\n',
        '## 2026-02-03T04:05:06.789Z\n**Task:** part of a second\n**Result:** x\n\n',
      ].join('');
      await put('bot.md', odd);
      await open().write([append('new')], never);
      expect(await text('bot.md')).toBe(odd + entryText('new'));
      await open().write(forget(['late']), never);
      expect(await text('bot.md')).toBe(odd.slice(odd.indexOf('## 2026', 1)) + entryText('new'));
    });

    it('returns all its files', async () => {
      const { open, put } = await makePlace();
      await put('bot.md', entryText('a') + entryText('b'));
      await open().write([append('c', { path: 'apart/bot.md' }), ...forget(['a'])], never);
      const result = await open().readTree(never);
      expect(result).toMatchObject({ kind: 'tree', warnings: [], location: expect.any(String) });
      const tree = result.kind === 'tree' ? new Map(result.tree) : new Map<string, string>();
      const paths = [...tree.keys()].filter((path) => !path.endsWith('.bak'));
      expect(paths.sort()).toEqual(['apart/bot.md', 'bot.md']);
      expect(tree.get('bot.md')).toBe(entryText('b'));
    });

    it('writes nothing for a rewrite that changes nothing, nor for no changes', async () => {
      const { open, put, text } = await makePlace();
      await put('bot.md', entryText('a'));
      for (const changes of [
        [{ kind: 'rewrite', path: 'bot.md', rewrite: (it: string) => it }],
        [],
      ] as const)
        expect(await open().write(changes, never)).toMatchObject({ kind: 'saved' });
      expect(await text('bot.md')).toBe(entryText('a'));
      expect(await text('bot.md.bak')).toBeUndefined();
    });

    it.each(['../out.md', '/etc/out.md', 'a/../../out.md', 'a//b.md', 'a\\b.md', ''])(
      'refuses the path %j',
      async (path) => {
        const { open } = await makePlace();
        expect(await read(open(), path)).toMatchObject({ kind: 'failed' });
        const written = await open().write([append('a', { path })], never);
        expect(written).toMatchObject({ kind: 'failed', reason: 'error' });
      },
    );

    it('returns a failure instead of throwing when the run was stopped before (C3 54)', async () => {
      const { open, text } = await makePlace();
      const stopped = await open().write([append('a')], AbortSignal.abort());
      expect(stopped).toMatchObject({ kind: 'failed', reason: 'timeout' });
      expect(await text('bot.md')).toBeUndefined();
    });

    it('returns a failure instead of throwing when a rewrite throws', async () => {
      const { open, put, text } = await makePlace();
      await put('bot.md', entryText('a'));
      const rewrite = () => {
        throw new Error('broken rule');
      };
      const written = await open().write([{ kind: 'rewrite', path: 'bot.md', rewrite }], never);
      expect(written).toMatchObject({ kind: 'failed', message: 'broken rule' });
      expect(await text('bot.md')).toBe(entryText('a'));
      expect(await open().write([append('b')], never)).toMatchObject({ kind: 'saved' });
    });
  });
  describeNotesStore(name, makePlace);
}
