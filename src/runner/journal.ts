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
import { mergeStates, withoutFacts } from '../memory/state.js';
import type { Journal, Reporter, RunEvent } from '../run/dependencies.js';
import { CHECK_STATE, PENDING_STATE, RUN_STATE } from './runner.js';

const REPORTED_STATE = 'told';

type FactsChange = Extract<MemoryChange, { readonly kind: 'facts' }>;

export type JournaledChange = Extract<MemoryChange, { readonly kind: 'append' | 'note' | 'facts' }>;

/**
 * Larger states go to a file: the runner hands a state to the post step as an environment variable,
 * and Linux does not start a program with a variable of more than 128 KiB (execve(2)).
 */
const MAX_STATE_BYTES = 64 * 1024;

/** The progress of a run whose main step was killed. */
export interface UnfinishedRun {
  /** Absent if no model was asked. */
  readonly agent?: string;
  /** Absent while no price is known. */
  readonly costUsd?: number;
  /** Addresses of its comments and reviews. */
  readonly posted: readonly string[];
  /** Clean markdown with all that review tools have accepted and that is not posted. */
  readonly found: string;
  /** All of that as lines of the record. */
  readonly accepted: readonly JournaledChange[];
}

/** The journal of the main step, which also follows how far its run has come. */
export interface StepJournal extends Journal {
  /** Called before the main step does anything else. */
  begin(): Promise<void>;
  /** Returns a reporter whose events it follows. */
  followEvents<R extends Pick<Reporter, 'event'>>(reporter: R): R;
  /** Called when the step has reported how the run ended. */
  end(): Promise<void>;
}

const NOTHING_DONE: UnfinishedRun = { posted: [], found: '', accepted: [] };

/**
 * Keeps the changes of a run in the runner's state file, where `post` finds them if `main` was
 * killed. Agents and sub-agents share the journal; the two entries of a `mixed` run have one id but
 * different paths. A later change with the same id and path replaces the earlier one. The facts of
 * a state, which have no id, add up. Changes too large for a state go to a file in `temp`.
 */
export function createJournal(temp = '', now = () => new Date()): StepJournal {
  const unsaved = new Map<string, MemoryChange>();
  let run: UnfinishedRun | undefined;
  const inTurn = createQueue();
  const keep = (name: string, textNow: () => string) =>
    inTurn(async () => {
      const text = textNow();
      const file = join(temp, `axe-action-${name}-${process.pid}.json`);
      if (temp === '' || encodeBytes(text).length <= MAX_STATE_BYTES) await keepState(name, text);
      else if (await writeRunnerFile('RUNNER_TEMP', () => createFiles().replace(file, text)))
        await keepState(name, JSON.stringify({ file }));
    });
  const write = () => keep(PENDING_STATE, () => JSON.stringify([...unsaved.values()]));
  async function setRun(next: UnfinishedRun | undefined): Promise<void> {
    run = next;
    await keep(RUN_STATE, () => (run === undefined ? '' : JSON.stringify(run)));
  }
  function withEarlierFacts(change: FactsChange): FactsChange {
    const earlier = unsaved.get(journalKey(change));
    return earlier?.kind === 'facts'
      ? { ...change, text: mergeStates(earlier.text, change.text) }
      : change;
  }
  /** Facts that are not saved stay, such as the cost of the run. */
  function remove(change: JournaledChange): void {
    const key = journalKey(change);
    const pending = unsaved.get(key);
    const isOfFacts = pending?.kind === 'facts' && change.kind === 'facts';
    const text = isOfFacts ? withoutFacts(pending.text, change.text) : '';
    if (pending?.kind === 'facts' && text !== '') unsaved.set(key, { ...pending, text });
    else unsaved.delete(key);
  }

  return {
    async pending(changes) {
      // If a change was saved by the main step, then after this time.
      const again = now();
      for (const change of changes)
        if (isJournaled(change))
          unsaved.set(
            journalKey(change),
            change.kind === 'facts' ? withEarlierFacts(change) : { ...change, again },
          );
      await write();
    },
    async forget() {
      for (const [key, { kind }] of unsaved) if (kind !== 'facts') unsaved.delete(key);
      await write();
      if (run !== undefined) await setRun({ ...run, found: '', accepted: [] });
    },
    begin: () => setRun(NOTHING_DONE),
    end: () => setRun(undefined),
    async found(markdown) {
      if (run !== undefined) await setRun({ ...run, found: markdown });
    },
    async accepted(changes) {
      if (run !== undefined) await setRun({ ...run, accepted: changes.filter(isJournaled) });
    },
    async spent(costUsd) {
      if (run !== undefined) await setRun({ ...run, costUsd });
    },
    followEvents: (reporter) => ({
      ...reporter,
      event(event) {
        reporter.event(event);
        const next = run && runAfter(run, event);
        if (next !== run) setRun(next).catch(() => undefined);
      },
    }),
    async done(changes) {
      for (const change of changes) if (isJournaled(change)) remove(change);
      await write();
    },
  };
}

