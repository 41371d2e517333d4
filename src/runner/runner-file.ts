import { saveState, warning } from '@actions/core';
import { messageOf } from '../lib/errors.js';

/** What the runner gives a step to write to, by the variables that name it. */
type RunnerFile = 'GITHUB_OUTPUT' | 'GITHUB_STATE' | 'GITHUB_STEP_SUMMARY' | 'RUNNER_TEMP';

const told = new Set<RunnerFile>();

/**
 * Writes to a file of the runner, and gives whether that was possible: on a full disk the run goes on without it, since
 * memory and comments lie elsewhere. However often it is tried, it is one warning.
 */
export async function writeRunnerFile(name: RunnerFile, write: () => unknown): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (thrown) {
    if (!told.has(name)) {
      const remedy = 'Free space on its disk, and let the step write there; the run continues without it.';
      warning(`\`${name}\` of the runner cannot be written: ${messageOf(thrown)}. ${remedy}`, {
        title: 'File of the runner',
      });
    }
    told.add(name);
    return false;
  }
}

/** Keeps a value for the post step. */
export async function keepState(name: string, value: string): Promise<void> {
  await writeRunnerFile('GITHUB_STATE', () => saveState(name, value));
}
