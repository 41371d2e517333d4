import { type ChildProcess, spawn } from 'node:child_process';
import { afterEachTest } from './test-end.js';

/**
 * What a child process reads: bytes and then the end, the null device, or a pipe that is never
 * closed.
 */
export type Stdin =
  | string
  | Uint8Array
  | { readonly kind: 'null' }
  | { readonly kind: 'pipe-open' };

/** What became of a child process. */
export interface ChildResult {
  /** Null if a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A child process that runs. */
export interface RunningChild {
  readonly finished: Promise<ChildResult>;
  kill(signal: NodeJS.Signals): void;
  /** Writes to standard input, if that is a pipe that stays open. */
  write(text: string): void;
}

const running = new Set<ChildProcess>();

afterEachTest(async () => {
  const left = [...running];
  running.clear();
  await Promise.all(left.map(end));
});

/**
 * Starts a child process, whose environment is exactly `env`; after the test it is killed, and gone
 * before its folders are removed.
 */
export function startChild({
  command,
  args,
  env,
  cwd,
  stdin = { kind: 'null' },
}: {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stdin?: Stdin;
}): RunningChild {
  const isNull = typeof stdin === 'object' && 'kind' in stdin && stdin.kind === 'null';
  const child = spawn(command, args, {
    env,
    cwd,
    stdio: [isNull ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  running.add(child);
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
  // A child that ends without reading closes its end of the pipe.
  child.stdin?.on('error', () => undefined);
  if (typeof stdin === 'string' || stdin instanceof Uint8Array) child.stdin?.end(stdin);
  const finished = new Promise<ChildResult>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', () => child.stdin?.destroy());
    child.on('close', (exitCode, signal) => {
      running.delete(child);
      const said = (chunks: readonly Buffer[]) => Buffer.concat(chunks).toString('utf8');
      resolve({ exitCode, signal, stdout: said(stdout), stderr: said(stderr) });
    });
  });
  const write = (text: string) => void child.stdin?.write(text);
  return { finished, kill: (signal) => void child.kill(signal), write };
}

/** What the child started may hold its pipes open for longer. */
async function end(child: ChildProcess): Promise<void> {
  const isRunning = child.exitCode === null && child.signalCode === null && child.pid !== undefined;
  const gone = isRunning
    ? new Promise<void>((resolve) => child.once('exit', () => resolve()))
    : undefined;
  child.kill('SIGKILL');
  await gone;
  for (const stream of child.stdio) stream?.destroy();
}
