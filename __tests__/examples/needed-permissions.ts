import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_IN_AGENTS } from '../../src/agent/built-in.js';
import type { AgentConfig } from '../../src/agent/config.js';
import { parseAgent } from '../../src/agent/inspect.js';
import {
  eventsOf,
  inputsOf,
  type Job,
  ownSteps,
  type Permissions,
  type Step,
  type Workflow,
} from '../helpers/workflow-files.js';

/** What a job does that GitHub asks a permission for. */
interface Use {
  readonly events: readonly string[];
  readonly inputs: Readonly<Record<string, string>>;
  /** Undefined for a step that is not ours. */
  readonly agent: AgentConfig | undefined;
  readonly step: Step;
  /** The job's `if`; empty for none. */
  readonly condition: string;
}

/** A permission, what it is for (as `docs/events.md` has it), and who needs it. */
export interface Need {
  readonly scope: string;
  readonly level: 'read' | 'write';
  readonly what: string;
  isNeeded(use: Use): boolean;
}

/**
 * Every permission that a run can need: the table of `docs/events.md` is made of these rows, in
 * this order.
 */
export const NEEDS: readonly Need[] = [
  {
    scope: 'contents',
    level: 'read',
    what: 'Agent, skill, context files and the diff',
    isNeeded: () => true,
  },
  {
    scope: 'contents',
    level: 'write',
    what: 'Memory on a branch (`memory-store: branch`), `mode: gc`, `open_pull_request`, `push_to_pull_request`, a step of yours that pushes',
    isNeeded: ({ inputs, agent, step }) =>
      pushes(step) ||
      opensPulls(inputs, agent) ||
      inputs['mode'] === 'gc' ||
      ((inputs['memory-store'] ?? 'branch') === 'branch' &&
        (inputs['memory-repo'] === undefined || inputs['repositories-token'] === undefined) &&
        agent?.memory.enabled === true),
  },
  {
    scope: 'pull-requests',
    level: 'read',
    what: 'A pull request: its changed files, conversations and commits',
    isNeeded: isRunAboutPulls,
  },
  {
    scope: 'pull-requests',
    level: 'write',
    what: 'The review or comment on it, labels of it, the reaction to a comment on a line, `open_pull_request`, `report-to: pull-request`',
    isNeeded: (use) =>
      (use.inputs['comment'] !== 'never' && isRunAboutPulls(use)) ||
      use.inputs['report-to'] === 'pull-request' ||
      opensPulls(use.inputs, use.agent),
  },
  {
    scope: 'issues',
    level: 'read',
    what: 'The conversation, and issues that a pull request closes',
    isNeeded: ({ events, agent }) =>
      agent !== undefined && (events.some(isAboutTalk) || agent.tools.includes('github_comments')),
  },
  {
    scope: 'issues',
    level: 'write',
    what: 'The answer to a comment on an issue and the reaction to it, labels of issues, `create_issue`, `report-to: issue`',
    isNeeded: ({ events, inputs, agent, step, condition }) =>
      (agent !== undefined &&
        events.includes('issue_comment') &&
        !isForPullsAlone(condition) &&
        inputs['comment'] !== 'never') ||
      (events.includes('issues') &&
        (inputs['comment'] === 'always' || inputs['labels-allowed'] !== undefined)) ||
      inputs['report-to'] === 'issue' ||
      agent?.tools.includes('create_issue') === true ||
      step.run?.includes('gh issue edit') === true,
  },
  {
    scope: 'checks',
    level: 'read',
    what: 'Checks that failed',
    isNeeded: isRunAboutPulls,
  },
  {
    scope: 'statuses',
    level: 'read',
    what: 'Commit statuses that failed',
    isNeeded: isRunAboutPulls,
  },
  {
    scope: 'actions',
    level: 'read',
    what: 'The ends of their logs',
    isNeeded: isRunAboutPulls,
  },
  {
    scope: 'checks',
    level: 'write',
    what: '`check-run: true`',
    isNeeded: ({ inputs }) => inputs['check-run'] === 'true',
  },
  {
    scope: 'id-token',
    level: 'write',
    what: 'Bedrock, Vertex AI or Azure without a stored key',
    isNeeded: ({ step: { env = {} } }) =>
      ['AWS_ROLE_ARN', 'GOOGLE_WORKLOAD_IDENTITY_PROVIDER', 'AZURE_CLIENT_ID'].some(
        (name) => name in env,
      ),
  },
];

/** The least that a job can do its work with. */
export function neededPermissions(job: Job, workflow: Workflow): Permissions {
  const events = eventsOf(workflow).flatMap(([name]) =>
    name === 'workflow_call' ? ['pull_request'] : [name],
  );
  const ours = ownSteps(job);
  const needed: Record<string, string> = {};
  for (const step of job.steps ?? []) {
    const inputs = inputsOf(step, workflow);
    const isRun =
      ours.includes(step) && inputs['mode'] !== 'memory' && inputs['mode'] !== 'validate';
    const asked = isRun ? agentOf(inputs['agent'] ?? '') : undefined;
    for (const { scope, level, isNeeded } of NEEDS) {
      if (isNeeded({ events, inputs, agent: asked, step, condition: job.if ?? '' }))
        needed[scope] = needed[scope] === 'write' ? 'write' : level;
    }
  }
  return needed;
}

/** The agent of an example: a built-in one or one of `examples/agents`. Throws if there is none. */
export function agentOf(name: string): AgentConfig {
  const builtIn = BUILT_IN_AGENTS.find((agent) => agent.name === name);
  const file = join(import.meta.dirname, '../../examples/agents', `${name}.toml`);
  return parseAgent(builtIn?.toml ?? readFileSync(file, 'utf8'), { name, file }).config;
}

/** Of comments those below pull requests, for which their own permission is enough. */
function isForPullsAlone(condition: string): boolean {
  return /(?<!!)github\.event\.issue\.pull_request/.test(condition);
}

/** The mirror: of comments those on issues. */
function isForIssuesAlone(condition: string): boolean {
  return condition.includes('!github.event.issue.pull_request');
}

function isAboutPulls(event: string): boolean {
  return event.startsWith('pull_request') || event === 'issue_comment' || event === 'workflow_run';
}

function isAboutTalk(event: string): boolean {
  return (isAboutPulls(event) && event !== 'workflow_run') || event === 'issues';
}

function isRunAboutPulls({ events, agent, condition }: Use): boolean {
  const isAboutThem = (event: string) =>
    isAboutPulls(event) && !(event === 'issue_comment' && isForIssuesAlone(condition));
  return agent !== undefined && events.some(isAboutThem);
}

function opensPulls(inputs: Use['inputs'], agent: AgentConfig | undefined): boolean {
  return (
    inputs['changes-allowed'] !== undefined && agent?.tools.includes('open_pull_request') === true
  );
}

function pushes({ run }: Step): boolean {
  return run?.includes('git push') === true;
}
