import { expect, it } from '@jest/globals';
import { runCommandLine } from '../../src/cli/main.js';
import { tempDir } from '../helpers/temp.js';
import { createFakeTerminal } from '../helpers/terminal-fake.js';

it('the demo reports that it needs git if git is missing', async () => {
  const terminal = createFakeTerminal({ env: { PATH: tempDir('empty'), HOME: tempDir('home') } });
  await expect(runCommandLine(['demo'], terminal)).rejects.toMatchObject({
    message: expect.stringContaining('could not make its temporary repository'),
    remedy: 'The demo needs `git` on the PATH.',
  });
});
