import { expect, it } from '@jest/globals';
import { startChild } from '../helpers/child.js';
import { startModelServer, text } from '../helpers/model-server.js';
import { CLI } from '../helpers/run-cli.js';
import { tempDir } from '../helpers/temp.js';

/** `script` gives a program a real terminal and keeps its exit status: util-linux's, or that of macOS. */
function onTerminal(words: readonly string[]): readonly string[] {
  if (process.platform === 'darwin') return ['-q', '/dev/null', ...words];
  return ['-qec', words.map((word) => `'${word}'`).join(' '), '/dev/null'];
}

it('so that the prompt of the shell does not follow on it', async () => {
  const model = await startModelServer([text('Done.')]);
  const home = tempDir('home');
  const { stdout, exitCode } = await startChild({
    command: 'script',
    args: onTerminal([process.execPath, CLI, 'run', 'builtin/ask', '--prompt', 'Sort.']),
    env: { ...model.env, PATH: process.env['PATH'] ?? '', HOME: home, NODE_DISABLE_COMPILE_CACHE: '1' },
    cwd: tempDir('cwd'),
    // A terminal whose input has ended would show that as ^D.
    stdin: { kind: 'pipe-open' },
  }).finished;
  expect([exitCode, stdout]).toEqual([0, 'Done.\r\n']);
});
