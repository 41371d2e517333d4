import type { TriggerContext } from '../event/context.js';
import {
  type Base,
  type CommentTrigger,
  type IssueTrigger,
  type PullRequestTrigger,
  type PushTrigger,
  pushKind,
  type ReleaseTrigger,
  type Repository,
  type Trigger,
  type WorkflowRunTrigger,
} from '../event/trigger.js';
import type { ReviewScope } from '../findings/change/scope.js';
import type { KnownFinding } from '../findings/known-finding.js';
import { formatFindingToFix } from '../findings/post/finding-texts.js';
import { DEFAULT_TASK } from '../lib/defaults.js';
import type { Warning } from '../lib/errors.js';
import { cleanLine } from '../lib/text/format.js';
import { FENCE_NOTICE, fence, parseFences } from '../safety/fence.js';
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
  type Parts,
} from './describe.js';
import { DEFAULT_DIFF_POLICY, type DiffPolicy, type LocalChange } from './diff-policy.js';

export interface TaskParts {
  /** The `prompt` input or `--prompt`; blank means not given. */
  readonly prompt: string;
  /** Standard input as it was read; blank means nothing was piped. */
  readonly stdin: string;
  readonly trigger: Trigger;
  /** Findings that are described in the place of the event; left out: none. */
  readonly toFix?: readonly KnownFinding[];
  readonly context: TriggerContext | undefined;
  /** How much of a pull request is reviewed; left out: all of it. */
  readonly scope?: ReviewScope;
  readonly change: LocalChange | undefined;
  /** Left out: as much of a diff as fits by default. */
  readonly policy?: DiffPolicy;
  /**
   * Only an untrusted run is told what people without write access said around the subject (D19);
   * left out: it is not.
   */
  readonly showsStrangers?: boolean;
}

export interface Task {
  /** What memory keeps as the task (D9), cut unless it is kept whole. */
  readonly sentence: string;
  /**
   * Memory keeps the sentence however long it is, as axe does with piped text (D52); left out: no.
   */
  readonly isKeptWhole?: boolean;
  /** The user message: the sentence without a title by others, and whatever was sent along. */
  readonly message: string;
  readonly warnings: readonly Warning[];
  /**
   * Paths of changed files that are not in the message, or not whole, for want of room; left out:
   * none.
   */
  readonly unseen?: readonly string[];
}

/**
 * The task of a run. On the command line piped text replaces axe's default byte for byte, and with
 * a prompt it is context (axe-behaviour §6, D9, D37). An event makes a sentence of its own, which a
 * prompt replaces; what other people wrote, titles too, is in fences behind it.
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
      : { blocks: toFix.map(formatFindingToFix) },
    change === undefined
      ? NO_PARTS
      : describeDiff(change.diff, `${DIFF_SOURCE}${change.range || 'standard input'}`, policy),
    isStdinTask || isBlank(stdin)
      ? NO_PARTS
      : { blocks: [fence(stdin, { source: 'standard input' })] },
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
      return trigger.cron === ''
        ? 'Scheduled run'
        : `Scheduled run (${cleanLine(trigger.cron, MAX_NAME)})`;
    case 'dispatch':
      return `Run started by ${cleanLine(trigger.actor.login, MAX_NAME)}`;
    case 'unknown':
      return `Run on the event ${cleanLine(trigger.event, MAX_NAME)}`;
    case 'local':
      if (change === undefined) return DEFAULT_TASK;
      return change.range === '' ? 'Review the piped change' : `Review the change ${change.range}`;
  }
}

/**
 * Somebody else's words: in memory they name the subject, in the message they stand only in its
 * fence.
 */
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

type DescribeOptions = Pick<TaskParts, 'context' | 'scope'> &
  Required<Pick<TaskParts, 'policy' | 'showsStrangers'>>;

/** What the model is told of an event; nothing of one that only says when to run. */
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
      const facts = factsOf(trigger, `Merge group: ${at(trigger.head)} onto ${at(trigger.base)}`);
      return joinParts([facts, talk(options), change('merge group', options)]);
    }
    case 'schedule':
    case 'dispatch':
    case 'unknown':
    case 'local':
      return NO_PARTS;
  }
}

