import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { startChild } from '../helpers/child.js';
import { tempDir } from '../helpers/temp.js';

const ROOT = join(import.meta.dirname, '../..');
/** Node 24 that says it is an older one, as act and older images start the action with. */
const OLD = (value: string) =>
  `data:text/javascript,Object.defineProperty(process.versions,"node",{value:"${value}"})`;

it.each([
  [
    'dist/index.js',
    '20.20.2',
    1,
    '::error title=axe-action::This action needs Node 24, and the runner started it with Node 20.20.2. Update the runner, or the image that it runs in.\n',
  ],
  ['dist/post.js', '20.20.2', 0, ''],
  [
    'dist/cli/index.js',
    '20.18.3',
    1,
    'axe-action needs Node 20.19 or newer, and this is Node 20.18.3.\n',
  ],
])('%s on Node %s ends with %i', async (file, version, status, output) => {
  const { exitCode, stdout, stderr } = await startChild({
    command: process.execPath,
    args: ['--import', OLD(version), join(ROOT, file)],
    cwd: tempDir('cwd'),
    env: {},
  }).finished;
  expect([exitCode, stdout + stderr]).toEqual([status, output]);
});
