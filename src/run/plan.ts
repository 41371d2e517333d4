import type { LoadedAgent } from '../agent/agent-source.js';
import type { AgentConfig } from '../agent/config.js';
import type { ContextFile } from '../agent/context-files.js';
import { changedPathsOf, type TriggerContext } from '../event/context.js';
import { hasChange, hasFindings, type Trigger } from '../event/trigger.js';
import { type Coverage, coverageOf, isQuestion, NOTHING_READ } from '../findings/change/scope.js';
import type { Deadline } from '../lib/clock.js';
import { AxeError, type Warning } from '../lib/errors.js';
import type { OpenModel } from '../loop/asker.js';
import {
  type AnswerForm,
  checkObject,
  compileSchema,
  formatInstruction,
  responseFormatOf,
  schemaOrigin,
} from '../loop/structured.js';
import { createPathFilter, type LocalChange } from '../prompt/diff-policy.js';
import { readGuidance, warnOfOwnChanges } from '../prompt/guidance.js';
import { type SystemPromptParts, skillBody } from '../prompt/prompt.js';
import { isBlank, isDiff, type Task } from '../prompt/task.js';
import { admitChange, firstGiven, postsReviews, type SkippedRun, startEarly } from './admit.js';
import { type ChosenTask, chooseTask } from './choose-task.js';
import { openModel, smallerWindow } from './conversation.js';
import type { Dependencies } from './dependencies.js';
import { findScope, readEarlierFindings, reviewedChange } from './earlier-reviews.js';
import type {
  AdmissionReads,
  Admitted,
  EarlierFindings,
  Plan,
  PlanBasis,
  ReviewedChange,
  RunRequest,
} from './records.js';
import { runSubject } from './subject.js';

/** A plan before earlier findings and memory are known. */
export interface DraftPlan {
  readonly kind: 'draft';
  readonly plan: Plan;
  readonly change: ReviewedChange | undefined;
  readonly reads: Omit<StartedReads, 'scope'>;
}

/** All reads that are started early: those of admission, and those that only a plan needs. */
interface StartedReads extends AdmissionReads {
  readonly earlier: Promise<EarlierFindings>;
  readonly scope: ReturnType<typeof findScope>;
  /** Undefined in a dry run, which opens none. */
  readonly model: Promise<OpenModel> | undefined;
}

/**
 * The second step: decides everything that does not depend on earlier findings. Network requests
 * that are not needed here are only started, so that the waits overlap. A change with nothing to
 * review is skipped here. Throws an AxeError; the order of errors is axe's.
 */
export async function makePlan(
  request: RunRequest,
  admitted: Admitted,
  deps: Dependencies,
): Promise<DraftPlan | SkippedRun> {
  const { basis } = admitted;
  const reads = startReads(request, admitted, deps);

  const texts = await readAgentTexts(request, basis, deps);
  const input = await readLocalInput(request, basis, deps.program);
  const context = await reads.context;
  const readingGuidance =
    input.change === undefined
      ? reads.guidance
      : startEarly(readLocalGuidance(basis, input.change, context, deps));
  const { scope, warnings: scopeWarnings } = await reads.scope;
  const skipped = admitChange(request, admitted, context, scope);
  if (skipped !== undefined) return skipped;

  const guidance = await readingGuidance;
  const prompt = systemParts(request, basis, { texts, guidance });
  const windowTokens = await windowOf(basis, reads, deps);
  const canReadDiff = deps.github !== undefined;
  const known = { ...basis, ...input, context, scope, prompt, windowTokens, canReadDiff };
  const task = chooseTask(request, known);
  const form = await answerForm(basis.agent.config.params, request.outputSchema, deps);

  const warnings = [
    basis.agent.warnings,
    texts.warnings,
    guidance.warnings,
    warnOfOwnInstructions(basis, texts, { guidance, context }),
    context?.warnings ?? [],
    scopeWarnings,
    warnOfNoChange(basis, context),
    task.warnings,
  ].flat();
  // The one place that decides it: a review of a pull request asks the project's rules.
  const asksChecks = hasFindings(basis.trigger) && !isQuestion(basis.trigger);
  const checks = asksChecks ? guidance.checks : undefined;
  const plan = buildPlan(request, basis, { ...known, texts, task, checks, form, warnings });
  const localChange = input.change && { head: '', base: '', diff: input.change.diff };
  const change = request.toShow?.change ?? reviewedChange(basis.trigger, context) ?? localChange;
  return { kind: 'draft', plan, change, reads };
}

/** Starts what the plan waits for. */
function startReads(request: RunRequest, admitted: Admitted, deps: Dependencies): StartedReads {
  const { agent, model } = admitted.basis;
  const { params, stream } = agent.config;
  const price = request.price ?? params.price;
  return {
    ...admitted.reads,
    earlier: startEarly(earlierOf(request, admitted, deps)),
    scope: startEarly(findScope(request, admitted, deps)),
    model: request.dryRun
      ? undefined
      : startEarly(openModel(deps, model, { ...params, stream, price })),
  };
}

