import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../file-error.js';

/** The variable by which processes of one command are known, also those that left its process group. */
export const COMMAND_ID_VARIABLE = 'AXE_COMMAND_ID';

/** How long a process may take to end itself after SIGTERM. */
const GRACE_MS = 1000;
const POLL_MS = 20;

/** A command's processes: the group of the first one, and the mark they all inherit. */
export interface ProcessGroup {
  /** Process id of the group's leader. */
  readonly id: number;
  /** Value of {@link COMMAND_ID_VARIABLE}. */
  readonly mark: string;
}

/**
 * Ends a process group: SIGTERM, then SIGKILL for what is left after a second. Processes
 * that left the group are found by their mark where the system shows environments (Linux), and killed. One that also
 * cleaned its environment gets away.
 */
export async function endGroup(group: ProcessGroup): Promise<void> {
  signalGroup(group, 'SIGTERM');
  // Looking takes its time, too: on a busy machine far more than the pauses in between.
  const endsAtMs = performance.now() + GRACE_MS;
  while (performance.now() < endsAtMs && (await isRunning(group))) await sleep(POLL_MS);
  signalGroup(group, 'SIGKILL');
  await killMarked(group.mark);
}

/** Kills a process group without waiting: for the moment our own process ends. */
export function killGroup(group: ProcessGroup): void {
  signalGroup(group, 'SIGKILL');
}

/** A negative id is the whole group. */
function signalGroup({ id }: ProcessGroup, name: NodeJS.Signals): boolean {
  return signal(-id, name);
}

/** False if there is no such process any more. */
function signal(id: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(id, name);
    return true;
  } catch (thrown) {
    if (errorCode(thrown) === 'ESRCH' || errorCode(thrown) === 'EPERM') return false;
    throw thrown;
  }
}

/** Zombies count as ended: nobody may be there to collect them, as in a container without an init. */
async function isRunning(group: ProcessGroup): Promise<boolean> {
  if (!signal(-group.id, 0)) return false;
  const states = await Promise.all((await processIds()).map(readState));
  const members = states.filter((state) => state?.groupId === group.id);
  return members.length === 0 ? process.platform !== 'linux' : members.some((state) => state?.state !== 'Z');
}

/** Most rounds in which a process that starts others faster than they are found is hunted. */
const MAX_ROUNDS = 20;

async function killMarked(mark: string): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const killed = (await markedProcesses(mark)).filter((id) => signal(id, 'SIGKILL'));
    if (killed.length === 0) return;
    await sleep(POLL_MS);
  }
}

interface ProcessState {
  readonly state: string;
  readonly groupId: number;
}

/** `/proc/<id>/stat`: id, name in parentheses, state, parent, group (proc(5)). */
async function readState(id: number): Promise<ProcessState | undefined> {
  const text = await readIfPossible(`/proc/${id}/stat`);
  const [state = '', , groupId = ''] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return state === '' ? undefined : { state, groupId: Number(groupId) };
}

async function markedProcesses(mark: string): Promise<readonly number[]> {
  const variable = `${COMMAND_ID_VARIABLE}=${mark}`;
  const found = await Promise.all(
    (await processIds()).map(async (id) => {
      const environment = await readIfPossible(`/proc/${id}/environ`);
      return environment.split('\0').includes(variable) ? [id] : [];
    }),
  );
  return found.flat();
}

/** Empty where there is no `/proc`. */
async function processIds(): Promise<readonly number[]> {
  try {
    return (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  } catch {
    return [];
  }
}

async function readIfPossible(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return '';
  }
}
