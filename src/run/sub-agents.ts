import type { LoadedAgent } from '../agent/agent-source.js';
import { parseModelRef } from '../agent/config.js';
import { NO_PUBLICATIONS } from '../findings/buffered-publications.js';
import { noteTimeLeft } from '../lib/clock.js';
import { AxeError, ProviderError } from '../lib/errors.js';
import { errorOf, type RunOutcome } from '../lib/outcome.js';
import { cleanLine } from '../lib/text/format.js';
import type { LoopDependencies } from '../loop/events.js';
import { turnLimitMessage } from '../loop/run-agent.js';
import { skillBody } from '../prompt/prompt.js';
import type { Task } from '../prompt/task.js';
import {
  type AgentCall,
  createCallAgentTool,
  formatEmptyAnswer,
  formatFailedCall,
  formatPartOfAnswer,
} from '../tools/call-agent.js';
import type { Tool, ToolEffect, ToolResult } from '../tools/tool.js';
import { agentWorkdir } from './admit.js';
import {
  type AgentConversation,
  endIfLeaked,
  judgeOutcome,
  type LiveRun,
  openModel,
  priceInRun,
  truncatedAnswerWarning,
} from './conversation.js';
import type { Dependencies, RunEvent } from './dependencies.js';
import {
  chooseMemory,
  memoryWarnings,
  planMemory,
  readPrivateMemory,
  readWholeMemory,
} from './memory.js';
import { answerForm, withInstruction } from './plan.js';
import { UNPUBLISHED } from './publish.js';
import type { Memory, Plan } from './records.js';
import { saveToMemory } from './save.js';

/** All agents that this one can reach and that load; other errors are reported by the call. */
export async function agentsBelow(
  agent: LoadedAgent,
  { deps, maxDepth }: LiveRun,
  depth: number,
): Promise<readonly LoadedAgent[]> {
  const byName = new Map([[agent.name, agent]]);
  let level: readonly LoadedAgent[] = [agent];
  for (let levelDepth = depth; levelDepth < maxDepth && level.length > 0; levelDepth += 1) {
    const names = new Set(level.flatMap(({ config }) => config.subAgents));
    const newNames = [...names].filter((name) => !byName.has(name));
    const loaded = await Promise.all(
      newNames.map((name) => deps.agents.loadAgent(name).catch(() => undefined)),
    );
    level = loaded.filter((subAgent) => subAgent !== undefined);
    for (const subAgent of level) byName.set(subAgent.name, subAgent);
  }
  return [...byName.values()].slice(1);
}

interface Caller {
  readonly plan: Plan;
  readonly depth: number;
  /** Effects of its tools, which are also the limit for its sub-agents. */
  readonly effects: ReadonlySet<ToolEffect>;
  /** Holds the conversation of a sub-agent, in the same way as the caller's own. */
  hold(conversation: AgentConversation, run: LiveRun): Promise<RunOutcome>;
}

/** The tool that calls sub-agents. Undefined if the agent has none, or is at the maximum depth. */
export function createCallAgent(caller: Caller, run: LiveRun): Tool | undefined {
  const names = caller.plan.agent.config.subAgents;
  if (names.length === 0 || caller.depth >= run.maxDepth) return undefined;
  return createCallAgentTool(names, (call, signal) => ask(call, caller, signal, run));
}

/** A failed sub-agent is an answer for the model. Rejects only if the whole run ends. */
async function ask(
  { agent, task, context }: AgentCall,
  caller: Caller,
  signal: AbortSignal,
  run: LiveRun,
): Promise<ToolResult> {
  const { reporter, clock } = run.deps;
  const startedAt = clock.now().getTime();
  reporter.event({ kind: 'sub-agent-called', agent, depth: caller.depth + 1, task });
  const watch = startWatch(caller.plan.agent.config.subAgentsConfig.timeoutSeconds, signal, run);

  const taskLine = `Task: ${task}`;
  const message = context.trim() === '' ? taskLine : `${taskLine}\n\nContext:\n${context}`;
  // In a workflow memory keeps the task alone, without the context that came with it.
  const subAgentTask: Task = run.request.inWorkflow
    ? { sentence: taskLine, message, warnings: [] }
    : { sentence: message, isKeptWhole: true, message, warnings: [] };

  const call = { name: agent, task: subAgentTask, caller, loop: watch.loop };
  try {
    const result = await runSubAgent(call, run).catch((thrown: unknown) => {
      if (thrown instanceof AxeError) return failure(agent, thrown.message);
      signal.throwIfAborted();
      throw thrown;
    });
    const durationMs = clock.now().getTime() - startedAt;
    reporter.event({ kind: 'sub-agent-ended', agent, durationMs, result: result.event });
    return result.answer;
  } finally {
    watch.stop();
  }
}

