import { describe, expect, it } from '@jest/globals';
import { command, createFakeMemory, entry } from './memory-scene.js';

const FILES = {
  'bot.md': entry(1, { id: 'aaaaaa-1' }),
  'MEMORY.md': '# Facts\n\nuse tabs\nnever push to main\n',
};

describe('`edit` of a note', () => {
  it('opens the note in the editor and saves what comes back', async () => {
    const store = createFakeMemory(FILES);
    const result = await command(store, 'edit MEMORY.md', {
      edit: async (draft) => draft.replace('tabs', 'spaces'),
    });
    expect(result).toMatchObject({
      kind: 'done',
      changed: true,
      headline: expect.stringContaining('`MEMORY.md`'),
    });
    expect(store.tree.get('MEMORY.md')).toBe('# Facts\n\nuse spaces\nnever push to main\n');
    expect(store.tree.get('bot.md')).toBe(FILES['bot.md']);
  });

  it('keeps what others have added meanwhile', async () => {
    const store = createFakeMemory(FILES);
    const result = await command(store, 'edit MEMORY.md', {
      edit: async (draft) => {
        const text = `${store.tree.get('MEMORY.md')}deploys are on Tuesday\n`;
        await store.write(
          [{ kind: 'rewrite', path: 'MEMORY.md', rewrite: () => text }],
          new AbortController().signal,
        );
        return draft.replace('use tabs\n', 'use spaces\n');
      },
    });
    expect(result).toMatchObject({ kind: 'done', text: expect.stringContaining('both changes are in it') });
    expect(store.tree.get('MEMORY.md')).toBe(
      '# Facts\n\nuse spaces\nnever push to main\ndeploys are on Tuesday\n',
    );
  });

  it('accepts the text from the command too, and ends it with a line break', async () => {
    const store = createFakeMemory(FILES);
    expect(await command(store, 'edit MEMORY.md --text=New')).toMatchObject({ kind: 'done', changed: true });
    expect(store.tree.get('MEMORY.md')).toBe('New\n');
  });

  it('writes no secret', async () => {
    const store = createFakeMemory(FILES);
    const result = await command(store, 'edit MEMORY.md --text=the-key-canary', {
      secrets: ['the-key-canary'],
    });
    expect(result).toMatchObject({ kind: 'done', text: expect.stringContaining('looked like a secret') });
    expect(store.tree.get('MEMORY.md')).toBe('***\n');
  });

  it.each([
    ['nothing but blanks', '\n\n', /would say nothing/],
    ["git's conflict markers", 'a\n<<<<<<< HEAD\nb\n', /conflict marker/],
  ])('refuses %s and changes nothing', async (_, text, message) => {
    const store = createFakeMemory(FILES);
    const result = await command(store, 'edit MEMORY.md', { edit: async () => text });
    expect(result).toMatchObject({ kind: 'failed', message: expect.stringMatching(message), changed: false });
    expect(store.tree.get('MEMORY.md')).toBe(FILES['MEMORY.md']);
  });

  it('reports that nothing was changed', async () => {
    const store = createFakeMemory(FILES);
    expect(await command(store, 'edit MEMORY.md', { edit: async (draft) => draft })).toMatchObject({
      kind: 'done',
      changed: false,
    });
  });

  it('reports what is missing for a path without a note', async () => {
    expect(await command(createFakeMemory(FILES), 'edit notes/none.md --text=x')).toMatchObject({
      kind: 'failed',
      reason: 'not-found',
      message: expect.stringContaining('no note `notes/none.md`'),
    });
  });
});

describe('`notes`', () => {
  it('lists them with their sizes, shows one by its path, and reports if there are none', async () => {
    const store = createFakeMemory(FILES);
    expect(await command(store, 'notes')).toMatchObject({
      text: expect.stringMatching(/^1 note in .*:\n\n- `MEMORY\.md`, 37 bytes$/),
    });
    expect(await command(store, 'notes MEMORY.md')).toMatchObject({
      text: expect.stringContaining('use tabs'),
    });
    expect(await command(store, 'notes none')).toMatchObject({ kind: 'failed', reason: 'not-found' });
    const empty = createFakeMemory({ 'bot.md': FILES['bot.md'] });
    expect(await command(empty, 'notes')).toMatchObject({
      text: expect.stringMatching(/^There are no notes in /),
    });
  });
});
