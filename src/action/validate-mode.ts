import { createAgentLoader } from '../agent/loader.js';
import type { Trigger } from '../event/trigger.js';
import { refPlace } from '../github/agents/read-ref.js';
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

interface ModeParts {
  readonly inputs: Inputs;
  readonly trigger: Trigger;
  readonly runner: Runner;
  readonly secrets: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Looks at agents instead of running one. Whoever caused the event, nothing of theirs is run, and no model, key or memory
 * is in reach, so there is no admission. Throws an AxeError.
 */
export async function runValidateMode(parts: ModeParts): Promise<RunReport> {
  const { inputs, runner, signal } = parts;
  const checked = await openCheckedAgents(parts);
  const validation = await validateAgents(
    {
      names: inputs.agent === '' ? [] : [inputs.agent],
      outputSchema: inputs.outputSchema,
      isFolderNamed: inputs.agentsDir !== '',
    },
    {
      ...checked,
      modelProblem: (ref) => modelProblem(ref, { env: runner.env, config: {} }),
      signal,
      checkSchema: inspectSchema,
    },
  );
  return { kind: 'validated', validation };
}

/**
 * The agent files that a check is about: those that are checked out, or without a checkout those of the head, by API.
 * Nothing of them is run, so they may be anybody's. Throws a ConfigError where there is neither.
 */
async function openCheckedAgents({
  inputs: { agentsDir, githubToken },
  trigger,
  runner: { env, workspace, log },
  secrets,
  signal,
}: ModeParts): Promise<Pick<ValidationDependencies, 'agents' | 'where'>> {
  const commit = await readCheckedOut(workspace);
  const onDisk = localAgents({ cwd: workspace, agentsDir, configDir: undefined });
  if (commit !== undefined || (await onDisk.listFiles()).length > 0) {
    const where = commit === undefined ? 'the workspace' : `the checkout of ${commit.slice(0, 7)}`;
    return { agents: onDisk, where };
  }
  const client = await connectGitHub({
    env,
    fetch: createFetch(env),
    clock: createClock(),
    log: (line) => log(sanitize(line, 'log', secrets)),
    token: githubToken,
  });
  if (client === undefined || trigger.kind === 'local') {
    throw new ConfigError('there are no agents to look at: nothing is checked out, and there is no token', {
      remedy: 'Put `actions/checkout` before this step, or give it its `github-token` back.',
    });
  }
  const { repository } = trigger;
  // A fork's head is a commit of this repository too: GitHub keeps it under `refs/pull/`.
  const sha = trigger.kind === 'pull_request' ? trigger.head.sha : env['GITHUB_SHA'];
  const place = { client, repository, ref: sha || repository.defaultBranch };
  return {
    agents: createAgentLoader([refPlace({ ...place, dirs: dirsAtRef(agentsDir), signal, workspace })]),
    where: locationOf(place, '').slice(0, -1),
  };
}
