import type { LoadedAgent } from '../agent/agent-source.js';
import type { AgentConfig, ModelParams } from '../agent/config.js';
import { parseModelRef } from '../agent/model-ref.js';
import { taskOfMention } from '../event/mention.js';
import { laneOfWords } from '../event/taint.js';
import { subjectNumber, type Trigger } from '../event/trigger.js';
import type { Trust } from '../event/trust.js';
import { estimateText } from '../lib/text/cut.js';
import { causeFirst } from '../lib/time-limit.js';
import { roomForPrompt } from '../loop/compact.js';
import { replyTokensOf } from '../loop/run-agent.js';
import {
  type AnswerForm,
  checkObject,
  formatInstruction,
  responseFormatOf,
  schemaOrigin,
} from '../loop/structured.js';
import { createPathFilter, type DiffPolicy, type TriggerContext } from '../prompt/context.js';
import { hasTaintedRemarks, knowOwnRemarks, warnOfOwnChanges } from '../prompt/context-trust.js';
import { buildSystemPrompt, skillBody } from '../prompt/system.js';
import { isBlank, resolveTask, type Task } from '../prompt/task.js';
import { reviewCommand } from '../review/command.js';
import { coverageOf, NOTHING_READ } from '../review/coverage.js';
import type { Coverage } from '../review/record.js';
import { planReview } from '../review/review-plan.js';
import { marksOf, postedIds } from '../review/state-facts.js';
import { admitChange } from './admit-change.js';
import { openModel, smallerWindow } from './conversation.js';
import type { Dependencies } from './dependencies.js';
import { type FindingsParts, learnAnswers, NOTHING_LEARNT } from './learn.js';
import { planMemory } from './memory.js';
import { planPasses } from './plan-passes.js';
import type { Admitted, Basis, Draft, RunReport, RunRequest } from './records.js';
import { changeOf, findScope, postsReviews } from './scope.js';

/** What the findings of a run's pull request are read with. */
function findingsParts(
  { trigger }: RunRequest,
  { basis: { agent, trust }, taint, facts }: Admitted,
  context: TriggerContext | undefined,
): Omit<FindingsParts, 'facts'> {
  const isFork = trigger.kind === 'pull_request' ? trigger.isFork : trust.level !== 'trusted';
  return {
    agent: agent.name,
    trigger,
    permission: facts.permission,
    isTrusted: laneOfWords(trust, taint) === 'trusted',
    change: changeOf(trigger, context),
    isFork,
  };
}

/** A change that holds nothing to read. */
type Skipped = Extract<RunReport, { kind: 'skipped' }>;

/**
 * The second step: everything that is decided before a model is asked, but for what memory teaches. What needs the
 * network and is not needed here is only started, so that the waits overlap. A change without anything to read ends here. Throws an AxeError; the order of errors is
 * axe's (axe-behaviour §4).
 */
