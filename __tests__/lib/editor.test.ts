import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { AxeError } from '../../src/lib/errors.js';
import { openEditor } from '../../src/lib/user-files.js';
import { tempDir, writeFiles } from '../helpers/temp.js';

/** An editor that does what the script says. */
function editorThat(script: string): string {
  const folder = tempDir('editor');
  writeFiles(folder, { editor: `#!/bin/sh\n${script}\n` });
  chmodSync(join(folder, 'editor'), 0o755);
  return join(folder, 'editor');
}

it('the editor is awaited, and gets its own arguments and the file as one more, whatever its name', () => {
  const editor = editorThat('printf "%s|" "$@" > "$(dirname "$0")/asked"');
  const name = '$(touch gone); `x` "q".toml';
  openEditor(`  ${editor}   --wait\t-n `, name);
  expect(readFileSync(join(editor, '../asked'), 'utf8')).toBe(`--wait|-n|${name}|`);
});

it('an editor that does not exist is reported', () => {
  const message = 'cannot start the editor "/gone/editor": spawnSync /gone/editor ENOENT';
  expect(() => openEditor('/gone/editor', 'x')).toThrow(message);
});

it.each([
  ['exit 7', 'the editor ended with status 7'],
  ['kill -KILL $$', 'the editor was ended by SIGKILL'],
])('an editor that fails is reported: %s', (script, message) => {
  expect(() => openEditor(editorThat(script), 'x')).toThrow(new AxeError(message));
});
