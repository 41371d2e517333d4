import type { LoadedAgent } from '../agent/agent-source.js';
import type { AgentConfig } from '../agent/config.js';
import { hasTaintedRemarks, knowOwnRemarks, type TriggerContext } from '../event/context.js';
import { findMention } from '../event/mention.js';
import { subjectNumber } from '../event/trigger.js';
import {
  type Coverage,
  coverageOf,
  NOTHING_READ,
  reviewCommand,
} from '../findings/change/scope.js';
import { formatKnownFindings } from '../findings/post/finding-texts.js';
import { postedIds } from '../findings/state-facts.js';
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
import { isBlank, resolveTask, type Task, type TaskParts } from '../prompt/task.js';
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
import { memoryWarnings } from './memory.js';
import type {
  Admitted,
  DraftPlan,
  Plan,
  PlanBasis,
  Restored,
  ReviewPass,
  RunRequest,
} from './records.js';

/**
 * The second step: everything that is decided before a model is asked, but for what memory teaches.
 * What needs the network and is not needed here is only started, so that the waits overlap. A
 * change without anything to read ends here. Throws an AxeError; the order of errors is axe's
 * (axe-behaviour §4).
 */
export async function makePlan(
  request: RunRequest,
  admitted: Admitted,
  deps: Dependencies,
): Promise<DraftPlan | SkippedRun> {
  const { basis, taint, memory } = admitted;
  const { agent, model, trigger, trust, workdir } = basis;
  const { config } = agent;
  const { toFix } = request;
  const learned =
    toFix === undefined
      ? startEarly(readEarlierFindings(admitted, deps))
      : Promise.resolve({ ledger: undefined, others: [] });
  const scoped = startEarly(findScope(request, admitted, deps));
  const opened = request.dryRun ? undefined : startEarly(openModel(deps, model, config.params));

  const { files, warnings } = await deps.agents.loadContextFiles(config.files, workdir, agent);
  const instructions = await reviewInstructions(agent, workdir, deps);
  const skillPath = firstGiven([request.skill, config.skill]);
  const skillOf = skillPath === config.skill ? agent : undefined;
  const skill = skillPath === '' ? '' : skillBody(await deps.agents.loadSkill(skillPath, skillOf));
  const { stdin, change } = await localInput(request, basis, await request.readStdin());
  const context = await readContext(admitted);
  const about = { trigger, context, change, isReview: postsReviews(agent) };
  const guided = startEarly(readGuidance(agent, about, deps.agents));
  const { scope, warnings: scopeWarnings } = await scoped;
  const skipped = admitChange(request, admitted, context, scope);
  if (skipped !== undefined) return skipped;
  const guidance = await guided;
  const prompt = firstGiven([request.prompt, requestOf(request)]);
  const systemParts = {
    systemPrompt: config.systemPrompt,
    skill,
    files,
    guidance: guidance.files,
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
    trigger,
    toFix,
    context,
    scope,
    change,
    policy: {
      ...diffPolicy,
      // What the model is told to ask for the rest of a diff with.
      tool:
        deps.github !== undefined && config.tools.includes('github_diff')
          ? ('github_diff' as const)
          : undefined,
    },
    showsStrangers: trust.level === 'untrusted',
  };
  const task = resolveTask(given);
  const planned = planPasses(basis, given, task);
  const unseen = planned === undefined ? task.unseen : planned.unseen;
  const repository = trigger.kind === 'local' ? undefined : trigger.repository;
  const ownChanges = warnOfOwnChanges(
    { agent, skill: skillPath, files, guidance: guidance.paths, repository },
    context,
  );
  const form = await answerForm(config.params, request.outputSchema, deps);
  const plan = {
    ...basis,
    skill: { path: skillPath, content: skill },
    files,
    promptFrom: promptFrom(request, stdin),
    task: { ...task, message: withInstruction(task.message, form), unseen },
    scope,
    // A diagnosis of another workflow's run is for those who wait for its pull request.
    reportsOn:
      trigger.kind === 'workflow_run' ? (context?.pullOfCommit ?? trigger.pull?.number) : undefined,
    coverage: findCoverage(request, context, unseen),
    passes: planned?.passes,
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
      ...(planned?.warnings ?? task.warnings),
    ],
  };
  return {
    kind: 'draft',
    plan,
    taint,
    change:
      reviewedChange(trigger, context) ?? (change && { head: '', base: '', diff: change.diff }),
    memory,
    learned,
    model: opened,
  };
}

