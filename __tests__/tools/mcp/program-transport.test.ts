import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ProgramTransport } from '../../../src/tools/mcp/program-transport.js';
import { startChild } from '../../helpers/child.js';
import { tempDir } from '../../helpers/temp.js';
import { BAD_SERVER, isAlive, tryRead, until, untilGone } from './scene.js';

const FIXTURES = join(import.meta.dirname, '../../fixtures/mcp');
const MODULE = join(import.meta.dirname, '../../../src/tools/mcp/program-transport.ts');

/** Runs a shell script to its end; the messages are the process ids that it printed. */
async function run(script: string) {
  const env = { PATH: process.env['PATH'] ?? '' };
  const start = {
    command: '/bin/sh',
    args: ['-c', script],
    env,
    cwd: '/',
    clean: (text: string) => text,
  };
  const transport = new ProgramTransport(start);
  const pids: number[] = [];
  transport.onmessage = (message) => pids.push(Number(message));
  const closed = new Promise<void>((resolve) => {
    transport.onclose = resolve;
  });
  await transport.start();
  await closed;
  return { transport, pids };
}

describe('an MCP server that is a program', () => {
  it.each([
    ['exit 3', 'exit status 3'],
    ['kill -9 $$', 'ended by SIGKILL'],
  ])('reports how it ended: %s', async (script, reason) => {
    const { transport } = await run(script);
    expect(transport.ending).toBe(reason);
    await transport.close();
  });

  it('ends its children when it ends by itself', async () => {
    const { pids } = await run('sleep 1000 & echo $!');
    expect(pids).toHaveLength(1);
    await untilGone(pids);
  });

  it('ends a message at a line feed alone', async () => {
    const { pids } = await run(`printf '"a\\342\\200\\250b"\\n'`);
    expect(pids).toHaveLength(1);
  });

  it('does not block the caller if a process outside its group keeps its output open', async () => {
    const { transport, pids } = await run('setsid sleep 1000 & echo $!');
    expect(transport.ending).toBe('exit status 0');
    for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });

  it('ends with its children when the process that started it is killed', async () => {
    const file = join(tempDir('mcp'), 'pids');
    const owner = startChild({
      command: process.execPath,
      args: [join(FIXTURES, 'owner.mjs'), MODULE, BAD_SERVER, file],
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
