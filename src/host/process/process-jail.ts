import { execFile } from 'node:child_process';
import { scrubEnv } from './scrub-env.js';

/**
 * Starts a program in a process namespace of its own (unshare(1)): it sees no other process, so it cannot read the
 * environment of ours from `/proc`, and nothing it starts outlives it.
 */
const UNSHARE = [
  'unshare',
  '--user',
  '--map-current-user',
  '--pid',
  '--fork',
  '--kill-child',
  '--mount-proc',
  '--',
];

/** How long the trial may take. */
const TRIAL_MS = 5000;

/**
 * What to start commands with so that they see no process but their own; empty where the system does not allow it
 * (anything but Linux, or user namespaces are switched off). The environment that was scrubbed for a command otherwise
 * stands, complete with its keys, in `/proc/<our id>/environ` for every process of the same user.
 */
export async function findProcessJail(
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  if (process.platform !== 'linux') return [];
  return (await succeeds(UNSHARE, scrubEnv(env))) ? UNSHARE : [];
}

/** Whether `sh` starts there and finds itself alone. */
function succeeds([program = '', ...args]: readonly string[], env: Record<string, string>): Promise<boolean> {
  const trial = [...args, 'sh', '-c', 'test "$$" = 1 && test -r /proc/1/environ'];
  return new Promise((resolve) => {
    execFile(program, trial, { env, timeout: TRIAL_MS, killSignal: 'SIGKILL' }, (error) =>
      resolve(error === null),
    );
  });
}
