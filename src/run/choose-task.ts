import type { AgentConfig } from '../agent/config.js';
import { askedQuestion } from '../event/comment-commands.js';
import type { TriggerContext } from '../event/context.js';
import { findMention } from '../event/mention.js';
import { subjectNumber } from '../event/trigger.js';
import { rightsOf } from '../event/trust.js';
import { type ReviewScope, reviewCommand } from '../findings/change/scope.js';
import type { Warning } from '../lib/errors.js';
import { estimateText } from '../lib/text/bytes.js';
import { count } from '../lib/text/format.js';
import { roomForPrompt } from '../loop/compact.js';
import { replyTokensOf } from '../loop/run-agent.js';
import { splitDiff } from '../prompt/diff-pack.js';
import type { DiffPolicy, LocalChange } from '../prompt/diff-policy.js';
import { noticeOfPart } from '../prompt/notices.js';
import { buildSystemPrompt, type SystemPromptParts } from '../prompt/prompt.js';
import { orderToReview, resolveTask, type Task, type TaskParts } from '../prompt/task.js';
import { firstGiven } from './admit.js';
import type { PlanBasis, ReviewPass, RunRequest } from './records.js';

/** The facts that the task depends on. */
interface TaskFacts extends PlanBasis {
  readonly stdin: string;
  readonly change: LocalChange | undefined;
  readonly context: TriggerContext | undefined;
  readonly scope: ReviewScope | undefined;
  readonly prompt: SystemPromptParts;
  /** The context window of the model; undefined if it is not known. */
  readonly windowTokens: number | undefined;
  /** GitHub can be asked for the rest of a diff. */
  readonly canReadDiff: boolean;
}

/** The user message of a run, or those of its passes. */
export interface ChosenTask {
  readonly task: Task;
  /** The conversations of a review that needs several; undefined: one, with the task. */
  readonly passes: readonly ReviewPass[] | undefined;
  /** Paths of changed files that no message shows, or only in part. */
  readonly unseen: readonly string[] | undefined;
  readonly warnings: readonly Warning[];
}

/** Decides what the model is asked, and how much of the change it is shown. */
export function chooseTask(request: RunRequest, facts: TaskFacts): ChosenTask {
  const { agent, reading, prompt, windowTokens } = facts;
  const { config } = agent;
  const policy = withinWindow(request.diffPolicy, config, {
    system: buildSystemPrompt({ ...prompt, files: [] }),
    windowTokens,
  });
  const tool =
    facts.canReadDiff && config.tools.includes('github_diff') ? 'github_diff' : undefined;
  const parts = {
    prompt: firstGiven([request.prompt, requestOf(request)]),
    stdin: facts.stdin,
    trigger: facts.trigger,
    toFix: request.toFix,
    context: facts.context,
    scope: facts.scope,
    change: facts.change,
    policy: { ...policy, tool },
    showsStrangers: rightsOf(reading.begun).hears === 'all',
  };
  const task = resolveTask(parts);
  const split = planPasses(facts, parts, task);
  const { unseen, warnings } = split ?? task;
  return { task, passes: split?.passes, unseen, warnings };
}

/** The text of a comment without `/axe ask` or the `trigger-phrase`; empty without either. */
function requestOf({ trigger, admissionPolicy: { triggerPhrase } }: RunRequest): string {
  if (reviewCommand(trigger) !== undefined) return orderToReview(subjectNumber(trigger));
  const question = askedQuestion(trigger);
  if (question !== undefined) return question;
  if (trigger.kind !== 'comment' || triggerPhrase === '') return '';
  return findMention(trigger.body, triggerPhrase) ?? '';
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

/**
 * Splits a change that does not fit into one prompt. Undefined if one pass is enough, and always
 * for the changes since an earlier review. `taskParts` are those of `task`; the returned warnings
 * replace those of a single pass.
 */
function planPasses(
  { agent: { config }, review }: PlanBasis,
  taskParts: TaskParts & { readonly policy: DiffPolicy },
  task: Task,
): Pick<ChosenTask, 'passes' | 'unseen' | 'warnings'> | undefined {
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
    return { name, paths: part.paths, message: `${messageOf(part.text)}\n\n${noticeOfPart(name)}` };
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
