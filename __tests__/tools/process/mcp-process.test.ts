import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { LineProgram } from '../../../src/tools/files/line-program.js';
import { startLineProgram } from '../../../src/tools/process/mcp-process.js';
import { startChild } from '../../helpers/child.js';
import { tempDir } from '../../helpers/temp.js';
import { isAlive, tryRead, until, untilGone } from '../mcp/scene.js';

const FIXTURES = join(import.meta.dirname, '../../fixtures/mcp');
const MODULE = join(import.meta.dirname, '../../../src/tools/process/mcp-process.ts');

/** A shell script, what it said and how it ended. */
interface Started {
  readonly program: LineProgram;
  readonly lines: readonly string[];
  readonly end: Promise<string>;
}

async function start(script: string, env: Readonly<Record<string, string>> = {}): Promise<Started> {
  const lines: string[] = [];
  let ended: (reason: string) => void = () => undefined;
  const end = new Promise<string>((resolve) => {
    ended = resolve;
  });
  const program = await startLineProgram({
    command: '/bin/sh',
    args: ['-c', script],
    env,
    cwd: '/',
    maxLineBytes: 100,
    onLine: (line) => lines.push(line),
    onLongLine: (ends) => lines.push(`too long: ${ends}`),
    onEnd: ended,
  });
  return { program, lines, end };
}

describe('a program', () => {
  it('exchanges lines, in whatever pieces they arrive', async () => {
    const { program, lines, end } = await start(
      "read -r a; printf 'got %s\\r\\nha' \"$a\"; printf 'lf\\n\\n'; read -r b; printf '%s' \"$b without end\"",
    );
    await program.send('één');
    await program.send('two');
    expect(await end).toBe('exit status 0');
    expect(lines).toEqual(['got één', 'half', '']);
  });

  it('gives the two ends of a line that is too long, and the lines behind it', async () => {
    const { lines, end } = await start(
      "printf begin; head -c 100000 /dev/zero | tr '\\0' x; echo end; head -c 101 /dev/zero | tr '\\0' y; echo; echo next",
      { PATH: process.env['PATH'] ?? '' },
    );
    await end;
    expect(lines).toEqual([
      `too long: begin${'x'.repeat(251)}${'x'.repeat(253)}end`,
      `too long: ${'y'.repeat(101)}`,
      'next',
    ]);
  });

  it('has exactly the environment it is given', async () => {
    const { lines, end } = await start('/usr/bin/env', { ONLY: 'this' });
    await end;
    expect(lines.filter((line) => !/^(PWD|OLDPWD|SHLVL|_)=/.test(line))).toEqual(['ONLY=this']);
  });

  it.each([
    ['exit 3', 'exit status 3'],
    ['kill -9 $$', 'ended by SIGKILL'],
  ])('reports how it ended: %s', async (script, reason) => {
    const { end } = await start(script, { PATH: process.env['PATH'] ?? '' });
    expect(await end).toBe(reason);
  });

  it('that has ended accepts no lines and can be stopped again', async () => {
    const { program, end } = await start('echo broken >&2; exit 1');
    await end;
    await expect(program.send('hello')).rejects.toThrow('exit status 1');
    expect(program.lastWords()).toBe('broken');
    await program.stop();
    await program.stop();
  });

  it('that does not exist is an error', async () => {
    const options = {
      args: [],
      env: {},
      cwd: '/',
      maxLineBytes: 100,
      onLine: () => undefined,
      onLongLine: () => undefined,
    };
    const missing = startLineProgram({ ...options, command: '/no/such/program', onEnd: () => undefined });
    await expect(missing).rejects.toThrow('ENOENT');
  });

  it('ends its children when it ends by itself', async () => {
    const { lines, end } = await start('sleep 1000 & echo $!', { PATH: process.env['PATH'] ?? '' });
    await end;
    expect(lines).toHaveLength(1);
    await untilGone(lines.map(Number));
  });

  it('does not block the caller if a process outside its group keeps its output open', async () => {
    const { lines, end } = await start('setsid sleep 1000 & echo $!', { PATH: process.env['PATH'] ?? '' });
    expect(await end).toBe('exit status 0');
    for (const pid of lines.map(Number)) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });

  it('ends with its children when the process that started it is killed', async () => {
    const file = join(tempDir('mcp'), 'pids');
    const owner = startChild({
      command: process.execPath,
      args: [join(FIXTURES, 'owner.mjs'), MODULE, join(FIXTURES, 'server.mjs'), file],
      env: { PATH: process.env['PATH'] ?? '' },
      cwd: '/',
    });
    await until(() => tryRead(file).split('\n').length === 3);
    const pids = tryRead(file).trim().split('\n').map(Number);
    expect(pids.map(isAlive)).toEqual([true, true]);
    owner.kill('SIGKILL');
    expect((await owner.finished).signal).toBe('SIGKILL');
    await untilGone(pids);
  });
});
