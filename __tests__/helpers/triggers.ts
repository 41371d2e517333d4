import type {
  CommentTrigger,
  IssueTrigger,
  MergeGroupTrigger,
  PullRequestTrigger,
  ScheduleTrigger,
  WorkflowRunTrigger,
} from '../../src/event/trigger.js';

/** The account that may write in the tests' repository. */
export const OCTOCAT = { login: 'octocat', isBot: false } as const;

/** An account without write access. */
export const STRANGER = { login: 'hubot', isBot: false } as const;

const common = {
  action: 'opened',
  repository: { owner: 'octocat', name: 'hello', defaultBranch: 'main', isPrivate: false },
  actor: OCTOCAT,
} as const;

/** A pull request from a branch of the repository. */
export function pullRequest(patch: Partial<PullRequestTrigger> = {}): PullRequestTrigger {
  return {
    kind: 'pull_request',
    event: 'pull_request',
    ...common,
    number: 42,
    title: 'Fix auth',
    body: 'Tokens expire now.',
    author: OCTOCAT,
    isDraft: false,
    head: { sha: 'a'.repeat(40), ref: 'fix', repository: 'octocat/hello' },
    base: { sha: 'b'.repeat(40), ref: 'main' },
    isFork: false,
    ...patch,
  };
}

/** An issue that was opened. */
export function issue(patch: Partial<IssueTrigger> = {}): IssueTrigger {
  return {
    kind: 'issue',
    event: 'issues',
    ...common,
    number: 7,
    title: 'Login is broken',
    body: 'It says 500.',
    author: OCTOCAT,
    ...patch,
  };
}

/** A comment on an issue. */
export function comment(patch: Partial<CommentTrigger> = {}): CommentTrigger {
  return {
    kind: 'comment',
    event: 'issue_comment',
    ...common,
    action: 'created',
    on: 'issue',
    number: 7,
    title: 'Login is broken',
    description: 'It says 500.',
    body: 'Since when?',
    commentId: 1,
    author: OCTOCAT,
    subjectAuthor: OCTOCAT,
    ...patch,
  };
}

/** A workflow that ran on a commit of the repository. */
export function workflowRun(patch: Partial<WorkflowRunTrigger> = {}): WorkflowRunTrigger {
  return {
    kind: 'workflow_run',
    event: 'workflow_run',
    ...common,
    action: 'completed',
    workflow: 'Tests',
    conclusion: 'failure',
    cause: 'push',
    runId: 1,
    branch: 'fix',
    headSha: 'a'.repeat(40),
    message: 'Fix auth',
    isFork: false,
    pull: undefined,
    ...patch,
  };
}

/** A group of pull requests in the merge queue. */
export const MERGE_GROUP: MergeGroupTrigger = {
  kind: 'merge_group',
  event: 'merge_group',
  ...common,
  action: 'checks_requested',
  head: { sha: 'a'.repeat(40), ref: 'refs/heads/gh-readonly-queue/main/pr-42' },
  base: { sha: 'b'.repeat(40), ref: 'refs/heads/main' },
};

const scheduled = { kind: 'schedule', event: 'schedule', action: '' } as const;

/** The clock. */
export const SCHEDULE: ScheduleTrigger = { ...common, ...scheduled, cron: '0 4 * * 1' };