export async function makePlan(
  request: RunRequest,
  admitted: Admitted,
  deps: Dependencies,
): Promise<Draft | Skipped> {
  const { basis, taint, memory } = admitted;
  const { agent, model, trust, workdir } = basis;
  const { config } = agent;
  const learned = runAhead(
    Promise.all([memory, admitted.context]).then(([restored, context]) => {
      const facts = restored?.facts ?? [];
      if (!postsReviews(agent) && marksOf(facts).length === 0) return NOTHING_LEARNT;
      return learnAnswers({ ...findingsParts(request, admitted, context), facts }, deps);
    }),
  );
  const scoped = runAhead(findScope(request, admitted, deps));
  const opened = request.dryRun ? undefined : runAhead(openModel(deps, model, config.params));

  const { files, warnings } = await deps.agents.loadContextFiles(config.files, workdir, agent);
  const instructions = await reviewInstructions(agent, workdir, deps);
  const skillPath = firstGiven([request.skill, config.skill]);
  const skill = {
    path: skillPath,
    content:
      skillPath === ''
        ? ''
        : skillBody(await deps.agents.loadSkill(skillPath, skillPath === config.skill ? agent : undefined)),
  };
  const piped = await request.readStdin();
  const stdin = isBlank(piped) ? '' : piped;
  const change = await request.readChange();
  const context = await readContext(admitted);
  const { scope, warnings: scopeWarnings } = await scoped;
  const skipped = admitChange(request, admitted, { context, scope });
  if (skipped !== undefined) return skipped;
  const prompt = firstGiven([request.prompt, requestOf(request)]);
  const systemParts = {
    systemPrompt: config.systemPrompt,
    skill: skill.content,
    files,
    instructions: instructions.files,
    language: request.language ?? '',
  };
  const known = (await opened?.catch(() => undefined)) ?? deps.models.facts(model);
  const windowTokens = smallerWindow(known.windowTokens, config.params.contextWindow);
  const diffPolicy = withinWindow(request.diffPolicy, config, {
    system: buildSystemPrompt({ ...systemParts, files: [] }),
    windowTokens,
  });
  const given = {
    prompt,
    stdin,
    trigger: request.trigger,
    context,
    scope,
    change,
    policy: { ...diffPolicy, tool: diffTool(agent, deps) },
    showsStrangers: trust.level === 'untrusted',
  };
  const task = resolveTask(given);
  const planned = planPasses(basis, given, task);
  const unseen = planned === undefined ? task.unseen : planned.unseen;
  const { trigger } = request;
  const repository = trigger.kind === 'local' ? undefined : trigger.repository;
  const ownChanges = warnOfOwnChanges({ agent, skill: skillPath, files, repository }, context);
  const form = await answerForm(config.params, request.outputSchema, deps);
  const plan = {
    ...basis,
    skill,
    files,
    stdin,
    task: { ...task, message: withInstruction(task.message, form), unseen },
    scope,
    reportsOn: reportsOn(request.trigger, context),
    coverage: findCoverage(request, context, unseen),
    passes: planned?.passes,
    form,
    prompt: systemParts,
    maxTurns: request.maxTurns,
    warnings: [
      ...agent.warnings,
      ...warnings,
      ...instructions.warnings,
      ...(ownChanges === undefined ? [] : [ownChanges]),
      ...(context?.warnings ?? []),
      ...scopeWarnings,
      ...(planned?.warnings ?? task.warnings),
    ],
  };
  return {
    kind: 'draft',
    plan,
    taint,
    change: changeOf(request.trigger, context),
    memory,
    learned,
    model: opened,
  };
}

/** What is around the event; words of ours that rest on strangers' taint as these do. */
async function readContext({ basis, taint, ...admitted }: Admitted): Promise<TriggerContext | undefined> {
  const [context, memory] = await Promise.all([admitted.context, admitted.memory]);
  if (context === undefined) return undefined;
  const known = knowOwnRemarks(context, postedIds(memory?.facts ?? []));
  if (basis.trust.level === 'trusted' && hasTaintedRemarks(known)) taint.add({ kind: 'own-words' });
  return known;
}

/**
 * What the rest of a plan is built on, and memory is read by. Starts the agent's time limit. Throws an AxeError for a
 * model, configuration or folder of no use.
 */
export async function planBasis(
  request: RunRequest,
  loaded: LoadedAgent,
  trust: Trust,
  deps: Dependencies,
): Promise<Basis> {
  const { trigger } = request;
  const agent = withEffort(loaded, request);
  const { config } = agent;
  const timeoutSeconds = request.timeLimit(config.timeoutSeconds);
  deps.deadline.limit(timeoutSeconds * 1000);
  const model = parseModelRef(firstGiven([request.model, config.model]));
  await deps.models.configure();
  const review = planReview(request.review ?? {}, { config: config.review, model });
  const memory = planMemory(agent, model, trust, request, deps.clock.newId());
  const workdir = firstGiven([request.workdir, await agentWorkdir(agent, deps), deps.cwd]);
  return { agent, model, trigger, trust, workdir, timeoutSeconds, review, memory };
}

function withEffort(agent: LoadedAgent, { effort }: RunRequest): LoadedAgent {
  if (effort === undefined) return agent;
  const { config } = agent;
  return { ...agent, config: { ...config, params: { ...config.params, effort } } };
}

/** What a project wants of its reviews: like a context file it is taken from where the agent is from, never from what is reviewed. */
async function reviewInstructions(
  agent: LoadedAgent,
  workdir: string,
  { agents }: Dependencies,
): Promise<Awaited<ReturnType<Dependencies['agents']['loadContextFiles']>>> {
  const { instructions } = agent.config.review;
  if (instructions === '') return { files: [], warnings: [] };
  const found = await agents.loadContextFiles([instructions], workdir, agent);
  if (found.files.length + found.warnings.length > 0) return found;
  const message = `\`instructions\` in \`[review]\` of agent "${agent.name}" names ${JSON.stringify(instructions)}, and there is no such file. Add it to the base branch, or leave \`instructions\` out.`;
  return { files: [], warnings: [{ code: 'context-file-skipped', message }] };
}

