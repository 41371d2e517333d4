import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as after } from 'node:timers/promises';
import type { Environment } from '../../lib/environment.js';
import { messageOf, ToolError } from '../../lib/errors.js';
import { createOutputBuffer } from '../../lib/text/cut.js';
import type { Entered, JailedStart, ProcessJail } from './process-jail.js';
import { guardGroup, killGroup, scrubEnv } from './programs.js';

/** How long a jail may take to end when its input has ended. None of its processes gets away. */
const JAIL_END_MS = 10_000;

/** Standard error goes where standard output goes, so that both are read in the order they were written. */
const SCRIPT = 'exec sh -c "$1" 2>&1';

/** A command for `sh -c`. */
export interface CommandRequest {
  readonly command: string;
  /** Absolute. */
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

/** What became of a command. */
export interface CommandResult {
  /** Null if a signal ended it. */
  readonly exitCode: number | null;
  /** Standard output and standard error as they came, the middle left out if they are too long. */
  readonly output: string;
  readonly truncated: boolean;
  readonly timedOut: boolean;
}

/** Runs a command. Throws the signal's reason if it aborts, after everything was ended; a ToolError if nothing could start. */
export type Shell = (request: CommandRequest, signal: AbortSignal) => Promise<CommandResult>;

/**
 * Runs commands with `sh -c` in process groups of their own, with a scrubbed environment, without input and with bounded
 * memory for output. When the shell ends, and at a timeout or abort, everything it started is ended. `jail` is asked for at
 * each command, and rejects with a ToolError where there is none.
 */
export function createShell(env: Environment, jail: () => Promise<ProcessJail>): Shell {
  return async (request, signal) => {
    signal.throwIfAborted();
    const program = ['sh', '-c', SCRIPT, 'sh', request.command];
    const entered = await enter(await jail(), { program, cwd: request.cwd, env: scrubEnv(env) });
    try {
      return await runCommand(request, entered, signal);
    } finally {
      await entered.leave();
    }
  };
}

async function enter(jail: ProcessJail, start: JailedStart): Promise<Entered> {
  try {
    return await jail.enter(start);
  } catch (thrown) {
    throw notStarted(thrown);
  }
}

function notStarted(thrown: unknown): ToolError {
  return new ToolError(`the command could not be started: ${messageOf(thrown)}`);
}

async function runCommand(
  { cwd, timeoutMs, maxOutputBytes }: CommandRequest,
  { program: [file = '', ...args], env }: Entered,
  signal: AbortSignal,
): Promise<CommandResult> {
  signal.throwIfAborted();
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => undefined);
  const output = createOutputBuffer(maxOutputBytes);
  // Only what fails before the shell has started still comes on standard error.
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.add(chunk));
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await once(child, 'spawn').catch((thrown: unknown) => {
    throw notStarted(thrown);
  });
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
    return { exitCode: child.exitCode, output: output.text(), truncated: output.isTruncated(), timedOut };
  } finally {
    guard.dismiss();
  }
}

/** Waits for the shell, the time limit or an abort. True if the time was up. */
async function waitForExit(child: ChildProcess, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), timeoutMs);
  const over = AbortSignal.any([signal, limit.signal]);
  if (child.exitCode === null && child.signalCode === null) {
    await once(child, 'exit', { signal: over }).catch(() => undefined);
  }
  clearTimeout(timer);
  return limit.signal.aborted;
}
