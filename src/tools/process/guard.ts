import { spawn } from 'node:child_process';

/** Reads a word from us. If the pipe closes without one, this process is gone, however it went: then it kills the group. */
const SCRIPT = `
read -r word
[ "$word" = done ] || kill -s KILL -- "-$1" 2>/dev/null`;

/** Has a shell of its own end a process group when this process is gone, even if it was killed. Not on Windows. */
export function guardGroup(id: number): { dismiss(): void } {
  if (process.platform === 'win32') return { dismiss: () => undefined };
  const guard = spawn('/bin/sh', ['-c', SCRIPT, 'sh', String(id)], {
    env: {},
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.on('error', () => undefined);
  guard.stdin.on('error', () => undefined);
  guard.unref();
  if ('unref' in guard.stdin && typeof guard.stdin.unref === 'function') guard.stdin.unref();
  return { dismiss: () => void guard.stdin.end('done\n') };
}

/** Sends a signal to a process group, which its leader's id names. That it is gone, or another user's, is no problem. */
export function killGroup(id: number, signal: NodeJS.Signals): void {
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(id), '/T', '/F'], { stdio: 'ignore' }).on('error', () => undefined);
    return;
  }
  try {
    process.kill(-id, signal);
  } catch {
    // Nothing is left that could be ended.
  }
}