/** A run that is about findings alone settles none, and knows those of its command. */
async function earlierOf(
  { toFix, toShow }: RunRequest,
  admitted: Admitted,
  deps: Dependencies,
): Promise<EarlierFindings> {
  if (toFix !== undefined || toShow !== undefined) return { ledger: toShow?.ledger, others: [] };
  return await readEarlierFindings(admitted, deps);
}

/** The texts of an agent besides its file. */
interface AgentTexts {
  readonly files: readonly ContextFile[];
  readonly instructions: readonly ContextFile[];
  /** The skill's path as it was given, and its text; both empty for none. */
  readonly skill: Plan['skill'];
  readonly warnings: readonly Warning[];
}

/** Reads context files, the project's instructions for reviews, and the skill. */
async function readAgentTexts(
  request: RunRequest,
  { agent, workdir }: PlanBasis,
  deps: Dependencies,
): Promise<AgentTexts> {
  const { config } = agent;
  const context = await deps.agents.loadContextFiles(config.files, workdir, agent);
  const instructions = await reviewInstructions(agent, workdir, deps);

  const path = firstGiven([request.skill, config.skill]);
  const owner = path === config.skill ? agent : undefined;
  const content = path === '' ? '' : skillBody(await deps.agents.loadSkill(path, owner));
  return {
    files: context.files,
    instructions: instructions.files,
    skill: { path, content },
    warnings: [...context.warnings, ...instructions.warnings],
  };
}

/** The guidance for a change on this machine, which is known only once it has been read. */
async function readLocalGuidance(
  { agent, trigger }: PlanBasis,
  change: LocalChange,
  context: TriggerContext | undefined,
  { agents }: Dependencies,
): StartedReads['guidance'] {
  const changedPaths = changedPathsOf(context);
  const isReview = postsReviews(agent);
  return await readGuidance(agent, { trigger, changedPaths, change, isReview }, agents);
}

/** The guidance of the repository, when it has been read. */
type Guidance = Awaited<StartedReads['guidance']>;

function systemParts(
  { language = '' }: RunRequest,
  { agent }: PlanBasis,
  { texts, guidance }: { readonly texts: AgentTexts; readonly guidance: Guidance },
): SystemPromptParts {
  return {
    systemPrompt: agent.config.systemPrompt,
    skill: texts.skill.content,
    files: texts.files,
    guidance: guidance.files,
    instructions: texts.instructions,
    language,
  };
}

/** The context window of the model, which can be unknown. An error is reported when it is asked. */
async function windowOf(
  { agent, model }: PlanBasis,
  reads: Pick<StartedReads, 'model'>,
  { models }: Dependencies,
): Promise<number | undefined> {
  const opened = await reads.model?.catch(() => undefined);
  const { windowTokens } = opened ?? models.facts(model);
  return smallerWindow(windowTokens, agent.config.params.contextWindow);
}

/** Everything that a plan is made of. */
interface PlanParts {
  readonly texts: AgentTexts;
  readonly stdin: string;
  readonly change: LocalChange | undefined;
  readonly context: TriggerContext | undefined;
  readonly scope: Plan['scope'];
  readonly prompt: SystemPromptParts;
  readonly task: ChosenTask;
  readonly checks: Plan['checks'];
  readonly form: AnswerForm | undefined;
  readonly warnings: readonly Warning[];
}

function buildPlan(request: RunRequest, basis: PlanBasis, parts: PlanParts): Plan {
  const { texts, stdin, change, context, scope, prompt, checks, form, warnings } = parts;
  const { task, passes, unseen } = parts.task;
  const { trigger } = basis;
  const reportsOn = pullOfWorkflowRun(trigger, context);
  return {
    ...basis,
    skill: texts.skill,
    files: texts.files,
    promptFrom: promptFrom(request, stdin),
    task: { ...task, message: withInstruction(task.message, form), unseen },
    scope,
    reportsOn,
    subject: runSubject(trigger, { reportsOn, context, diff: change?.diff }),
    coverage: findCoverage(request, context, unseen),
    passes,
    checks,
    form,
    prompt,
    maxTurns: request.maxTurns,
    warnings,
  };
}

/** The diagnosis of a workflow run is posted on its pull request. */
function pullOfWorkflowRun(
  trigger: Trigger,
  context: TriggerContext | undefined,
): number | undefined {
  if (trigger.kind !== 'workflow_run') return undefined;
  return context?.pullOfCommit ?? trigger.pull?.number;
}

/**
 * Piped input, and the change that `--git` names. A built-in reviewer treats a piped diff as the
 * change. Throws an AxeError if the agent has nothing to do, since a request would only cost money.
 */
