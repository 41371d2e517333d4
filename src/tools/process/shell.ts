import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { COMMAND_TIMEOUT_MS, MAX_TOOL_RESULT_BYTES } from '../../lib/defaults.js';
import type { Environment } from '../../lib/environment.js';
import { messageOf, ToolError } from '../../lib/errors.js';
import { createOutputBuffer, truncate } from '../../lib/text/bytes.js';
import { defineTool, escapeOutput, type Tool } from '../tool.js';
import { guardGroup, killGroup, scrubEnv } from './programs.js';

/** The line before the output takes the rest of a result. */
const MAX_OUTPUT_BYTES = MAX_TOOL_RESULT_BYTES - 256;

/** `run_command`: a command for `sh -c` in the working directory; axe's answers. */
export function createRunCommand(shell: Shell, workdir: string): Tool {
  return defineTool({
    name: 'run_command',
    effect: 'execute',
    description: `Runs a command with \`sh -c\` in the working directory and gives its output, standard output and standard error together. It gets no input. It can take up to ${COMMAND_TIMEOUT_MS / 1000} seconds; what it leaves running in the background ends with it. Keys and tokens of this run are not in its environment.`,
    shape: { command: { type: 'string', description: 'The command.', required: true } },
    async run({ command }, signal) {
      if (command.trim() === '') throw new ToolError('command is required');
      if (command.includes('\0')) throw new ToolError('a command cannot contain NUL');
      const limits = { timeoutMs: COMMAND_TIMEOUT_MS, maxOutputBytes: MAX_OUTPUT_BYTES };
      const result = await shell({ command, cwd: workdir, ...limits }, signal);
      const output = truncate(escapeOutput(withoutReturns(result.output)), MAX_OUTPUT_BYTES);
      const trouble = troubleOf(result);
      if (trouble !== undefined)
        throw new ToolError(output === '' ? trouble : `${trouble}\n${output}`);
      return output === '' ? '(no output)' : output;
    },
  });
}

function troubleOf({ exitCode, timedOut }: CommandResult): string | undefined {
  if (timedOut) return `the command was ended after ${COMMAND_TIMEOUT_MS / 1000} seconds`;
  if (exitCode === null) return 'the command was ended by a signal';
  return exitCode === 0 ? undefined : `exit code ${exitCode}`;
}

/** A progress bar draws one line over and over; only what it showed last counts. */
function withoutReturns(output: string): string {
  return output
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf('\r', line.length - 2) + 1))
    .join('\n')
    .replaceAll('\r', '');
}

/** How long a jail may take to end when its input has ended. None of its processes gets away. */
const JAIL_END_MS = 10_000;

/**
 * Standard error goes where standard output goes, so that both are read in the order they were
 * written.
 */
const SCRIPT = 'exec sh -c "$1" 2>&1';

/** A command for `sh -c`. */
export interface CommandRequest extends Limits {
  readonly command: string;
  /** Absolute. */
  readonly cwd: string;
}

interface Limits {
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

/** What became of a command. */
export interface CommandResult {
  /** Null if a signal ended it. */
  readonly exitCode: number | null;
  /** Standard output and standard error as they came, the middle left out if they are too long. */
  readonly output: string;
  readonly timedOut: boolean;
}

/** A program, its folder, and the environment it may have. */
export interface Program {
  readonly program: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Where commands run apart from our own process: what to start in place of a program. */
export type ProcessJail = (program: Program) => Promise<Program>;

/**
 * Runs a command. Throws the signal's reason if it aborts, after everything was ended; a ToolError
 * if nothing could start.
 */
export type Shell = (request: CommandRequest, signal: AbortSignal) => Promise<CommandResult>;

/**
 * Runs commands with `sh -c`, with a scrubbed environment. `jail` is asked for at each command, and
 * rejects where there is none.
 */
export function createShell(env: Environment, jail: () => Promise<ProcessJail>): Shell {
  return async (request, signal) => {
    signal.throwIfAborted();
    const program = ['sh', '-c', SCRIPT, 'sh', request.command];
    const enter = await jail();
    const redirect = join(request.cwd, '.git/commondir');
    const isNew = !existsSync(redirect);
    try {
      const jailed = await enter({ program, cwd: request.cwd, env: scrubEnv(env) });
      return await runProgram(jailed, request, signal);
    } catch (thrown) {
      signal.throwIfAborted();
      throw new ToolError(`the command could not be started: ${messageOf(thrown)}`);
    } finally {
      // It leads git to another configuration, and no jail protects what is not there. Its folder
      // may be read-only by now.
      if (isNew && existsSync(redirect)) {
        await chmod(dirname(redirect), 0o755).catch(() => undefined);
        await rm(redirect, { recursive: true }).catch((thrown: unknown) => {
          throw new ToolError(`the command left \`.git/commondir\` behind: ${messageOf(thrown)}`);
        });
      }
    }
  };
}

/**
 * Runs a program in a process group of its own, with bounded memory for output, and an input that
 * is open as long as it runs. When it ends, and at a timeout or abort, everything it started is
 * ended. Throws if it cannot be started.
 */
export async function runProgram(
  { program: [file = '', ...args], cwd, env }: Program,
  { timeoutMs, maxOutputBytes }: Limits,
  signal: AbortSignal,
): Promise<CommandResult> {
  signal.throwIfAborted();
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => undefined);
  const output = createOutputBuffer(maxOutputBytes);
  // Of a command only what fails before the shell has started still comes on standard error.
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => output.add(chunk));
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await once(child, 'spawn');
  const id = child.pid ?? 0;
  const guard = guardGroup(id);
  try {
    const timedOut = await waitForExit(child, timeoutMs, signal);
    // Two ways, since a command may have ended what listens for the end of its input.
    child.stdin.destroy();
    killGroup(id, 'SIGKILL');
    await Promise.race([closed, after(JAIL_END_MS, undefined, { ref: false })]);
    for (const stream of [child.stdout, child.stderr]) stream.destroy();
    signal.throwIfAborted();
    return { exitCode: child.exitCode, output: output.text(), timedOut };
  } finally {
    guard.dismiss();
  }
}

/** Waits for the shell, the time limit or an abort. True if the time was up. */
async function waitForExit(
  child: ChildProcess,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), timeoutMs);
  const over = AbortSignal.any([signal, limit.signal]);
  if (child.exitCode === null && child.signalCode === null) {
    await once(child, 'exit', { signal: over }).catch(() => undefined);
  }
  clearTimeout(timer);
  return limit.signal.aborted;
}
