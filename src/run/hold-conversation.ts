import { resolve } from 'node:path';
import type { LoadedAgent } from '../agent/agent-source.js';
import { parseModelRef } from '../agent/config.js';
import type { TaintTracker } from '../event/trust.js';
import { NO_PUBLICATIONS } from '../findings/buffered-publications.js';
import type { ShownLines } from '../findings/decide/evidence.js';
import { noteTimeLeft } from '../lib/clock.js';
import { AxeError, ProviderError } from '../lib/errors.js';
import { errorOf, type RunOutcome } from '../lib/outcome.js';
import { cleanLine, count } from '../lib/text/format.js';
import type { LoopDependencies } from '../loop/events.js';
import { runAgent, turnLimitMessage } from '../loop/run-agent.js';
import { type FittedPrompt, fitPrompt, skillBody } from '../prompt/prompt.js';
import type { Task } from '../prompt/task.js';
import {
  effectsOf,
  REACHING_EFFECTS,
  type Tool,
  type ToolEffect,
  type ToolResult,
  withSecretsBlocked,
} from '../tools/tool.js';
import { agentWorkdir } from './admit.js';
import { createCiter } from './cite.js';
import {
  type AgentConversation,
  judgeOutcome,
  type LiveRun,
  openModel,
  truncatedAnswerWarning,
} from './conversation.js';
import type { Dependencies, RunEvent } from './dependencies.js';
import { memoryWarnings, planMemory, readMemory } from './memory.js';
import { notesTools, planNotes } from './notes.js';
import { answerForm, withInstruction } from './plan.js';
import { publishingTools, UNPUBLISHED } from './publish.js';
import type { Plan } from './records.js';
import { saveToMemory } from './save.js';

/**
 * Holds a conversation with the tools that its agent may have; what was opened for it is closed
 * again.
 */
export async function holdConversation(
  conversation: AgentConversation,
  run: LiveRun,
): Promise<RunOutcome> {
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
  for (const warning of [...publishing.warnings, ...overNotes.warnings])
    loop.reporter.warn(warning);
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
    const tools = trackTools(withSecretsBlocked(all, deps.secrets), taint, show);
    const callAgent = createCallAgent({ plan, depth, effects: effectsOf(tools) }, run);
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
          plan.agent.source === 'built-in' && run.request.effort === undefined
            ? ['effort']
            : undefined,
        tools: callAgent === undefined ? tools : [...tools, callAgent],
        parallel: config.subAgentsConfig.parallel !== false,
        maxTurns: plan.maxTurns,
        budget: run.budget,
        form: plan.form,
        goal: purpose && { tool: purpose.tool.name, isReached: () => purpose.isReached() },
      },
      {
        ...loop,
        onReply: run.usage.begin(
          part === undefined ? plan.agent.name : `${plan.agent.name}, ${part}`,
        ),
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
    const names = new Set(level.flatMap(({ config }) => config.subAgents));
    const fresh = [...names].filter((name) => !found.has(name));
    const loaded = await Promise.all(
      fresh.map((name) => deps.agents.loadAgent(name).catch(() => undefined)),
    );
    level = loaded.filter((one) => one !== undefined);
    for (const one of level) found.set(one.name, one);
  }
  return [...found.values()].slice(1);
}

function warnOfFit(
  { isShortened, unseen }: FittedPrompt,
  tokens: number,
  { reporter }: LoopDependencies,
) {
  if (!isShortened) return;
  const files =
    unseen.length === 0
      ? ''
      : ` (${count(unseen.length, 'file')} of the diff not shown, or not whole)`;
  const message = `the model takes about ${count(Math.floor(tokens), 'token')}, so its prompt was shortened${files}`;
  const remedy =
    'Take a model with a larger context window, or set a larger one on your own server and in `context_window` in `[params]`.';
  reporter.warn({ code: 'context-truncated', message, remedy });
}

/**
 * The tools, which note what lines of files they show, since only those can be named as evidence,
 * and what they bring that is anybody's: some with their first call, any other with a result that
 * says so.
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
      if (REACHING_EFFECTS.has(tool.effect)) taint.add(source);
      const result = await tool.execute(input, signal);
      if (result.isTainted === true) taint.add(source);
      show(result.shown ?? []);
      return result;
    },
  }));
}

interface Caller {
  readonly plan: Plan;
  readonly depth: number;
  /** What it may have, and so its sub-agents. */
  readonly effects: ReadonlySet<ToolEffect>;
}

