import { describe, expect, it } from '@jest/globals';
import { createListDirectory } from '../../../src/tools/files/read-files.js';
import { createTestWorkspace, quiet } from '../workspace-scene.js';

describe('list_directory', () => {
  const tool = createListDirectory(
    createTestWorkspace({ 'b.txt': '', 'a/x.txt': '', 'new\nline': '', 'A.md': '' }),
  );

  it('returns a name on each line, directories with a slash', async () => {
    const text = 'A.md\na/\nb.txt\nnew<U+000A>line';
    expect(await tool.execute({ path: '.' }, quiet)).toEqual({ text, isError: false });
    expect((await tool.execute({}, quiet)).text).toBe(text);
    expect((await tool.execute({ path: 'a' }, quiet)).text).toBe('x.txt');
  });

  it('reports that a directory is empty', async () => {
    const empty = createListDirectory(createTestWorkspace({}));
    expect((await empty.execute({ path: '.' }, quiet)).text).toBe('(the directory is empty)');
  });

  it('counts what it does not show', async () => {
    const files = Object.fromEntries(Array.from({ length: 1203 }, (_, index) => [`f${index}`, '']));
    const { text } = await createListDirectory(createTestWorkspace(files)).execute({}, quiet);
    expect(text.split('\n')).toHaveLength(1001);
    expect(text).toContain('[203 more names;');
  });
});
