import { warning } from '@actions/core';
import { endUnfinishedCheck } from '../findings/post/check-progress.js';
import { createClock, signalAfter } from '../lib/clock.js';
import { SAVE_BUDGET_MS } from '../lib/defaults.js';
import { AxeError, formatError, WARNING_TITLES } from '../lib/errors.js';
import { createFetch } from '../lib/net/http.js';
import type { SaveResult } from '../memory/store.js';
import { writeOutputs, writeSummary } from '../report/report.js';
import { formatKilled, formatUnsavedChanges, outputsOfKilled } from '../report/views/killed.js';
import { describeNoteChange } from '../report/views/memory.js';
import { connectGitHub, type GitHubAccess } from '../run/github.js';
import { withDebugLines } from '../runner/debug-requests.js';
import { type Inputs, readInputs, readSecrets } from '../runner/inputs.js';
import {
  type JournaledChange,
  readPending,
  readUnfinishedCheck,
  readUnfinishedRun,
  wasReported,
} from '../runner/journal.js';
import { NOTHING_PENDING, type Runner } from '../runner/runner.js';
import { sanitize } from '../safety/sanitize.js';
import { triggerOf, useSafePath } from './main.js';
import { openMemory } from './memory.js';

/**
 * Runs after the job, however it ended. Saves what a killed main step left, and reports that step,
 * which could not do it itself. Saving twice adds nothing, since an entry is recognized by its id.
 * Trouble is reported, but never fails the job.
 */
export async function post(runner: Runner): Promise<void> {
  const { env } = runner;
  const secrets = readSecrets(env).values;
  const log = (line: string) => runner.log(sanitize(line, 'log', secrets));
  const access = {
    env,
    fetch: withDebugLines(createFetch(env), secrets),
    clock: createClock(),
    log,
  };
  await endCheck(access);
  const run = await readUnfinishedRun(env);
  // The next run says what this one had accepted.
  const pending = [...(await readPending(env)), ...(run?.accepted ?? [])];
  if (pending.length === 0) log(NOTHING_PENDING);
  const saved = pending.length === 0 ? undefined : await save(pending, runner, access);

  const { reasons = [], result, unsaved = '' } = saved ?? {};
  const saveError = reasons.join(' ');
  if (reasons.length > 0 && wasReported(env)) {
    for (const reason of reasons) log(`Memory: still not saved: ${reason}`);
  } else if (reasons.length > 0) {
    const message = `failed to save memory after the job: ${saveError}`;
    warning(sanitize(message, 'log', secrets), { title: WARNING_TITLES['memory-save-failed'] });
  }
  if (run === undefined) return;

  const isPassing = result?.kind === 'saved' && result.onlyFor !== undefined;
  const killed = {
    run,
    savedTo: result?.kind === 'saved' ? result.location : undefined,
    isRemembered:
      reasons.length === 0 && !isPassing && pending.some(({ kind }) => kind !== 'facts'),
    saveError,
    unsaved,
  };
  await writeOutputs(outputsOfKilled(killed), secrets);
  await writeSummary(formatKilled(killed), { runner, secrets });
}

/** Saves what is pending, and says in the log what became of it. */
async function save(pending: readonly JournaledChange[], runner: Runner, access: Access) {
  // Inputs with a mistake end the main step before it has anything to save.
  const inputs = readInputs(runner.env);
  if (inputs.toolsAllowed.length > 0) useSafePath(runner);
  const result = await savePending(pending, inputs, runner, access);
  if (result.kind === 'saved') {
    const isStateOnly = pending.every(({ kind }) => kind === 'facts');
    const saved = isStateOnly ? "the run's state saved" : 'saved';
    access.log(`Memory: ${saved} to ${result.location} as the main step could not.`);
  }
  const reasons = unsavedReasons(result);
  const unsaved = pending.filter(({ path }) => isUnsaved(path, result));
  const text = reasons.length === 0 ? '' : unsavedText(unsaved, inputs.memory.isElsewhere);
  return { result, reasons, unsaved: text };
}

function unsavedReasons(result: SaveResult): readonly string[] {
  const troubles =
    result.kind === 'failed'
      ? [result]
      : (result.unsaved ?? []).map((note) => ({
          ...note,
          message: `${note.path}: ${note.message}`,
        }));
  return troubles.map(({ message, remedy = '' }) => `${message}. ${remedy}`.trimEnd());
}

function isUnsaved(path: string, result: SaveResult): boolean {
  return result.kind === 'failed' || (result.unsaved ?? []).some((note) => note.path === path);
}

/**
 * The entries and notes that are lost, since nothing else shows them. Of a memory in another
 * repository only their ids are shown.
 */
function unsavedText(unsaved: readonly JournaledChange[], isHidden: boolean): string {
  const texts = unsaved
    .filter((change) => change.kind !== 'facts')
    .map((change) => ({
      id: change.id,
      text:
        change.kind === 'append'
          ? change.text
          : describeNoteChange({ path: change.path, ...change.edit }),
    }));
  return formatUnsavedChanges(texts, isHidden);
}

type Access = GitHubAccess & { log(line: string): void };

/** A check that a killed main step left would stay in progress for good. */
async function endCheck(access: Access): Promise<void> {
  const check = readUnfinishedCheck(access.env);
  if (check === undefined) return;
  const client = await connectGitHub(readInputs(access.env).githubToken, access);
  if (client !== undefined) await endUnfinishedCheck(client, check, access.log);
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
    // As long as in the main step: if many runs wait for GitHub's rate limit, some need the second
    // minute.
    return await store.write(pending, signalAfter(SAVE_BUDGET_MS[store.kind]));
  } catch (thrown) {
    if (!(thrown instanceof AxeError)) throw thrown;
    return { kind: 'failed', reason: 'error', message: formatError(thrown) };
  }
}
