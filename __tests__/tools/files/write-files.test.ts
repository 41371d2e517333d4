import { expect, it } from '@jest/globals';
import { MAX_WRITTEN_BYTES } from '../../../src/lib/defaults.js';
import { createEditFile, createWriteFile } from '../../../src/tools/files/write-files.js';
import { createTestWorkspace, quiet } from '../workspace-scene.js';

it.each<[string, string, string, number]>([
  ['a new file', 'dir/new.txt', 'grüße\n', 8],
  ['an existing one', 'old.txt', 'new', 3],
  ['an empty one', 'old.txt', '', 0],
])('write_file writes %s', async (_, path, content, bytes) => {
  const workspace = createTestWorkspace({ 'old.txt': 'old' });
  const result = await createWriteFile(workspace).execute({ path, content }, quiet);
  expect(result).toEqual({ text: `wrote ${bytes} bytes to ${path}`, isError: false });
  expect(workspace.text(path)).toBe(content);
});

it('write_file does not empty a file because the content is missing', async () => {
  const workspace = createTestWorkspace({ 'old.txt': 'old' });
  const result = await createWriteFile(workspace).execute({ path: 'old.txt' }, quiet);
  expect(result).toEqual({ text: expect.stringContaining('`content` is missing'), isError: true });
  expect(workspace.text('old.txt')).toBe('old');
});

it('write_file writes nothing that is too large', async () => {
  const workspace = createTestWorkspace({});
  const content = 'ä'.repeat(MAX_WRITTEN_BYTES / 2 + 1);
  const result = await createWriteFile(workspace).execute({ path: 'a', content }, quiet);
  expect(result.isError).toBe(true);
  expect(workspace.text('a')).toBeUndefined();
});

async function edit(content: string | Uint8Array, input: object) {
  const workspace = createTestWorkspace({ 'a.txt': content });
  const result = await createEditFile(workspace).execute({ path: 'a.txt', ...input }, quiet);
  return { ...result, content: workspace.text('a.txt') };
}

it.each<[string, string, object, string, number]>([
  ['one place', 'a b c', { old_string: 'b', new_string: 'x' }, 'a x c', 1],
  ['all places', 'a b a', { old_string: 'a', new_string: 'aa', replace_all: 'true' }, 'aa b aa', 2],
  ['nothing in its place', 'a b c', { old_string: ' b', new_string: '' }, 'a c', 1],
  [
    'signs of patterns unchanged',
    'X',
    { old_string: 'X', new_string: "$& $1 $' $$" },
    "$& $1 $' $$",
    1,
  ],
  ['signs of expressions unchanged', 'a.*b', { old_string: '.*', new_string: '-' }, 'a-b', 1],
  ['the breaks themselves', 'a\r\nb', { old_string: '\r\n', new_string: '\n' }, 'a\nb', 1],
  [
    'one with a new line of Windows',
    'a\r\nb',
    { old_string: 'b', new_string: 'b\nc' },
    'a\r\nb\r\nc',
    1,
  ],
  [
    'lines of Windows',
    'a\r\nb\r\nc',
    { old_string: 'a\nb', new_string: '1\n2\n3' },
    '1\r\n2\r\n3\r\nc',
    1,
  ],
])('edit_file replaces %s', async (_, ...[content, input, expected, count]) => {
  const text = `replaced ${count} occurrence(s) in a.txt`;
  expect(await edit(content, input)).toEqual({ text, isError: false, content: expected });
});

it.each<[string, string, object, string]>([
  [
    'text that is not there',
    'abc',
    { old_string: 'x', new_string: 'y' },
    'old_string not found in file',
  ],
  [
    'text that occurs twice',
    'x\n\nx\nx x',
    { old_string: 'x', new_string: 'y' },
    'old_string found 4 times; set replace_all to true or provide a more unique string',
  ],
  ['empty text', 'abc', { old_string: '', new_string: 'y' }, 'old_string is required'],
  ['the same text', 'abc', { old_string: 'b', new_string: 'b' }, 'are the same'],
])('edit_file changes nothing for %s', async (_, content, input, text) => {
  const result = await edit(content, input);
  expect(result).toEqual({ text: expect.stringContaining(text), isError: true, content });
});

it('edit_file does not damage a file that is not UTF-8', async () => {
  const result = await edit(new Uint8Array([0x61, 0xff]), { old_string: 'a', new_string: 'b' });
  expect(result.isError).toBe(true);
  expect(result.text).toContain('not a text file in UTF-8');
});
