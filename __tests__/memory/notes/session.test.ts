import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyChanges, type MemoryTree, type NoteChange } from '../../../src/memory/change.js';
import type { NoteRequest } from '../../../src/memory/notes/session.js';
import type { BlockedPlace, SaveResult } from '../../../src/memory/store.js';
import { createNotesScene, found, PROJECT, ROOT } from './notes-scene.js';

const LONG_TERM = { kind: 'long_term' } as const;
const DAY = { kind: 'daily', date: '2026-03-01' } as const;

function plain(content: string): NoteRequest {
  return { kind: 'append', content };
}

/** A store that saves at once, as on the command line. */
function liveStore(files: Readonly<Record<string, string>> = {}, failure?: SaveResult) {
  let tree: MemoryTree = new Map(Object.entries(files));
  return {
    tree: () => tree,
    put(path: string, text: string) {
      tree = new Map([...tree, [path, text]]);
    },
    load: async (under: readonly string[] | undefined) => ({
      ...found(tree, under),
      location: ROOT,
    }),
    writeThrough: async (changes: readonly NoteChange[]): Promise<SaveResult> => {
      if (failure !== undefined) return failure;
      tree = applyChanges(tree, changes);
      return { kind: 'saved', location: ROOT, attempts: 1 };
    },
  };
}

describe('a session of notes', () => {
  it('reads a day at its flat place if it has no other, and requests it once', async () => {
    const own = { [`${PROJECT}/daily/2026-01-03.md`]: 'own' };
    const scene = createNotesScene({
      files: { '2026-01-02.md': 'flat', '2026-01-03.md': 'flat', ...own },
    });
    const days = ['2026-01-02', '2026-01-02', '2026-01-03', '2026-01-04'];
    const texts: string[] = [];
    for (const date of days) texts.push(await scene.session.read({ kind: 'daily', date }));
    expect(texts).toEqual(['flat', 'flat', 'own', '']);
    expect(scene.loads.slice(1)).toEqual([['2026-01-02.md'], ['2026-01-04.md']]);
  });

  it('requests by name a note that the store left out of a folder, once', async () => {
    const path = `${PROJECT}/notes/zebra.md`;
    const warnings = [{ code: 'memory-store-notice', message: 'too many notes' }] as const;
    const load = async (under: readonly string[] | undefined) => {
      const tree = new Map(under?.includes(path) === true ? [[path, 'stripes\n']] : []);
      return { kind: 'tree', tree, warnings, location: ROOT } as const;
    };
    const scene = createNotesScene({ load });
    expect(await scene.session.read({ kind: 'note', name: 'zebra' })).toBe('stripes\n');
    await scene.session.change({ kind: 'note', name: 'zebra' }, plain('more'));
    expect(await scene.text(path)).toBe('stripes\nmore\n');
    expect(scene.loads.slice(1)).toEqual([[path]]);
  });

  it('writes nothing if memory cannot be read, and tries again the next time', async () => {
    let isDown = true;
    const scene = createNotesScene({
      load: async (under) =>
        isDown
          ? { kind: 'failed', location: ROOT, message: 'no answer', remedy: 'Try again.' }
          : { ...found(new Map([['MEMORY.md', 'a\n']]), under), location: ROOT },
    });
    const failed = await scene.session.change(LONG_TERM, plain('b'));
    const message = 'memory could not be read: no answer. Try again.';
    expect(failed).toMatchObject({ kind: 'failed', reason: 'unavailable', message });
    await expect(scene.session.read(LONG_TERM)).rejects.toThrow(message);
    expect(scene.session.changes(false)).toEqual([]);
    isDown = false;
    await scene.session.change(LONG_TERM, plain('b'));
    expect(await scene.session.read(LONG_TERM)).toBe('a\nb\n');
  });
});

describe('a session that saves immediately', () => {
  it('sees what others write meanwhile, and keeps no pending changes', async () => {
    const store = liveStore({ 'MEMORY.md': 'a\n' });
    const scene = createNotesScene(store);
    expect(await scene.session.read(LONG_TERM)).toBe('a\n');
    store.put('MEMORY.md', 'a\nb\n');
    await scene.session.change(LONG_TERM, plain('c'));
    expect(store.tree().get('MEMORY.md')).toBe('a\nb\nc\n');
    expect(scene.session.changes(false)).toEqual([]);
    expect(scene.session.recent()).toMatchObject([{ path: `${ROOT}/MEMORY.md` }]);
    expect(scene.loads).toEqual([['MEMORY.md'], ['MEMORY.md']]);
  });

  it.each([
    ['error', 'append to memory file'],
    ['unavailable', 'read memory'],
  ] as const)(
    'reports a failed save in the words of memory-tools 2.2: %s',
    async (reason, operation) => {
      const text = `Tool 'write_memory' execution failed: Storage operation '${operation}' failed: no space left. Make room.`;
      const failure = {
        kind: 'failed',
        reason,
        message: 'no space left',
        remedy: 'Make room.',
      } as const;
      const scene = createNotesScene(liveStore({}, failure));
      expect(await scene.call('write_memory', { content: 'x' })).toEqual({ text, isError: true });
      const write = await scene.call('memory_write', { target: 'long_term', content: 'x' });
      expect(write).toEqual({
        text: 'nothing was written: no space left. Make room.',
        isError: true,
      });
      expect(scene.session.recent()).toEqual([]);
    },
  );
});