/**
 * The tool by which an agent asks its sub-agents; undefined without any, or where its level is the
 * last one. Name, texts and checks are axe's (axe-behaviour §14).
 */
function createCallAgent(caller: Caller, run: LiveRun): Tool | undefined {
  const names = caller.plan.agent.config.subAgents;
  if (names.length === 0 || caller.depth >= run.maxDepth) return undefined;
  const listed = names.join(', ');
  const refusal = (reason: string): ToolResult => ({
    text: `call_agent error: ${reason}`,
    isError: true,
  });
  return {
    name: 'call_agent',
    effect: 'read',
    description: `Delegate a task to a sub-agent. The sub-agent runs independently with its own context and returns only its final result. Available agents: ${listed}`,
    inputSchema: {
      type: 'object',
      properties: {
        agent: {
          type: 'string',
          description: `Name of the sub-agent to invoke (must be one of: ${listed})`,
        },
        task: { type: 'string', description: 'What you need the sub-agent to do' },
        context: {
          type: 'string',
          description: 'Additional context from your conversation to pass along',
        },
      },
      required: ['agent', 'task'],
    },
    async execute(input, signal) {
      const { agent, task, context } = readInput(input);
      if (agent === '') return refusal('"agent" argument is required');
      if (task === '') return refusal('"task" argument is required');
      if (!names.includes(agent))
        return refusal(`agent "${agent}" is not in this agent's sub_agents list`);
      return await callAgent(agent, task, context, caller, signal, run);
    },
  };
}

/** A failed sub-agent is an answer for the model; only the end of the whole run is thrown on. */
async function callAgent(
  agent: string,
  task: string,
  context: string,
  caller: Caller,
  signal: AbortSignal,
  run: LiveRun,
): Promise<ToolResult> {
  const { reporter, clock } = run.deps;
  const startedAt = clock.now().getTime();
  reporter.event({ kind: 'sub-agent-called', agent, depth: caller.depth + 1, task });
  const watch = startWatch(caller.plan.agent.config.subAgentsConfig.timeoutSeconds, signal, run);
  const told = `Task: ${task}`;
  const message = context.trim() === '' ? told : `${told}\n\nContext:\n${context}`;
  // In a workflow what was sent along is not remembered (D9).
  const asked: Task = run.request.inWorkflow
    ? { sentence: told, message, warnings: [] }
    : { sentence: message, isKeptWhole: true, message, warnings: [] };
  try {
    const result = await runSubAgent(agent, asked, caller, watch.loop, run).catch(
      (thrown: unknown) => {
        if (thrown instanceof AxeError) return failure(agent, thrown.message);
        signal.throwIfAborted();
        throw thrown;
      },
    );
    const durationMs = clock.now().getTime() - startedAt;
    reporter.event({ kind: 'sub-agent-ended', agent, durationMs, result: result.event });
    return result.answer;
  } finally {
    watch.stop();
  }
}

