import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { startChild } from '../helpers/child.js';
import { startModelServer, text, toolCall } from '../helpers/model-server.js';
import { CLI } from '../helpers/run-cli.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { laptop, newResults } from './notes-scene.js';

/** No file may become larger than this, which is how a program sees a disk that is full: its write comes to an end. */
const MOST_KIB = 64;

const BEFORE = `${'Tabs, not spaces, in every file. '.repeat(60 * 31)}\n`;

it('a full disk is reported to the model, keeps every byte and leaves no temporary files', async () => {
  expect(Buffer.byteLength(BEFORE)).toBeGreaterThan((MOST_KIB - 8) * 1024);
  const model = await startModelServer([
    toolCall('memory_write', { target: 'long_term', content: 'Lines have 110 characters. '.repeat(400) }),
    text('Tabs.'),
  ]);
  const { env, cwd, root } = laptop(model.env);
  writeFiles(root, { 'MEMORY.md': BEFORE });
  const child = startChild({
    command: '/bin/bash',
    // Without the trap the signal ends the program before it hears of the error.
    args: [
      '-c',
      `trap '' XFSZ; ulimit -f ${MOST_KIB}; exec "$0" "$@"`,
      process.execPath,
      CLI,
      'run',
      'keeper',
    ],
    env: { PATH: process.env['PATH'] ?? '', HOME: tempDir('home'), ...env },
    cwd,
    stdin: 'Tabs or spaces?',
  });
  const { exitCode, stdout, stderr } = await child.finished;
  expect({ exitCode, stdout: stdout.trim(), bug: /\n {4}at /.test(stderr) }).toEqual({
    exitCode: 0,
    stdout: 'Tabs.',
    bug: false,
  });
  const [refused = ''] = newResults(model.requests()[1]);
  expect(refused).toMatch(/^nothing was written: .*(?:EFBIG|too large|full)/i);
  expect(readFileSync(join(root, 'MEMORY.md'), 'utf8')).toBe(BEFORE);
  expect(readdirSync(root).sort()).toEqual(['MEMORY.md', 'keeper.md']);
  // What is small enough is still kept.
  expect(statSync(join(root, 'keeper.md')).size).toBeGreaterThan(0);
  expect(existsSync(join(root, 'MEMORY.bak'))).toBe(false);
});
