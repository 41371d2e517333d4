import { warning } from '@actions/core';
import { endUnfinishedCheck } from '../findings/post/check-progress.js';
import { createClock, signalAfter } from '../lib/clock.js';
import { SAVE_BUDGET_MS } from '../lib/defaults.js';
import { AxeError, formatError, WARNING_TITLES } from '../lib/errors.js';
import { createFetch } from '../lib/net/http.js';
import type { SaveResult } from '../memory/store.js';
import { describeNoteChange } from '../report/format-memory.js';
import { writeSummary } from '../report/report.js';
import { formatUnsavedSummary } from '../report/run.js';
import { connectGitHub, type GitHubAccess } from '../run/github.js';
import { type Inputs, readInputs, readSecrets } from '../runner/inputs.js';
import {
  type JournaledChange,
  readLeftCheck,
  readPending,
  wasReported,
} from '../runner/journal.js';
import { NOTHING_PENDING, type Runner } from '../runner/runner.js';
import { sanitize } from '../safety/sanitize.js';
import { triggerOf, useSafePath } from './main.js';
import { openMemory } from './memory.js';

/**
 * Runs after the job, whatever became of it, and saves what a killed main step left (D16). Saving
 * twice adds nothing: an entry is known by its id. Trouble is told and fails nothing.
 */
export async function post(runner: Runner): Promise<void> {
  const { env } = runner;
  const secrets = readSecrets(env).values;
  const log = (line: string) => runner.log(sanitize(line, 'log', secrets));
  const access = { env, fetch: createFetch(env), clock: createClock(), log };
  await endCheck(access);
  const pending = await readPending(env);
  if (pending.length === 0) {
    runner.log(NOTHING_PENDING);
    return;
  }
  // Main has read the same inputs, or nothing would be left.
  const inputs = readInputs(env);
  if (inputs.toolsAllowed.length > 0) useSafePath(runner);
  const result = await savePending(pending, inputs, runner, access);
  const notes = result.kind === 'saved' ? (result.unsaved ?? []) : [];
  const what = pending.every(({ kind }) => kind === 'facts') ? "the run's cost saved" : 'saved';
  if (result.kind === 'saved')
    log(`Memory: ${what} to ${result.location} as the main step could not.`);
  const troubles =
    result.kind === 'failed'
      ? [result]
      : notes.map((one) => ({ ...one, message: `${one.path}: ${one.message}` }));
  const why = troubles.map(({ message, remedy = '' }) => `${message}. ${remedy}`.trimEnd());
  if (wasReported(env)) {
    for (const one of why) log(`Memory: still not saved: ${one}`);
  } else if (why.length > 0) {
    const left = pending.filter(
      ({ path }) => result.kind === 'failed' || notes.some((note) => note.path === path),
    );
    await reportUnsaved(why.join(' '), left, inputs.memory.isElsewhere, runner, secrets);
  }
}

type Access = GitHubAccess & { log(line: string): void };

/** A check that nobody ends would stay in progress for good. */
async function endCheck(access: Access): Promise<void> {
  const left = readLeftCheck(access.env);
  if (left === undefined) return;
  const client = await connectGitHub(readInputs(access.env).githubToken, access);
  if (client !== undefined) await endUnfinishedCheck(client, left, access.log);
}

async function savePending(
  pending: readonly JournaledChange[],
  inputs: Inputs,
  runner: Runner,
  access: Access,
): Promise<SaveResult> {
  try {
    const trigger = await triggerOf(runner);
    const client = await connectGitHub(inputs.githubToken, access);
    const { workspace } = runner;
    const store = await openMemory(inputs, { ...access, trigger, workspace, client });
    // As long as the save of the main step: of a crowd that waits for GitHub's limit, many need the
    // second minute.
    return await store.write(pending, signalAfter(SAVE_BUDGET_MS[store.kind]));
  } catch (thrown) {
    if (!(thrown instanceof AxeError)) throw thrown;
    return { kind: 'failed', reason: 'error', message: formatError(thrown) };
  }
}

/**
 * The main step was killed before it could tell anything, so the entry is shown here, unless it is
 * to stay elsewhere (D14).
 */
async function reportUnsaved(
  why: string,
  pending: readonly JournaledChange[],
  isHidden: boolean,
  runner: Runner,
  secrets: readonly string[],
): Promise<void> {
  const message = `failed to save memory after the job: ${why}`;
  warning(sanitize(message, 'log', secrets), { title: WARNING_TITLES['memory-save-failed'] });
  // An entry as it is in the log; of a note what was to be done to it.
  const left = pending
    .filter((change) => change.kind !== 'facts')
    .map((change) => ({
      id: change.id,
      text: change.kind === 'append' ? change.text : describeNoteChange(change),
    }));
  await writeSummary(formatUnsavedSummary(message, left, isHidden), { runner, secrets });
}
