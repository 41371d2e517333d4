import { MAX_REMARK_BYTES } from '../defaults.js';
import type { Scope } from '../review/scope.js';
import type {
  CommentTrigger,
  IssueTrigger,
  MergeGroupTrigger,
  PullRequestTrigger,
  PushTrigger,
  Repository,
  WorkflowRunTrigger,
} from '../trigger.js';
import type { TriggerContext } from './context.js';
import type { DiffPolicy } from './context-policy.js';
import { cleanLine, cutToBytes } from './cut.js';
import { describeChecks, describeCommits, describeFetched } from './describe-change.js';
import { listOf } from './describe-diff.js';
import { describeScoped } from './describe-scope.js';
import { describeTalk } from './describe-talk.js';
import { describeText, joinParts, loginOf, MAX_FACT } from './describe-text.js';
import { fence } from './fence.js';
import { NO_PARTS, type Parts } from './parts.js';

/** What is known beside the event, and how much of it the model is told. */
export interface Telling {
  readonly context: TriggerContext | undefined;
  /** How much of a pull request is reviewed; undefined: all of it. */
  readonly scope?: Scope | undefined;
  readonly policy: DiffPolicy;
  /** Only an untrusted run is told what people without write access said around the subject (D19). */
  readonly showsStrangers: boolean;
}

/**
 * What the model is told of a pull request. What stays the same between two pushes comes first, so that a provider's
 * prompt cache can be of use to the next run.
 */
export function describePullRequest(trigger: PullRequestTrigger, telling: Telling): Parts {
  const { number, head, base } = trigger;
  const draft = trigger.isDraft ? ', a draft' : '';
  const facts = `Pull request: #${number} by ${loginOf(trigger.author)}${draft}`;
  return joinParts([
    line(`${repositoryFact(trigger.repository)}\n${facts}`),
    describeText(trigger.body, {
      source: `description of pull request #${number}`,
      heading: [`Title: ${trigger.title}`, `Branches: ${base.ref} <- ${head.ref}`],
    }),
    talk(telling),
    line(`Head commit: ${cleanLine(head.sha, MAX_FACT)}`),
    changes(number, telling),
  ]);
}

/** What the model is told of an issue. */
export function describeIssue(trigger: IssueTrigger, telling: Telling): Parts {
  const facts = `Issue: #${trigger.number} by ${loginOf(trigger.author)}, ${cleanLine(trigger.action, MAX_FACT)} by ${loginOf(trigger.actor)}`;
  return joinParts([
    line(`${repositoryFact(trigger.repository)}\n${facts}`),
    describeText(trigger.body, {
      source: `description of issue #${trigger.number}`,
      heading: [`Title: ${trigger.title}`],
    }),
    talk(telling),
  ]);
}

/** What the model is told of a comment and of what it stands under; the comment comes last. */
export function describeComment(trigger: CommentTrigger, telling: Telling): Parts {
  const { number, place } = trigger;
  const what = trigger.on === 'issue' ? 'issue' : 'pull request';
  const opener = trigger.subjectAuthor === undefined ? '' : ` by ${loginOf(trigger.subjectAuthor)}`;
  const pinned = telling.context?.kind === 'pull_request' ? telling.context.pinned : undefined;
  const head = (trigger.commits ?? pinned)?.head;
  return joinParts([
    line(`${repositoryFact(trigger.repository)}\nThe comment stands under: ${what} #${number}${opener}`),
    describeText(trigger.description, {
      source: `description of ${what} #${number}`,
      heading: [`Title: ${trigger.title}`],
    }),
    talk(telling),
    head === undefined ? NO_PARTS : line(`Head commit: ${cleanLine(head.sha, MAX_FACT)}`),
    trigger.on === 'issue' ? NO_PARTS : changes(number, telling),
    place === undefined ? NO_PARTS : describePlace(place),
    describeText(trigger.body, { source: `comment by ${loginOf(trigger.author)}`, heading: [] }),
  ]);
}

