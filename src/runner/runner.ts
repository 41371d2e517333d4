import type { Environment } from '../lib/environment.js';

/** The runner's process, as far as the action touches it. */
export interface Runner {
  readonly env: Environment;
  /** Folder of the checkout. */
  readonly workspace: string;
  /** Folder that is emptied after the job. */
  readonly temp: string;
  log(line: string): void;
  fail(): void;
  /** Calls back when the job is cancelled: the runner sends SIGINT, then SIGTERM, then kills. */
  onCancel(cancelled: () => void): void;
}

export function ownRunner(): Runner {
  return {
    env: process.env,
    workspace: process.env['GITHUB_WORKSPACE'] ?? process.cwd(),
    temp: process.env['RUNNER_TEMP'] ?? '',
    log: (line) => process.stdout.write(`${line}\n`),
    fail: () => {
      process.exitCode = 1;
    },
    onCancel(cancelled) {
      process.once('SIGINT', cancelled);
      process.once('SIGTERM', cancelled);
    },
  };
}

/**
 * Ends the process: whatever was given up (a cache service that says nothing) would keep the step
 * waiting otherwise.
 */
export function endProcess(): void {
  process.stdout.write('', () => process.exit());
}

/** The workflow run that the action is a step of; each empty outside of one. */
export interface ThisRun {
  readonly runUrl: string;
  /** The file that the workflow is in, or its name, which is not unique. */
  readonly workflow: string;
  /** What distinguishes this run, its attempt and its job from others. */
  readonly run: string;
}

/** What the runner's variables say of the run (GitHub's "Variables reference"). */
export function readThisRun(env: Runner['env']): ThisRun {
  const {
    GITHUB_SERVER_URL: server = '',
    GITHUB_REPOSITORY: repository = '',
    GITHUB_RUN_ID: id = '',
  } = env;
  const { GITHUB_RUN_ATTEMPT: attempt = '', GITHUB_JOB: job = '' } = env;
  const isKnown = server !== '' && repository !== '' && id !== '';
  return {
    runUrl: isKnown ? `${server}/${repository}/actions/runs/${id}` : '',
    workflow: workflowOf(env),
    run: `${id}/${attempt}/${job}`,
  };
}

/** `octocat/hello/.github/workflows/report.yml@refs/heads/main` without repository and ref. */
function workflowOf({
  GITHUB_WORKFLOW_REF: ref = '',
  GITHUB_WORKFLOW: name = '',
}: Runner['env']): string {
  const [, file = name] = /^[^/]+\/[^/]+\/([^@]+)@/.exec(ref) ?? [];
  return file;
}

/** Name of the state in which a journal keeps what is not saved yet. */
export const PENDING_STATE = 'pending';

/** Name of the state that holds a check which waits for its end. */
export const CHECK_STATE = 'check';

/** What the post step reports when there is nothing to save. */
export const NOTHING_PENDING = 'Memory: nothing is left to save.';

/**
 * Whether `main` left nothing to save and no check to end: the runner gives no state back, or the
 * empty list that a journal writes last. Most post steps end here, so this file imports nothing.
 * Any other state is for `readPending`.
 */
export function isNothingPending(env: Environment): boolean {
  const state = env[`STATE_${PENDING_STATE}`] ?? '';
  return (state === '' || state === '[]') && (env[`STATE_${CHECK_STATE}`] ?? '') === '';
}
