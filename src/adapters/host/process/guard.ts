import { spawn } from 'node:child_process';
import { COMMAND_ID_VARIABLE, type ProcessGroup } from './process-group.js';

/** What keeps watch over a process group. */
interface Guard {
  /** The group has been ended; nothing is watched any more. */
  dismiss(): void;
}

/**
 * Reads a word from us. If the pipe closes without one, this process is gone, however it went: then it kills the group,
 * and on Linux what left the group with the mark in its environment. A process that is starting shows no environment for
 * a moment, so it looks more than once.
 */
const SCRIPT = `
read -r word
[ "$word" = done ] && exit
kill -s KILL -- "-$1" 2>/dev/null
[ -n "$2" ] || exit
for pass in 1 2 3; do
  for file in /proc/[0-9]*/environ; do
    tr '\\0' '\\n' 2>/dev/null <"$file" | grep -qxF "$2" || continue
    id="\${file%/environ}"
    kill -s KILL "\${id#/proc/}" 2>/dev/null
  done
  sleep 0.3
done`;

/** Has a shell of its own end a process group when this process is gone, even if it was killed. Not on Windows. */
export function guardGroup({ id, mark = '' }: Pick<ProcessGroup, 'id'> & Partial<ProcessGroup>): Guard {
  if (process.platform === 'win32') return { dismiss: () => undefined };
  const variable = mark === '' ? '' : `${COMMAND_ID_VARIABLE}=${mark}`;
  const guard = spawn('/bin/sh', ['-c', SCRIPT, 'sh', String(id), variable], {
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
