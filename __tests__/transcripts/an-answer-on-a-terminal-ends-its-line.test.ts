import { spawnSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { startChild } from '../helpers/child.js';
import { startModelServer, text } from '../helpers/model-server.js';
import { CLI } from '../helpers/run-cli.js';
import { tempDir } from '../helpers/temp.js';

/** A real pseudo-terminal around a program, whose exit status it keeps. */
const PTY = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';

const hasPty = spawnSync('python3', ['-c', 'import pty, os; os.waitstatus_to_exitcode']).status === 0;

(hasPty ? it : it.skip)('so that the prompt of the shell does not follow on it', async () => {
  const model = await startModelServer([text('Done.')]);
  const home = tempDir('home');
  const { stdout, exitCode } = await startChild({
    command: 'python3',
    args: ['-c', PTY, process.execPath, CLI, 'run', 'builtin/ask', '--prompt', 'Sort.'],
    env: { ...model.env, PATH: process.env['PATH'] ?? '', HOME: home, NODE_DISABLE_COMPILE_CACHE: '1' },
    cwd: tempDir('cwd'),
    stdin: { kind: 'null' },
  }).finished;
  expect([exitCode, stdout]).toEqual([0, 'Done.\r\n']);
});
