import { describe, expect, it } from '@jest/globals';
import { entry } from './logs.js';
import { command, createFakeMemory } from './memory-scene.js';

const NOTE = 'projects/p-12345678/notes/auth.md';
const FILES = {
  'bot.md': entry(1, { id: 'aaaaaa-1' }),
  'MEMORY.md': '# Facts\n\nuse tabs\nnever push to main\n',
  [NOTE]: 'Tokens live for 15 minutes\n日本語のメモ\n',
  'projects/p-12345678/notes/auth.bak': 'Tokens live for 10 minutes\n',
  'projects/p-12345678/daily/2026-03-01.md': 'did much\n',
  'MEMORY.state.md': '# State\n',
};

function textOf(result: Awaited<ReturnType<typeof command>>): string {
  if (result.kind === 'failed') return result.message;
  return [result.text, result.quoted, result.below].join('\n\n');
}

describe('commands over notes', () => {
  it('list them with their sizes and show one by its path (`show`)', async () => {
    const store = createFakeMemory(FILES);
    const all = textOf(await command(store, 'show'));
    expect(all).toContain('- `MEMORY.md`, 37 bytes');
    expect(all).toContain('- `projects/p-12345678/daily/2026-03-01.md`, 9 bytes');
    expect(all).not.toMatch(/auth\.bak|MEMORY\.state/);
    expect(textOf(await command(store, `show ${NOTE}`))).toContain(
      'Tokens live for 15 minutes\n日本語のメモ',
    );
    expect(await command(store, 'show projects/p-12345678/notes/none.md')).toMatchObject({
      kind: 'failed',
      reason: 'not-found',
    });
  });

  it('find lines that hold all the words, in any case (`search`)', async () => {
    const store = createFakeMemory(FILES);
    expect(textOf(await command(store, 'search TOKENS live'))).toContain(
      `1 line of notes contains "TOKENS" and "live":\n\n- \`${NOTE}\`:1 Tokens live for 15 minutes`,
    );
    expect(textOf(await command(store, 'search 日本語'))).toContain(`\`${NOTE}\`:2 日本語のメモ`);
    expect(textOf(await command(store, 'search nothing like it'))).not.toContain('lines of notes');
  });

  it('delete a note with its backup (`forget`)', async () => {
    const store = createFakeMemory(FILES);
    expect(await command(store, `forget ${NOTE}`)).toMatchObject({ kind: 'done', changed: true });
    expect(store.tree.get(NOTE)).toBe('');
    expect(store.tree.get('projects/p-12345678/notes/auth.bak')).toBe('');
    expect(store.tree.get('MEMORY.md')).toBe(FILES['MEMORY.md']);
    expect([...store.tree.keys()].filter((path) => path.endsWith('.state.md'))).toEqual(['MEMORY.state.md']);
  });

  it('show for an agent without entries where a trial without a model left some', async () => {
    const store = createFakeMemory({ 'offline/bot.md': entry(1, { id: 'aaaaaa-1' }) });
    expect(textOf(await command(store, 'show'))).toContain(
      'The offline rules have 1 entry in `offline/bot.md`',
    );
  });
});

it.each(['show', 'forget'])(
  'commands over notes report for `%s` of a missing note what to give',
  async (name) => {
    const result = await command(createFakeMemory(FILES), `${name} projects/p-12345678/notes/none.md`);
    expect(result).toMatchObject({
      kind: 'failed',
      reason: 'not-found',
      message: expect.stringContaining('no note `projects/p-12345678/notes/none.md` in'),
      remedy: 'Give the path of a note as `show` lists it after the entries.',
    });
  },
);