/** Every argument is text in axe; what is not text is written as JSON. */
function readInput(input: unknown) {
  const given = new Map(typeof input === 'object' && input !== null ? Object.entries(input) : []);
  const text = (name: string): string => {
    const value: unknown = given.get(name);
    if (value === undefined || value === null) return '';
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
  return { agent: text('agent'), task: text('task'), context: text('context') };
}

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
): Promise<Delegated> {
  const { deps } = run;
  const { reporter } = loop;
  const plan = await planSubAgent(name, task, caller.plan, run);
  for (const warning of plan.warnings) reporter.warn(warning);
  const workdir = resolve(deps.cwd, plan.workdir);
  const notes = planNotes({ ...plan, workdir, isSubAgent: true });
  const unsaved = run.notes?.session.changes('trusted');
  const memory = await readMemory(plan.agent, plan.memory, deps, notes, unsaved);
  for (const warning of memoryWarnings(plan, memory, deps)) reporter.warn(warning);
  const { config } = plan.agent;
  const model = await withContext(
    `failed to create provider for agent "${name}"`,
    () => openModel(deps, plan.model, config.params),
    // axe says no more of a missing key.
    /^API key for provider /,
  );
  const outcome = await holdConversation(
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
  const judged = judgeOutcome(outcome, run.publications?.buffered ?? NO_PUBLICATIONS, run.request);
  const end = {
    plan,
    memory,
    outcome: judged,
    taint: run.taint,
    published: UNPUBLISHED,
    facts: [],
  };
  const remembered = await saveToMemory(end, deps);
  if (remembered?.result.kind === 'failed') run.lost.push(remembered);
  // Of the run's own entry the report tells; a sub-agent's may be the one that created the branch.
  if (remembered?.result.kind === 'saved')
    for (const message of remembered.result.notices ?? [])
      reporter.warn({ code: 'memory-store-notice', message });
  const { stats } = outcome;
  const said = outcome.kind === 'failed' ? '' : outcome.answer;
  const error = errorOf(outcome);
  const isPaid =
    outcome.kind === 'exhausted' && (outcome.limit === 'tokens' || outcome.limit === 'cost');
  if (error === undefined || (isPaid && stats.turns > 0)) {
    // axe gives the caller an empty text, which some providers refuse.
    const text = said.trim() === '' ? `[Sub-agent "${name}" ended with an empty answer.]` : said;
    return { answer: { text, isError: false, stats }, event: { kind: 'answer', text } };
  }
  const { message: detail } = error;
  if (outcome.kind === 'incomplete') {
    reporter.warn(truncatedAnswerWarning(error, `sub-agent "${name}": `));
    // The caller may use what came, but has to know that its end is missing.
    if (said.trim() !== '') {
      const text = `Error: sub-agent "${name}" gave only a part of its answer - ${detail}. You may retry, or use this part:\n\n${said}`;
      return {
        answer: { text, isError: true, stats },
        event: { kind: 'part', text: said, detail },
      };
    }
  }
  if (detail === turnLimitMessage('agent', plan.maxTurns))
    return failure(name, turnLimitMessage('sub-agent', plan.maxTurns), stats);
  const words = outcome.kind === 'refused' ? cleanLine(said, MAX_REFUSAL) : '';
  return failure(name, words === '' ? detail : `${detail}: ${words}`, stats);
}

/** Code points of a refusal that its caller is told. */
const MAX_REFUSAL = 500;

function failure(name: string, detail: string, stats?: ToolResult['stats']): Delegated {
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
      if (!done.signal.aborted)
        over.abort(new ProviderError('timeout', 'context deadline exceeded'));
    });
  }
  const signal = AbortSignal.any([parentSignal, over.signal]);
  const leftMs = () => Math.min(deadline.leftMs(), endsAt - clock.now().getTime());
  noteTimeLeft(signal, leftMs);
  return {
    loop: {
      clock,
      reporter: { warn: (warning) => reporter.warn(warning), event: () => undefined },
      signal,
      leftMs,
    },
    stop: () => done.abort(),
  };
}

/**
 * The plan of a sub-agent: its own file whole, with model, prompt, skill, files, params and memory.
 * Nothing of its caller's passes down but the hosts it may ask, where its file names none (newer
 * axe). Throws an AxeError with what axe puts before (axe-behaviour §14).
 */
async function planSubAgent(
  name: string,
  task: Task,
  parent: Plan,
  { deps, request }: LiveRun,
): Promise<Plan> {
  const loaded = await withContext(`failed to load agent "${name}"`, () =>
    deps.agents.loadAgent(name),
  );
  const allowedHosts =
    loaded.config.allowedHosts.length > 0
      ? loaded.config.allowedHosts
      : parent.agent.config.allowedHosts;
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
    memory: planMemory(agent, model, parent.trust, request, deps.clock.newId()),
    warnings,
  };
}

/**
 * What the file of an agent names, with all warnings of it. Throws an AxeError with what axe puts
 * before.
 */
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

/**
 * Errors of a step with what axe puts before them, but for those whose message `asItIs` matches.
 */
async function withContext<T>(before: string, work: () => Promise<T>, asItIs?: RegExp): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof AxeError) || asItIs?.test(thrown.message)) throw thrown;
    throw new AxeError(`${before}: ${thrown.message}`, { ...thrown, cause: thrown });
  }
}
