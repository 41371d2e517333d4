import type { TriggerContext } from '../event/context.js';
import {
  type Base,
  type CommentTrigger,
  type IssueTrigger,
  isNewRef,
  type PullRequestTrigger,
  type PushTrigger,
  type ReleaseTrigger,
  type Repository,
  type Trigger,
  type WorkflowRunTrigger,
} from '../event/trigger.js';
import type { ReviewScope } from '../findings/change/scope.js';
import type { FindingToFix } from '../findings/known-finding.js';
import { formatFindingToFix } from '../findings/post/finding-texts.js';
import { DEFAULT_TASK } from '../lib/defaults.js';
import type { Warning } from '../lib/errors.js';
import { cleanLine } from '../lib/text/format.js';
import { FENCE_NOTICE, fence, fencedText, parseFences } from '../safety/fence.js';
import { showName } from '../safety/hidden.js';
import {
  DIFF_SOURCE,
  describeChecks,
  describeCommits,
  describeDiff,
  describeFetched,
  describeScoped,
  describeTalk,
  describeText,
  joinParts,
  lastLinesOf,
  listOf,
  loginOf,
  MAX_FACT,
  NO_PARTS,
  NUMBERS_NOTICE,
  type Parts,
} from './describe.js';
import { DEFAULT_DIFF_POLICY, type DiffPolicy, type LocalChange } from './diff-policy.js';

export interface TaskParts {
  /** The `prompt` input or `--prompt`; blank means not given. */
  readonly prompt: string;
  /** Standard input as it was read; blank means nothing was piped. */
  readonly stdin: string;
  readonly trigger: Trigger;
  /** Findings that are described instead of the event. */
  readonly toFix?: readonly FindingToFix[];
  readonly context: TriggerContext | undefined;
  /** The part of a pull request that is reviewed; default: all of it. */
  readonly scope?: ReviewScope;
  readonly change: LocalChange | undefined;
  readonly policy?: DiffPolicy;
  /** Only a run that is not `own` reads the texts of people without write access. */
  readonly showsStrangers?: boolean;
}

export interface Task {
  /** The task for the memory, which shortens it unless it is kept whole. */
  readonly sentence: string;
  /** Memory does not shorten the sentence, as axe does not shorten piped text. */
  readonly isKeptWhole?: boolean;
  /** The user message: the sentence without other people's titles, and everything sent along. */
  readonly message: string;
  readonly warnings: readonly Warning[];
  /** Paths of changed files that did not fit into the message, or only in part. */
  readonly unseen?: readonly string[];
}

/**
 * The task of a run. On the command line, piped text without a prompt replaces axe's default task
 * byte for byte; with a prompt it is context, as in axe. An event has a sentence of its own, which
 * a prompt replaces. Other people's texts, also titles, follow in fences.
 */
export function resolveTask(taskParts: TaskParts): Task {
  const { prompt, stdin, trigger, toFix, context, scope, change } = taskParts;
  const { policy = DEFAULT_DIFF_POLICY, showsStrangers = false } = taskParts;
  const isStdinTask = trigger.kind === 'local' && isBlank(prompt);
  const isPiped = isStdinTask && !isBlank(stdin);
  const ownTask = isPiped ? stdin : prompt;
  const isOwnTask = !isBlank(ownTask);
  const order = isOwnTask ? ownTask : orderOf(trigger, change);

  const parts = [
    toFix === undefined
      ? describeTrigger(trigger, { context, scope, policy, showsStrangers })
      : { blocks: toFix.map(formatFindingToFix) },
    change === undefined
      ? NO_PARTS
      : describeDiff(change.diff, `${DIFF_SOURCE}${change.range || 'standard input'}`, policy),
    isStdinTask || isBlank(stdin)
      ? NO_PARTS
      : { blocks: [fence(stdin, { source: 'standard input' })] },
  ];

  const opening = [order];
  // These events only say when to run; the agent's instructions say what to do.
  const isBare = ['schedule', 'dispatch', 'unknown'].includes(trigger.kind);
  if (!isOwnTask && isBare) opening.push(DEFAULT_TASK);
  const blocks = parts.flatMap((part) => part.blocks);
  const fences = blocks.flatMap((block) => parseFences(block).fences);
  if (fences.length > 0) opening.push(FENCE_NOTICE);
  if (fences.some(({ source }) => source.startsWith(DIFF_SOURCE))) opening.push(NUMBERS_NOTICE);

  const unseen = parts.flatMap((part) => part.unseen ?? []);
  return {
    sentence: isOwnTask ? ownTask : order + titleOf(trigger),
    isKeptWhole: isPiped || undefined,
    message: [...opening, ...blocks].join('\n\n'),
    warnings: parts.flatMap(({ warnings = [] }) => warnings),
    unseen: unseen.length === 0 ? undefined : unseen,
  };
}

