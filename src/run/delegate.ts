import { resolve } from 'node:path';
import type { LoadedAgent } from '../agent/agent-source.js';
import { parseModelRef } from '../agent/config.js';
import { AxeError, ProviderError } from '../lib/errors.js';
import { errorOf, type RunOutcome } from '../lib/outcome.js';
import { cleanLine } from '../lib/text/format.js';
import type { LoopDependencies } from '../loop/events.js';
import { turnLimitMessage } from '../loop/run-agent.js';
import { skillBody } from '../prompt/system.js';
import type { Task } from '../prompt/task.js';
import { NOTHING_BUFFERED } from '../review/buffered.js';
import type { Effect, Tool, ToolResult } from '../tools/tool.js';
import { agentWorkdir } from './admit.js';
import { type AgentConversation, cutWarning, judge, type LiveRun, openModel } from './conversation.js';
import type { Dependencies, RunEvent } from './dependencies.js';
import { memoryWarnings, planMemory, readMemory } from './memory.js';
import { planNotes } from './notes.js';
import { answerForm, withInstruction } from './plan.js';
import { UNPUBLISHED } from './publish.js';
import type { Plan } from './records.js';
import { remember } from './save.js';

interface Caller {
  readonly plan: Plan;
  readonly depth: number;
  /** What it may have, and so its sub-agents. */
  readonly effects: ReadonlySet<Effect>;
}

type Hold = (conversation: AgentConversation, run: LiveRun) => Promise<RunOutcome>;

/**
 * The tool by which an agent asks its sub-agents; undefined without any, or where its level is the last one. Name,
 * texts and checks are axe's (axe-behaviour §14). `hold` is how any conversation is held.
 */
export function createCallAgent(caller: Caller, run: LiveRun, hold: Hold): Tool | undefined {
  const names = caller.plan.agent.config.subAgents;
  if (names.length === 0 || caller.depth >= run.maxDepth) return undefined;
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
    execute: (input, signal) => callAgent(input, caller, signal, run, hold),
  };
}

