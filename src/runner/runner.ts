import type { Environment } from '../lib/environment.js';

type CancelSignal = 'SIGINT' | 'SIGTERM';

/** Everything of the runner's process that the action reads or changes. */
export interface Runner {
  readonly env: Environment;
  /** Folder of the checkout. */
  readonly workspace: string;
  /** The runner empties this folder after the job. */
  readonly temp: string;
  log(line: string): void;
  fail(): void;
  /**
   * Calls back when the job is cancelled, with each signal that the runner sends before it kills.
   */
  onCancel(cancelled: (signal: CancelSignal) => void): void;
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
      // The listeners stay: without one, a signal that is sent once more would end the process.
      process.on('SIGINT', () => cancelled('SIGINT'));
      process.on('SIGTERM', () => cancelled('SIGTERM'));
    },
  };
}

/**
 * Ends the process: otherwise the step would wait for requests that we gave up on, for example to a
 * cache service that does not answer.
 */
export function endProcess(): void {
  process.stdout.write('', () => process.exit());
}

/** The workflow run that the action is a step of; all texts are empty outside of a workflow. */
export interface ThisRun {
  readonly runUrl: string;
  /** The workflow's file, or else its name, which is not unique. */
  readonly workflow: string;
  /** The folder `docs/` of the action; empty for an action of the checkout. */
  readonly docsUrl: string;
  /** `run id/attempt/job`, to distinguish this job from all others. */
  readonly run: string;
}

/** Reads the runner's variables for the run (GitHub's "Variables reference"). */
export function readThisRun(env: Runner['env']): ThisRun {
  const {
    GITHUB_SERVER_URL: server = '',
    GITHUB_REPOSITORY: repository = '',
    GITHUB_RUN_ID: id = '',
    GITHUB_RUN_ATTEMPT: attempt = '',
    GITHUB_JOB: job = '',
    GITHUB_ACTION_REPOSITORY: action = '',
    GITHUB_ACTION_REF: actionRef = '',
  } = env;
  const isKnown = server !== '' && repository !== '' && id !== '';
  return {
    runUrl: isKnown ? `${server}/${repository}/actions/runs/${id}` : '',
    workflow: workflowFile(env)?.path ?? env['GITHUB_WORKFLOW'] ?? '',
    docsUrl: [server, action, actionRef].includes('')
      ? ''
      : `${server}/${action}/blob/${actionRef}/docs`,
    run: `${id}/${attempt}/${job}`,
  };
}

/** Parses `octocat/hello/.github/workflows/report.yml@refs/heads/main`. */
function workflowFile({ GITHUB_WORKFLOW_REF: ref = '' }: Runner['env']) {
  const [, repository, path] = /^([^/]+\/[^/]+)\/([^@]+)@/.exec(ref) ?? [];
  return repository === undefined || path === undefined ? undefined : { repository, path };
}

/** The run's workflow and its job; undefined for a workflow of another repository. */
export function readOwnWorkflow(
  env: Runner['env'],
): { readonly path: string; readonly job: string } | undefined {
  const { GITHUB_REPOSITORY: repository = '', GITHUB_JOB: job = '' } = env;
  const file = workflowFile(env);
  const isOwn = file?.repository.toLowerCase() === repository.toLowerCase();
  return file !== undefined && isOwn ? { path: file.path, job } : undefined;
}

/** Name of the state in which a journal keeps the changes that are not saved yet. */
export const PENDING_STATE = 'pending';

/** Name of the state that holds the check that is in progress. */
export const CHECK_STATE = 'check';

/** Name of the state that says how far a run has come that has not reported its end. */
export const RUN_STATE = 'run';

export const NOTHING_PENDING = 'Memory: nothing is left to save.';

/**
 * The runner gives back no state, or the empty list that a journal writes last, no check, and no
 * run without an end. Most post steps end here, so this file imports nothing. `readPending` reads
 * any other state.
 */
export function isNothingPending(env: Environment): boolean {
  const state = env[`STATE_${PENDING_STATE}`] ?? '';
  const isDone = [CHECK_STATE, RUN_STATE].every((name) => (env[`STATE_${name}`] ?? '') === '');
  return (state === '' || state === '[]') && isDone;
}