/**
 * What is piped in, and the change that `--git` names. A built-in reviewer takes a piped diff for
 * the change. Throws an AxeError if it has nothing to review: to ask a model then only costs money.
 */
async function localInput(
  { prompt, readChange }: RunRequest,
  { agent, trigger }: PlanBasis,
  piped: string,
): Promise<{ readonly stdin: string; readonly change: LocalChange | undefined }> {
  const stdin = isBlank(piped) ? '' : piped;
  const change = await readChange();
  const { source, config } = agent;
  const isReviewer = source === 'built-in' && config.tools.includes('submit_review');
  if (trigger.kind !== 'local' || change !== undefined || !isReviewer) return { stdin, change };
  if (/^diff --git /m.test(stdin)) return { stdin: '', change: { range: '', diff: stdin } };
  if (stdin !== '' || !isBlank(prompt)) return { stdin, change };
  throw new AxeError('there is nothing to review', {
    remedy:
      'Name a change with `--git main...HEAD`, pipe a diff in, or say with `--prompt` what to look at.',
  });
}

function promptFrom({ prompt }: RunRequest, stdin: string): Plan['promptFrom'] {
  if (!isBlank(prompt)) return 'flag';
  return stdin === '' ? 'default' : 'stdin';
}

/** What is around the event; words of ours that rest on strangers' taint as these do. */
async function readContext({
  basis,
  taint,
  ...admitted
}: Admitted): Promise<TriggerContext | undefined> {
  const [context, memory] = await Promise.all([admitted.context, admitted.memory]);
  if (context === undefined) return undefined;
  const known = knowOwnRemarks(context, postedIds(memory?.facts ?? []));
  if (basis.trust.level === 'trusted' && hasTaintedRemarks(known)) taint.add({ kind: 'own-words' });
  return known;
}

/**
 * What a project wants of its reviews: like a context file it is taken from where the agent is
 * from, never from what is reviewed.
 */
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

/** How much of a change the model is shown; undefined where the run is about none. */
function findCoverage(
  { trigger, diffPolicy }: RunRequest,
  context: TriggerContext | undefined,
  unseen: Task['unseen'] = [],
): Coverage | undefined {
  if (context === undefined || context.kind === 'none')
    return trigger.kind === 'pull_request' ? NOTHING_READ : undefined;
  const isShown = createPathFilter(diffPolicy);
  return coverageOf({ change: context, isLeftOut: (path) => !isShown(path), notShown: unseen });
}

/** By estimate, with its description and schema. */
const TOKENS_OF_A_TOOL = 250;
/**
 * Of what instructions and tools leave; memory, context files and what people say around a change
 * have the rest.
 */
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

/**
 * Of a comment what it says besides the `trigger-phrase`; empty where there is no phrase, or
 * nothing next to it.
 */
function requestOf({ trigger, admissionPolicy: { triggerPhrase } }: RunRequest): string {
  if (reviewCommand(trigger) !== undefined) return `Review pull request #${subjectNumber(trigger)}`;
  if (trigger.kind !== 'comment' || triggerPhrase === '') return '';
  return findMention(trigger.body, triggerPhrase) ?? '';
}

/**
 * The form an agent's answer must have; undefined for any text. Throws a ConfigError for a schema
 * of no use.
 */
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

/**
 * The user message with the form of the answer at its end, since not every provider passes a schema
 * on.
 */
export function withInstruction(message: string, form: AnswerForm | undefined): string {
  return form === undefined ? message : `${message}\n\n${formatInstruction(form.format)}`;
}

/**
 * How often a change is read: once, unless it does not fit. What is new since an earlier review is
 * read once. `given` is what the task was made from; the warnings take the place of those of a
 * single pass. Undefined for one pass.
 */
