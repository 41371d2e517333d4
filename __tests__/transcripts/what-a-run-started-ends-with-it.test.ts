import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { startChild } from '../helpers/child.js';
import { type ModelReply, startModelServer, toolCall } from '../helpers/model-server.js';
import { startStep } from '../helpers/run-action.js';
import { CLI, startCli } from '../helpers/run-cli.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { EVERYTHING, tryRead, until } from '../tools/mcp/scene.js';
import { lineScene } from './cli-scene.js';
import { scheduledStep } from './memory-scene.js';
import { told } from './stage.js';
import { agentToml, checkout } from './tool-scene.js';

const LONG_SLEEP_SECONDS = 100_000;
let count = 0;
const works: { left(): readonly string[] }[] = [];

// What a failed test has left behind would run for a day.
afterEach(() => {
  for (const id of works.splice(0).flatMap((work) => work.left()))
    process.kill(Number(id), 'SIGKILL');
});

/**
 * Ids of the processes that hold a word in their command line; one that is dead and not collected
 * is not among them.
 */
function processesWith(word: string): readonly string[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.filter((id) => {
    const isZombie = /^\d+ \(.*\) Z /s.test(tryRead(`/proc/${id}/stat`));
    return !isZombie && tryRead(`/proc/${id}/cmdline`).split('\0').includes(word);
  });
}

/**
 * An agent with memory, an MCP server and a command that does not end, and what to know their
 * processes by.
 */
function longWork() {
  count += 1;
  const server = `mark-${process.pid}-${count}`;
  const sleep = `${LONG_SLEEP_SECONDS}.${process.pid}${count}`;
  const args = JSON.stringify([EVERYTHING, 'stdio', server]);
  const command = JSON.stringify(process.execPath);
  const table = `[[mcp_servers]]\nname = "everything"\ntransport = "stdio"\ncommand = ${command}\nargs = ${args}`;
  const script: readonly ModelReply[] = [
    toolCall('memory_write', { target: 'long_term', content: 'Deploys take an hour.' }),
    // A child that hears no signal, one that left the group, and one in the foreground.
    toolCall('run_command', {
      command: `(trap "" INT TERM HUP; sleep ${sleep}) & setsid sleep ${sleep} & sleep ${sleep}`,
    }),
  ];
  const work = {
    toml: agentToml({ tools: ['run_command'], memory: true, tables: `notes = true\n\n${table}` }),
    script,
    /** Ids of what the run has started and has not ended. */
    left: () => [...processesWith(server), ...processesWith(sleep)],
    isUnderWay: () => processesWith(server).length === 1 && processesWith(sleep).length >= 3,
  };
  works.push(work);
  return work;
}

async function startRun(args: readonly string[]) {
  const work = longWork();
  const scene = await lineScene({
    files: { 'axe/agents/worker.toml': work.toml },
    model: work.script,
  });
  const cli = startCli(['run', 'worker', ...args], scene);
  await until(work.isUnderWay);
  return { cli, work, memory: join(scene.env['XDG_DATA_HOME'] ?? '', 'axe/memory') };
}

const STATUS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

describe('the command line with running processes', () => {
  it.each(SIGNALS)(
    'ends by %s with all that it started, and reports what was saved',
    async (signal) => {
      const { cli, work, memory } = await startRun(['--json']);
      cli.kill(signal);
      const ended = await cli.finished;

      expect(work.left()).toEqual([]);
      expect(ended).toMatchObject({ signal, exitCode: null });
      expect(ended.stderr).toBe(
        `interrupted by ${signal}\n  No entry was added to memory. Notes already written are kept: ${memory}/MEMORY.md.\n`,
      );
      expect(JSON.parse(ended.stdout)).toMatchObject({
        content: '',
        error: { exit_code: STATUS[signal], message: `interrupted by ${signal}` },
        tool_calls: 1,
      });
    },
  );

  it('ends at once after a second signal', async () => {
    const { cli, work } = await startRun([]);
    cli.kill('SIGINT');
    cli.kill('SIGTERM');
    const { exitCode } = await cli.finished;
    expect([STATUS.SIGINT, STATUS.SIGTERM]).toContain(exitCode);
    await until(() => work.left().length === 0);
  });

  it('leaves no process when it is killed', async () => {
    const { cli, work } = await startRun([]);
    cli.kill('SIGKILL');
    expect((await cli.finished).signal).toBe('SIGKILL');
    await until(() => work.left().length === 0);
  });

  it('can be interrupted before a model is called, with the status that shells report', async () => {
    const mark = `task-${process.pid}`;
    const args = [
      '-c',
      '"$0" "$@"; echo "status $?" >&2',
      process.execPath,
      CLI,
      'run',
      'builtin/ask',
    ];
    const shell = startChild({
      command: 'sh',
      args: [...args, '--model', 'offline/rules', '--json', '--prompt', mark],
      env: { PATH: process.env['PATH'] ?? '', HOME: tempDir('home') },
      cwd: tempDir('cwd'),
      stdin: { kind: 'pipe-open' },
    });
    const ready = () => processesWith(mark).filter((id) => isNode(id) && listensToSignals(id));
    await until(() => ready().length > 0);
    for (const id of ready()) process.kill(Number(id), 'SIGINT');
    const { stdout, stderr } = await shell.finished;
    expect(stderr).toBe('interrupted by SIGINT\n  Nothing was saved.\nstatus 130\n');
    expect(JSON.parse(stdout)).toMatchObject({
      error: { exit_code: 130, message: 'interrupted by SIGINT' },
    });
  });
});

