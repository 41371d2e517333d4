import { outbound } from '../axe/outbound/outbound.js';
import type { AgentLibrary } from '../axe/ports.js';
import type { Trigger } from '../axe/trigger.js';
import type { GitHubClient } from '../github/client/client.js';
import { createClock } from '../host/clock.js';
import { createFetch } from '../host/net/http.js';
import { modelProblem } from '../models/model-problem.js';
import type { RunReport } from '../pipeline/request.js';
import { validateAgents } from '../pipeline/validate/validate-agents.js';
import { openCheckedShelf } from '../world/agent-shelf.js';
import { AGENTS_DIRS } from '../world/agents.js';
import { connectGitHub, type GitHubAccess } from '../world/github.js';
import { inspectSchema } from '../world/schema-compiler.js';
import { connectSharedAgents, createSharedAgents } from '../world/shared-agents.js';
import type { Inputs } from './inputs/inputs.js';
import type { Runner } from './runner/runner.js';

/** What `mode: validate` works with. */
export interface ValidateModeParts {
  readonly inputs: Inputs;
  readonly trigger: Trigger;
  readonly runner: Runner;
  readonly secrets: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Looks at agents instead of running one. Whoever caused the event, nothing of theirs is run, and no model, key or memory
 * is in reach, so there is no gate. Throws an AxeError.
 */
export async function runValidateMode({
  inputs,
  trigger,
  runner,
  secrets,
  signal,
}: ValidateModeParts): Promise<RunReport> {
  const { env, workspace } = runner;
  const { agent, agentsDir, githubToken } = inputs;
  const log = (line: string) => runner.log(outbound(line, 'log', secrets));
  const access = { env, fetch: createFetch(env), clock: createClock(), log };
  const connect = async () => await connectGitHub({ ...access, token: githubToken });
  const shelf = await openCheckedShelf({
    trigger,
    sha: env['GITHUB_SHA'] ?? '',
    workspace,
    agentsDir,
    connect,
    signal,
  });
  const shared = await openShared(inputs, { ...access, connect, signal });
  const validation = await validateAgents(
    {
      names: agent === '' ? [] : [agent],
      outputSchema: inputs.outputSchema,
      isFolderNamed: agentsDir !== '',
    },
    {
      shelf,
      shared,
      modelProblem: (ref) => modelProblem(ref, { env, config: {} }),
      signal,
      checkSchema: inspectSchema,
    },
  );
  return { kind: 'validated', validation };
}

interface SharedParts extends Omit<GitHubAccess, 'token'>, Pick<ValidateModeParts, 'signal'> {
  readonly connect: () => Promise<GitHubClient | undefined>;
}

/** Another repository's agents, which the ones here may name; asked for only where one is not found here. */
async function openShared(
  { agents, agentsDir }: Inputs,
  { connect, signal, ...access }: SharedParts,
): Promise<AgentLibrary | undefined> {
  if (agents.repository === undefined) return undefined;
  const client = agents.token === '' ? await connect() : undefined;
  const shared = await connectSharedAgents(agents, { client, ...access });
  const agentsDirs = agentsDir === '' ? AGENTS_DIRS : [agentsDir, ...AGENTS_DIRS];
  return shared && createSharedAgents(shared, { agentsDirs, signal });
}