/**
 * What the model is told of a pull request. What stays the same between two pushes comes first, so
 * that a provider's prompt cache can be of use to the next run.
 */
function describePullRequest(trigger: PullRequestTrigger, options: DescribeOptions): Parts {
  const { number, head, base } = trigger;
  const more = `${trigger.isDraft ? ', a draft' : ''}${trigger.isFork ? ', from a fork' : ''}`;
  return joinParts([
    factsOf(trigger, `Pull request: #${number} by ${loginOf(trigger.author)}${more}`),
    describeText(trigger.body, `description of pull request #${number}`, [
      `Title: ${trigger.title}`,
      branches({ base, head }),
      ...labelsOf(trigger),
    ]),
    talk(options),
    `Head commit: ${cleanLine(head.sha, MAX_FACT)}`,
    changes(number, options),
  ]);
}

function describeIssue(trigger: IssueTrigger, options: DescribeOptions): Parts {
  const { author, actor, action, isClosed } = trigger;
  const isNew = action === 'opened' && actor.login === author.login;
  const event = isNew ? '' : `, ${cleanLine(action, MAX_FACT)} by ${loginOf(actor)}`;
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

/** What the model is told of a comment and of what it is under; the comment comes last. */
function describeComment(trigger: CommentTrigger, options: DescribeOptions): Parts {
  const { number, place } = trigger;
  const what = trigger.on === 'issue' ? 'issue' : 'pull request';
  const opener = trigger.subjectAuthor === undefined ? '' : ` by ${loginOf(trigger.subjectAuthor)}`;
  const state = `${trigger.isClosed === true ? ', closed' : ''}${trigger.isFork === true ? ', from a fork' : ''}`;
  const pinned = options.context?.kind === 'pull_request' ? options.context.pinned : undefined;
  const commits = trigger.commits ?? pinned;
  const verdict = trigger.review && `: ${cleanLine(trigger.review, MAX_FACT).replaceAll('_', ' ')}`;
  const source = `${verdict ? 'review' : 'comment'} by ${loginOf(trigger.author)}${verdict ?? ''}`;
  return joinParts([
    factsOf(trigger, `The comment is on: ${what} #${number}${opener}${state}`),
    describeText(trigger.description, `description of ${what} #${number}`, [
      `Title: ${trigger.title}`,
      ...(commits === undefined ? [] : [branches(commits)]),
      ...labelsOf(trigger),
    ]),
    talk(options),
    commits && `Head commit: ${cleanLine(commits.head.sha, MAX_FACT)}`,
    trigger.on === 'issue' ? undefined : changes(number, options),
    place && describePlace(place),
    describeText(trigger.body, source),
  ]);
}

function branches({ base, head }: NonNullable<CommentTrigger['commits']>): string {
  return `Branches: ${base.ref} <- ${head.ref}`;
}

/** Names that people gave to labels: they are in a fence. */
function labelsOf({ labels = [] }: Pick<IssueTrigger, 'labels'>): readonly string[] {
  return labels.length === 0 ? [] : [`Labels: ${labels.join(', ')}`];
}

function describePlace({ path, line: at, hunk }: NonNullable<CommentTrigger['place']>): Parts {
  const where = `File: ${cleanLine(path, MAX_FACT)}${at === undefined ? '' : ` line ${at}`}`;
  // The line that the comment is on is the last one of its hunk.
  const shown = lastLinesOf(hunk);
  const text = `${where}\n${shown === hunk ? '' : '[the beginning of the hunk is left out]\n'}${shown}`;
  const source = 'part of the diff that the comment is about';
  return { blocks: [fence(text, { source })] };
}

function describePush(trigger: PushTrigger, options: DescribeOptions): Parts {
  const [, kind, name = trigger.ref] = /^refs\/(heads|tags)\/(.*)$/s.exec(trigger.ref) ?? [];
  const commits = trigger.commits.map(({ sha, message }) => `${sha.slice(0, 7)} ${message.trim()}`);
  return joinParts([
    factsOf(
      trigger,
      `${kind === 'tags' ? 'Tag' : 'Branch'}: ${cleanLine(name, MAX_FACT)}`,
      `Pushed by: ${loginOf(trigger.actor)}${trigger.isForced === true ? ', by force' : ''}`,
      pushedCommits(trigger),
    ),
    commits.length === 0 ? undefined : describeText(listOf(commits), 'commit messages'),
    talk(options),
    change('push', options),
  ]);
}

/**
 * What the model is told of a release: its notes as they are, and what has changed since the one
 * before.
 */
function describeRelease(trigger: ReleaseTrigger, options: DescribeOptions): Parts {
  const { tag, actor, action, title, body, author, isPrerelease } = trigger;
  return joinParts([
    factsOf(
      trigger,
      `Release: ${cleanLine(tag, MAX_FACT)} by ${loginOf(author)}${isPrerelease ? ', a pre-release' : ''}, ${cleanLine(action, MAX_FACT)} by ${loginOf(actor)}`,
    ),
    describeText(body, `notes of the release ${cleanLine(tag, MAX_FACT)}`, [`Title: ${title}`]),
    talk(options),
    change('release', options),
  ]);
}

function pushedCommits(trigger: PushTrigger): string {
  const [before, after] = [cleanLine(trigger.before, MAX_FACT), cleanLine(trigger.after, MAX_FACT)];
  switch (pushKind(trigger)) {
    case 'changed':
      return `From ${before} to ${after}`;
    case 'created':
      return `Created at ${after}`;
    case 'deleted':
      return `Deleted; it was at ${before}`;
  }
}

function describeWorkflowRun(trigger: WorkflowRunTrigger, options: DescribeOptions): Parts {
  const number = trigger.pull?.number ?? options.context?.pullOfCommit;
  const pull = number === undefined ? '' : ` for pull request #${number}`;
  return joinParts([
    factsOf(
      trigger,
      `Workflow run: ${trigger.runId}, ${cleanLine(trigger.conclusion || trigger.action, MAX_FACT)}, started by ${cleanLine(trigger.cause, MAX_FACT)} of ${loginOf(trigger.actor)}${pull}`,
      `Head commit: ${cleanLine(trigger.headSha, MAX_FACT)}`,
    ),
    describeText(trigger.message, 'commit message', [
      `Workflow: ${trigger.workflow}`,
      `Branch: ${trigger.branch}`,
    ]),
    talk(options),
    change('commits', options),
  ]);
}

function at({ sha, ref }: Base): string {
  const branch = ref.replace(/^refs\/heads\//, '');
  return `${cleanLine(sha, MAX_FACT)}${branch === '' ? '' : ` (${cleanLine(branch, MAX_FACT)})`}`;
}

/** What the event says by itself, a line each. */
function factsOf({ repository }: { readonly repository: Repository }, ...lines: string[]): string {
  const { owner, name } = repository;
  return [`Repository: ${cleanLine(owner, MAX_FACT)}/${cleanLine(name, MAX_FACT)}`, ...lines].join(
    '\n',
  );
}

function talk({ context, showsStrangers }: DescribeOptions): Parts {
  return context === undefined ? NO_PARTS : describeTalk(context, showsStrangers);
}

/** Commits, checks, files and diff of a pull request. */
function changes(number: number, { context, scope, policy }: DescribeOptions): Parts {
  if (context?.kind !== 'pull_request') {
    return joinParts([
      ...around(context),
      'Its diff could not be fetched, so you have not seen the change.',
    ]);
  }
  const source = `diff of pull request #${number}`;
  return joinParts([...around(context), describeScoped(context, scope, source, policy)]);
}

/** The same of another change; nothing where there is none. */
function change(what: string, { context, policy }: DescribeOptions): Parts {
  const { sinceTag: since } = context ?? {};
  return joinParts([
    since === ''
      ? 'No earlier tag of the same series was found, so no changes are shown.'
      : since && `What follows has changed since the tag before it, ${cleanLine(since, MAX_FACT)}.`,
    ...around(context),
    context?.kind === 'change'
      ? describeFetched(context, `diff of the ${what}`, policy)
      : undefined,
  ]);
}

function around(context: TriggerContext | undefined): readonly Parts[] {
  return context === undefined ? [] : [describeCommits(context), describeChecks(context)];
}
