import { resolve } from 'node:path';
import { AxeError, ProviderError } from '../lib/errors.js';
import type { RunOutcome, RunStats } from '../lib/outcome.js';
import { cleanLine } from '../lib/text/cut.js';
import { count } from '../lib/text/number.js';
import type { LoopDependencies } from '../loop/events.js';
import { turnLimitMessage } from '../loop/run-agent.js';
import type { Task } from '../prompt/task.js';
import { NOTHING_BUFFERED } from '../review/buffered.js';
import type { Tool, ToolResult } from '../tools/tool.js';
import { cutWarning, judge } from './conversation.js';
import type { AgentPosition, Delegation } from './delegation.js';
import type { Reporter, RunEvent } from './dependencies.js';
import { planNotes } from './plan-notes.js';
import { openSubAgentModel, planSubAgent, type SubAgent } from './plan-sub-agent.js';
import { UNPUBLISHED } from './publish.js';
import type { Remembered } from './request.js';
import { memoryWarnings, notesWarnings, readMemory } from './restore.js';
import type { Plan } from './run-plan.js';
import { remember } from './save.js';

/**
 * The tool by which an agent asks its sub-agents; undefined without any, or where its level is the last one. Name,
 * texts and checks are axe's (axe-behaviour §14).
 */
export function createCallAgent(
  plan: Plan,
  delegation: Delegation,
  position: AgentPosition,
): Tool | undefined {
  const names = plan.agent.config.subAgents;
  if (names.length === 0 || position.depth > delegation.maxDepth) return undefined;
  const listed = names.join(', ');
  return {
    name: 'call_agent',
    effect: 'read',
    description: `Delegate a task to a sub-agent. The sub-agent runs independently with its own context and returns only its final result. Available agents: ${listed}`,
    inputSchema: {
      type: 'object',
      properties: {
        agent: { type: 'string', description: `Name of the sub-agent to invoke (must be one of: ${listed})` },
        task: { type: 'string', description: 'What you need the sub-agent to do' },
        context: { type: 'string', description: 'Additional context from your conversation to pass along' },
      },
      required: ['agent', 'task'],
    },
    execute: (input, signal) => callAgent(input, plan, position, signal, delegation),
  };
}

/** `plan` is the calling agent's, and `position` that of the called one. */
async function callAgent(
  input: unknown,
  plan: Plan,
  position: AgentPosition,
  signal: AbortSignal,
  delegation: Delegation,
): Promise<ToolResult> {
  const { agent, task, context } = readInput(input);
  if (agent === '') return refusal('"agent" argument is required');
  if (task === '') return refusal('"task" argument is required');
  if (!plan.agent.config.subAgents.includes(agent)) {
    return refusal(`agent "${agent}" is not in this agent's sub_agents list`);
  }
  const { reporter, clock } = delegation.deps;
  const startedAt = clock.now().getTime();
  reporter.event({ kind: 'sub-agent-called', agent, depth: position.depth, task });
  const called = { name: agent, task: taskOf(task, context, delegation), parent: plan };
  const watch = startWatch(plan.agent.config.subAgentsConfig.timeoutSeconds, signal, delegation);
  try {
    const result = await runSubAgent(called, position, watch.loop, delegation).catch((thrown: unknown) =>
      failure(agent, thrown, signal),
    );
    const durationMs = clock.now().getTime() - startedAt;
    reporter.event({ kind: 'sub-agent-ended', agent, durationMs, result: result.event });
    return result.answer;
  } finally {
    watch.stop();
  }
}

/** What the sub-agent is told, and what is remembered of it: in a workflow not what was sent along (D9). */
function taskOf(task: string, context: string, { request }: Delegation): Task {
  const sentence = `Task: ${task}`;
  const message = context.trim() === '' ? sentence : `${sentence}\n\nContext:\n${context}`;
  if (request.inWorkflow) return { sentence, message, warnings: [] };
  return { sentence: message, isKeptWhole: true, message, warnings: [] };
}

