import { DEFAULT_MAX_DEPTH } from '../core/defaults.js';
import type { Dependencies } from '../core/dependencies.js';
import { Budget } from '../core/loop/budget.js';
import { retryPolicy } from '../core/loop/retry.js';
import { runAgent } from '../core/loop/run-agent.js';
import type { RunOutcome } from '../core/outcome.js';
import type { Plan } from '../core/plan.js';
import { NO_NOTES, withNotes } from '../core/prompt/system.js';
import type { Effect, Tool } from '../core/tools/tool.js';
import { createCallAgent } from './delegate.js';
import { type AgentPosition, type ConversationParts, type Delegation, fallbacksOf } from './delegation.js';
import { notesTools } from './notes-tools.js';
import { publishingTools } from './publishing-tools.js';
import { redactResults } from './redact-results.js';
import { trackTaint } from './track-taint.js';

/** The crew of a run: its budget and how deep it may delegate are the first agent's to say. */
export function createDelegation(
  plan: Plan,
  {
    request,
    taint,
    publications,
    notesSession,
  }: Pick<Delegation, 'request' | 'taint' | 'publications' | 'notesSession'>,
  deps: Dependencies,
): Delegation {
  const { subAgentsConfig, budget } = plan.agent.config;
  return {
    request,
    deps,
    budget: new Budget({
      maxTokens: request.tokenLimit(budget.maxTokens),
      maxCostUsd: request.maxCostUsd,
      ...(request.costInput === undefined ? {} : { costInput: request.costInput }),
    }),
    taint,
    publications,
    notesSession,
    maxDepth: subAgentsConfig.maxDepth || DEFAULT_MAX_DEPTH,
    converse,
  };
}

/** An agent's conversation, with the tools it may have; what was opened for it is closed again. */
export async function converse(
  plan: Plan,
  parts: ConversationParts,
  delegation: Delegation,
  post: AgentPosition,
): Promise<RunOutcome> {
  const { config } = plan.agent;
  const fallbacks = fallbacksOf(delegation);
  const publishing = publishingTools(plan.agent, delegation.publications);
  const overNotes = notesTools(publishing.agent, parts.notesSession, async () => {
    if (plan.memory !== undefined) await parts.notesSession?.keep(delegation.taint.lane(plan.memory.lane));
  });
  for (const warning of [...publishing.warnings, ...overNotes.warnings]) parts.loop.reporter.warn(warning);
  const box = await delegation.deps.openTools({
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
      return trackTaint(redactResults(all, delegation.deps.secrets), delegation.taint);
    };
    const tools = withOwn(box.tools);
    const callAgent = createCallAgent(plan, delegation, {
      depth: post.depth + 1,
      callerEffects: effectsOf(tools),
    });
    const offered = (opened: readonly Tool[]): readonly Tool[] =>
      callAgent === undefined ? opened : [...opened, callAgent];
    const system = withNotes(plan.systemPrompt, {
      runLog: parts.memory,
      ...(parts.notesSession?.prompt ?? NO_NOTES),
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
        budget: delegation.budget,
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