async function readLocalInput(
  { prompt, skill, readStdin, readChange }: RunRequest,
  { agent, trigger }: PlanBasis,
  program: Dependencies['program'],
): Promise<{ readonly stdin: string; readonly change: LocalChange | undefined }> {
  const piped = await readStdin();
  const stdin = isBlank(piped) ? '' : piped;
  const change = await readChange();
  const { source, config } = agent;
  const isReviewer = source === 'built-in' && config.tools.includes('submit_review');
  if (trigger.kind !== 'local' || change !== undefined) return { stdin, change };

  if (isReviewer && isDiff(stdin)) return { stdin: '', change: { range: '', diff: stdin } };
  if (stdin !== '' || !isBlank(prompt)) return { stdin, change };
  if (isReviewer) {
    throw new AxeError('there is nothing to review', {
      remedy:
        'Name a change with `--git main...HEAD`, pipe a diff in, or say with `--prompt` what to look at.',
    });
  }
  // Without a task an agent does what its instructions say. axe also runs one that has none.
  const mustHaveTask =
    source === 'built-in' || (!hasInstructions(config, skill) && program !== 'axe');
  if (mustHaveTask) {
    throw new AxeError('there is nothing to do', {
      remedy:
        'Say with `--prompt` what to do, pipe it in, or name a change with `--git main...HEAD`.',
    });
  }
  return { stdin, change };
}

/** An agent that has any of these knows what to do without a task. */
export function hasInstructions(
  { systemPrompt, skill, files }: Pick<AgentConfig, 'systemPrompt' | 'skill' | 'files'>,
  givenSkill: string,
): boolean {
  return !isBlank(systemPrompt) || firstGiven([givenSkill, skill]) !== '' || files.length > 0;
}

/** A pull request that changes the run's own instructions does not change this run. */
function warnOfOwnInstructions(
  { agent, trigger }: PlanBasis,
  { skill, files }: AgentTexts,
  {
    guidance,
    context,
  }: { readonly guidance: Guidance; readonly context: TriggerContext | undefined },
): readonly Warning[] {
  const repository = trigger.kind === 'local' ? undefined : trigger.repository;
  const instructions = { agent, skill: skill.path, files, guidance: guidance.paths, repository };
  const warning = warnOfOwnChanges(instructions, context);
  return warning === undefined ? [] : [warning];
}

/** On these events an agent that posts reviews lacks its tools, and no gate of findings can fail. */
function warnOfNoChange(
  { agent, trigger }: PlanBasis,
  context: TriggerContext | undefined,
): readonly Warning[] {
  const lacksChange =
    trigger.kind === 'schedule' ||
    trigger.kind === 'dispatch' ||
    trigger.kind === 'release' ||
    (trigger.kind === 'push' && (context === undefined || context.kind === 'none'));
  if (!lacksChange || !postsReviews(agent)) return [];
  const message = `agent "${agent.name}" posts reviews, and \`${trigger.event}\` brings no change to review: it only answers, and no finding is posted or counted. Run it on \`pull_request\`, or use an agent without the tools of a review here, such as \`builtin/ask\`.`;
  return [{ code: 'tool-not-available', message }];
}

function promptFrom({ prompt }: RunRequest, stdin: string): Plan['promptFrom'] {
  if (!isBlank(prompt)) return 'flag';
  return stdin === '' ? 'default' : 'stdin';
}

/**
 * A project's instructions for reviews. Like context files they are read from the agent's source,
 * never from the change under review.
 */
async function reviewInstructions(
  agent: LoadedAgent,
  workdir: string,
  { agents }: Dependencies,
): Promise<Awaited<ReturnType<Dependencies['agents']['loadContextFiles']>>> {
  const { instructions } = agent.config.review;
  if (instructions === '') return { files: [], warnings: [] };
  const loaded = await agents.loadContextFiles([instructions], workdir, agent);
  if (loaded.files.length + loaded.warnings.length > 0) return loaded;
  const message = `\`instructions\` in \`[review]\` of agent "${agent.name}" names ${JSON.stringify(instructions)}, and there is no such file. Add it to the base branch, or leave \`instructions\` out.`;
  return { files: [], warnings: [{ code: 'context-file-skipped', message }] };
}

/** The part of the change that the model is shown; undefined for a run without a change. */
function findCoverage(
  { trigger, diffPolicy }: RunRequest,
  context: TriggerContext | undefined,
  unseen: Task['unseen'] = [],
): Coverage | undefined {
  if (context === undefined || context.kind === 'none') {
    const isUnread = context === undefined || context.isChangeUnread === true;
    return trigger.kind === 'pull_request' || (hasChange(trigger) && isUnread)
      ? NOTHING_READ
      : undefined;
  }
  const isShown = createPathFilter(diffPolicy);
  return coverageOf({ change: context, isLeftOut: (path) => !isShown(path), notShown: unseen });
}

/** The required form of the answer; undefined for any text. Throws a ConfigError for a bad schema. */
export async function answerForm(
  params: Parameters<typeof responseFormatOf>[0],
  outputSchema: string,
  { deadline }: { readonly deadline: Deadline },
): Promise<AnswerForm | undefined> {
  const format = responseFormatOf(params, outputSchema);
  if (format === undefined) return undefined;
  const { schema } = format;
  if (schema === undefined) return { format, check: checkObject };
  const check = await compileSchema(schema, schemaOrigin(outputSchema), () => deadline.leftMs());
  return { format, check };
}

/** Adds the form of the answer to the user message, since some providers ignore a schema. */
export function withInstruction(message: string, form: AnswerForm | undefined): string {
  return form === undefined ? message : `${message}\n\n${formatInstruction(form.format)}`;
}
