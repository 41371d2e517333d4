import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openEditor } from './editor.js';
import { withTempDir } from './temp-dir.js';

/** Lets the user change a text in their editor, in a file that only they can read. Throws an AxeError if it fails. */
export async function editText(editor: string, text: string): Promise<string> {
  return await withTempDir(async (folder) => {
    const file = join(folder, 'entry.md');
    await writeFile(file, text, { mode: 0o600 });
    await openEditor(editor, file);
    return await readFile(file, 'utf8');
  });
}
