import type { AgentConfig } from '../../agent/config.js';

/** A step of a job, with the facts that decide about its permissions. */
interface PermissionFacts {
  readonly events: readonly string[];
  readonly inputs: Readonly<Record<string, string>>;
  /** Undefined for a step that runs no agent. */
  readonly agent: AgentConfig | undefined;
  readonly env: Readonly<Record<string, unknown>>;
  /** The script of a step that is not ours; empty for none. */
  readonly script: string;
  /** The job's `if`; empty for none. */
  readonly condition: string;
}

/** A permission with its purpose, in the words of `docs/events.md`. */
interface Need {
  readonly scope: string;
  readonly level: 'read' | 'write';
  readonly purpose: string;
  /** The run fails without it. Without another permission it goes on, and leaves out its purpose. */
  readonly isRequired?: true;
  isNeeded(use: PermissionFacts): boolean;
}

/** Every permission that a run can need, in the order of the table in `docs/events.md`. */
export const NEEDS: readonly Need[] = [
  {
    scope: 'contents',
    level: 'read',
    purpose: 'Agent, skill, context files and the diff',
    isRequired: true,
    isNeeded: () => true,
  },
  {
    scope: 'contents',
    level: 'write',
    purpose:
      'Memory on a branch (`memory-store: branch`), `mode: gc`, `open_pull_request`, `push_to_pull_request`, a step of yours that pushes',
    isNeeded: ({ inputs, agent, script }) =>
      pushes(script) ||
      opensPulls(inputs, agent) ||
      inputs['mode'] === 'gc' ||
      ((inputs['memory-store'] ?? 'branch') === 'branch' &&
        (inputs['memory-repo'] === undefined || inputs['repositories-token'] === undefined) &&
        agent?.memory.enabled === true),
  },
  {
    scope: 'pull-requests',
    level: 'read',
    purpose: 'A pull request: its changed files, conversations and commits',
    isRequired: true,
    isNeeded: isRunAboutPulls,
  },
  {
    scope: 'pull-requests',
    level: 'write',
    purpose:
      'The review of a pull request or the comment on it, its labels, the reaction to a comment on a line, `open_pull_request`, `report-to: pull-request`',
    isNeeded: (facts) =>
      (facts.inputs['comment'] !== 'never' && isRunAboutPulls(facts)) ||
      facts.inputs['report-to'] === 'pull-request' ||
      opensPulls(facts.inputs, facts.agent),
  },
  {
    scope: 'issues',
    level: 'read',
    purpose: 'The conversation, and issues that a pull request closes',
    isNeeded: ({ events, agent }) =>
      agent !== undefined && (events.some(isAboutTalk) || agent.tools.includes('github_comments')),
  },
  {
    scope: 'issues',
    level: 'write',
    purpose:
      'The answer to a comment on an issue and the reaction to it, labels of issues, `create_issue`, `report-to: issue`',
    isRequired: true,
    isNeeded: ({ events, inputs, agent, script, condition }) =>
      (agent !== undefined &&
        events.includes('issue_comment') &&
        !isForPullsAlone(condition) &&
        inputs['comment'] !== 'never') ||
      (events.includes('issues') &&
        (inputs['comment'] === 'always' || inputs['labels-allowed'] !== undefined)) ||
      inputs['report-to'] === 'issue' ||
      agent?.tools.includes('create_issue') === true ||
      script.includes('gh issue edit'),
  },
  {
    scope: 'checks',
    level: 'read',
    purpose: 'Checks that failed',
    isNeeded: isRunAboutPulls,
  },
  {
    scope: 'statuses',
    level: 'read',
    purpose: 'Commit statuses that failed',
    isNeeded: isRunAboutPulls,
  },
  {
    scope: 'actions',
    level: 'read',
    purpose: 'The ends of their logs',
    isNeeded: isRunAboutPulls,
  },
  {
    scope: 'checks',
    level: 'write',
    purpose: '`check-run: true`',
    isNeeded: ({ inputs }) => inputs['check-run'] === 'true',
  },
  {
    scope: 'id-token',
    level: 'write',
    purpose: 'Bedrock, Vertex AI or Azure without a stored key',
    isRequired: true,
    isNeeded: ({ env }) =>
      ['AWS_ROLE_ARN', 'GOOGLE_WORKLOAD_IDENTITY_PROVIDER', 'AZURE_CLIENT_ID'].some(
        (name) => name in env,
      ),
  },
];

/** Only comments on pull requests start the job, so it needs no permission for issues. */
export function isForPullsAlone(condition: string): boolean {
  return /(?<!!)github\.event\.issue\.pull_request/.test(condition);
}

/** The opposite: only comments on issues start the job. */
export function isForIssuesAlone(condition: string): boolean {
  return condition.includes('!github.event.issue.pull_request');
}

function isAboutPulls(event: string): boolean {
  return event.startsWith('pull_request') || event === 'issue_comment' || event === 'workflow_run';
}

function isAboutTalk(event: string): boolean {
  return (isAboutPulls(event) && event !== 'workflow_run') || event === 'issues';
}

function isRunAboutPulls({ events, agent, condition }: PermissionFacts): boolean {
  const isAboutThem = (event: string) =>
    isAboutPulls(event) && !(event === 'issue_comment' && isForIssuesAlone(condition));
  return agent !== undefined && events.some(isAboutThem);
}

function opensPulls(inputs: PermissionFacts['inputs'], agent: AgentConfig | undefined): boolean {
  return (
    inputs['changes-allowed'] !== undefined && agent?.tools.includes('open_pull_request') === true
  );
}

function pushes(script: string): boolean {
  return script.includes('git push');
}
