import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { editText } from '../../../src/adapters/host/editor.js';
import { tempDir } from '../../helpers/temp.js';

/** An editor that is a script of the shell; `$1` is the file. */
function editor(folder: string, script: string): string {
  const file = join(folder, 'editor.sh');
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

describe('editText', () => {
  it('returns the text that the editor saved, and leaves no file', async () => {
    const folder = tempDir('editor');
    const seen = join(folder, 'seen');
    const program = editor(
      folder,
      `printf %s "$1" > '${seen}'\nstat -c %a "$1" >> '${seen}'\nprintf '改' >> "$1"`,
    );
    expect(await editText(program, 'draft\n')).toBe('draft\n改');
    const [file = '', mode] = readFileSync(seen, 'utf8').split(/(?=600\n$)/);
    expect(mode).toBe('600\n');
    expect(existsSync(file)).toBe(false);
  });

  it('fails if the editor does', async () => {
    await expect(editText(editor(tempDir('editor'), 'exit 3'), 'x')).rejects.toThrow(
      'the editor ended with status 3',
    );
    await expect(editText('/no/such/editor', 'x')).rejects.toThrow(/cannot start the editor/);
  });
});
