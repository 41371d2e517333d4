import { resolve } from 'node:path';
import type { LoadedAgent } from '../agent/agent-source.js';
import { parseModelRef } from '../agent/config.js';
import type { TaintTracker } from '../event/trust.js';
import type { RunOutcome } from '../lib/outcome.js';
import { count } from '../lib/text/format.js';
import type { LoopDependencies } from '../loop/events.js';
import { runAgent } from '../loop/run-agent.js';
import { type FittedPrompt, fitPrompt } from '../prompt/fit-prompt.js';
import type { ShownLines } from '../review/evidence.js';
import { effectsOf, keepSecrets } from '../tools/effects.js';
import type { Effect, Tool } from '../tools/tool.js';
import { createCiter } from './cite.js';
import { type AgentConversation, type LiveRun, openModel } from './conversation.js';
import { createCallAgent } from './delegate.js';
import { notesTools } from './notes.js';
import { publishingTools } from './publishing-tools.js';

/** Holds a conversation with the tools that its agent may have; what was opened for it is closed again. */
export async function holdConversation(conversation: AgentConversation, run: LiveRun): Promise<RunOutcome> {
  const { plan, model, memory, notes, loop, depth, callerEffects, part, purpose } = conversation;
  const { config } = plan.agent;
  const { deps, missed, taint } = run;
  // A malformed one is an error before anything is opened.
  const fallbackRefs = run.request.fallbackModels.map(parseModelRef);
  const publishing = publishingTools(plan.agent, run.publications);
  const citer = createCiter(notes, run.change, resolve(deps.cwd, plan.workdir), deps);
  const written = async () => {
    if (plan.memory !== undefined) await notes?.keep(taint.lane(plan.memory.lane));
  };
  const overNotes = notesTools(publishing.agent, notes, written, citer.cite);
  for (const warning of [...publishing.warnings, ...overNotes.warnings]) loop.reporter.warn(warning);
  const box = await deps.openTools({
    agent: overNotes.agent,
    workdir: plan.workdir,
    trust: plan.trust,
    callerEffects,
    callable: () => agentsBelow(plan.agent, run, depth),
    signal: loop.signal,
    warn: (warning) => loop.reporter.warn(warning),
  });
  try {
    // Who looks a second time, and a sub-agent, are not the ones whose reading counts.
    const isReader = depth === 0 && purpose === undefined;
    const show = (lines: readonly ShownLines[]) => {
      (purpose ?? run.publications)?.show(lines);
      citer.show(lines);
    };
    const own = purpose === undefined ? [] : [purpose.tool];
    const all = [...box.tools, ...overNotes.tools, ...publishing.tools, ...own];
    const tools = trackTools(keepSecrets(all, deps.secrets), taint, show);
    const callAgent = createCallAgent({ plan, depth, effects: effectsOf(tools) }, run, holdConversation);
    const { message } = plan.task;
    const prompt = { system: plan.prompt, runLog: memory, notes: notes?.prompt, message };
    let fitted = fitPrompt(prompt);
    const outcome = await runAgent(
      {
        model,
        fallbacks: fallbackRefs.map((ref) => () => openModel(deps, ref)),
        retry: config.retry,
        prompt: fitted,
        shrink(maxTokens, windowTokens) {
          fitted = fitPrompt(prompt, maxTokens);
          warnOfFit(fitted, windowTokens, loop);
          return fitted;
        },
        params: config.params,
        // Whose effort is ours, nobody has to know that a model does not take it.
        ownSettings:
          plan.agent.source === 'built-in' && run.request.effort === undefined ? ['effort'] : undefined,
        tools: callAgent === undefined ? tools : [...tools, callAgent],
        parallel: config.subAgentsConfig.parallel !== false,
        maxTurns: plan.maxTurns,
        budget: run.budget,
        form: plan.form,
        goal: purpose && { tool: purpose.tool.name, isReached: () => purpose.isReached() },
      },
      {
        ...loop,
        onReply: run.usage.begin(part === undefined ? plan.agent.name : `${plan.agent.name}, ${part}`),
        onCut: isReader ? () => (missed.isCut = true) : () => undefined,
      },
    );
    if (isReader) for (const path of fitted.unseen) missed.paths.add(path);
    return outcome;
  } finally {
    await box.close();
  }
}

/** The agents below one that can be loaded; trouble with another is told when it is called. */
async function agentsBelow(
  agent: LoadedAgent,
  { deps, maxDepth }: LiveRun,
  depth: number,
): Promise<readonly LoadedAgent[]> {
  const found = new Map([[agent.name, agent]]);
  let level: readonly LoadedAgent[] = [agent];
  for (let at = depth; at < maxDepth && level.length > 0; at += 1) {
    const names = level.flatMap(({ config }) => config.subAgents).filter((name) => !found.has(name));
    const loaded = await Promise.all(
      [...new Set(names)].map((name) => deps.agents.loadAgent(name).catch(() => undefined)),
    );
    level = loaded.filter((one) => one !== undefined);
    for (const one of level) found.set(one.name, one);
  }
  found.delete(agent.name);
  return [...found.values()];
}

function warnOfFit(
  { isShortened, unseen }: FittedPrompt,
  windowTokens: number,
  { reporter }: LoopDependencies,
): void {
  if (!isShortened) return;
  const files =
    unseen.length === 0 ? '' : ` (${count(unseen.length, 'file')} of the diff not shown, or not whole)`;
  const message = `the model takes about ${count(Math.floor(windowTokens), 'token')}, so its prompt was shortened${files}`;
  const remedy =
    'Take a model with a larger context window, or set a larger one on your own server and in `context_window` in `[params]`.';
  reporter.warn({ code: 'context-truncated', message, remedy });
}

/** Effects of tools whose results are anybody's: a program that was started can reach a network too (D46). */
const TAINTING: ReadonlySet<Effect> = new Set(['network', 'execute']);

/**
 * The tools, which note what lines of files they show, since only those can be named as evidence, and what they bring that is
 * anybody's: some with their first call, any other with a result that says so.
 */
function trackTools(
  tools: readonly Tool[],
  taint: TaintTracker,
  show: (lines: readonly ShownLines[]) => void,
): readonly Tool[] {
  return tools.map((tool) => ({
    ...tool,
    async execute(input, signal) {
      const source = { kind: 'tool', tool: tool.name } as const;
      if (TAINTING.has(tool.effect)) taint.add(source);
      const result = await tool.execute(input, signal);
      if (result.isTainted === true) taint.add(source);
      show(result.shown ?? []);
      return result;
    },
  }));
}