/** The result for the calling model, and for the log. */
interface Delegated {
  readonly answer: ToolResult;
  readonly event: Extract<RunEvent, { kind: 'sub-agent-ended' }>['result'];
}

interface SubAgentCall {
  readonly name: string;
  readonly task: Task;
  readonly caller: Caller;
  readonly loop: LoopDependencies;
}

async function runSubAgent(call: SubAgentCall, run: LiveRun): Promise<Delegated> {
  const { name, task, caller, loop } = call;
  const { deps } = run;
  const { reporter } = loop;
  const plan = await planSubAgent(name, task, caller.plan, run);
  for (const warning of plan.warnings) reporter.warn(warning);

  const memory = await readSubAgentMemory(plan, run);
  for (const warning of memoryWarnings(plan, memory, deps)) reporter.warn(warning);

  const { params, stream } = plan.agent.config;
  const price = priceInRun(plan.model, params.price, run);
  const model = await withErrorPrefix(
    `failed to create provider for agent "${name}"`,
    () => openModel(deps, plan.model, { ...params, stream, price }),
    // axe reports a missing key without this prefix.
    /^API key for provider /,
  );
  const outcome = await caller.hold(
    {
      plan,
      model,
      memory: memory?.text ?? '',
      notes: memory?.notes,
      loop,
      depth: caller.depth + 1,
      callerEffects: caller.effects,
    },
    run,
  );
  await endIfLeaked(deps);
  await saveSubAgentMemory(plan, memory, outcome, { run, reporter });
  return resultForCaller(name, plan, outcome, reporter);
}

async function readSubAgentMemory(plan: Plan, run: LiveRun): Promise<Memory | undefined> {
  const { memory, subject } = plan;
  if (memory === undefined) return undefined;
  const unsaved = run.notes?.session.changes(false) ?? [];
  const stored = memory.isPrivate
    ? await readPrivateMemory({ ...plan, memory }, run.deps, { unsaved })
    : await readWholeMemory(plan, run.deps, unsaved);
  return stored && chooseMemory(stored, memory, subject);
}

async function saveSubAgentMemory(
  plan: Plan,
  memory: Memory | undefined,
  outcome: RunOutcome,
  { run, reporter }: { readonly run: LiveRun; readonly reporter: LoopDependencies['reporter'] },
): Promise<void> {
  const judged = judgeOutcome(outcome, run.publications?.buffered ?? NO_PUBLICATIONS, run.request);
  const end = {
    plan,
    memory,
    outcome: judged,
    published: UNPUBLISHED,
    facts: [],
  };
  const remembered = await saveToMemory(end, run.deps);
  if (remembered?.result.kind === 'failed') run.lost.push(remembered);

  // The run's report has only the notices of its own entry, but this save can create the branch.
  if (remembered?.result.kind === 'saved')
    for (const message of remembered.result.notices ?? [])
      reporter.warn({ code: 'memory-store-notice', message });
}

function resultForCaller(
  name: string,
  plan: Plan,
  outcome: RunOutcome,
  reporter: LoopDependencies['reporter'],
): Delegated {
  const { stats } = outcome;
  const answer = outcome.kind === 'failed' ? '' : outcome.answer;
  const error = errorOf(outcome);
  const isOverBudget =
    outcome.kind === 'exhausted' && (outcome.limit === 'tokens' || outcome.limit === 'cost');
  if (error === undefined || (isOverBudget && stats.turns > 0)) {
    const text = answer.trim() === '' ? formatEmptyAnswer(name) : answer;
    return { answer: { text, isError: false, stats }, event: { kind: 'answer', text } };
  }

  const { message: detail } = error;
  if (outcome.kind === 'incomplete') {
    reporter.warn(truncatedAnswerWarning(error, `sub-agent "${name}": `));
    // The caller can use this part, but has to know that the end is missing.
    if (answer.trim() !== '') {
      const text = formatPartOfAnswer(name, detail, answer);
      return {
        answer: { text, isError: true, stats },
        event: { kind: 'part', text: answer, detail },
      };
    }
  }

  if (detail === turnLimitMessage('agent', plan.maxTurns))
    return failure(name, turnLimitMessage('sub-agent', plan.maxTurns), stats);
  const refusal = outcome.kind === 'refused' ? cleanLine(answer, MAX_REFUSAL) : '';
  if (refusal !== '') return failure(name, `${detail}: ${refusal}`, stats);
  const failed = failure(name, error.axe ?? detail, stats);
  return { ...failed, event: { kind: 'failure', detail, axe: error.axe } };
}

