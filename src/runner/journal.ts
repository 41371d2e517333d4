import { join } from 'node:path';
import { saveState, warning } from '@actions/core';
import type { UnfinishedCheck } from '../findings/post/check-progress.js';
import { createQueue } from '../lib/clock.js';
import type { Environment } from '../lib/environment.js';
import { AxeError, messageOf } from '../lib/errors.js';
import { createFiles } from '../lib/files.js';
import { encodeBytes } from '../lib/text/bytes.js';
import { readTextFile } from '../lib/user-files.js';
import type { MemoryChange } from '../memory/change.js';
import type { Journal } from '../run/dependencies.js';
import { CHECK_STATE, PENDING_STATE } from './runner.js';

const TOLD = 'told';

export type JournaledChange = Extract<MemoryChange, { readonly kind: 'append' | 'note' | 'facts' }>;

/**
 * Most bytes of a state that are handed to the post step as they are: the runner gives it a state
 * as a variable of its environment, and Linux starts no program with one of more than 128 KiB
 * (execve(2)).
 */
const MAX_STATE_BYTES = 64 * 1024;

/**
 * Keeps the changes of a run in the runner's state file, where `post` finds them if `main` was
 * killed (D16). Agents and sub-agents keep theirs side by side, and a tainted run its two entries,
 * which share an id; a change that comes again with the same id for the same place takes that of
 * the first, and so do the facts of a state, which have no id. What is too large for a state goes
 * to a file in `temp`.
 */
export function createJournal(temp = '', now = () => new Date()): Journal {
  const open = new Map<string, MemoryChange>();
  const inTurn = createQueue();
  const file = join(temp, `axe-action-${PENDING_STATE}-${process.pid}.json`);
  const write = () =>
    inTurn(async () => {
      const text = JSON.stringify([...open.values()]);
      if (temp === '' || encodeBytes(text).length <= MAX_STATE_BYTES)
        await keepState(PENDING_STATE, text);
      else if (await writeRunnerFile('RUNNER_TEMP', () => createFiles().replace(file, text)))
        await keepState(PENDING_STATE, JSON.stringify({ file }));
    });
  return {
    async pending(changes) {
      // When it was put into the journal: it was saved after that, if it was.
      const again = now();
      for (const change of changes)
        if (isKept(change))
          open.set(keyOf(change), change.kind === 'facts' ? change : { ...change, again });
      await write();
    },
    async done(changes) {
      for (const change of changes) if (isKept(change)) open.delete(keyOf(change));
      await write();
    },
  };
}

function isKept(change: MemoryChange): change is JournaledChange {
  return change.kind === 'append' || change.kind === 'note' || change.kind === 'facts';
}

function keyOf(change: JournaledChange): string {
  return change.kind === 'facts' ? change.path : `${change.path} ${change.id}`;
}

/**
 * What `main` left unsaved, or was killed before it could say that it was saved. The runner gives a
 * state back as `STATE_<name>`, to this step alone.
 */
export async function readPending(env: Environment): Promise<readonly JournaledChange[]> {
  const left = env[`STATE_${PENDING_STATE}`] ?? '';
  const changes = left.startsWith('{') ? await readStateFile(JSON.parse(left).file) : left;
  if (changes === '') return [];
  const kept: readonly JournaledChange[] = JSON.parse(changes, (key, value) =>
    key === 'again' ? new Date(value) : value,
  );
  // A save is told by its first place, and that is the entry's.
  return kept.toSorted((a, b) => Number(a.kind === 'facts') - Number(b.kind === 'facts'));
}

/** Empty where the file is gone: the runner empties its folder. */
async function readStateFile(file: string): Promise<string> {
  try {
    return await readTextFile(file, { what: 'state', remedy: '' });
  } catch (thrown) {
    if (thrown instanceof AxeError) return '';
    throw thrown;
  }
}

/**
 * Notes that people know that the entry is not saved: `post` tries once more, but need not tell it
 * again (D14).
 */
export async function noteReported(): Promise<void> {
  await keepState(TOLD, 'true');
}

/** Whether `main` came to tell that the entry is not saved. */
export function wasReported(env: Environment): boolean {
  return env[`STATE_${TOLD}`] === 'true';
}

/** Notes that a check is about to be begun, and waits for its end; undefined: it has ended. */
export async function keepCheck(check: UnfinishedCheck | undefined): Promise<void> {
  await keepState(CHECK_STATE, check === undefined ? '' : JSON.stringify(check));
}

/** The check that a killed main step left in progress. */
export function readLeftCheck(env: Environment): UnfinishedCheck | undefined {
  const state = env[`STATE_${CHECK_STATE}`] ?? '';
  return state === '' ? undefined : JSON.parse(state);
}

/** What the runner gives a step to write to, by the variables that name it. */
type RunnerFile = 'GITHUB_OUTPUT' | 'GITHUB_STATE' | 'GITHUB_STEP_SUMMARY' | 'RUNNER_TEMP';

const told = new Set<RunnerFile>();

/**
 * Writes to a file of the runner, and gives whether that was possible: on a full disk the run goes
 * on without it, since memory and comments lie elsewhere. However often it is tried, it is one
 * warning.
 */
export async function writeRunnerFile(name: RunnerFile, write: () => unknown): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (thrown) {
    if (!told.has(name)) {
      const remedy =
        'Free space on its disk, and let the step write there; the run continues without it.';
      warning(`\`${name}\` of the runner cannot be written: ${messageOf(thrown)}. ${remedy}`, {
        title: 'File of the runner',
      });
    }
    told.add(name);
    return false;
  }
}

/** Keeps a value for the post step. */
async function keepState(name: string, value: string): Promise<void> {
  await writeRunnerFile('GITHUB_STATE', () => saveState(name, value));
}