/** True for a text with a diff as git writes it. */
export function isDiff(text: string): boolean {
  return /^diff --git /m.test(text);
}

/** True if Go's strings.TrimSpace leaves nothing; axe ignores such standard input. */
export function isBlank(text: string): boolean {
  return !/\P{White_Space}/u.test(text);
}

/** Maximum code points of a title or name. */
const MAX_NAME = 200;

/** The task of a review, also of one that a comment asks for. */
export function orderToReview(pull: number | undefined): string {
  return `Review pull request #${pull}`;
}

/** The task of `/axe fix`. */
export function orderToFix(handles: readonly string[], pull: number): string {
  const order = `Fix ${handles.length === 1 ? 'the finding' : 'the findings'} ${handles.join(', ')} of pull request #${pull}`;
  if (handles.length === 1) return order;
  return `${order}, one after the other, with a commit for each whose message has its name`;
}

function orderOf(trigger: Trigger, change: LocalChange | undefined): string {
  switch (trigger.kind) {
    case 'pull_request':
      return orderToReview(trigger.number);
    case 'issue':
      return `Triage issue #${trigger.number}`;
    case 'comment':
      return `Answer the ${trigger.review === undefined ? 'comment' : 'review'} by ${showName(trigger.author.login, MAX_NAME)} on #${trigger.number}`;
    case 'push':
      return pushOrder(trigger);
    case 'release':
      return `Look at the release ${showName(trigger.tag, MAX_NAME)}`;
    case 'workflow_run':
      return `Look at the workflow run ${trigger.runId}`;
    case 'merge_group':
      return `Review the merge group at ${showName(trigger.head.sha.slice(0, 7), MAX_NAME)}`;
    case 'schedule':
      return trigger.cron === ''
        ? 'Scheduled run'
        : `Scheduled run (${showName(trigger.cron, MAX_NAME)})`;
    case 'dispatch':
      return `Run started by ${showName(trigger.actor.login, MAX_NAME)}`;
    case 'unknown':
      return `Run on the event ${showName(trigger.event, MAX_NAME)}`;
    case 'local':
      if (change === undefined) return DEFAULT_TASK;
      return change.range === '' ? 'Review the piped change' : `Review the change ${change.range}`;
  }
}

/**
 * Other people's text: it names the subject in memory, but in the message it is only in a fence.
 */
function titleOf(trigger: Trigger): string {
  if (!('title' in trigger)) return '';
  const title = cleanLine(trigger.title, MAX_NAME);
  return title === '' ? '' : `: ${title}`;
}

