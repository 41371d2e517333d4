import { parseModelRef } from '../agent/config.js';
import type { RunOutcome } from '../lib/outcome.js';
import { count, formatInteger } from '../lib/text/format.js';
import type { LoopDependencies } from '../loop/events.js';
import { runAgent } from '../loop/run-agent.js';
import { countEntries } from '../memory/run-log.js';
import { noticeOfMissingServers } from '../prompt/notices.js';
import { type FittedPrompt, fitPrompt } from '../prompt/prompt.js';
import { effectsOf } from '../tools/grants.js';
import { type AgentConversation, type LiveRun, openModel } from './conversation.js';
import { openConversationTools } from './conversation-tools.js';
import { requiredReview } from './review-duty.js';
import { createCallAgent } from './sub-agents.js';

/** Holds a conversation with its agent's tools, and closes the tools afterwards. */
export async function holdConversation(
  conversation: AgentConversation,
  run: LiveRun,
): Promise<RunOutcome> {
  const { plan, model, memory, notes, loop, depth, part, purpose } = conversation;
  const { config } = plan.agent;
  const { deps, missed } = run;
  // Throws for a malformed model name before any tool is opened.
  const fallbackRefs = run.request.fallbackModels.map(parseModelRef);

  const { tools, missingServers, close } = await openConversationTools(conversation, run);
  try {
    const caller = { plan, depth, effects: effectsOf(tools), hold: holdConversation };
    const callAgentTool = createCallAgent(caller, run);

    const message = withMissingServers(plan.task.message, missingServers);
    const prompt = { system: plan.prompt, runLog: memory, notes: notes?.prompt, message };
    let fitted = fitPrompt(prompt);
    // Coverage counts what the main conversation read, not verifiers and sub-agents.
    const countsForCoverage = depth === 0 && purpose === undefined;
    // A built-in agent's effort is our default, so there is no warning if the model does not
    // support it.
    const isDefaultEffort = plan.agent.source === 'built-in' && run.request.effort === undefined;
    const usageName = part === undefined ? plan.agent.name : `${plan.agent.name}, ${part}`;
    const outcome = await runAgent(
      {
        model,
        fallbacks: fallbackRefs.map((ref) => () => openModel(deps, ref, { stream: config.stream })),
        retry: config.retry,
        prompt: fitted,
        shrink(maxTokens, windowTokens) {
          fitted = fitPrompt(prompt, maxTokens);
          warnOfShortened(fitted, { windowTokens, runLog: memory }, loop);
          return fitted;
        },
        params: config.params,
        ownSettings: isDefaultEffort ? ['effort'] : undefined,
        tools: callAgentTool === undefined ? tools : [...tools, callAgentTool],
        parallel: config.subAgentsConfig.parallel !== false,
        maxTurns: plan.maxTurns,
        budget: run.budget,
        form: plan.form,
        goal: purpose && { tool: purpose.tool.name, isReached: () => purpose.isReached() },
        // A sub-agent reports to its caller, who makes the review.
        requiredCalls: depth === 0 ? requiredReview(plan, run.publications, tools) : undefined,
      },
      {
        ...loop,
        onReply: run.usage.begin(usageName),
        onCut: countsForCoverage ? () => (missed.isCut = true) : () => undefined,
      },
    );
    if (countsForCoverage) {
      for (const path of fitted.unseen) missed.paths.add(path);
      if (fitted.runLog.length < missed.runLog.length) missed.runLog = fitted.runLog;
    }
    return outcome;
  } finally {
    await close();
  }
}

/**
 * The task, with a line behind it that names MCP servers which are not available: the model cannot
 * know what they would have said. Reasons are for people only, since a server's words can be in
 * them.
 */
function withMissingServers(message: string, servers: readonly string[]): string {
  if (servers.length === 0) return message;
  return `${message}\n\n${noticeOfMissingServers(servers)}`;
}

function warnOfShortened(
  { isShortened, unseen, runLog: fittingLog }: FittedPrompt,
  { windowTokens, runLog }: { readonly windowTokens: number; readonly runLog: string },
  { reporter }: LoopDependencies,
) {
  if (!isShortened) return;
  const entries = countEntries(runLog);
  const missing = entries - countEntries(fittingLog);
  const parts = [
    ...(unseen.length === 0
      ? []
      : [`${count(unseen.length, 'file')} of the diff not shown, or not whole`]),
    ...(missing <= 0
      ? []
      : [`${formatInteger(missing)} of ${count(entries, 'memory entry')} left out`]),
  ];
  const leftOut = parts.length === 0 ? '' : ` (${parts.join('; ')})`;
  const message = `the model takes about ${count(Math.floor(windowTokens), 'token')}, so its prompt was shortened${leftOut}`;
  const remedy =
    'Take a model with a larger context window, or set a larger one on your own server and in `context_window` in `[params]`.';
  reporter.warn({ code: 'context-truncated', message, remedy });
}
