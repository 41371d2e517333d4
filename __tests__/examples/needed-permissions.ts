import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_IN_AGENTS } from '../../src/agent/built-in.js';
import type { AgentConfig } from '../../src/agent/config.js';
import { parseAgent } from '../../src/agent/inspect.js';
import { NEEDS } from '../../src/runner/workflow/needed-permissions.js';
import {
  eventsOf,
  inputsOf,
  type Job,
  ownSteps,
  type Permissions,
  type Workflow,
} from '../helpers/workflow-files.js';

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
    const facts = {
      events,
      inputs,
      env: step.env ?? {},
      script: step.run ?? '',
      condition: job.if ?? '',
    };
    for (const { scope, level, isNeeded } of NEEDS) {
      if (isNeeded({ ...facts, agent: asked }))
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
