import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { messageOf } from '../../axe/errors.js';
import type { CommandRequest, CommandResult, Shell } from '../../axe/tools/ports.js';
import { ToolError } from '../../axe/tools/tool-error.js';
import { createOutputBuffer } from '../../axe/tools/truncate.js';
import { guardGroup } from './guard.js';
import { COMMAND_ID_VARIABLE, endGroup, killGroup, type ProcessGroup } from './process-group.js';
import { scrubEnv } from './scrub-env.js';

/** What a shell is made of. */
export interface ShellOptions {
  /** The environment; little of it reaches a command, see `scrubEnv`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A program and arguments that start the shell in their turn: `findProcessJail` finds one. Empty for none. */
  readonly prefix?: readonly string[];
}

/** How long output may still come after all processes were ended; one that got away may hold the pipe open. */
const DRAIN_MS = 1000;

/** Standard error goes where standard output goes, so that both are read in the order they were written. */
const SCRIPT = 'exec sh -c "$1" 2>&1';

/**
 * Runs commands with `sh -c` in process groups of their own, with a scrubbed environment, without input and with bounded
 * memory for output. When the shell ends, and at a timeout or abort, everything it started is ended.
 */
export function createShell({ env, prefix = [] }: ShellOptions): Shell {
  return { run: (request, signal) => runCommand(request, { env: scrubEnv(env), prefix, signal }) };
}

interface Surroundings {
  readonly env: Readonly<Record<string, string>>;
  readonly prefix: readonly string[];
  readonly signal: AbortSignal;
}

async function runCommand(
  { command, cwd, timeoutMs, maxOutputBytes }: CommandRequest,
  { env, prefix, signal }: Surroundings,
): Promise<CommandResult> {
  signal.throwIfAborted();
  const mark = randomUUID();
  const [program = 'sh', ...args] = [...prefix, 'sh', '-c', SCRIPT, 'sh', command];
  const child = spawn(program, args, {
    cwd,
    env: { ...env, [COMMAND_ID_VARIABLE]: mark },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = createOutputBuffer(maxOutputBytes);
  // Only what fails before the shell has started still comes on standard error.
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => output.add(chunk));
  const id = await startedId(child);
  const timedOut = await finish(child, { id, mark }, { timeoutMs, signal });
  signal.throwIfAborted();
  return { exitCode: child.exitCode, output: output.text(), truncated: output.isTruncated(), timedOut };
}

/** Throws a ToolError if nothing could be started. */
function startedId(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid ?? 0));
    child.once('error', (error) =>
      reject(new ToolError(`the command could not be started: ${messageOf(error)}`)),
    );
  });
}

/** Waits for the shell, the time limit or an abort, and ends what is left. True if the time was up. */
async function finish(
  child: ChildProcess,
  group: ProcessGroup,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<boolean> {
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const guard = guardGroup(group);
  const kill = () => killGroup(group);
  process.once('exit', kill);
  try {
    const reason = await firstOf(child, timeoutMs, signal);
    await endGroup(group);
    await Promise.race([closed, unreferencedTimer(DRAIN_MS)]);
    for (const stream of [child.stdout, child.stderr]) stream?.destroy();
    return reason === 'timeout';
  } finally {
    process.removeListener('exit', kill);
    guard.dismiss();
  }
}

type EndReason = 'exit' | 'timeout' | 'abort';

function firstOf(child: ChildProcess, timeoutMs: number, signal: AbortSignal): Promise<EndReason> {
  return new Promise((resolve) => {
    const end = (reason: EndReason) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      resolve(reason);
    };
    const abort = () => end('abort');
    const timer = setTimeout(() => end('timeout'), timeoutMs);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    if (child.exitCode !== null || child.signalCode !== null) end('exit');
    else child.once('exit', () => end('exit'));
  });
}

function unreferencedTimer(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}
