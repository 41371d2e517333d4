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
import { MAX_REMARK_BYTES } from '../lib/defaults.js';
import { cutToBytes } from '../lib/text/bytes.js';
import { cleanLine } from '../lib/text/format.js';
import type { Scope } from '../review/scope.js';
import { fence } from '../safety/fence.js';
import type { DiffPolicy, TriggerContext } from './context.js';
import {
  describeChecks,
  describeCommits,
  describeFetched,
  describeScoped,
  listOf,
} from './describe-change.js';
import {
  describeTalk,
  describeText,
  joinParts,
  loginOf,
  MAX_FACT,
  NO_PARTS,
  type Parts,
} from './describe-talk.js';

interface DescribeOptions {
  readonly context: TriggerContext | undefined;
  /** How much of a pull request is reviewed; undefined: all of it. */
  readonly scope?: Scope | undefined;
  readonly policy: DiffPolicy;
  /** Only an untrusted run is told what people without write access said around the subject (D19). */
  readonly showsStrangers: boolean;
}

/** What the model is told of an event; nothing of one that only says when to run. */
export function describeTrigger(trigger: Trigger, options: DescribeOptions): Parts {
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
 * What the model is told of a pull request. What stays the same between two pushes comes first, so that a provider's
 * prompt cache can be of use to the next run.
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
  const text = `${where}\n${cutToBytes(hunk, MAX_REMARK_BYTES).text}`;
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

/** What the model is told of a release: its notes as they are, and what has changed since the one before. */
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
  const pull = trigger.pull === undefined ? '' : ` for pull request #${trigger.pull.number}`;
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
  return [`Repository: ${cleanLine(owner, MAX_FACT)}/${cleanLine(name, MAX_FACT)}`, ...lines].join('\n');
}

function talk({ context, showsStrangers }: DescribeOptions): Parts {
  return context === undefined ? NO_PARTS : describeTalk(context, showsStrangers);
}

/** Commits, checks, files and diff of a pull request. */
function changes(number: number, { context, scope, policy }: DescribeOptions): Parts {
  if (context?.kind !== 'pull_request') {
    return joinParts([...around(context), 'Its diff could not be fetched, so you have not seen the change.']);
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
    context?.kind === 'change' ? describeFetched(context, `diff of the ${what}`, policy) : undefined,
  ]);
}

function around(context: TriggerContext | undefined): readonly Parts[] {
  return context === undefined ? [] : [describeCommits(context), describeChecks(context)];
}
