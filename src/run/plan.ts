import type { LoadedAgent } from '../agent/agent-source.js';
import type { AgentConfig } from '../agent/config.js';
import { askedQuestion } from '../event/comment-commands.js';
import { changedPathsOf, type TriggerContext } from '../event/context.js';
import { findMention } from '../event/mention.js';
import { hasChange, subjectNumber, type Trigger } from '../event/trigger.js';
import { rightsOf } from '../event/trust.js';
import {
  type Coverage,
  coverageOf,
  NOTHING_READ,
  reviewCommand,
} from '../findings/change/scope.js';
import { describeHidden } from '../findings/decide/hidden-findings.js';
import { formatKnownFindings, strangersInTitles } from '../findings/post/finding-texts.js';
import type { Deadline } from '../lib/clock.js';
import { AxeError, type Warning } from '../lib/errors.js';
import { estimateText } from '../lib/text/bytes.js';
import { count } from '../lib/text/format.js';
import { roomForPrompt } from '../loop/compact.js';
import { replyTokensOf } from '../loop/run-agent.js';
import {
  type AnswerForm,
  checkObject,
  compileSchema,
  formatInstruction,
  responseFormatOf,
  schemaOrigin,
} from '../loop/structured.js';
import { splitDiff } from '../prompt/diff-pack.js';
import { createPathFilter, type DiffPolicy, type LocalChange } from '../prompt/diff-policy.js';
import { readGuidance, warnOfOwnChanges } from '../prompt/guidance.js';
import { buildSystemPrompt, skillBody } from '../prompt/prompt.js';
import { isBlank, isDiff, resolveTask, type Task, type TaskParts } from '../prompt/task.js';
import { FENCE_NOTICE } from '../safety/fence.js';
import { admitChange, firstGiven, postsReviews, type SkippedRun, startEarly } from './admit.js';
import { openModel, smallerWindow } from './conversation.js';
import type { Dependencies } from './dependencies.js';
import {
  findScope,
  needsFindings,
  readEarlierFindings,
  reviewedChange,
} from './earlier-reviews.js';
import { placesToReport } from './hidden-places.js';
import { chooseMemory, memoryWarnings, readPrivateMemory } from './memory.js';
import type {
  Admitted,
  DraftPlan,
  Memory,
  Plan,
  PlanBasis,
  Restored,
  ReviewPass,
  RunRequest,
  StoredMemory,
} from './records.js';
import { runSubject } from './subject.js';

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
  const { basis, memory } = admitted;
  const { agent, model, trigger, reading, workdir } = basis;
  const { config } = agent;
  const { toFix } = request;
  const earlierFindings =
    toFix === undefined
      ? startEarly(readEarlierFindings(admitted, deps))
      : Promise.resolve({ ledger: undefined, others: [] });
  const scopeReading = startEarly(findScope(request, admitted, deps));
  const openingModel = request.dryRun
    ? undefined
    : startEarly(
        openModel(deps, model, {
          ...config.params,
          stream: config.stream,
          price: request.price ?? config.params.price,
        }),
      );

  const { files, warnings } = await deps.agents.loadContextFiles(config.files, workdir, agent);
  const instructions = await reviewInstructions(agent, workdir, deps);
  const skillPath = firstGiven([request.skill, config.skill]);
  const skillOf = skillPath === config.skill ? agent : undefined;
  const skill = skillPath === '' ? '' : skillBody(await deps.agents.loadSkill(skillPath, skillOf));
  const { stdin, change } = await localInput(request, basis, deps.program);
  const context = await admitted.context;
  const changedPaths = changedPathsOf(context);
  const guidanceFor = { trigger, changedPaths, change, isReview: postsReviews(agent) };
  const early = change === undefined ? admitted.guidance : undefined;
  const guidanceReading = early ?? startEarly(readGuidance(agent, guidanceFor, deps.agents));
  const { scope, warnings: scopeWarnings } = await scopeReading;
  const skipped = admitChange(request, admitted, context, scope);
  if (skipped !== undefined) return skipped;

  const guidance = await guidanceReading;
  const systemParts = {
    systemPrompt: config.systemPrompt,
    skill,
    files,
    guidance: guidance.files,
    instructions: instructions.files,
    language: request.language ?? '',
  };
  const modelFacts = (await openingModel?.catch(() => undefined)) ?? deps.models.facts(model);
  const diffPolicy = withinWindow(request.diffPolicy, config, {
    system: buildSystemPrompt({ ...systemParts, files: [] }),
    windowTokens: smallerWindow(modelFacts.windowTokens, config.params.contextWindow),
  });
  const canReadDiff = deps.github !== undefined && config.tools.includes('github_diff');
  const taskParts = {
    prompt: firstGiven([request.prompt, requestOf(request)]),
    stdin,
    trigger,
    toFix,
    context,
    scope,
    change,
    policy: { ...diffPolicy, tool: canReadDiff ? ('github_diff' as const) : undefined },
    showsStrangers: rightsOf(reading.begun).hears === 'all',
  };
  const task = resolveTask(taskParts);
  const passPlan = planPasses(basis, taskParts, task);
  const unseen = passPlan === undefined ? task.unseen : passPlan.unseen;

  const repository = trigger.kind === 'local' ? undefined : trigger.repository;
  const ownChanges = warnOfOwnChanges(
    { agent, skill: skillPath, files, guidance: guidance.paths, repository },
    context,
  );
  const form = await answerForm(config.params, request.outputSchema, deps);
  const reportsOn = pullOfWorkflowRun(trigger, context);

  const plan = {
    ...basis,
    skill: { path: skillPath, content: skill },
    files,
    promptFrom: promptFrom(request, stdin),
    task: { ...task, message: withInstruction(task.message, form), unseen },
    scope,
    reportsOn,
    subject: runSubject(trigger, { reportsOn, context, diff: change?.diff }),
    coverage: findCoverage(request, context, unseen),
    passes: passPlan?.passes,
    form,
    prompt: systemParts,
    maxTurns: request.maxTurns,
    warnings: [
      ...agent.warnings,
      ...warnings,
      ...instructions.warnings,
      ...guidance.warnings,
      ...(ownChanges === undefined ? [] : [ownChanges]),
      ...(context?.warnings ?? []),
      ...scopeWarnings,
      ...warnOfNoChange(agent, trigger, context),
      ...(passPlan?.warnings ?? task.warnings),
    ],
  };
  const localChange = change && { head: '', base: '', diff: change.diff };
  return {
    kind: 'draft',
    plan,
    change: reviewedChange(trigger, context) ?? localChange,
    memory,
    learned: earlierFindings,
    model: openingModel,
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
async function localInput(
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

/** On these events an agent that posts reviews lacks its tools, and no gate of findings can fail. */
function warnOfNoChange(
  agent: LoadedAgent,
  trigger: Trigger,
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

/** An estimate, with description and schema. */
const TOKENS_OF_A_TOOL = 250;
/**
 * The diff's share of the room left by instructions and tools; the rest is for memory, context
 * files and conversations.
 */
const DIFF_SHARE = 3 / 4;

/** Limits the diff to the room that the model's context window has next to the known prompt. */
function withinWindow(
  policy: DiffPolicy,
  { params, tools }: AgentConfig,
  { system, windowTokens }: { readonly system: string; readonly windowTokens: number | undefined },
): DiffPolicy {
  if (windowTokens === undefined) return policy;
  const fixedTokens = estimateText(system) + tools.length * TOKENS_OF_A_TOOL;
  const free = (roomForPrompt(windowTokens, replyTokensOf(params)) - fixedTokens) * DIFF_SHARE;
  const room = Math.floor(Math.max(windowTokens / 16, free));
  return { ...policy, maxTokens: policy.maxTokens === 0 ? room : Math.min(policy.maxTokens, room) };
}

/** The text of a comment without `/axe ask` or the `trigger-phrase`; empty without either. */
function requestOf({ trigger, admissionPolicy: { triggerPhrase } }: RunRequest): string {
  if (reviewCommand(trigger) !== undefined) return `Review pull request #${subjectNumber(trigger)}`;
  const question = askedQuestion(trigger);
  if (question !== undefined) return question;
  if (trigger.kind !== 'comment' || triggerPhrase === '') return '';
  return findMention(trigger.body, triggerPhrase) ?? '';
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

/**
 * Splits a change that does not fit into one prompt. Undefined if one pass is enough, and always
 * for the changes since an earlier review. `taskParts` are those of `task`; the returned warnings
 * replace those of a single pass.
 */
function planPasses(
  { agent: { config }, review }: PlanBasis,
  taskParts: TaskParts & { readonly policy: DiffPolicy },
  task: Task,
):
  | {
      readonly passes: readonly ReviewPass[];
      readonly unseen: readonly string[];
      readonly warnings: readonly Warning[];
    }
  | undefined {
  const { context, scope, policy } = taskParts;
  const isReview =
    config.tools.includes('add_review_comment') && config.params.responseFormat === undefined;
  if (review.depth === 'quick' || !isReview) return undefined;
  if (context?.kind !== 'pull_request' || scope?.kind === 'since') return undefined;

  const { unseen = [] } = task;
  const split = unseen.length === 0 ? undefined : splitDiff(context.diff, policy, config.review);
  if (split === undefined || split.parts.length < 2) return undefined;

  const unlimited = { ...taskParts, policy: { ...policy, maxTokens: 0 } };
  const messageOf = (diff: string) =>
    resolveTask({ ...unlimited, context: { ...context, diff } }).message;
  const passes = split.parts.map((part, index) => {
    const name = `part ${index + 1} of ${split.parts.length}`;
    const note = `The change is too large to be read at once. You are shown ${name}; the other parts are reviewed at the same time. Report what you find in your part. Where it depends on another file, read that with your tools. In the summary speak of your part alone, in one or two sentences.`;
    return { name, paths: part.paths, message: `${messageOf(part.text)}\n\n${note}` };
  });
  const stillUnseen = unseenBySplit(unseen, split);
  return { passes, unseen: stillUnseen, warnings: splitWarnings(task, stillUnseen) };
}

function splitWarnings({ warnings }: Task, unseen: readonly string[]): readonly Warning[] {
  const others = warnings.filter(({ code }) => code !== 'context-truncated');
  if (unseen.length === 0) return others;
  const verb = unseen.length === 1 ? 'is' : 'are';
  const message = `${count(unseen.length, 'file')} of the change ${verb} in no part of the review, or not whole. Raise \`parts\` in \`[review]\` of the agent, or leave files out with \`paths\`.`;
  return [...others, { code: 'context-truncated', message }];
}

/** A file whose lines GitHub omits stays unseen, even if it is in a part. */
function unseenBySplit(
  unseen: readonly string[],
  { parts, left: leftOut }: ReturnType<typeof splitDiff>,
): readonly string[] {
  const shownPaths = parts.flatMap(({ paths }) => paths).filter((path) => !leftOut.includes(path));
  const shown = new Set(shownPaths);
  return [...new Set([...unseen.filter((path) => !shown.has(path)), ...leftOut])];
}

/**
 * The third step: waits for memory, reports its warnings, and adds the known findings to the plan.
 * A dry run leaves them out if memory is in another repository, since the plan is printed. Rejects
 * only for an aborted signal.
 */
export async function restore(
  request: RunRequest,
  draft: DraftPlan,
  deps: Dependencies,
): Promise<Restored> {
  const { plan, change, model } = draft;
  const stored = await draft.memory;
  const learned = await draft.learned;
  // A review that needs its findings is refused with this same message, so it is not repeated.
  const { trouble = '' } = learned;
  const isInRefusal = ({ code, message, remedy }: Warning) => {
    const hasSameRemedy = code === 'context-unread' && remedy !== undefined;
    const isSame = trouble.startsWith(message) || (hasSameRemedy && trouble.includes(remedy));
    return needsFindings(plan) && trouble !== '' && isSame;
  };
  for (const warning of plan.warnings) if (!isInRefusal(warning)) deps.reporter.warn(warning);

  const { ledger } = learned;
  const isHidden = request.dryRun && request.isMemoryHidden;
  const isKnown = ledger !== undefined && change !== undefined && !isHidden;
  for (const text of isKnown ? strangersInTitles(ledger.findings) : []) plan.reading.add(text);
  const lessons = isKnown ? formatKnownFindings(ledger) : undefined;
  const memory = await restoreMemory(plan, stored, deps);
  for (const warning of memoryWarnings(plan, memory, deps)) deps.reporter.warn(warning);

  const hidden = placesToReport(request, draft, deps);
  const planned = withLessons(withLessons(plan, describeHidden(hidden)), lessons);
  return { plan: planned, memory, learned, change, model, hidden };
}

/** By now it is known whose words the run begins with, and so whether a private memory is for it. */
async function restoreMemory(
  plan: Plan,
  stored: StoredMemory | undefined,
  deps: Dependencies,
): Promise<Memory | undefined> {
  const { memory } = plan;
  if (memory === undefined) return undefined;
  const whole = memory.isPrivate
    ? await readPrivateMemory({ ...plan, memory }, deps, { state: stored })
    : stored;
  return whole && chooseMemory(whole, memory, plan.subject);
}

/** Adds the lessons to each user message. A pass shows a diff, so it has the notice on fences. */
export function withLessons(plan: Plan, lessons: string | undefined): Plan {
  if (lessons === undefined) return plan;
  const { task, passes } = plan;
  const { message } = task;
  const parts = message.includes(FENCE_NOTICE)
    ? [message, lessons]
    : [message, FENCE_NOTICE, lessons];
  return {
    ...plan,
    task: { ...task, message: parts.join('\n\n') },
    passes: passes?.map((pass) => ({ ...pass, message: `${pass.message}\n\n${lessons}` })),
  };
}
