import { describe, expect, it } from '@jest/globals';
import { encodeBytes } from '../../../../src/lib/text/bytes.js';
import { applyChanges, type Change } from '../../../../src/memory/change.js';
import type { MemoryStore } from '../../../../src/memory/store.js';
import { type BaseFiles, createBaseStore } from '../../../../src/memory/stores/branch/read-base.js';
import { createFileStore } from '../../../../src/memory/stores/file/file-store.js';
import { describeMemoryStore } from '../contract.js';
import { append, entryText, plainEntry } from '../entries.js';
import { createPatientClock } from '../fake-clock.js';
import { createFakeFiles } from '../fake-files.js';

/** Where the base has all that the checkout has: every step of the job is committed at once. */
describeMemoryStore(
  'a committed memory',
  async () => {
    const files = createFakeFiles();
    const clock = createPatientClock();
    const at = (path: string) => `/workspace/.axe/memory/${path}`;
    const base: BaseFiles = {
      async read(path) {
        const text = files.text(at(path));
        return text === undefined ? undefined : encodeBytes(text);
      },
      list: async (folder) => (await files.list(at(folder))).map(({ name }) => name),
      locate: at,
    };
    return {
      open: () =>
        createBaseStore(
          createFileStore({ files, clock, root: at('').slice(0, -1), followLinks: false }),
          base,
          clock,
        ),
      put: (path, text) => files.replace(at(path), text),
      text: async (path) => files.text(at(path)),
    };
  },
  { showsTree: false },
);

const quiet = new AbortController().signal;
const bytes = encodeBytes;

/** A checkout whose files anybody may have written, and the files of the base ref. */
function place(base: Readonly<Record<string, string | Error>>, head: Readonly<Record<string, string>> = {}) {
  const files = new Map(Object.entries(head));
  const asked: string[] = [];
  const written: (readonly Change[])[] = [];
  const writer: MemoryStore = {
    kind: 'file',
    read: () => Promise.reject(new Error('the checkout is never read')),
    readTree: () => Promise.reject(new Error('the checkout is never read')),
    async write(changes) {
      written.push(changes);
      for (const [path, text] of applyChanges(files, changes)) files.set(path, text);
      return { kind: 'saved', location: '.axe/memory/bot.md', attempts: 1 };
    },
  };
  const baseFiles: BaseFiles = {
    async read(path, signal) {
      signal.throwIfAborted();
      asked.push(path);
      const file = base[path];
      if (file instanceof Error) throw file;
      return file === undefined ? undefined : bytes(file);
    },
    async list(folder, signal) {
      signal.throwIfAborted();
      asked.push(`${folder}/`);
      const inside = Object.keys(base).filter((path) => path.startsWith(`${folder}/`));
      return [...new Set(inside.map((path) => path.slice(folder.length + 1).split('/')[0] ?? ''))];
    },
    locate: (path) => `octocat/hello@main:.axe/memory/${path}`,
  };
  return { store: createBaseStore(writer, baseFiles, createPatientClock()), files, asked, written };
}

describe('a committed memory on a pull request (D13, D21)', () => {
  it('starts with the base version if the checkout has none, so that a commit removes nothing', async () => {
    const { store, files } = place({ 'bot.md': plainEntry('one') });
    await store.write([append('a')], quiet);
    expect(files.get('bot.md')).toBe(plainEntry('one') + entryText('a'));
  });

  it('initializes each of several files, and reads each once', async () => {
    const { store, files, asked } = place({ 'bot.md': plainEntry('one'), 'other.md': plainEntry('two') });
    await store.write([append('a'), append('b', { path: 'other.md' }), append('c')], quiet);
    expect([...asked].sort()).toEqual(['bot.md', 'other.md']);
    expect(files.get('bot.md')).toBe(plainEntry('one') + entryText('a') + entryText('c'));
    expect(files.get('other.md')).toBe(plainEntry('two') + entryText('b'));
  });

  it('is not written if the base cannot be read, since a commit could remove entries', async () => {
    const { store, files, written } = place({ 'bot.md': new Error('GitHub is away') });
    expect(await store.write([append('a')], quiet)).toEqual({
      kind: 'failed',
      reason: 'error',
      message: 'GitHub is away',
    });
    expect(written).toEqual([]);
    expect(files.size).toBe(0);
  });

  it('reads at most 200 notes, days before notes and the newest days first', async () => {
    const folder = 'projects/x-12345678';
    const days = Array.from({ length: 250 }, (_, index) => {
      const date = new Date(Date.UTC(2025, 0, 1 + index)).toISOString().slice(0, 10);
      return `${folder}/daily/${date}.md`;
    });
    const notes = Array.from({ length: 250 }, (_, index) => `${folder}/notes/n${index}.md`);
    const texts = [...notes, ...days, 'MEMORY.md', 'bot.md'].map((path) => [path, 'x'] as const);
    const { store } = place(Object.fromEntries(texts));
    const places = [`${folder}/notes/`, `${folder}/daily/`, 'MEMORY.md', 'bot.md'];
    const result = await store.readTree(quiet, places);
    const paths = result.kind === 'tree' ? [...result.tree.keys()] : [];
    expect(paths.sort()).toEqual(['MEMORY.md', 'bot.md', ...days.slice(50)]);
    expect(result).toMatchObject({ warnings: [{ message: expect.stringContaining('and 299 more') }] });
  });

  it('returns a failure instead of throwing when the run was stopped', async () => {
    const { store, written } = place({});
    const stopped = AbortSignal.abort(new Error('over'));
    expect(await store.read({ path: 'bot.md', lastN: 0, count: false }, stopped)).toMatchObject({
      kind: 'failed',
      message: 'over',
    });
    expect(await store.write([append('a')], stopped)).toEqual({
      kind: 'failed',
      reason: 'timeout',
      message: 'over',
    });
    expect(written).toEqual([]);
  });
});
