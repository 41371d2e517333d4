import { type PushTrigger, pushKind, type Trigger } from '../event/trigger.js';
import { DEFAULT_TASK } from '../lib/defaults.js';
import type { Warning } from '../lib/errors.js';
import { cleanLine } from '../lib/text/format.js';
import { formatToFix } from '../review/said.js';
import type { Scope } from '../review/scope.js';
import type { KnownFinding } from '../review/seen.js';
import { FENCE_NOTICE, fence, parseFences } from '../safety/fence.js';
import { DEFAULT_DIFF_POLICY, type DiffPolicy, type LocalChange, type TriggerContext } from './context.js';
import { describeTrigger } from './describe.js';
import { DIFF_SOURCE, describeDiff } from './describe-change.js';
import { NO_PARTS } from './describe-talk.js';

export interface TaskParts {
  /** The `prompt` input or `--prompt`; blank means not given. */
  readonly prompt: string;
  /** Standard input as it was read; blank means nothing was piped. */
  readonly stdin: string;
  readonly trigger: Trigger;
  /** Findings that are described in the place of the event; left out: none. */
  readonly toFix?: readonly KnownFinding[] | undefined;
  readonly context: TriggerContext | undefined;
  /** How much of a pull request is reviewed; left out: all of it. */
  readonly scope?: Scope | undefined;
  readonly change: LocalChange | undefined;
  /** Left out: as much of a diff as fits by default. */
  readonly policy?: DiffPolicy;
  /** Whether the model is told what people without write access said around the subject (D19); left out: no. */
  readonly showsStrangers?: boolean;
}

export interface Task {
  /** What memory keeps as the task (D9), cut unless it is kept whole. */
  readonly sentence: string;
  /** Memory keeps the sentence however long it is, as axe does with piped text (D52); left out: no. */
  readonly isKeptWhole?: boolean | undefined;
  /** The user message: the sentence without a title by others, and whatever was sent along. */
  readonly message: string;
  readonly warnings: readonly Warning[];
  /** Paths of changed files that are not in the message, or not whole, for want of room; left out: none. */
  readonly unseen?: readonly string[] | undefined;
}

/**
 * The task of a run. On the command line piped text replaces axe's default byte for byte, and with a prompt it is
 * context (axe-behaviour §6, D9, D37). An event makes a sentence of its own, which a prompt replaces; what other
 * people wrote, titles too, is in fences behind it.
 */
export function resolveTask(given: TaskParts): Task {
  const { prompt, stdin, trigger, toFix, context, scope, change, showsStrangers = false } = given;
  const { policy = DEFAULT_DIFF_POLICY } = given;
  const isStdinTask = trigger.kind === 'local' && isBlank(prompt);
  const isPiped = isStdinTask && !isBlank(stdin);
  const ownTask = isPiped ? stdin : prompt;
  const isOwnTask = !isBlank(ownTask);
  const order = isOwnTask ? ownTask : orderOf(trigger, change);
  const parts = [
    toFix === undefined
      ? describeTrigger(trigger, { context, scope, policy, showsStrangers })
      : { blocks: toFix.map(formatToFix) },
    change === undefined
      ? NO_PARTS
      : describeDiff(
          change.diff,
          `${DIFF_SOURCE}${change.range === '' ? 'standard input' : change.range}`,
          policy,
        ),
    isStdinTask || isBlank(stdin) ? NO_PARTS : { blocks: [fence(stdin, { source: 'standard input' })] },
  ];
  const opening = [order];
  // These events say when to run and nothing about what to do; the agent's instructions do.
  const isBare = ['schedule', 'dispatch', 'unknown'].includes(trigger.kind);
  if (!isOwnTask && isBare) opening.push(DEFAULT_TASK);
  const blocks = parts.flatMap((part) => part.blocks);
  if (blocks.some((block) => parseFences(block).fences.length > 0)) opening.push(FENCE_NOTICE);
  const unseen = parts.flatMap((part) => part.unseen ?? []);
  return {
    sentence: isOwnTask ? ownTask : order + titleOf(trigger),
    isKeptWhole: isPiped || undefined,
    message: [...opening, ...blocks].join('\n\n'),
    warnings: parts.flatMap(({ warnings = [] }) => warnings),
    unseen: unseen.length === 0 ? undefined : unseen,
  };
}

/** What Go's strings.TrimSpace would leave empty; axe takes such a standard input for none. */
export function isBlank(text: string): boolean {
  return !/\P{White_Space}/u.test(text);
}

/** Code points of a title or name that are kept. */
const MAX_NAME = 200;

function orderOf(trigger: Trigger, change: LocalChange | undefined): string {
  switch (trigger.kind) {
    case 'pull_request':
      return `Review pull request #${trigger.number}`;
    case 'issue':
      return `Triage issue #${trigger.number}`;
    case 'comment':
      return `Answer the ${trigger.review === undefined ? 'comment' : 'review'} by ${cleanLine(trigger.author.login, MAX_NAME)} on #${trigger.number}`;
    case 'push':
      return pushOrder(trigger);
    case 'release':
      return `Look at the release ${cleanLine(trigger.tag, MAX_NAME)}`;
    case 'workflow_run':
      return `Look at the workflow run ${trigger.runId}`;
    case 'merge_group':
      return `Review the merge group at ${cleanLine(trigger.head.sha.slice(0, 7), MAX_NAME)}`;
    case 'schedule':
      return trigger.cron === '' ? 'Scheduled run' : `Scheduled run (${cleanLine(trigger.cron, MAX_NAME)})`;
    case 'dispatch':
      return `Run started by ${cleanLine(trigger.actor.login, MAX_NAME)}`;
    case 'unknown':
      return `Run on the event ${cleanLine(trigger.event, MAX_NAME)}`;
    case 'local':
      if (change === undefined) return DEFAULT_TASK;
      return change.range === '' ? 'Review the piped change' : `Review the change ${change.range}`;
  }
}

/** Somebody else's words: in memory they name the subject, in the message they stand only in its fence. */
function titleOf(trigger: Trigger): string {
  if (!('title' in trigger)) return '';
  const title = cleanLine(trigger.title, MAX_NAME);
  return title === '' ? '' : `: ${title}`;
}

function pushOrder(trigger: PushTrigger): string {
  const { ref, commits } = trigger;
  const isTag = ref.startsWith('refs/tags/');
  const name = cleanLine(ref.replace(/^refs\/(?:heads|tags)\//, ''), MAX_NAME);
  const kind = pushKind(trigger);
  if (kind === 'deleted') return `Look at the deletion of the ${isTag ? 'tag' : 'branch'} ${name}`;
  if (isTag) return `Look at the tag ${name}`;
  if (commits.length === 0)
    return kind === 'created' ? `Look at the new branch ${name}` : `Review the push to ${name}`;
  const count = commits.length === 1 ? '1 commit' : `${commits.length} commits`;
  return `Review the push of ${count} to ${name}`;
}
