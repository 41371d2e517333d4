import { createAgentLoader } from '../agent/loader.js';
import type { Trigger } from '../event/trigger.js';
import { refPlace } from '../github/agents/read-ref.js';
import type { GitHubClient } from '../github/client/client.js';
import { locationOf } from '../github/reading/contents.js';
import { readCheckedOut } from '../lib/checkout.js';
import { createClock } from '../lib/clock.js';
import { ConfigError } from '../lib/errors.js';
import { createFetch } from '../lib/net/http.js';
import { inspectSchema } from '../loop/json-schema.js';
import { modelProblem } from '../model/model-access.js';
import { dirsAtRef, localAgents } from '../run/agents.js';
import { connectGitHub } from '../run/github.js';
import type { RunReport } from '../run/records.js';
import { validateAgents } from '../run/validate/validate-agents.js';
import type { ValidationDependencies } from '../run/validate/validation.js';
import type { Inputs } from '../runner/inputs/inputs.js';
import type { Runner } from '../runner/runner.js';
import { sanitize } from '../safety/sanitize.js';

/**
 * Looks at agents instead of running one. Whoever caused the event, nothing of theirs is run, and no model, key or memory
 * is in reach, so there is no admission. Throws an AxeError.
 */
export async function runValidateMode({
  inputs,
  trigger,
  runner,
  secrets,
  signal,
}: {
  readonly inputs: Inputs;
  readonly trigger: Trigger;
  readonly runner: Runner;
  readonly secrets: readonly string[];
  readonly signal: AbortSignal;
}): Promise<RunReport> {
  const { env, workspace } = runner;
  const { agent, agentsDir, githubToken } = inputs;
  const log = (line: string) => runner.log(sanitize(line, 'log', secrets));
  const access = { env, fetch: createFetch(env), clock: createClock(), log };
  const connect = async () => await connectGitHub({ ...access, token: githubToken });
  const checked = await openCheckedAgents({
    trigger,
    sha: env['GITHUB_SHA'] ?? '',
    workspace,
    agentsDir,
    connect,
    signal,
  });
  const validation = await validateAgents(
    {
      names: agent === '' ? [] : [agent],
      outputSchema: inputs.outputSchema,
      isFolderNamed: agentsDir !== '',
    },
    {
      ...checked,
      modelProblem: (ref) => modelProblem(ref, { env, config: {} }),
      signal,
      checkSchema: inspectSchema,
    },
  );
  return { kind: 'validated', validation };
}

type CheckedAgents = Pick<ValidationDependencies, 'agents' | 'where'>;

/** Where the agent files of a workflow's commit may be. */
interface AgentSourceOptions {
  readonly trigger: Trigger;
  /** Commit that the workflow runs for (`GITHUB_SHA`); of a pull request its head is taken instead. */
  readonly sha: string;
  /** The checkout, where there is one. */
  readonly workspace: string;
  /** Input `agents-dir`; empty for none. */
  readonly agentsDir: string;
  /** Called where there is no checkout; undefined without a token. */
  readonly connect: () => Promise<GitHubClient | undefined>;
  readonly signal: AbortSignal;
}

/**
 * The agent files that a check is about: those that are checked out, or without a checkout those of the head, by API.
 * Nothing of them is run, so they may be anybody's. Throws a ConfigError where there is neither.
 */
export async function openCheckedAgents(sources: AgentSourceOptions): Promise<CheckedAgents> {
  const { workspace, agentsDir } = sources;
  const commit = await readCheckedOut(workspace);
  const where = commit === undefined ? 'the workspace' : `the checkout of ${commit.slice(0, 7)}`;
  const onDisk = localAgents({ cwd: workspace, agentsDir, configDir: undefined });
  if (commit !== undefined || (await onDisk.listFiles()).length > 0) return { agents: onDisk, where };
  return await openAtHead(sources);
}

async function openAtHead(sources: AgentSourceOptions): Promise<CheckedAgents> {
  const { trigger, agentsDir, workspace, connect, signal } = sources;
  const client = await connect();
  if (client === undefined || trigger.kind === 'local') {
    throw new ConfigError('there are no agents to look at: nothing is checked out, and there is no token', {
      remedy: 'Put `actions/checkout` before this step, or give it its `github-token` back.',
    });
  }
  const { repository } = trigger;
  // A fork's head is a commit of this repository too: GitHub keeps it under `refs/pull/`.
  const sha = trigger.kind === 'pull_request' ? trigger.head.sha : sources.sha;
  const place = { client, repository, ref: sha || repository.defaultBranch };
  return {
    agents: createAgentLoader([refPlace({ ...place, dirs: dirsAtRef(agentsDir), signal, workspace })]),
    where: locationOf(place, '').slice(0, -1),
  };
}