/** Every argument is text in axe; what is not text is written as JSON. */
function readInput(input: unknown): {
  readonly agent: string;
  readonly task: string;
  readonly context: string;
} {
  const given = new Map(typeof input === 'object' && input !== null ? Object.entries(input) : []);
  const text = (name: string): string => {
    const value: unknown = given.get(name);
    if (value === undefined || value === null) return '';
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
  return { agent: text('agent'), task: text('task'), context: text('context') };
}

function refusal(reason: string): ToolResult {
  return { text: `call_agent error: ${reason}`, isError: true };
}

/** The answer for the model, and what is told of it. */
interface Delegated {
  readonly answer: ToolResult;
  readonly event: Extract<RunEvent, { kind: 'sub-agent-ended' }>['result'];
}

async function runSubAgent(
  run: SubAgent,
  position: AgentPosition,
  loop: LoopDependencies,
  delegation: Delegation,
): Promise<Delegated> {
  const { deps } = delegation;
  const plan = await planSubAgent(run, delegation);
  for (const warning of plan.warnings) loop.reporter.warn(warning);
  const memory = await readMemory(plan.agent, plan.memory, deps, {
    plan: planNotes({ ...plan, workdir: resolve(deps.cwd, plan.workdir), isSubAgent: true }),
    unsaved: delegation.notesSession?.session.changes('trusted') ?? [],
  });
  if (memory !== undefined) {
    for (const warning of memoryWarnings(plan, memory.restored, deps)) loop.reporter.warn(warning);
    for (const warning of notesWarnings(memory)) loop.reporter.warn(warning);
  }
  const model = await openSubAgentModel(plan, deps);
  const parts = { model, memory: memory?.text ?? '', notesSession: memory?.notesSession, loop };
  const outcome = await delegation.converse(plan, parts, delegation, position);
  const judged = judge(outcome, delegation.publications?.buffered ?? NOTHING_BUFFERED, delegation.request);
  const end = { plan, memory, outcome: judged, taint: delegation.taint, published: UNPUBLISHED, facts: [] };
  logNotices(await remember(end, deps), loop.reporter);
  switch (outcome.kind) {
    case 'completed':
      if (outcome.answer.trim() !== '') return answered(outcome.answer, outcome.stats);
      return silent(run.name, outcome.stats, loop.signal);
    case 'incomplete':
      loop.reporter.warn(cutWarning(outcome.error, `sub-agent "${run.name}": `));
      return partial(run.name, outcome, loop.signal);
    case 'refused':
      return failure(run.name, new AxeError(formatRefused(outcome.answer)), loop.signal, outcome.stats);
    case 'exhausted':
      if ((outcome.limit === 'tokens' || outcome.limit === 'cost') && outcome.stats.turns > 0)
        return answered(outcome.answer, outcome.stats);
      return failure(run.name, subAgentError(outcome, plan), loop.signal, outcome.stats);
    case 'failed':
      return failure(run.name, outcome.error, loop.signal, outcome.stats);
  }
}

/** Of the run's own entry the report tells; a sub-agent's may be the one that created the branch. */
function logNotices(remembered: Remembered | undefined, reporter: Reporter): void {
  if (remembered === undefined || remembered.result.kind === 'failed') return;
  for (const message of remembered.result.notices ?? [])
    reporter.warn({ code: 'memory-store-notice', message });
}

function answered(text: string, stats: RunStats): Delegated {
  return { answer: { text, isError: false, stats }, event: { kind: 'answer', text } };
}

/** Without a word it may still have done its work by calling tools; else nothing came of it. */
function silent(name: string, stats: RunStats, signal: AbortSignal): Delegated {
  if (stats.toolCalls === 0) return failure(name, new AxeError('it gave an empty answer'), signal, stats);
  const calls = count(stats.toolCalls, 'tool call');
  return answered(`[Sub-agent "${name}" ended with an empty answer after ${calls}.]`, stats);
}

/** The caller may use what came, but has to know that its end is missing. */
function partial(
  name: string,
  { answer, error, stats }: Extract<RunOutcome, { kind: 'incomplete' }>,
  signal: AbortSignal,
): Delegated {
  if (answer.trim() === '') return failure(name, error, signal, stats);
  const detail = error.message;
  const text = `Error: sub-agent "${name}" gave only a part of its answer - ${detail}. You may retry, or use this part:\n\n${answer}`;
  return { answer: { text, isError: true, stats }, event: { kind: 'part', text: answer, detail } };
}

function formatRefused(answer: string): string {
  const words = cleanLine(answer, MAX_REFUSAL);
  return words === '' ? 'it refused to answer' : `it refused to answer: ${words}`;
}

/** Code points of a refusal that its caller is told. */
const MAX_REFUSAL = 500;

function subAgentError({ error }: { readonly error: AxeError }, { maxTurns }: Plan): AxeError {
  const isTurns = error.message === turnLimitMessage('agent', maxTurns);
  return isTurns ? new AxeError(turnLimitMessage('sub-agent', maxTurns)) : error;
}

/** A failed sub-agent is an answer for the model; only the end of the whole run is thrown on. */
function failure(name: string, thrown: unknown, signal: AbortSignal, stats?: ToolResult['stats']): Delegated {
  if (!(thrown instanceof AxeError)) {
    signal.throwIfAborted();
    throw thrown;
  }
  const detail = thrown.message;
  const text = `Error: sub-agent "${name}" failed - ${detail}. You may retry or proceed without this result.`;
  return { answer: { text, isError: true, stats }, event: { kind: 'failure', detail } };
}

/** The loop's world of a sub-agent: a time limit of its own, and only its warnings are told. */
function startWatch(
  timeoutSeconds: number,
  parentSignal: AbortSignal,
  { deps }: Delegation,
): { readonly loop: LoopDependencies; stop(): void } {
  const { clock, reporter, deadline } = deps;
  const over = new AbortController();
  const done = new AbortController();
  const endsAt =
    timeoutSeconds > 0 ? clock.now().getTime() + timeoutSeconds * 1000 : Number.POSITIVE_INFINITY;
  if (timeoutSeconds > 0) {
    void clock.sleep(timeoutSeconds * 1000, done.signal).then(() => {
      if (!done.signal.aborted) over.abort(new ProviderError('timeout', 'context deadline exceeded'));
    });
  }
  const quiet: Reporter = { warn: (warning) => reporter.warn(warning), event: () => undefined };
  return {
    loop: {
      clock,
      reporter: quiet,
      signal: AbortSignal.any([parentSignal, over.signal]),
      leftMs: () => Math.min(deadline.leftMs(), endsAt - clock.now().getTime()),
    },
    stop: () => done.abort(),
  };
}
