import type { LoadedAgent } from '../agent/agent-source.js';
import { parseModelRef } from '../agent/model-ref.js';
import { AxeError } from '../lib/errors.js';
import type { OpenModel } from '../loop/asker.js';
import { skillBody } from '../prompt/system.js';
import type { Task } from '../prompt/task.js';
import { type Delegation, openModel } from './delegation.js';
import type { Dependencies } from './dependencies.js';
import { agentWorkdir, answerForm, withInstruction } from './plan.js';
import { type Plan, planMemory } from './run-plan.js';

/** An agent that another one calls. */
export interface SubAgent {
  readonly name: string;
  readonly task: Task;
  /** The calling agent's. */
  readonly parent: Plan;
}

/**
 * The plan of a sub-agent: its own file whole, with model, prompt, skill, files, params and memory. Nothing of its
 * caller's passes down but the hosts it may ask, where its file names none (newer axe). Throws an AxeError with what
 * axe puts before (axe-behaviour §14).
 */
export async function planSubAgent({ name, task, parent }: SubAgent, delegation: Delegation): Promise<Plan> {
  const { deps, request } = delegation;
  const loaded = await withContext(`failed to load agent "${name}"`, () => deps.agents.loadAgent(name));
  const agent = withHostsOf(parent.agent, loaded);
  const { config } = agent;
  const model = await withContext(`invalid model for agent "${name}"`, async () =>
    parseModelRef(config.model),
  );
  const workdir = (await agentWorkdir(agent, deps)) || deps.cwd;
  const { files, warnings } = await withContext(`failed to resolve files for agent "${name}"`, () =>
    deps.agents.loadContextFiles(config.files, workdir, agent),
  );
  const skill = await withContext(`failed to load skill for agent "${name}"`, async () =>
    config.skill === '' ? '' : skillBody(await deps.agents.loadSkill(config.skill, agent)),
  );
  const { trigger, trust } = parent;
  const form = await answerForm(config.params, '', deps);
  return {
    ...parent,
    agent,
    model,
    workdir,
    skill: { path: config.skill, content: skill },
    files,
    stdin: '',
    task: { ...task, message: withInstruction(task.message, form) },
    form,
    prompt: { systemPrompt: config.systemPrompt, skill, files, language: request.language ?? '' },
    memory: planMemory({
      agent,
      model,
      trigger,
      trust,
      origin: request.origin,
      entryId: deps.clock.newId(),
      isReadOnly: request.isMemoryReadOnly,
      wantCount: false,
    }),
    warnings: [...agent.warnings, ...warnings],
  };
}

function withHostsOf({ config: { allowedHosts } }: LoadedAgent, agent: LoadedAgent): LoadedAgent {
  if (agent.config.allowedHosts.length > 0) return agent;
  return { ...agent, config: { ...agent.config, allowedHosts } };
}

/** Opens the model of a sub-agent. Throws an AxeError: a missing key as it is, the rest with what axe puts before. */
export async function openSubAgentModel(
  { agent: { name, config }, model }: Plan,
  deps: Dependencies,
): Promise<OpenModel> {
  try {
    return await openModel(deps, model, config.params);
  } catch (thrown) {
    if (thrown instanceof AxeError && thrown.exitCode === 3) throw thrown;
    return await withContext(`failed to create provider for agent "${name}"`, () => Promise.reject(thrown));
  }
}

async function withContext<T>(before: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof AxeError)) throw thrown;
    throw new AxeError(`${before}: ${thrown.message}`, { exitCode: thrown.exitCode, cause: thrown });
  }
}
