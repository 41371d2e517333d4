import type { Runner } from './runner.js';

/** The workflow run that the action is a step of; each empty outside of one. */
export interface ThisRun {
  /** Its address. */
  readonly runUrl: string;
  /** The file that the workflow is in, or its name, which is not unique. */
  readonly workflow: string;
  /** What distinguishes this run, its attempt and its job from others. */
  readonly run: string;
}

/** What the runner's variables say of the run (GitHub's "Variables reference"). */
export function readThisRun(env: Runner['env']): ThisRun {
  const { GITHUB_SERVER_URL: server = '', GITHUB_REPOSITORY: repository = '', GITHUB_RUN_ID: id = '' } = env;
  const { GITHUB_RUN_ATTEMPT: attempt = '', GITHUB_JOB: job = '' } = env;
  const isKnown = server !== '' && repository !== '' && id !== '';
  return {
    runUrl: isKnown ? `${server}/${repository}/actions/runs/${id}` : '',
    workflow: workflowOf(env),
    run: `${id}/${attempt}/${job}`,
  };
}

/** `octocat/hello/.github/workflows/report.yml@refs/heads/main` without repository and ref. */
function workflowOf({ GITHUB_WORKFLOW_REF: ref = '', GITHUB_WORKFLOW: name = '' }: Runner['env']): string {
  const [, file = name] = /^[^/]+\/[^/]+\/([^@]+)@/.exec(ref) ?? [];
  return file;
}
