// linux-only: commands run under `unshare`, and some use `setsid`
import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { COMMAND_TIMEOUT_MS, MAX_TOOL_RESULT_BYTES } from '../../../src/lib/defaults.js';
import {
  type CommandRequest,
  createRunCommand,
  createShell,
  type ShellResult,
} from '../../../src/tools/process/shell.js';
import { bareJail } from '../../helpers/jail.js';
import { tempDir } from '../../helpers/temp.js';

const quiet = new AbortController().signal;
const env = {
  ...process.env,
  OPENAI_API_KEY: 'sk-canary',
  GITHUB_TOKEN: 'ghs_canary',
  LD_X: 'canary',
};
const shell = createShell(env, bareJail);
let cwd = '';

beforeEach(() => {
  cwd = tempDir('shell');
});

afterEach(() => void jest.useRealTimers());

function run(command: string, options: Partial<CommandRequest> = {}, signal: AbortSignal = quiet) {
  return shell({ command, cwd, timeoutMs: 200_000, maxOutputBytes: 10_000, ...options }, signal);
}

/** Runs a command whose time is up when it has made the file `ready`, however long that takes. */
async function runUntilReady(command: string) {
  jest.useFakeTimers({
    doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance', 'Date'],
  });
  const request = { command, cwd, timeoutMs: 60_000, maxOutputBytes: 10_000 };
  const running = shell(request, quiet);
  await until(() => isReady() && jest.getTimerCount() > 0);
  jest.advanceTimersByTime(request.timeoutMs);
  jest.useRealTimers();
  return await running;
}

