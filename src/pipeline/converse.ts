import { DEFAULT_MAX_DEPTH } from '../axe/defaults.js';
import { Budget } from '../axe/loop/budget.js';
import type { RunOutcome } from '../axe/loop/outcome.js';
import { retryPolicy } from '../axe/loop/retry.js';
import { runAgent } from '../axe/loop/run-agent.js';
import type { Plan } from '../axe/plan.js';
import type { World } from '../axe/ports.js';
import { NO_NOTES, withNotes } from '../axe/prompt/system.js';
import type { Effect, Tool } from '../axe/tools/tool.js';
import { type ConversationParts, type Crew, fallbacksOf, type Post } from './crew.js';
import { createCallAgent } from './delegate.js';
import { notesTools } from './notes-tools.js';
import { publishingTools } from './publishing-tools.js';
import { redactResults } from './redact-results.js';
import { trackTaint } from './track-taint.js';

/** The crew of a run: its budget and how deep it may delegate are the first agent's to say. */
export function formCrew(
  plan: Plan,
  { request, taint, publications, desk }: Pick<Crew, 'request' | 'taint' | 'publications' | 'desk'>,
  world: World,
): Crew {
  const { subAgentsConfig, budget } = plan.agent.config;
  return {
    request,
    world,
    budget: new Budget({
      maxTokens: request.tokenLimit(budget.maxTokens),
      maxCostUsd: request.maxCostUsd,
      ...(request.costInput === undefined ? {} : { costInput: request.costInput }),
    }),
    taint,
    publications,
    desk,
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
  const overNotes = notesTools(publishing.agent, parts.desk, async () => {
    if (plan.memory !== undefined) await parts.desk?.keep(crew.taint.lane(plan.memory.lane));
  });
  for (const warning of [...publishing.warnings, ...overNotes.warnings]) parts.loop.reporter.warn(warning);
  const box = await crew.world.openTools({
    agent: overNotes.agent,
    workdir: plan.workdir,
    trust: plan.trust,
    callerEffects: post.callerEffects,
    signal: parts.loop.signal,
    warn: (warning) => parts.loop.reporter.warn(warning),
  });
  if (box.commandsAreJailed !== undefined) {
    parts.loop.reporter.event({ kind: 'commands-allowed', areJailed: box.commandsAreJailed });
  }
  try {
    const withOwn = (opened: readonly Tool[]): readonly Tool[] => {
      const all = [...opened, ...overNotes.tools, ...publishing.tools];
      return trackTaint(redactResults(all, crew.world.secrets), crew.taint);
    };
    const tools = withOwn(box.tools);
    const callAgent = createCallAgent(plan, crew, {
      depth: post.depth + 1,
      callerEffects: effectsOf(tools),
    });
    const offered = (opened: readonly Tool[]): readonly Tool[] =>
      callAgent === undefined ? opened : [...opened, callAgent];
    const system = withNotes(plan.systemPrompt, {
      runLog: parts.memory,
      ...(parts.desk?.prompt ?? NO_NOTES),
    });
    const memory = system.slice(plan.systemPrompt.length);
    return await runAgent(
      {
        model: parts.model,
        fallbacks,
        retry: retryPolicy(config.retry),
        system,
        ...(memory === '' ? {} : { memory }),
        message: plan.task.message,
        params: config.params,
        tools: offered(tools),
        async changedTools() {
          const changed = await box.changed?.();
          return changed === undefined ? undefined : offered(withOwn(changed));
        },
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
