import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { runCommandLine } from '../../src/cli/main.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { createFakeTerminal } from '../helpers/terminal-fake.js';

/** Runs `config` on a machine whose configuration is in `folder`. */
async function config(folder: string, ...words: string[]) {
  const terminal = createFakeTerminal({ env: { XDG_CONFIG_HOME: folder } });
  const exitCode = await runCommandLine(['config', ...words], terminal);
  return { exitCode, output: terminal.output(), talk: terminal.talk() };
}

describe('config', () => {
  it('path reports what is missing if there is no home folder, exit status as for configuration', async () => {
    await expect(runCommandLine(['config', 'path'], createFakeTerminal())).rejects.toMatchObject({
      name: 'ConfigError',
      message: expect.stringMatching(/^unable to determine config directory: /),
    });
  });

  it('init reports a folder that it cannot create', async () => {
    const folder = tempDir('config');
    writeFiles(folder, { axe: 'a file' });
    await expect(config(folder, 'init')).rejects.toMatchObject({
      name: 'AxeError',
      message: expect.stringContaining(join(folder, 'axe')),
      exitCode: 1,
    });
  });
});
