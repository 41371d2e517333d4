import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { LineProgram, LineProgramOptions } from '../files/line-program.js';
import { guardGroup, killGroup } from './guard.js';

/** How long a program has after each step of being stopped: its input ends, then SIGTERM, then SIGKILL. */
const GRACE_MS = 1000;

/** How long the output of a program that is gone may still be on its way. */
const DRAIN_MS = 250;

const LAST_WORDS_BYTES = 4096;

/**
 * Starts a program in a process group of its own, with exactly the environment it is given. The group ends with the
 * program, with `stop`, and with this process, even if that is killed (a guard sees to it; not on Windows). Only what
 * leaves the group on purpose (`setsid`) survives. Rejects with the operating system's error.
 */
export async function startLineProgram(options: LineProgramOptions): Promise<LineProgram> {
  const child = spawn(options.command, [...options.args], {
    env: { ...options.env },
    cwd: options.cwd,
    detached: process.platform !== 'win32',
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  // A program that ends without reading closes its end of the pipe; `send` reports that.
  child.stdin.on('error', () => undefined);
  child.on('error', () => undefined);
  const words = keepTail(child.stderr);
  const exit = watchEnd(child);
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  const guard = child.pid === undefined ? undefined : guardGroup(child.pid);
  let reason: string | undefined;
  takeLines(child.stdout, options);
  const ended = exit.then((how) => {
    guard?.dismiss();
    reason = how;
    options.onEnd(how);
  });
  let stopped: Promise<void> | undefined;
  return {
    send: (line) =>
      new Promise((resolve, reject) => {
        if (reason !== undefined) reject(new Error(reason));
        else child.stdin.write(`${line}\n`, (error) => (error ? reject(error) : resolve()));
      }),
    lastWords: () => words.text(),
    stop() {
      stopped ??= stop(child, ended);
      return stopped;
    },
  };
}

/** Resolves with how the program ended, when its output has been read and nothing of its group is left. */
function watchEnd(child: ChildProcessWithoutNullStreams): Promise<string> {
  return new Promise((resolve) => {
    let how = '';
    let timer: NodeJS.Timeout | undefined;
    child.once('exit', (code, signal) => {
      how = signal === null ? `exit status ${code}` : `ended by ${signal}`;
      end(child, 'SIGKILL');
      // Someone outside the group may hold the pipes open: they are not waited for.
      timer = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, DRAIN_MS);
    });
    child.once('close', () => {
      clearTimeout(timer);
      resolve(how);
    });
  });
}

function takeLines(output: Readable, { maxLineBytes, onLine, onLongLine }: LineProgramOptions): void {
  let parts: Buffer[] = [];
  let bytes = 0;
  const take = (part: Buffer): void => {
    bytes += part.length;
    parts.push(part);
    if (bytes > maxLineBytes) parts = [endsOf(Buffer.concat(parts))];
  };
  output.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      take(chunk.subarray(from, at));
      const line = Buffer.concat(parts).toString('utf8').replace(/\r$/, '');
      if (bytes > maxLineBytes) onLongLine(line);
      else onLine(line);
      parts = [];
      bytes = 0;
      from = at + 1;
    }
    take(chunk.subarray(from));
  });
}

const END_BYTES = 256;

function endsOf(line: Buffer): Buffer {
  if (line.length <= 2 * END_BYTES) return line;
  return Buffer.concat([line.subarray(0, END_BYTES), line.subarray(-END_BYTES)]);
}

const NEWLINE = 0x0a;

function keepTail(output: Readable): { text(): string } {
  let tail = Buffer.alloc(0);
  output.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-LAST_WORDS_BYTES);
  });
  return { text: () => tail.toString('utf8').trim() };
}

async function stop(child: ChildProcessWithoutNullStreams, ended: Promise<void>): Promise<void> {
  child.stdin.end();
  if (await endsSoon(ended)) return;
  end(child, 'SIGTERM');
  if (await endsSoon(ended)) return;
  end(child, 'SIGKILL');
  await endsSoon(ended);
}

function endsSoon(ended: Promise<void>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), GRACE_MS);
    void ended.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

function end({ pid }: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  if (pid !== undefined) killGroup(pid, signal);
}