describe('the changes of a session', () => {
  const note = { kind: 'note', name: '部署' } as const;
  const target = fc.constantFrom(LONG_TERM, { kind: 'scratchpad' } as const, DAY, note);
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', ' ', '\n', '文', '\r\n') }),
    fc.string({ unit: 'binary' }),
  );
  const wish = fc.oneof<fc.Arbitrary<NoteRequest>[]>(
    fc.record({
      kind: fc.constant('append' as const),
      content: text,
      form: fc.constantFrom(
        (added: string) => ({ text: added }),
        (added: string) => ({ text: `\n${added}`, head: '# Day\n' }),
      ),
    }),
    fc.record({ kind: fc.constant('overwrite' as const), content: text }),
  );
  const steps = fc.array(fc.record({ target, wish }), { maxLength: 12 });

  it('turn what was loaded into what the session reads, also after the journal stored them as JSON', async () => {
    await fc.assert(
      fc.asyncProperty(steps, text, async (wanted, before) => {
        const files = { 'MEMORY.md': before.toWellFormed(), 'bot.md': 'a run log' };
        const scene = createNotesScene({ files });
        await Promise.all(wanted.map((step) => scene.session.change(step.target, step.wish)));
        const kept: readonly NoteChange[] = JSON.parse(
          JSON.stringify(scene.session.changes(false)),
        );
        expect(kept).toEqual(scene.session.changes(false));
        const tree = await scene.session.tree();
        // Of several changes a save keeps the version before the first one next to a note; no tool
        // shows it.
        const withoutCopies = (all: MemoryTree) =>
          [...all].filter(([path]) => !path.endsWith('.bak'));
        expect(tree.kind === 'tree' && withoutCopies(tree.tree)).toEqual(
          withoutCopies(applyChanges(new Map(Object.entries(files)), kept)),
        );
      }),
    );
  });

  it('in the untrusted lane leave the trusted one unchanged', async () => {
    const files = { 'MEMORY.md': 'fact one\n', [`${PROJECT}/notes/a.md`]: 'a note\n' };
    const scene = createNotesScene({ files });
    await scene.session.change(LONG_TERM, plain('fact two'));
    await scene.session.change(DAY, plain('only added to'));
    await scene.session.change({ kind: 'note', name: 'a' }, { kind: 'overwrite', content: 'anew' });
    const next = applyChanges(new Map(Object.entries(files)), scene.session.changes(true));
    expect(Object.fromEntries(next)).toEqual({
      ...files,
      'apart/MEMORY.md': 'fact two\n',
      [`apart/${PROJECT}/daily/2026-03-01.md`]: 'only added to\n',
      [`apart/${PROJECT}/notes/a.md`]: 'anew',
    });
  });
});

it('a damaged note is left for a person to correct, and not overwritten', async () => {
  const scene = createNotesScene({ files: { 'MEMORY.md': '<<<<<<< HEAD\na\n>>>>>>> b\n' } });
  const result = await scene.session.change(LONG_TERM, { kind: 'overwrite', content: 'c' });
  expect(result).toMatchObject({ message: expect.stringContaining('holds git conflict markers') });
  expect(scene.session.changes(false)).toEqual([]);
});

it('a blocked note (D54) is an error for a reader, unless it is a link, and a search continues without it', async () => {
  const message = 'open /x/MEMORY.md: permission denied';
  const unread = { path: 'MEMORY.md', reason: 'denied', message } as const;
  const link = {
    ...unread,
    reason: 'refused',
    message: 'a symbolic link',
    remedy: 'Replace it.',
  } as const;
  const scene = (blocked: BlockedPlace) =>
    createNotesScene({
      load: async () => ({
        kind: 'tree',
        location: ROOT,
        tree: new Map([[`${PROJECT}/notes/x.md`, 'x\n']]),
        warnings: [],
        blocked: [blocked],
      }),
    });
  const { call } = scene(unread);
  const text = `memory could not be read: ${message}`;
  expect(await call('memory_read', { source: 'long_term' })).toEqual({ text, isError: true });
  expect(await call('memory_read', { source: 'note', name: 'x' })).toMatchObject({ text: 'x\n' });
  expect((await call('memory_search', { query: 'x' })).text).toContain('notes/x.md');
  expect(await scene(link).call('memory_read', { source: 'long_term' })).toMatchObject({
    text: '(empty)',
  });
});