/** Lets work run ahead of its need: a failure is reported where it is awaited, and nowhere if nobody comes to need it. */
export function runAhead<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}

/** A diagnosis of another workflow's run is for those who wait for its pull request. */
function reportsOn(trigger: Trigger, context: TriggerContext | undefined): number | undefined {
  if (trigger.kind !== 'workflow_run') return undefined;
  return context?.pullOfCommit ?? trigger.pull?.number;
}

/** How much of a change the model is shown; undefined where the run is about none. */
function findCoverage(
  { trigger, diffPolicy }: RunRequest,
  context: TriggerContext | undefined,
  unseen: Task['unseen'] = [],
): Coverage | undefined {
  if (context === undefined || context.kind === 'none')
    return trigger.kind === 'pull_request' ? NOTHING_READ : undefined;
  const filter = createPathFilter(diffPolicy);
  return coverageOf({ change: context, isLeftOut: (path) => filter(path) !== undefined, notShown: unseen });
}

/** By estimate, with its description and schema. */
const TOKENS_OF_A_TOOL = 250;
/** Of what instructions and tools leave; memory, context files and what people say around a change have the rest. */
const DIFF_SHARE = 3 / 4;

/** No more of a diff than the model's window has room for, next to what is known of the prompt. */
function withinWindow(
  policy: DiffPolicy,
  { params, tools }: AgentConfig,
  { system, windowTokens }: { readonly system: string; readonly windowTokens: number | undefined },
): DiffPolicy {
  if (windowTokens === undefined) return policy;
  const own = estimateText(system) + tools.length * TOKENS_OF_A_TOOL;
  const free = (roomForPrompt(windowTokens, replyTokensOf(params)) - own) * DIFF_SHARE;
  const room = Math.floor(Math.max(windowTokens / 16, free));
  return { ...policy, maxTokens: policy.maxTokens === 0 ? room : Math.min(policy.maxTokens, room) };
}

/** What a comment asks for. */
function requestOf({ trigger, admissionPolicy }: RunRequest): string {
  const isReview = reviewCommand(trigger) !== undefined;
  return isReview
    ? `Review pull request #${subjectNumber(trigger)}`
    : taskOfMention(trigger, admissionPolicy);
}

/** What the model is told to ask for the rest of a diff with; it is there where there is an event and a token. */
function diffTool({ config }: LoadedAgent, { github }: Dependencies): DiffPolicy['tool'] {
  return github !== undefined && config.tools.includes('github_diff') ? 'github_diff' : undefined;
}

/** The first that is not empty: the earlier source wins (command line or input, agent, surroundings). */
function firstGiven(values: readonly string[]): string {
  return values.find((value) => value !== '') ?? '';
}

/**
 * The folder that an agent works in, empty where it names none. Throws a ConfigError for one outside of the workspace:
 * file tools, context files and programs all start there (D48).
 */
export async function agentWorkdir(
  { name, config }: LoadedAgent,
  { confine }: Dependencies,
): Promise<string> {
  const { workdir } = config;
  if (workdir === '' || confine === undefined) return workdir;
  return await confine(workdir, `\`workdir\` of the agent "${name}"`);
}

/** The form an agent's answer must have; undefined for any text. Throws a ConfigError for a schema of no use. */
export async function answerForm(
  params: Pick<ModelParams, 'responseFormat'>,
  outputSchema: string,
  { compileSchema, deadline, clock }: Pick<Dependencies, 'compileSchema' | 'deadline' | 'clock'>,
): Promise<AnswerForm | undefined> {
  const format = responseFormatOf(params, outputSchema);
  if (format === undefined) return undefined;
  const { schema } = format;
  if (schema === undefined) return { format, check: checkObject };
  const compiled = () => compileSchema(schema, schemaOrigin(outputSchema), () => deadline.leftMs());
  const check = await causeFirst(compiled, { clock, signal: deadline.signal });
  return { format, check };
}

/** The user message with the form of the answer at its end, since not every provider passes a schema on. */
export function withInstruction(message: string, form: AnswerForm | undefined): string {
  return form === undefined ? message : `${message}\n\n${formatInstruction(form.format)}`;
}
