import { describe, expect, it } from '@jest/globals';
import { createEditFile } from '../../../src/tools/files/write-files.js';
import { createTestWorkspace, quiet } from '../workspace-scene.js';

async function edit(content: string | Uint8Array, input: object) {
  const workspace = createTestWorkspace({ 'a.txt': content });
  const result = await createEditFile(workspace).execute({ path: 'a.txt', ...input }, quiet);
  return { ...result, content: workspace.text('a.txt') };
}

describe('edit_file', () => {
  it.each<[string, string, object, string, number]>([
    ['one place', 'a b c', { old_string: 'b', new_string: 'x' }, 'a x c', 1],
    ['all places', 'a b a', { old_string: 'a', new_string: 'aa', replace_all: 'true' }, 'aa b aa', 2],
    ['nothing in its place', 'a b c', { old_string: ' b', new_string: '' }, 'a c', 1],
    [
      'signs of replacement patterns unchanged',
      'cost: X',
      { old_string: 'X', new_string: "$& $1 $' $$" },
      "cost: $& $1 $' $$",
      1,
    ],
    ['signs of expressions unchanged', 'a.*b', { old_string: '.*', new_string: '-' }, 'a-b', 1],
    [
      'lines of a Windows file',
      'one\r\ntwo\r\nend',
      { old_string: 'one\ntwo', new_string: '1\n2\n3' },
      '1\r\n2\r\n3\r\nend',
      1,
    ],
    ['text behind a byte order mark', '\uFEFFa', { old_string: 'a', new_string: 'b' }, '\uFEFFb', 1],
  ])('replaces %s', async (_, content, input, expected, count) => {
    const result = await edit(content, input);
    expect(result.text).toBe(`replaced ${count} occurrence(s) in a.txt`);
    expect(new TextEncoder().encode(result.content)).toEqual(
      new TextEncoder().encode(expected.replace('\uFEFF', '')),
    );
  });

  it('keeps a byte order mark in the file', async () => {
    const workspace = createTestWorkspace({ 'a.txt': '\uFEFFa' });
    await createEditFile(workspace).execute({ path: 'a.txt', old_string: 'a', new_string: 'b' }, quiet);
    expect([...(await workspace.read('a.txt', 9)).bytes]).toEqual([0xef, 0xbb, 0xbf, 0x62]);
  });

  it.each<[string, string, object, string]>([
    ['text that is not there', 'abc', { old_string: 'x', new_string: 'y' }, 'old_string not found in file'],
    [
      'text that occurs twice',
      'x\n\nx\nx x',
      { old_string: 'x', new_string: 'y' },
      'old_string found 4 times; set replace_all to true or provide a more unique string',
    ],
    ['empty text', 'abc', { old_string: '', new_string: 'y' }, 'old_string is required'],
    ['the same text', 'abc', { old_string: 'b', new_string: 'b' }, 'are the same'],
  ])('changes nothing for %s', async (_, content, input, text) => {
    const result = await edit(content, input);
    expect(result).toEqual({ text: expect.stringContaining(text), isError: true, content });
  });

  it('does not damage a file that is not UTF-8', async () => {
    const result = await edit(new Uint8Array([0x61, 0xff]), { old_string: 'a', new_string: 'b' });
    expect(result.isError).toBe(true);
    expect(result.text).toContain('not a text file in UTF-8');
  });

  it('creates no files', async () => {
    const workspace = createTestWorkspace({});
    const input = { path: 'new.txt', old_string: 'a', new_string: 'b' };
    expect((await createEditFile(workspace).execute(input, quiet)).text).toContain('no such file');
    expect(workspace.text('new.txt')).toBeUndefined();
  });
});
