import type { LoadedAgent } from '../agent/agent-source.js';
import { laneOfWords, type TaintTracker } from '../event/taint.js';
import { DEFAULT_MAX_DEPTH } from '../lib/defaults.js';
import { AxeError } from '../lib/errors.js';
import type { RunOutcome } from '../lib/outcome.js';
import { count } from '../lib/text/number.js';
import type { Warning } from '../lib/warning.js';
import type { OpenModel } from '../loop/asker.js';
import { Budget } from '../loop/budget.js';
import type { LoopDependencies } from '../loop/events.js';
import { retryPolicy } from '../loop/retry.js';
import { runAgent } from '../loop/run-agent.js';
import { costLimit, spendBefore, unheldLimits } from '../loop/spend.js';
import { UsageByAgent } from '../loop/usage.js';
import type { Notes } from '../memory/notes/session.js';
import { type FittedPrompt, fitPrompt } from '../prompt/fit-prompt.js';
import { NO_NOTES } from '../prompt/system.js';
import type { ShownLines } from '../review/evidence.js';
import { DEFAULT_PUBLISH_RULES, type PublishRules } from '../review/publish-rules.js';
import { keepSecrets } from '../tools/keep-secrets.js';
import { createMemoryTools } from '../tools/memory/memory-tools.js';
import type { Effect, Tool } from '../tools/tool.js';
import { createCallAgent } from './delegate.js';
import {
  type AgentPosition,
  type ConversationParts,
  type Delegation,
  fallbacksOf,
  goalOf,
} from './delegation.js';
import type { Dependencies } from './dependencies.js';
import { holdConversations } from './hold-conversations.js';
import { spentKeeper } from './keep-spent.js';
import type { RunNotes } from './notes.js';
import { namedNotesTools, notesAreOff } from './plan-notes.js';
import { openPublications, publishingTools } from './publishing-tools.js';
import type { Conversed, Restored, RunRequest } from './request.js';
import { type Plan, readByRun } from './run-plan.js';

/**
 * The fourth step: the conversation of the run's agent, from opening its model to what its end counts as. Throws an
 * AxeError for a model that cannot be opened; whatever the model does is in the outcome.
 */
export async function converse(
  request: RunRequest,
  restored: Restored & { readonly model: Promise<OpenModel> },
  deps: Dependencies,
): Promise<Conversed> {
  const { plan, memory, taint, change } = restored;
  const { clock, reporter } = deps;
  const spend = spendBefore(memory?.facts ?? [], {
    trigger: plan.trigger,
    limits: request.spendLimits,
    now: clock.now(),
  });
  const why = whyUnheld(plan);
  const unheld = why === undefined ? [] : unheldLimits(request.spendLimits, why);
  for (const warning of unheld) deps.reporter.warn(warning);
  const limited = { ...request, ...costLimit(request.maxCostUsd, spend) };
  const run = plan.memory?.entryId ?? clock.newId();
  const open = (id: string) =>
    openPublications(
      {
        trigger: plan.trigger,
        change,
        scope: plan.scope,
        learned: restored.learned,
        facts: memory?.facts ?? [],
        policy: request.diffPolicy,
        isUntrusted: laneOfWords(plan.trust, taint) !== 'trusted',
        run: id,
        overrides: plan.review.overrides,
      },
      rulesOf(plan, deps),
    );
  const publications = open(run);
  const model = await restored.model;
  const notesSession = memory?.notesSession;
  reporter.event({ kind: 'run-started', plan, restored: memory?.restored, notes: notesSession?.found });
  const delegation = createDelegation(
    plan,
    limited,
    { taint, publications, notesSession },
    spentKeeper(plan, spend, deps),
    deps,
  );
  const parts = { model, memory: memory?.text ?? '', notesSession, loop: loopOf(plan, notesSession, deps) };
  const openPass = (name: string) => open(`${run} ${name}`);
  const { unread, ...held } = await holdConversations({ plan, change, parts, openPass }, delegation).finally(
    () => deps.closeTools?.(),
  );
  const read = readByRun(plan, held.outcome, { unread, ...delegation.missed });
  return { ...restored, ...held, read, spend, usage: delegation.usage.all };
}

/** The workflow's rules, with what the agent's file adds to them. */
function rulesOf({ review }: Plan, { publishRules = DEFAULT_PUBLISH_RULES }: Dependencies): PublishRules {
  return { ...publishRules, minSeverity: review.minSeverity ?? publishRules.minSeverity };
}