/** Maximum code points of a refusal in the result for the caller. */
const MAX_REFUSAL = 500;

function failure(name: string, detail: string, stats?: ToolResult['stats']): Delegated {
  const text = formatFailedCall(name, detail);
  return { answer: { text, isError: true, stats }, event: { kind: 'failure', detail } };
}

/** The loop dependencies of a sub-agent: it has its own time limit, and its events are not logged. */
function startWatch(
  timeoutSeconds: number,
  parentSignal: AbortSignal,
  { deps }: LiveRun,
): { readonly loop: LoopDependencies; stop(): void } {
  const { clock, reporter, deadline } = deps;
  const timeout = new AbortController();
  const ended = new AbortController();
  const endsAt =
    timeoutSeconds > 0 ? clock.now().getTime() + timeoutSeconds * 1000 : Number.POSITIVE_INFINITY;
  if (timeoutSeconds > 0) {
    void clock.sleep(timeoutSeconds * 1000, ended.signal).then(() => {
      if (!ended.signal.aborted)
        timeout.abort(
          new ProviderError('timeout', `it reached its time limit of ${timeoutSeconds} s`, {
            axe: 'context deadline exceeded',
          }),
        );
    });
  }

  const signal = AbortSignal.any([parentSignal, timeout.signal]);
  const leftMs = () => Math.min(deadline.leftMs(), endsAt - clock.now().getTime());
  noteTimeLeft(signal, leftMs);
  return {
    loop: {
      clock,
      reporter: { warn: (warning) => reporter.warn(warning), event: () => undefined },
      signal,
      leftMs,
    },
    stop: () => ended.abort(),
  };
}

/**
 * Plans a sub-agent from its own file: model, prompt, skill, files, params and memory. It inherits
 * nothing from its caller except `allowed_hosts`, if its file has none (as newer axe versions do).
 * Throws an AxeError with axe's prefix.
 */
async function planSubAgent(
  name: string,
  task: Task,
  parent: Plan,
  { deps, request }: LiveRun,
): Promise<Plan> {
  const loaded = await withErrorPrefix(`failed to load agent "${name}"`, () =>
    deps.agents.loadAgent(name),
  );
  const allowedHosts =
    loaded.config.allowedHosts.length > 0
      ? loaded.config.allowedHosts
      : parent.agent.config.allowedHosts;
  const agent = { ...loaded, config: { ...loaded.config, allowedHosts } };
  const { config } = agent;

  const model = await withErrorPrefix(`invalid model for agent "${name}"`, async () =>
    parseModelRef(config.model),
  );
  const { workdir, files, skill, warnings } = await readOwnFiles(agent, deps);
  const form = await answerForm(config.params, '', deps);

  return {
    ...parent,
    agent,
    model,
    workdir,
    skill: { path: config.skill, content: skill },
    files,
    task: { ...task, message: withInstruction(task.message, form) },
    form,
    prompt: { systemPrompt: config.systemPrompt, skill, files, language: request.language ?? '' },
    memory: planMemory({ agent, model }, request, deps.clock.newId()),
    warnings,
  };
}

/** Reads the files that an agent's own file names. Throws an AxeError with axe's prefix. */
export async function readOwnFiles(agent: LoadedAgent, deps: Dependencies) {
  const { name, config } = agent;
  const workdir = (await agentWorkdir(agent, deps)) || deps.cwd;
  const { files, warnings } = await withErrorPrefix(
    `failed to resolve files for agent "${name}"`,
    () => deps.agents.loadContextFiles(config.files, workdir, agent),
  );
  const skill = await withErrorPrefix(`failed to load skill for agent "${name}"`, async () =>
    config.skill === '' ? '' : skillBody(await deps.agents.loadSkill(config.skill, agent)),
  );
  return { workdir, files, skill, warnings: [...agent.warnings, ...warnings] };
}

/** Puts axe's prefix before the errors of a step, unless their message matches `unprefixed`. */
async function withErrorPrefix<T>(
  prefix: string,
  work: () => Promise<T>,
  unprefixed?: RegExp,
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof AxeError) || unprefixed?.test(thrown.message)) throw thrown;
    throw new AxeError(`${prefix}: ${thrown.message}`, { ...thrown, cause: thrown });
  }
}