/** The progress of a run after an event; the same value if the event says nothing of it. */
function runAfter(run: UnfinishedRun, event: RunEvent): UnfinishedRun {
  switch (event.kind) {
    case 'run-started':
      return { ...run, agent: event.plan.agent.name };
    case 'posted':
      return {
        ...run,
        posted: event.url === undefined ? run.posted : [...run.posted, event.url],
        found: event.isReview ? '' : run.found,
      };
    default:
      return run;
  }
}

function isJournaled(change: MemoryChange): change is JournaledChange {
  return change.kind === 'append' || change.kind === 'note' || change.kind === 'facts';
}

function journalKey(change: JournaledChange): string {
  return change.kind === 'facts' ? change.path : `${change.path} ${change.id}`;
}

/**
 * Reads the changes that `main` did not save, or was killed before it could note that it had. The
 * runner gives a state back as `STATE_<name>`, and only to this step.
 */
export async function readPending(env: Environment): Promise<readonly JournaledChange[]> {
  const json = await readState(env, PENDING_STATE);
  if (json === '') return [];

  const changes: readonly JournaledChange[] = JSON.parse(json, (key, value) =>
    key === 'again' ? new Date(value) : value,
  );
  // A save is reported with the location of its first change, which has to be the entry's.
  return changes.toSorted((a, b) => Number(a.kind === 'facts') - Number(b.kind === 'facts'));
}

/** Reads the progress of the run of a killed `main`; undefined if it has reported its end. */
export async function readUnfinishedRun(env: Environment): Promise<UnfinishedRun | undefined> {
  if ((env[`STATE_${RUN_STATE}`] ?? '') === '') return undefined;
  const json = await readState(env, RUN_STATE);
  return json === '' ? NOTHING_DONE : JSON.parse(json);
}

/** A state, which can be in a file. */
async function readState(env: Environment, name: string): Promise<string> {
  const state = env[`STATE_${name}`] ?? '';
  return state.startsWith('{"file":') ? await readStateFile(JSON.parse(state).file) : state;
}

/** Empty if the file is gone: the runner empties its temporary folder. */
async function readStateFile(file: string): Promise<string> {
  try {
    return await readTextFile(file, { what: 'state', remedy: '' });
  } catch (thrown) {
    if (thrown instanceof AxeError) return '';
    throw thrown;
  }
}

/**
 * Notes that the step has reported the unsaved entry: `post` tries to save it once more, but does
 * not report it again.
 */
export async function noteReported(): Promise<void> {
  await keepState(REPORTED_STATE, 'true');
}

export function wasReported(env: Environment): boolean {
  return env[`STATE_${REPORTED_STATE}`] === 'true';
}

/** Notes a check that is about to start, so that `post` can end it; undefined: it has ended. */
export async function keepCheck(check: UnfinishedCheck | undefined): Promise<void> {
  await keepState(CHECK_STATE, check === undefined ? '' : JSON.stringify(check));
}

/** The check that a killed main step left in progress. */
export function readUnfinishedCheck(env: Environment): UnfinishedCheck | undefined {
  const state = env[`STATE_${CHECK_STATE}`] ?? '';
  return state === '' ? undefined : JSON.parse(state);
}

/** Files and the folder that a step can write, by the variables in which the runner names them. */
type RunnerFile = 'GITHUB_OUTPUT' | 'GITHUB_STATE' | 'GITHUB_STEP_SUMMARY' | 'RUNNER_TEMP';

const reportedFiles = new Set<RunnerFile>();

/**
 * Writes to a file of the runner, and returns whether that worked: with a full disk the run goes on
 * without the file, since memory and comments are not on that disk. Each file is reported once.
 */
export async function writeRunnerFile(name: RunnerFile, write: () => unknown): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (thrown) {
    if (!reportedFiles.has(name)) {
      const remedy =
        'Free space on its disk, and let the step write there; the run continues without it.';
      warning(`\`${name}\` of the runner cannot be written: ${messageOf(thrown)}. ${remedy}`, {
        title: 'File of the runner',
      });
    }
    reportedFiles.add(name);
    return false;
  }
}

/** Keeps a value for the post step. */
async function keepState(name: string, value: string): Promise<void> {
  await writeRunnerFile('GITHUB_STATE', () => saveState(name, value));
}