function loopOf(
  { memory }: Plan,
  notesSession: RunNotes | undefined,
  { clock, reporter, deadline }: Dependencies,
): LoopDependencies {
  return {
    clock,
    reporter,
    signal: deadline.signal,
    leftMs: () => deadline.leftMs(),
    ...(notesSession === undefined || memory?.lane === 'none'
      ? {}
      : { keepSummary: summaryKeeper(notesSession) }),
  };
}

/** What the loop is about to leave out is in the daily log first (memory-tools 1.6). */
function summaryKeeper({ session }: RunNotes): NonNullable<LoopDependencies['keepSummary']> {
  return async ({ text, messages }) => {
    const answer = await session.addSummary(text, messages);
    if (answer.kind === 'failed') throw new AxeError(answer.message);
  };
}

/** Why what this run costs will not be known to others; undefined where it will, as far as can be said before. */
function whyUnheld({ memory }: Plan): string | undefined {
  if (memory === undefined)
    return 'the agent keeps no memory of what its runs cost. Set `enabled = true` in `[memory]` of the agent.';
  return memory.lane === 'none'
    ? 'this run writes no memory, so what it costs is not kept. Leave `memory-readonly` out.'
    : undefined;
}

/** The agents of a run together: its budget and how deep it may delegate are the first agent's to say. */
function createDelegation(
  plan: Plan,
  request: RunRequest,
  shared: Pick<Delegation, 'taint' | 'publications' | 'notesSession'>,
  onCost: (costUsd: number) => void,
  deps: Dependencies,
): Delegation {
  const { subAgentsConfig, budget } = plan.agent.config;
  return {
    request,
    deps,
    budget: new Budget(
      {
        maxTokens: request.tokenLimit(budget.maxTokens),
        maxCostUsd: request.maxCostUsd,
        costInput: request.costInput,
      },
      onCost,
    ),
    usage: new UsageByAgent(),
    missed: { paths: new Set(), isCut: false },
    ...shared,
    maxDepth: subAgentsConfig.maxDepth || DEFAULT_MAX_DEPTH,
    converse: holdConversation,
  };
}

/** An agent's conversation, with the tools it may have; what was opened for it is closed again. */
async function holdConversation(
  plan: Plan,
  parts: ConversationParts,
  delegation: Delegation,
  position: AgentPosition,
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
    callerEffects: position.callerEffects,
    callable: () => agentsBelow(plan.agent, delegation, position.depth),
    signal: parts.loop.signal,
    warn: (warning) => parts.loop.reporter.warn(warning),
  });
  try {
    const { purpose } = parts;
    // Who looks a second time, and a sub-agent, are not the ones whose reading counts.
    const isReader = position.depth === 0 && purpose === undefined;
    const { missed } = delegation;
    const show = (lines: readonly ShownLines[]) => (purpose ?? delegation.publications)?.show(lines);
    const withOwn = (opened: readonly Tool[]): readonly Tool[] => {
      const own = purpose === undefined ? [] : [purpose.tool];
      const all = [...opened, ...overNotes.tools, ...publishing.tools, ...own];
      const kept = keepSecrets(all, delegation.deps.secrets);
      return trackTaint(recordShown(kept, show), delegation.taint);
    };
    const tools = withOwn(box.tools);
    const callAgent = createCallAgent(plan, delegation, {
      depth: position.depth + 1,
      callerEffects: effectsOf(tools),
    });
    const offered = (opened: readonly Tool[]): readonly Tool[] =>
      callAgent === undefined ? opened : [...opened, callAgent];
    const { message } = plan.task;
    const memory = { runLog: parts.memory, ...(parts.notesSession?.prompt ?? NO_NOTES) };
    const prompt = { system: plan.prompt, memory, message };
    let fitted = fitPrompt(prompt);
    const outcome = await runAgent(
      {
        model: parts.model,
        fallbacks,
        retry: retryPolicy(config.retry),
        prompt: fitted,
        shrink(maxTokens, windowTokens) {
          fitted = fitPrompt(prompt, maxTokens);
          warnOfFit(fitted, windowTokens, parts.loop);
          return fitted;
        },
        params: config.params,
        ownSettings: hasOwnEffort(plan, delegation) ? ['effort'] : undefined,
        tools: offered(tools),
        async changedTools() {
          const changed = await box.changed?.();
          return changed === undefined ? undefined : offered(withOwn(changed));
        },
        parallel: config.subAgentsConfig.parallel !== false,
        maxTurns: plan.maxTurns,
        budget: delegation.budget,
        form: plan.form,
        goal: goalOf(purpose),
      },
      {
        ...parts.loop,
        onReply: delegation.usage.begin(nameOf(plan, parts)),
        onCut: isReader ? () => (missed.isCut = true) : () => undefined,
      },
    );
    if (isReader) for (const path of fitted.unseen) missed.paths.add(path);
    return outcome;
  } finally {
    await box.close();
  }
}

