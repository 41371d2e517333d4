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
import { redact } from '../../safety/redact.js';
import { defineTool, escapeOutput, type Tool } from '../tool.js';
import { closeInherited, guardGroup, killGroup, scrubEnv } from './programs.js';

/** The lines before the output take the rest of a result. */
const MAX_OUTPUT_BYTES = MAX_TOOL_RESULT_BYTES - 256;

/** `run_command`: a command for `sh -c` in the working directory; axe's answers. */
export function createRunCommand(shell: Shell, workdir: string, secrets: readonly string[]): Tool {
  // Colours can be in the middle of a secret.
  const clean = (output: string) => redact(escapeOutput(withoutReturns(output)), secrets);
  return defineTool({
    name: 'run_command',
    effect: 'execute',
    description: `Runs a command with \`sh -c\` in the working directory and gives its output, standard output and standard error together. It gets no input. It can take up to ${COMMAND_TIMEOUT_MS / 1000} seconds; what it leaves running in the background ends with it. Keys and tokens of this run are not in its environment.`,
    shape: { command: { type: 'string', description: 'The command.', required: true } },
    async run({ command }, signal) {
      if (command.trim() === '') throw new ToolError('command is required');
      if (command.includes('\0')) throw new ToolError('a command cannot contain NUL');
      const limits = { timeoutMs: COMMAND_TIMEOUT_MS, maxOutputBytes: MAX_OUTPUT_BYTES, clean };
      const result = await shell({ command, cwd: workdir, ...limits }, signal);
      const output = truncate(result.output, MAX_OUTPUT_BYTES);
      const trouble = troubleOf(result);
      if (trouble === undefined) return output === '' ? '(no output)' : output;
      throw new ToolError([...trouble, ...(output === '' ? [] : [output])].join('\n'));
    },
  });
}

/** The lines that say how a command failed; undefined for one that succeeded. */
function troubleOf({ exitCode, timedOut, hadNetwork }: ShellResult): string[] | undefined {
  if (exitCode === 0 && !timedOut) return undefined;

  const end = exitCode === null ? 'the command was ended by a signal' : `exit code ${exitCode}`;
  const late = `the command was ended after ${COMMAND_TIMEOUT_MS / 1000} seconds`;
  // Only the command knows whether it failed because it has no network.
  return [timedOut ? late : end, ...(hadNetwork ? [] : [NO_NETWORK])];
}

const NO_NETWORK =
  'Commands have no network here. If this one needs it, `tools-allowed` has to name `run_command(network)`.';

/** A progress bar draws one line over and over; only what it showed last counts. */
function withoutReturns(output: string): string {
  return output
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf('\r', line.length - 2) + 1))
    .join('\n')
    .replaceAll('\r', '');
}

/** The longest time that a jail takes to end after its input. None of its processes gets away. */
const JAIL_END_MS = 10_000;

/**
 * Standard error goes where standard output goes, so that both are read in the order they were
 * written.
 */
const SCRIPT = 'exec sh -c "$1" 2>&1';

/** A command for `sh -c`. @internal */
export interface CommandRequest extends Limits {
  readonly command: string;
  /** Absolute. */
  readonly cwd: string;
}

interface Limits {
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  /** Removes secrets and what people cannot see; left out for output that no model gets. */
  clean?(output: string): string;
}

/** The end of a program. */
interface CommandResult {
  /** Null if a signal ended it. */
  readonly exitCode: number | null;
  /** Standard output and standard error as they came, the middle left out if they are too long. */
  readonly output: string;
  readonly timedOut: boolean;
}

/** The end of a command of a model. @internal */
export interface ShellResult extends CommandResult {
  /** The command could reach the machine's network. */
  readonly hadNetwork: boolean;
}

/** A program, its folder, and the environment it may have. */
export interface Program {
  readonly program: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Keeps programs apart from our own process: returns the program to start in their place. */
export type ProcessJail = (program: Program) => Promise<Program>;

/** The jail of a run's commands. */
export interface CommandJail {
  readonly enter: ProcessJail;
  /** Commands reach the machine's network, a loopback of their own, or not even that. */
  readonly network: 'machine' | 'loopback' | 'none';
}

/**
 * Runs a command. Throws the signal's reason if it aborts, after everything was ended; a ToolError
 * if nothing could start.
 */
export type Shell = (request: CommandRequest, signal: AbortSignal) => Promise<ShellResult>;

/**
 * Runs commands with `sh -c`, with a scrubbed environment. `jail` is asked for at each command, and
 * rejects where there is none.
 */
export function createShell(env: Environment, jail: () => Promise<CommandJail>): Shell {
  return async (request, signal) => {
    signal.throwIfAborted();
    const program = ['sh', '-c', SCRIPT, 'sh', request.command];
    const { enter, network } = await jail();
    const redirect = join(request.cwd, '.git/commondir');
    const isNew = !existsSync(redirect);
    try {
      const jailed = await enter({ program, cwd: request.cwd, env: scrubEnv(env) });
      const result = await runProgram(jailed, request, signal);
      return { ...result, hadNetwork: network === 'machine' };
    } catch (thrown) {
      signal.throwIfAborted();
      throw new ToolError(`the command could not be started: ${messageOf(thrown)}`);
    } finally {
      // It leads git to another configuration, and no jail protects a file that is missing. The
      // command can have made its folder read-only.
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
  { timeoutMs, maxOutputBytes, clean }: Limits,
  signal: AbortSignal,
): Promise<CommandResult> {
  signal.throwIfAborted();
  closeInherited();
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => undefined);
  const output = createOutputBuffer(maxOutputBytes);
  // Standard error of a command has only errors from before the shell has started.
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
    return { exitCode: child.exitCode, output: output.text(clean), timedOut };
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
  const ending = AbortSignal.any([signal, limit.signal]);
  if (child.exitCode === null && child.signalCode === null) {
    await once(child, 'exit', { signal: ending }).catch(() => undefined);
  }
  clearTimeout(timer);
  return limit.signal.aborted;
}
