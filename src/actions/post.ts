import { AxeError, formatError } from '../axe/errors.js';
import { createClock } from '../host/clock.js';
import { createFetch } from '../host/http.js';
import { connectGitHub } from '../world/github.js';
import { readInputs } from './inputs.js';
import { readPending } from './journal.js';
import { triggerOf } from './main.js';
import { openActionMemory } from './memory.js';
import type { Runner } from './runner.js';
import { loadToolkit } from './toolkit.js';

/** How long the post step may go on saving, in milliseconds. */
const SAVE_LIMIT_MS = 5 * 60_000;

/**
 * Runs after the job, whatever became of it, and saves what a killed main step left (D16). Saving twice adds
 * nothing: an entry is known by its id. Never throws and never fails the job.
 */
export async function post(runner: Runner): Promise<void> {
  const { env, workspace, cwd } = runner;
  const pending = readPending(env);
  if (pending.length === 0) {
    runner.log('Memory: nothing is left to save.');
    return;
  }
  const core = await loadToolkit();
  try {
    const inputs = readInputs(env);
    const trigger = await triggerOf(runner);
    const client = await connectGitHub({ token: inputs.githubToken, env, fetch: createFetch(env) });
    const store = openActionMemory({ inputs, env, trigger, workspace, cwd, client, clock: createClock() });
    const result = await store.write(pending, AbortSignal.timeout(SAVE_LIMIT_MS));
    if (result.kind === 'saved')
      runner.log(`Memory: saved to ${result.location} what the main step had left.`);
    else
      core.warning(`failed to save memory after the job: ${result.message}`, { title: 'Memory not saved' });
  } catch (thrown) {
    if (!(thrown instanceof AxeError)) throw thrown;
    core.warning(`failed to save memory after the job: ${formatError(thrown)}`, {
      title: 'Memory not saved',
    });
  }
}