function pushOrder(trigger: PushTrigger): string {
  const { ref, commits } = trigger;
  const isTag = ref.startsWith('refs/tags/');
  const name = showName(ref.replace(/^refs\/(?:heads|tags)\//, ''), MAX_NAME);
  if (isTag) return `Look at the tag ${name}`;
  if (commits.length === 0)
    return isNewRef(trigger) ? `Look at the new branch ${name}` : `Review the push to ${name}`;

  const count = commits.length === 1 ? '1 commit' : `${commits.length} commits`;
  return `Review the push of ${count} to ${name}`;
}

type DescribeOptions = Pick<TaskParts, 'context' | 'scope'> &
  Required<Pick<TaskParts, 'policy' | 'showsStrangers'>>;

/** Describes an event to the model, unless it only says when to run. */
function describeTrigger(trigger: Trigger, options: DescribeOptions): Parts {
  switch (trigger.kind) {
    case 'pull_request':
      return describePullRequest(trigger, options);
    case 'issue':
      return describeIssue(trigger, options);
    case 'comment':
      return describeComment(trigger, options);
    case 'push':
      return describePush(trigger, options);
    case 'release':
      return describeRelease(trigger, options);
    case 'workflow_run':
      return describeWorkflowRun(trigger, options);
    case 'merge_group': {
      const { head, base } = trigger;
      const commits = `${describeCommit(head)} onto ${describeCommit(base)}`;
      const facts = factsOf(trigger, `Merge group: ${commits}`);
      return joinParts([facts, talk(options), describeChange('merge group', options)]);
    }
    case 'schedule':
    case 'dispatch':
    case 'unknown':
    case 'local':
      return NO_PARTS;
  }
}

/**
 * Parts that do not change between two pushes come first, so that the next run can use the
 * provider's prompt cache.
 */
function describePullRequest(trigger: PullRequestTrigger, options: DescribeOptions): Parts {
  const { number, head, base } = trigger;
  const state = `${trigger.isDraft ? ', a draft' : ''}${trigger.isFork ? ', from a fork' : ''}`;
  return joinParts([
    factsOf(trigger, `Pull request: #${number} by ${loginOf(trigger.author)}${state}`),
    describeText(trigger.body, `description of pull request #${number}`, [
      `Title: ${trigger.title}`,
      branches({ base, head }),
      ...labelsOf(trigger),
    ]),
    talk(options),
    `Head commit: ${showName(head.sha, MAX_FACT)}`,
    describePullRequestChanges(number, options),
  ]);
}

function describeIssue(trigger: IssueTrigger, options: DescribeOptions): Parts {
  const { author, actor, action, isClosed } = trigger;
  const isNew = action === 'opened' && actor.login === author.login;
  const event = isNew ? '' : `, ${showName(action, MAX_FACT)} by ${loginOf(actor)}`;
  const state = isClosed === true && action !== 'closed' ? ', closed' : '';
  return joinParts([
    factsOf(trigger, `Issue: #${trigger.number} by ${loginOf(author)}${state}${event}`),
    describeText(trigger.body, `description of issue #${trigger.number}`, [
      `Title: ${trigger.title}`,
      ...labelsOf(trigger),
    ]),
    talk(options),
  ]);
}

/** Describes a comment and its issue or pull request; the comment comes last. */
function describeComment(trigger: CommentTrigger, options: DescribeOptions): Parts {
  const { number, place } = trigger;
  const subject = trigger.on === 'issue' ? 'issue' : 'pull request';
  const opener = trigger.subjectAuthor === undefined ? '' : ` by ${loginOf(trigger.subjectAuthor)}`;
  const state = `${trigger.isClosed === true ? ', closed' : ''}${trigger.isFork === true ? ', from a fork' : ''}`;
  const pinned = options.context?.kind === 'pull_request' ? options.context.pinned : undefined;
  const commits = trigger.commits ?? pinned;

  const verdict = trigger.review && `: ${showName(trigger.review, MAX_FACT).replaceAll('_', ' ')}`;
  const source = `${verdict ? 'review' : 'comment'} by ${loginOf(trigger.author)}${verdict ?? ''}`;

  return joinParts([
    factsOf(trigger, `The comment is on: ${subject} #${number}${opener}${state}`),
    describeText(trigger.description, `description of ${subject} #${number}`, [
      `Title: ${trigger.title}`,
      ...(commits === undefined ? [] : [branches(commits)]),
      ...labelsOf(trigger),
    ]),
    talk(options),
    commits && `Head commit: ${showName(commits.head.sha, MAX_FACT)}`,
    trigger.on === 'issue' ? undefined : describePullRequestChanges(number, options),
    place && describePlace(place),
    describeText(trigger.body, source),
  ]);
}

function branches({ base, head }: NonNullable<CommentTrigger['commits']>): string {
  return `Branches: ${base.ref} <- ${head.ref}`;
}

/** People choose the names of labels, so these lines belong in a fence. */
function labelsOf({ labels = [] }: Pick<IssueTrigger, 'labels'>): readonly string[] {
  return labels.length === 0 ? [] : [`Labels: ${labels.join(', ')}`];
}

function describePlace({ path, line, hunk }: NonNullable<CommentTrigger['place']>): Parts {
  const place = `File: ${showName(path, MAX_FACT)}${line === undefined ? '' : ` line ${line}`}`;
  // The commented line is the last one of the hunk.
  const whole = fencedText(hunk);
  const shown = lastLinesOf(whole);
  const note = shown === whole ? '' : '[the beginning of the hunk is left out]\n';
  const text = `${place}\n${note}${shown}`;
  const source = 'part of the diff that the comment is about';
  return { blocks: [fence(text, { source })] };
}

function describePush(trigger: PushTrigger, options: DescribeOptions): Parts {
  const [, kind, name = trigger.ref] = /^refs\/(heads|tags)\/(.*)$/s.exec(trigger.ref) ?? [];
  const commits = trigger.commits.map(({ sha, message }) => `${sha.slice(0, 7)} ${message.trim()}`);
  return joinParts([
    factsOf(
      trigger,
      `${kind === 'tags' ? 'Tag' : 'Branch'}: ${showName(name, MAX_FACT)}`,
      `Pushed by: ${loginOf(trigger.actor)}${trigger.isForced === true ? ', by force' : ''}`,
      pushedCommits(trigger),
    ),
    commits.length === 0 ? undefined : describeText(listOf(commits), 'commit messages'),
    talk(options),
    describeChange('push', options),
  ]);
}

/** Describes a release: its notes, and the changes since the one before. */
function describeRelease(trigger: ReleaseTrigger, options: DescribeOptions): Parts {
  const { tag, actor, action, title, body, author, isPrerelease } = trigger;
  return joinParts([
    factsOf(
      trigger,
      `Release: ${showName(tag, MAX_FACT)} by ${loginOf(author)}${isPrerelease ? ', a pre-release' : ''}, ${showName(action, MAX_FACT)} by ${loginOf(actor)}`,
    ),
    describeText(body, `notes of the release ${showName(tag, MAX_FACT)}`, [`Title: ${title}`]),
    talk(options),
    describeChange('release', options),
  ]);
}

function pushedCommits(trigger: PushTrigger): string {
  const after = showName(trigger.after, MAX_FACT);
  if (isNewRef(trigger)) return `Created at ${after}`;
  return `From ${showName(trigger.before, MAX_FACT)} to ${after}`;
}

function describeWorkflowRun(trigger: WorkflowRunTrigger, options: DescribeOptions): Parts {
  const number = trigger.pull?.number ?? options.context?.pullOfCommit;
  const pull = number === undefined ? '' : ` for pull request #${number}`;
  return joinParts([
    factsOf(
      trigger,
      `Workflow run: ${trigger.runId}, ${showName(trigger.conclusion, MAX_FACT)}, started by ${showName(trigger.cause, MAX_FACT)} of ${loginOf(trigger.actor)}${pull}`,
      `Head commit: ${showName(trigger.headSha, MAX_FACT)}`,
    ),
    describeText(trigger.message, 'commit message', [
      `Workflow: ${trigger.workflow}`,
      `Branch: ${trigger.branch}`,
    ]),
    talk(options),
    describeChange('commits', options),
  ]);
}

function describeCommit({ sha, ref }: Base): string {
  const branch = ref.replace(/^refs\/heads\//, '');
  return `${showName(sha, MAX_FACT)}${branch === '' ? '' : ` (${showName(branch, MAX_FACT)})`}`;
}

/** The facts of the event itself, one on each line. */
function factsOf({ repository }: { readonly repository: Repository }, ...lines: string[]): string {
  const { owner, name } = repository;
  return [`Repository: ${showName(owner, MAX_FACT)}/${showName(name, MAX_FACT)}`, ...lines].join(
    '\n',
  );
}

function talk({ context, showsStrangers }: DescribeOptions): Parts {
  return context === undefined ? NO_PARTS : describeTalk(context, showsStrangers);
}

/** Describes the commits, checks, files and diff of a pull request. */
function describePullRequestChanges(
  number: number,
  { context, scope, policy }: DescribeOptions,
): Parts {
  if (context?.kind !== 'pull_request') {
    return joinParts([
      ...around(context),
      'Its diff could not be fetched, so you have not seen the change.',
    ]);
  }
  const source = `diff of pull request #${number}`;
  return joinParts([...around(context), describeScoped(context, scope, source, policy)]);
}

/** Describes the commits, checks, files and diff of another event, if it has any. */
function describeChange(subject: string, { context, policy }: DescribeOptions): Parts {
  const { sinceTag } = context ?? {};
  const tagNote =
    sinceTag === ''
      ? 'No earlier tag of the same series was found, so no changes are shown.'
      : sinceTag &&
        `What follows has changed since the tag before it, ${showName(sinceTag, MAX_FACT)}.`;
  return joinParts([
    tagNote,
    ...around(context),
    context?.kind === 'change'
      ? describeFetched(context, `diff of the ${subject}`, policy)
      : undefined,
  ]);
}

function around(context: TriggerContext | undefined): readonly Parts[] {
  return context === undefined ? [] : [describeCommits(context), describeChecks(context)];
}
