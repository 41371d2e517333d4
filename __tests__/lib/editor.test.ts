import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { openEditor } from '../../src/lib/editor.js';
import { AxeError } from '../../src/lib/errors.js';
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
  it('is awaited, and gets the file as one argument', () => {
    const { editor, file } = setUp('echo "$# words" >> "$1"');
    openEditor(editor, file);
    expect(readFileSync(file, 'utf8')).toBe('name = "bot"\n1 words\n');
  });

  it('keeps its own arguments before the file', () => {
    const { editor, file } = setUp('echo "$1 $2" >> "$3"');
    openEditor(`  ${editor}   --wait\t-n `, file);
    expect(readFileSync(file, 'utf8')).toMatch(/\n--wait -n\n$/);
  });

  it('runs no command from the name of the file', () => {
    const { editor } = setUp('printf %s "$1" > "$(dirname "$0")/asked"');
    const name = '$(touch gone); `x` "q".toml';
    openEditor(editor, name);
    expect(readFileSync(join(editor, '..', 'asked'), 'utf8')).toBe(name);
  });

  it('that does not exist is reported, exit status 1', () => {
    const missing = join(tempDir('editor'), 'gone');
    expect(() => openEditor(`${missing} --wait`, 'x')).toThrow(`cannot start the editor "${missing}": `);
  });

  it.each([
    ['exit 7', 'the editor ended with status 7'],
    ['kill -KILL $$', 'the editor was ended by SIGKILL'],
  ])('that fails is reported: %s', (script, message) => {
    const { editor, file } = setUp(script);
    expect(() => openEditor(editor, file)).toThrow(new AxeError(message));
  });
});