function planPasses(
  { agent: { config }, review }: PlanBasis,
  given: TaskParts & { readonly policy: DiffPolicy },
  task: Task,
):
  | {
      readonly passes: readonly ReviewPass[];
      readonly unseen: readonly string[];
      readonly warnings: readonly Warning[];
    }
  | undefined {
  const { context, scope, policy } = given;
  const isReview =
    config.tools.includes('add_review_comment') && config.params.responseFormat === undefined;
  if (review.depth === 'quick' || !isReview) return undefined;
  if (context?.kind !== 'pull_request' || scope?.kind === 'since') return undefined;
  const { unseen = [] } = task;
  const messageOf = (diff: string) =>
    resolveTask({ ...given, context: { ...context, diff }, policy: { ...policy, maxTokens: 0 } })
      .message;
  const split = unseen.length === 0 ? undefined : splitDiff(context.diff, policy, config.review);
  if (split === undefined || split.parts.length < 2) return undefined;
  const passes = split.parts.map((part, index) => {
    const name = `part ${index + 1} of ${split.parts.length}`;
    const note = `The change is too large to be read at once. You are shown ${name}; the other parts are reviewed at the same time. Report what you find in your part. Where it depends on another file, read that with your tools. In the summary speak of your part alone, in one or two sentences.`;
    return { name, paths: part.paths, message: `${messageOf(part.text)}\n\n${note}` };
  });
  const left = withoutShown(unseen, split);
  return { passes, unseen: left, warnings: warningsOf(task, left) };
}

function warningsOf({ warnings }: Task, left: readonly string[]): readonly Warning[] {
  const others = warnings.filter(({ code }) => code !== 'context-truncated');
  if (left.length === 0) return others;
  const message = `${count(left.length, 'file')} of the change ${left.length === 1 ? 'is' : 'are'} in no part of the review, or not whole. Raise \`parts\` in \`[review]\` of the agent, or leave files out with \`paths\`.`;
  return [...others, { code: 'context-truncated', message }];
}

/** Files that GitHub shows no lines of stay unseen, whatever the parts hold. */
function withoutShown(
  unseen: readonly string[],
  { parts, left }: ReturnType<typeof splitDiff>,
): readonly string[] {
  const shown = new Set(parts.flatMap(({ paths }) => paths).filter((path) => !left.includes(path)));
  return [...new Set([...unseen.filter((path) => !shown.has(path)), ...left])];
}

/**
 * The third step: waits for memory, reports what is wrong with it, and finishes the plan with what
 * its findings taught. A dry run shows the plan without lessons where memory is kept in another
 * repository. Rejects only for an aborted signal.
 */
export async function restore(
  request: RunRequest,
  draft: DraftPlan,
  deps: Dependencies,
): Promise<Restored> {
  const { plan, taint, change, model } = draft;
  const memory = await draft.memory;
  const learned = await draft.learned;
  // A review that has to know its findings ends with this very refusal, which is told once.
  const isTold = ({ message }: Warning) =>
    needsFindings(plan) && learned.trouble?.startsWith(message) === true;
  for (const warning of plan.warnings) if (!isTold(warning)) deps.reporter.warn(warning);
  for (const warning of memoryWarnings(plan, memory, deps)) deps.reporter.warn(warning);
  const { ledger } = learned;
  const isHidden = request.dryRun && request.isMemoryHidden;
  // Without write access nobody's words may reach the model through ours: places and kinds alone
  // are shown.
  const isUntrusted = taint.lane(plan.trust.lane) !== 'trusted';
  const isKnown = ledger !== undefined && change !== undefined && !isHidden;
  const lessons = isKnown ? formatKnownFindings(ledger, isUntrusted) : undefined;
  return { plan: withLessons(plan, lessons), memory, learned, taint, change, model };
}

/**
 * The lessons are at the end of each user message. Every pass shows a diff, so it explains its
 * fences already.
 */
function withLessons(plan: Plan, lessons: string | undefined): Plan {
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