function describePlace({ path, line: at, hunk }: NonNullable<CommentTrigger['place']>): Parts {
  const where = `File: ${cleanLine(path, MAX_FACT)}${at === undefined ? '' : ` line ${at}`}`;
  const text = `${where}\n${cutToBytes(hunk, MAX_REMARK_BYTES).text}`;
  const source = 'part of the diff that the comment is about';
  return { blocks: [fence(text, { source })], isFenced: true, warnings: [] };
}

/** What the model is told of a push. */
export function describePush(trigger: PushTrigger, telling: Telling): Parts {
  const facts = [
    repositoryFact(trigger.repository),
    `Pushed by: ${loginOf(trigger.actor)}`,
    `From ${cleanLine(trigger.before, MAX_FACT)} to ${cleanLine(trigger.after, MAX_FACT)}`,
  ];
  const commits = trigger.commits.map(({ sha, message }) => `${sha.slice(0, 7)} ${message.trim()}`);
  return joinParts([
    line(facts.join('\n')),
    commits.length === 0
      ? NO_PARTS
      : describeText(listOf(commits), { source: 'commit messages', heading: [] }),
    talk(telling),
    change('push', telling),
  ]);
}

/** What the model is told of another workflow's run. */
export function describeWorkflowRun(trigger: WorkflowRunTrigger, telling: Telling): Parts {
  const pull = trigger.pull === undefined ? '' : ` for pull request #${trigger.pull.number}`;
  const facts = [
    repositoryFact(trigger.repository),
    `Workflow run: ${trigger.runId}, ${cleanLine(trigger.conclusion || trigger.action, MAX_FACT)}, started by ${cleanLine(trigger.cause, MAX_FACT)} of ${loginOf(trigger.actor)}${pull}`,
    `Head commit: ${cleanLine(trigger.headSha, MAX_FACT)}`,
  ];
  return joinParts([
    line(facts.join('\n')),
    describeText(trigger.message, {
      source: 'commit message',
      heading: [`Workflow: ${trigger.workflow}`, `Branch: ${trigger.branch}`],
    }),
    talk(telling),
    change('commits', telling),
  ]);
}

/** What the model is told of a group of pull requests in a merge queue. */
export function describeMergeGroup({ repository, head, base }: MergeGroupTrigger, telling: Telling): Parts {
  const facts = [
    repositoryFact(repository),
    `Merge group: ${cleanLine(head.sha, MAX_FACT)} onto ${cleanLine(base.sha, MAX_FACT)}`,
  ];
  return joinParts([line(facts.join('\n')), talk(telling), change('merge group', telling)]);
}

function repositoryFact({ owner, name }: Repository): string {
  return `Repository: ${cleanLine(owner, MAX_FACT)}/${cleanLine(name, MAX_FACT)}`;
}

function line(text: string): Parts {
  return { blocks: [text], isFenced: false, warnings: [] };
}

function talk({ context, showsStrangers }: Telling): Parts {
  return context === undefined ? NO_PARTS : describeTalk(context, { showsStrangers });
}

/** Commits, checks, files and diff of a pull request. */
function changes(number: number, { context, scope, policy }: Telling): Parts {
  if (context === undefined) return line('Its diff could not be fetched.');
  const around = [describeCommits(context), describeChecks(context)];
  if (context.kind !== 'pull_request') {
    return joinParts([...around, line('Its diff could not be fetched, so you have not seen the change.')]);
  }
  const source = `diff of pull request #${number}`;
  return joinParts([...around, describeScoped(context, { scope, source, policy })]);
}

/** The same of another change; nothing where there is none. */
function change(what: string, { context, policy }: Telling): Parts {
  if (context === undefined) return NO_PARTS;
  const around = [describeCommits(context), describeChecks(context)];
  if (context.kind !== 'change') return joinParts(around);
  return joinParts([...around, describeFetched(context, { source: `diff of the ${what}`, policy })]);
}
