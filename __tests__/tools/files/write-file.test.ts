import { describe, expect, it } from '@jest/globals';
import { MAX_WRITTEN_BYTES } from '../../../src/lib/defaults.js';
import { createWriteFile } from '../../../src/tools/files/write-files.js';
import { createTestWorkspace, quiet } from '../workspace-scene.js';

describe('write_file', () => {
  it.each<[string, string, string, number]>([
    ['a new file', 'dir/new.txt', 'grüße\n', 8],
    ['an existing one', 'old.txt', 'new', 3],
    ['an empty one', 'old.txt', '', 0],
  ])('writes %s', async (_, path, content, bytes) => {
    const workspace = createTestWorkspace({ 'old.txt': 'old' });
    const result = await createWriteFile(workspace).execute({ path, content }, quiet);
    expect(result).toEqual({ text: `wrote ${bytes} bytes to ${path}`, isError: false });
    expect(workspace.text(path)).toBe(content);
  });

  it('does not empty a file because the content is missing', async () => {
    const workspace = createTestWorkspace({ 'old.txt': 'old' });
    const result = await createWriteFile(workspace).execute({ path: 'old.txt' }, quiet);
    expect(result).toEqual({ text: expect.stringContaining('`content` is missing'), isError: true });
    expect(workspace.text('old.txt')).toBe('old');
  });

  it('writes nothing that is too large', async () => {
    const workspace = createTestWorkspace({});
    const content = 'ä'.repeat(MAX_WRITTEN_BYTES / 2 + 1);
    const result = await createWriteFile(workspace).execute({ path: 'a', content }, quiet);
    expect(result.isError).toBe(true);
    expect(workspace.text('a')).toBeUndefined();
  });
});