it('garbage collection that is interrupted trims nothing, and does not start with the next agent', async () => {
  const model = await startModelServer([{ kind: 'stall' }]);
  const cwd = tempDir('gc');
  const data = tempDir('data');
  const log = '## 2026-01-02T03:04:05Z\n**Task:** x\n**Result:** Known.\n\n'.repeat(3);
  for (const name of ['first', 'second']) {
    const toml = agentToml({ name, memory: true, tables: 'last_n = 1\n' });
    writeFiles(cwd, { [`axe/agents/${name}.toml`]: toml });
    writeFiles(data, { [`axe/memory/${name}.md`]: log });
  }
  const cli = startCli(['gc', '--all'], { cwd, env: { ...model.env, XDG_DATA_HOME: data } });
  await until(() => model.requests().length === 1);
  cli.kill('SIGINT');
  const { signal, stderr } = await cli.finished;
  expect({ signal, stderr }).toEqual({
    signal: 'SIGINT',
    stderr: 'interrupted by SIGINT\n  Nothing was trimmed.\n',
  });
  expect(model.requests()).toHaveLength(1);
  expect(tryRead(join(data, 'axe/memory/first.md'))).toBe(log);
});

it('an editor receives Ctrl-C itself, and how it ended is reported', async () => {
  const cwd = tempDir('edit');
  const mark = `${LONG_SLEEP_SECONDS}.${process.pid}9`;
  writeFiles(cwd, { 'axe/agents/worker.toml': agentToml({}) });
  const cli = startCli(['agents', 'edit', 'worker'], {
    cwd,
    env: { EDITOR: editorThatSleeps(mark) },
  });
  works.push({ left: () => processesWith(mark) });
  await until(() => processesWith(mark).length === 1);
  cli.kill('SIGINT');
  process.kill(Number(processesWith(mark)[0]), 'SIGTERM');
  const { exitCode, stderr } = await cli.finished;
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: 'the editor was ended by SIGTERM\n',
  });
  expect(processesWith(mark)).toEqual([]);
});

function editorThatSleeps(seconds: string): string {
  const editor = join(tempDir('bin'), 'editor');
  writeFileSync(editor, `#!/bin/sh\nexec sleep ${seconds}\n`);
  chmodSync(editor, 0o755);
  return editor;
}

/** The shell around it has the same words. */
function isNode(id: string): boolean {
  return tryRead(`/proc/${id}/cmdline`).startsWith(`${process.execPath}\0`);
}

/**
 * Whether a process has a handler for SIGHUP (proc(5), `SigCgt`); Node has one for SIGINT from its
 * start.
 */
function listensToSignals(id: string): boolean {
  const [, mask = '0'] = /^SigCgt:\s*([0-9a-f]+)$/m.exec(tryRead(`/proc/${id}/status`)) ?? [];
  return (BigInt(`0x${mask}`) & 1n) === 1n;
}

it('the action ends its processes when the runner cancels the job: SIGINT, then SIGTERM', async () => {
  const work = longWork();
  const model = await startModelServer(work.script);
  const workspace = checkout({ 'axe/agents/worker.toml': work.toml });
  const allowed = { 'memory-store': 'file', 'tools-allowed': 'run_command, everything' };
  const given = { workspace, inputs: { agent: 'worker', prompt: '', ...allowed } };
  const step = startStep('main', scheduledStep({ model }, given));
  await until(work.isUnderWay);
  step.kill('SIGINT');
  step.kill('SIGTERM');
  const ended = await step.finished;
  expect(work.left()).toEqual([]);
  expect(ended).toMatchObject({ exitCode: 1, signal: null, stderr: '' });
  expect(ended.outputs).toMatchObject({ conclusion: 'cancelled' });
  expect(told(ended)).toContain('error: the run was cancelled');
});
