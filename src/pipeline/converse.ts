import { DEFAULT_MAX_DEPTH } from '../axe/defaults.js';
import { Budget } from '../axe/loop/budget.js';
import type { RunOutcome } from '../axe/loop/outcome.js';
import { retryPolicy } from '../axe/loop/retry.js';
import { runAgent } from '../axe/loop/run-agent.js';
import type { Plan } from '../axe/plan.js';
import type { World } from '../axe/ports.js';
import { appendMemory } from '../axe/prompt/system.js';
import type { Effect, Tool } from '../axe/tools/tool.js';
import { type ConversationParts, type Crew, fallbacksOf, type Post } from './crew.js';
import { createCallAgent } from './delegate.js';
import { publishingTools } from './publishing-tools.js';
import { noted, type Reading } from './reading.js';

/** The crew of a run: its budget and how deep it may delegate are the first agent's to say. */
export function formCrew(
  plan: Plan,
  { request, publications }: Pick<Crew, 'request' | 'publications'>,
  world: World,
): Crew {
  const { subAgentsConfig, budget } = plan.agent.config;
  return {
    request,
    world,
    budget: new Budget({ maxTokens: request.tokenLimit(budget.maxTokens), maxCostUsd: request.maxCostUsd }),
    publications,
    maxDepth: subAgentsConfig.maxDepth || DEFAULT_MAX_DEPTH,
    converse,
  };
}

/** An agent's conversation, with the tools it may have; what was opened for it is closed again. */
export async function converse(
  plan: Plan,
  parts: ConversationParts,
  crew: Crew,
  post: Post,
): Promise<RunOutcome> {
  const { config } = plan.agent;
  const fallbacks = fallbacksOf(crew);
  const publishing = publishingTools(plan.agent, crew.publications);
  for (const warning of publishing.warnings) parts.loop.reporter.warn(warning);
  const box = await crew.world.openTools({
    agent: publishing.agent,
    workdir: plan.workdir,
    trust: plan.trust,
    callerEffects: post.callerEffects,
    signal: parts.loop.signal,
    warn: (warning) => parts.loop.reporter.warn(warning),
  });
  try {
    const reading: Reading = { isTainted: false };
    const tools = noted([...box.tools, ...publishing.tools], reading);
    const callAgent = createCallAgent(plan, crew, {
      depth: post.depth + 1,
      callerEffects: effectsOf(tools),
      callerReading: reading,
    });
    return await runAgent(
      {
        model: parts.model,
        fallbacks,
        retry: retryPolicy(config.retry),
        system: appendMemory(plan.systemPrompt, parts.memory),
        message: plan.task.message,
        params: config.params,
        tools: callAgent === undefined ? tools : [...tools, callAgent],
        parallel: config.subAgentsConfig.parallel !== false,
        maxTurns: plan.maxTurns,
        budget: crew.budget,
        form: plan.form,
      },
      parts.loop,
    );
  } finally {
    await box.close();
  }
}

/** Reading and answering are everybody's; the rest is what the agent itself was given. */
function effectsOf(tools: readonly Tool[]): ReadonlySet<Effect> {
  return new Set<Effect>(['read', 'publish', 'memory', ...tools.map(({ effect }) => effect)]);
}
