import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { openEditor } from '../../src/lib/editor.js';
import { tempDir, writeFiles } from '../helpers/temp.js';

/** A folder with an editor that does what the script says, and a file to edit. */
function setUp(script: string): { readonly editor: string; readonly file: string } {
  const folder = tempDir('editor');
  writeFiles(folder, { editor: `#!/bin/sh\n${script}\n`, 'my bot.toml': 'name = "bot"\n' });
  const editor = join(folder, 'editor');
  chmodSync(editor, 0o755);
  return { editor, file: join(folder, 'my bot.toml') };
}

describe('the editor', () => {
  it('is awaited, and gets the file as one argument', async () => {
    const { editor, file } = setUp('echo "$# words" >> "$1"');
    await openEditor(editor, file);
    expect(readFileSync(file, 'utf8')).toBe('name = "bot"\n1 words\n');
  });

  it('keeps its own arguments before the file', async () => {
    const { editor, file } = setUp('echo "$1 $2" >> "$3"');
    await openEditor(`  ${editor}   --wait\t-n `, file);
    expect(readFileSync(file, 'utf8')).toMatch(/\n--wait -n\n$/);
  });

  it('runs no command from the name of the file', async () => {
    const { editor } = setUp('printf %s "$1" > "$(dirname "$0")/asked"');
    const name = '$(touch gone); `x` "q".toml';
    await openEditor(editor, name);
    expect(readFileSync(join(editor, '..', 'asked'), 'utf8')).toBe(name);
  });

  it('that does not exist is reported, exit status 1', async () => {
    const missing = join(tempDir('editor'), 'gone');
    await expect(openEditor(`${missing} --wait`, 'x')).rejects.toMatchObject({
      name: 'AxeError',
      message: `cannot start the editor "${missing}": spawn ${missing} ENOENT`,
      exitCode: 1,
    });
  });

  it.each([
    ['exit 7', 'the editor ended with status 7'],
    ['kill -KILL $$', 'the editor was ended by SIGKILL'],
  ])('that fails is reported: %s', async (script, message) => {
    const { editor, file } = setUp(script);
    await expect(openEditor(editor, file)).rejects.toMatchObject({ name: 'AxeError', message, exitCode: 1 });
  });
});
