import { spawn } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { startModelServer, text } from '../helpers/model-server.js';
import { CLI } from '../helpers/run-cli.js';
import { tempDir } from '../helpers/temp.js';

const LONG = 'x'.repeat(4 * 1024 * 1024);

/** Runs the command line in a pipe before `head -c 1`, as a shell does. */
async function beforeHead(args: readonly string[], env: Readonly<Record<string, string>>) {
  const shell = spawn(
    'bash',
    ['-c', '"$0" "$@" | head -c 1; echo "status $PIPESTATUS"', process.execPath, CLI, ...args],
    {
      cwd: tempDir('cwd'),
      env: { PATH: process.env['PATH'], HOME: tempDir('home'), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const output = { stdout: '', stderr: '' };
  shell.stdout.on('data', (chunk) => (output.stdout += String(chunk)));
  shell.stderr.on('data', (chunk) => (output.stderr += String(chunk)));
  await new Promise((resolve) => shell.on('close', resolve));
  return output;
}

describe('a pipe that is closed after one byte', () => {
  it.each([
    ['a long answer', ['run', 'builtin/ask'], 'x'],
    ['a long line of JSON', ['run', 'builtin/ask', '--json'], '{'],
    ['help', ['help'], 'a'],
  ])('ends %s without an error', async (_, args, first) => {
    const model = await startModelServer([text(LONG)]);
    const { stdout, stderr } = await beforeHead(args, model.env);
    expect(stdout).toBe(`${first}status 0\n`);
    expect(stderr).toBe('');
  });
});
