import { createClock } from '../adapters/host/clock.js';
import { inspectSchema } from '../adapters/host/json-schema.js';
import { createFetch } from '../adapters/host/net/http.js';
import { modelProblem } from '../adapters/models/model-problem.js';
import { validateAgents } from '../commands/validate/validate-agents.js';
import { openCheckedSource } from '../composition/agent-source.js';
import { connectGitHub } from '../composition/github.js';
import type { Trigger } from '../core/event/trigger.js';
import { sanitize } from '../core/sanitize/sanitize.js';
import type { RunReport } from '../run/request.js';
import type { Inputs } from './inputs/inputs.js';
import type { Runner } from './runner/runner.js';

/** What `mode: validate` works with. */
interface ValidateModeParts {
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
export async function runValidateMode({
  inputs,
  trigger,
  runner,
  secrets,
  signal,
}: ValidateModeParts): Promise<RunReport> {
  const { env, workspace } = runner;
  const { agent, agentsDir, githubToken } = inputs;
  const log = (line: string) => runner.log(sanitize(line, 'log', secrets));
  const access = { env, fetch: createFetch(env), clock: createClock(), log };
  const connect = async () => await connectGitHub({ ...access, token: githubToken });
  const source = await openCheckedSource({
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
      source,
      modelProblem: (ref) => modelProblem(ref, { env, config: {} }),
      signal,
      checkSchema: inspectSchema,
    },
  );
  return { kind: 'validated', validation };
}