function isReady(): boolean {
  return existsSync(join(cwd, 'ready'));
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

/** A `sleep` that no other test, and no other run of this one, has among its processes. */
function ownSleep(seconds: number): string {
  return `sleep ${seconds}.${process.pid}`;
}

describe('a command', () => {
  it('C7 91: is run by a shell in its folder, and gives its output and its exit code', async () => {
    const result = { exitCode: 0, output: `a\n${realpathSync(cwd)}\n`, timedOut: false };
    expect(await run('echo a > b && cat b\npwd')).toMatchObject(result);
    expect(await run('echo no >&2; exit 3')).toMatchObject({ exitCode: 3, output: 'no\n' });
    expect(await run('if')).toMatchObject({
      exitCode: 2,
      output: expect.stringContaining('yntax error'),
    });
    expect(await run('absent-program')).toMatchObject({ exitCode: 127 });
  });

  it('has its two outputs in the order in which they were written', async () => {
    const { output } = await run('for i in 1 2 3; do echo o$i; echo e$i >&2; done');
    expect(output).toBe('o1\ne1\no2\ne2\no3\ne3\n');
  });

  it('cannot be started in a missing folder', async () => {
    const started = run('true', { cwd: join(cwd, 'nowhere') });
    await expect(started).rejects.toThrow('the command could not be started');
  });

  it('has the middle of its output left out, with bounded memory', async () => {
    const { output } = await run(
      'echo first; head -c 50000000 /dev/zero | tr "\\0" "x"; echo; echo last',
    );
    expect(output.length).toBeLessThanOrEqual(10_000);
    expect(output).toMatch(/^first\nx+\n\[\.\.\. \d{8} bytes left out \.\.\.\]\nx*\n?last\n$/);
  });

  it('is not started once the run has ended', async () => {
    await expect(run('touch made', {}, AbortSignal.abort(new Error('over')))).rejects.toThrow(
      'over',
    );
    expect(existsSync(join(cwd, 'made'))).toBe(false);
  });
});

it('C7 91: a command finds no key in its environment', async () => {
  const { output } = await run('env; set; cat /proc/self/environ');
  expect(output).toContain('PATH=');
  expect(output).not.toMatch(/canary|API_KEY|GITHUB_|ACTIONS_|RUNNER_/);
});

describe('C7 91: what a command starts', () => {
  it('in the background ends with it', async () => {
    const marker = ownSleep(1001);
    const { exitCode } = await run(`${marker} & echo done`);
    expect([exitCode, count(marker)]).toEqual([0, 0]);
  });

  it('ends at the time limit, whatever it does in the foreground', async () => {
    const marker = ownSleep(1002);
    const result = await runUntilReady(`echo before; ${marker} & touch ready; ${marker}`);
    expect(result).toMatchObject({ timedOut: true, exitCode: null, output: 'before\n' });
    expect(count(marker)).toBe(0);
  });

  it('ends even if it resists', async () => {
    const marker = ownSleep(0.05);
    const stubborn = `trap "" TERM INT HUP; touch ready; while true; do ${marker}; done`;
    expect(await runUntilReady(stubborn)).toMatchObject({ timedOut: true });
    expect(count(marker)).toBe(0);
  });

  it('ends when the run is aborted, before the run is notified', async () => {
    const marker = ownSleep(1003);
    const abort = new AbortController();
    const running = run(`${marker} & touch ready; ${marker}`, {}, abort.signal);
    await until(isReady);
    abort.abort(new Error('cancelled'));
    await expect(running).rejects.toThrow('cancelled');
    expect(count(marker)).toBe(0);
  });

  it('ends even if it left the process group', async () => {
    const marker = ownSleep(1004);
    await run(
      `setsid sh -c "touch ready; exec ${marker}" & while ! test -e ready; do sleep 0.01; done`,
    );
    expect(count(marker)).toBe(0);
  });

  it('ends even if there are many processes', async () => {
    const marker = ownSleep(1000);
    const leaf = `echo x >> leaves; [ "$(wc -l < leaves)" -lt 32 ] || touch ready`;
    const tree = `spawn() { if [ $1 -gt 0 ]; then spawn $(($1-1)) & spawn $(($1-1)) & else ${leaf}; fi; ${marker}; }; spawn 5`;
    expect(await runUntilReady(tree)).toMatchObject({ timedOut: true });
    expect(count(marker)).toBe(0);
  });
});

function count(command: string): number {
  const list = execFileSync('ps', ['-eo', 'stat,args'], { encoding: 'utf8' });
  return list.split('\n').filter((line) => line.endsWith(` ${command}`) && !line.startsWith('Z'))
    .length;
}

/** `run_command` over a shell with this result. */
async function runTool(result: Partial<ShellResult>, command = 'make') {
  const requests: CommandRequest[] = [];
  const shell = async (request: CommandRequest) => {
    requests.push(request);
    const { output = '' } = result;
    const cleaned = request.clean?.(output) ?? output;
    return { exitCode: 0, timedOut: false, hadNetwork: true, ...result, output: cleaned };
  };
  const answer = await createRunCommand(shell, '/work', []).execute({ command }, quiet);
  return { ...answer, requests };
}

describe('run_command', () => {
  it('runs the command unchanged', async () => {
    const command = 'a && b "$(c)" > d\ne';
    const { requests } = await runTool({}, command);
    expect(requests).toMatchObject([{ command, cwd: '/work', timeoutMs: COMMAND_TIMEOUT_MS }]);
  });

  it.each<[string, Partial<ShellResult>, string, boolean]>([
    ['the output', { output: 'ok\n' }, 'ok\n', false],
    ['that there was none', {}, '(no output)', false],
    [
      'an exit code before the output',
      { exitCode: 2, output: 'no rule' },
      'exit code 2\nno rule',
      true,
    ],
    ['an exit code alone', { exitCode: 1 }, 'exit code 1', true],
    [
      'the word that gives the network to a command that failed without one',
      { exitCode: 1, output: 'no route', hadNetwork: false },
      'exit code 1\nCommands have no network here. If this one needs it, `tools-allowed` has to name `run_command(network)`.\nno route',
      true,
    ],
    [
      'it after a timeout too',
      { exitCode: null, timedOut: true, hadNetwork: false },
      'the command was ended after 300 seconds\nCommands have no network here. If this one needs it, `tools-allowed` has to name `run_command(network)`.',
      true,
    ],
    ['no such word to a command that did not fail', { hadNetwork: false }, '(no output)', false],
    ['a signal', { exitCode: null, output: 'x' }, 'the command was ended by a signal\nx', true],
    [
      'a timeout',
      { exitCode: null, timedOut: true, output: 'so far' },
      'the command was ended after 300 seconds\nso far',
      true,
    ],
    ['the last state of a progress bar', { output: '1%\r50%\r100%\r\nend\r' }, '100%\nend', false],
    [
      'no colours',
      { output: '\x1b[31mred\x1b[0m \x1b]8;;http:x\x1b\\link\x1b]8;;\x07' },
      'red link',
      false,
    ],
    ['what hides otherwise as text', { output: 'a\u202Eb' }, 'a<U+202E>b', false],
  ])('answers with %s', async (_, result, text, isError) => {
    expect(await runTool(result)).toMatchObject({ text, isError });
  });

  it.each(['', '  ', 'a\0b'])('does not run %p', async (command) => {
    const { isError, requests } = await runTool({}, command);
    expect(isError).toBe(true);
    expect(requests).toEqual([]);
  });

  it('never exceeds its maximum answer', async () => {
    const { text } = await runTool({ exitCode: 1, output: '\x01'.repeat(MAX_TOOL_RESULT_BYTES) });
    expect(text.length).toBeLessThanOrEqual(MAX_TOOL_RESULT_BYTES);
  });
});
