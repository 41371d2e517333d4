import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { startChild } from '../helpers/child.js';
import { tempDir } from '../helpers/temp.js';

const ROOT = join(import.meta.dirname, '../..');
/** Node 24 that says it is Node 20, as act and older images start the action with. */
const OLD = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.20.2"})';

it.each([
  [
    'dist/index.js',
    1,
    '::error title=axe-action::This action needs Node 24, and the runner started it with Node 20.20.2. Update the runner, or the image that it runs in.\n',
  ],
  ['dist/post.js', 0, ''],
])('%s on Node 20 ends with %i', async (file, status, output) => {
  const { exitCode, stdout, stderr } = await startChild({
    command: process.execPath,
    args: ['--import', OLD, join(ROOT, file)],
    cwd: tempDir('cwd'),
    env: {},
  }).finished;
  expect([exitCode, stdout, stderr]).toEqual([status, output, '']);
});