async function callAgent(
  input: unknown,
  caller: Caller,
  signal: AbortSignal,
  run: LiveRun,
  hold: Hold,
): Promise<ToolResult> {
  const { agent, task, context } = readInput(input);
  const { subAgents, subAgentsConfig } = caller.plan.agent.config;
  if (agent === '') return refusal('"agent" argument is required');
  if (task === '') return refusal('"task" argument is required');
  if (!subAgents.includes(agent)) return refusal(`agent "${agent}" is not in this agent's sub_agents list`);
  const { reporter, clock } = run.deps;
  const startedAt = clock.now().getTime();
  reporter.event({ kind: 'sub-agent-called', agent, depth: caller.depth + 1, task });
  const watch = startWatch(subAgentsConfig.timeoutSeconds, signal, run);
  try {
    const asked = taskOf(task, context, run);
    const result = await runSubAgent(agent, asked, caller, watch.loop, run, hold).catch((thrown: unknown) =>
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
function taskOf(task: string, context: string, { request }: LiveRun): Task {
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

/** How the error begins that a key is missing, of which axe says no more. */
const MISSING_KEY = /^API key for provider /;

/** The answer for the model, and what is told of it. */
interface Delegated {
  readonly answer: ToolResult;
  readonly event: Extract<RunEvent, { kind: 'sub-agent-ended' }>['result'];
}

async function runSubAgent(
  name: string,
  task: Task,
  caller: Caller,
  loop: LoopDependencies,
  run: LiveRun,
  hold: Hold,
): Promise<Delegated> {
  const { deps } = run;
  const { reporter } = loop;
  const plan = await planSubAgent(name, task, caller.plan, run);
  for (const warning of plan.warnings) reporter.warn(warning);
  const workdir = resolve(deps.cwd, plan.workdir);
  const notes = planNotes({ ...plan, workdir, isSubAgent: true });
  const unsaved = run.notes?.session.changes('trusted');
  const memory = await readMemory(plan.agent, plan.memory, deps, notes, unsaved);
  if (memory !== undefined) for (const warning of memoryWarnings(plan, memory, deps)) reporter.warn(warning);
  const { config } = plan.agent;
  const model = await withContext(
    `failed to create provider for agent "${name}"`,
    () => openModel(deps, plan.model, config.params),
    MISSING_KEY,
  );
  const outcome = await hold(
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
  const judged = judge(outcome, run.publications?.buffered ?? NOTHING_BUFFERED, run.request);
  const end = { plan, memory, outcome: judged, taint: run.taint, published: UNPUBLISHED, facts: [] };
  const remembered = await remember(end, deps);
  // Of the run's own entry the report tells; a sub-agent's may be the one that created the branch.
  if (remembered?.result.kind === 'saved')
    for (const message of remembered.result.notices ?? [])
      reporter.warn({ code: 'memory-store-notice', message });
  const { stats } = outcome;
  const said = outcome.kind === 'failed' ? '' : outcome.answer;
  const error = errorOf(outcome);
  const isPaid = outcome.kind === 'exhausted' && (outcome.limit === 'tokens' || outcome.limit === 'cost');
  if (error === undefined || (isPaid && stats.turns > 0)) {
    // axe gives the caller an empty text, which some providers refuse.
    const text = said.trim() === '' ? `[Sub-agent "${name}" ended with an empty answer.]` : said;
    return { answer: { text, isError: false, stats }, event: { kind: 'answer', text } };
  }
  const { message: detail } = error;
  if (outcome.kind === 'incomplete') {
    reporter.warn(cutWarning(error, `sub-agent "${name}": `));
    // The caller may use what came, but has to know that its end is missing.
    if (said.trim() !== '') {
      const text = `Error: sub-agent "${name}" gave only a part of its answer - ${detail}. You may retry, or use this part:\n\n${said}`;
      return { answer: { text, isError: true, stats }, event: { kind: 'part', text: said, detail } };
    }
  }
  const isTurns = detail === turnLimitMessage('agent', plan.maxTurns);
  const words = outcome.kind === 'refused' ? cleanLine(said, MAX_REFUSAL) : '';
  const why = isTurns
    ? new AxeError(turnLimitMessage('sub-agent', plan.maxTurns))
    : words === ''
      ? error
      : new AxeError(`${detail}: ${words}`);
  return failure(name, why, loop.signal, stats);
}

/** Code points of a refusal that its caller is told. */
const MAX_REFUSAL = 500;

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
  { deps }: LiveRun,
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
  return {
    loop: {
      clock,
      reporter: { warn: (warning) => reporter.warn(warning), event: () => undefined },
      signal: AbortSignal.any([parentSignal, over.signal]),
      leftMs: () => Math.min(deadline.leftMs(), endsAt - clock.now().getTime()),
    },
    stop: () => done.abort(),
  };
}

/**
 * The plan of a sub-agent: its own file whole, with model, prompt, skill, files, params and memory. Nothing of its
 * caller's passes down but the hosts it may ask, where its file names none (newer axe). Throws an AxeError with what
 * axe puts before (axe-behaviour §14).
 */
async function planSubAgent(
  name: string,
  task: Task,
  parent: Plan,
  { deps, request }: LiveRun,
): Promise<Plan> {
  const loaded = await withContext(`failed to load agent "${name}"`, () => deps.agents.loadAgent(name));
  const allowedHosts =
    loaded.config.allowedHosts.length > 0 ? loaded.config.allowedHosts : parent.agent.config.allowedHosts;
  const agent = { ...loaded, config: { ...loaded.config, allowedHosts } };
  const { config } = agent;
  const model = await withContext(`invalid model for agent "${name}"`, async () =>
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
    memory: planMemory(agent, model, parent.trust, { ...request, wantCount: false }, deps.clock.newId()),
    warnings,
  };
}

/** What the file of an agent names, with all warnings of it. Throws an AxeError with what axe puts before. */
export async function readOwnFiles(agent: LoadedAgent, deps: Dependencies) {
  const { name, config } = agent;
  const workdir = (await agentWorkdir(agent, deps)) || deps.cwd;
  const { files, warnings } = await withContext(`failed to resolve files for agent "${name}"`, () =>
    deps.agents.loadContextFiles(config.files, workdir, agent),
  );
  const skill = await withContext(`failed to load skill for agent "${name}"`, async () =>
    config.skill === '' ? '' : skillBody(await deps.agents.loadSkill(config.skill, agent)),
  );
  return { workdir, files, skill, warnings: [...agent.warnings, ...warnings] };
}

/** Errors of a step with what axe puts before them, but for those whose message `asItIs` matches. */
async function withContext<T>(before: string, work: () => Promise<T>, asItIs?: RegExp): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof AxeError) || asItIs?.test(thrown.message)) throw thrown;
    throw new AxeError(`${before}: ${thrown.message}`, { exitCode: thrown.exitCode, cause: thrown });
  }
}