/** Whose effort is ours, nobody has to know that a model does not take it. */
function hasOwnEffort({ agent }: Plan, { request }: Delegation): boolean {
  return agent.source === 'built-in' && request.effort === undefined;
}

/** The agents below one that can be loaded; trouble with another is told when it is called. */
async function agentsBelow(
  agent: LoadedAgent,
  { deps, maxDepth }: Delegation,
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
  { shortened, unseen }: FittedPrompt,
  windowTokens: number,
  { reporter }: LoopDependencies,
): void {
  if (shortened.length === 0) return;
  const files =
    unseen.length === 0 ? '' : ` (${count(unseen.length, 'file')} of the diff not shown, or not whole)`;
  const message = `the model takes about ${count(Math.floor(windowTokens), 'token')}, so its prompt was shortened: ${shortened.join(', ')}${files}`;
  const remedy =
    'Take a model with a larger context window, or set a larger one on your own server and in `context_window` in `[params]`.';
  reporter.warn({ code: 'context-truncated', message, remedy });
}

function nameOf({ agent }: Plan, { part }: ConversationParts): string {
  return part === undefined ? agent.name : `${agent.name}, ${part}`;
}

/** Reading and answering are everybody's; the rest is what the agent itself was given. */
function effectsOf(tools: readonly Tool[]): ReadonlySet<Effect> {
  return new Set<Effect>(['read', 'publish', 'memory', ...tools.map(({ effect }) => effect)]);
}

/** The tools, which note what lines of files they show: only those can be named as evidence. */
function recordShown(tools: readonly Tool[], show: (lines: readonly ShownLines[]) => void): readonly Tool[] {
  return tools.map((tool) => ({
    ...tool,
    async execute(input, signal) {
      const result = await tool.execute(input, signal);
      show(result.shown ?? []);
      return result;
    },
  }));
}

/** Effects of tools whose results are anybody's: a program that was started can reach a network too (D46). */
const TAINTING: ReadonlySet<Effect> = new Set(['network', 'execute']);

/** The tools, which tell the tracker what they bring: some with their first call, any other with a result that says so. */
export function trackTaint(tools: readonly Tool[], taint: TaintTracker): readonly Tool[] {
  return tools.map((tool) => ({
    ...tool,
    async execute(input, signal) {
      const source = { kind: 'tool', tool: tool.name } as const;
      if (TAINTING.has(tool.effect)) taint.add(source);
      const result = await tool.execute(input, signal);
      if (result.isTainted === true) taint.add(source);
      return result;
    },
  }));
}

/**
 * Makes the tools over notes that an agent was granted, and gives the agent as its other tools are opened for; `written` is
 * called after each change, and waited for.
 */
function notesTools(
  agent: LoadedAgent,
  notes: RunNotes | undefined,
  written: () => Promise<void>,
): { readonly agent: LoadedAgent; readonly tools: readonly Tool[]; readonly warnings: readonly Warning[] } {
  const { config } = agent;
  const named = namedNotesTools(config.tools);
  const isOther = (name: string) => !named.some((one) => one === name);
  const others = { ...agent, config: { ...config, tools: config.tools.filter(isOther) } };
  if (notes === undefined) {
    // Notes that are on and yet not there were warned of with the reason.
    const isOff = named.length > 0 && !config.memory.notes;
    return { agent: others, tools: [], warnings: isOff ? [notesAreOff(agent.name, named)] : [] };
  }
  const tools = createMemoryTools(heard(notes.session, written), notes.tools);
  return { agent: others, tools, warnings: [] };
}

function heard(notes: Notes, written: () => Promise<void>): Notes {
  return {
    ...notes,
    async change(target, wish) {
      const answer = await notes.change(target, wish);
      if (answer.kind === 'written') await written();
      return answer;
    },
  };
}
