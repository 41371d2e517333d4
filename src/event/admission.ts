import { askedQuestion } from './comment-commands.js';
import { findMention } from './mention.js';
import {
  type Actor,
  isDeleted,
  KNOWN_EVENTS,
  type PullRequestTrigger,
  subjectTrigger,
  type Trigger,
  tagOf,
} from './trigger.js';
import {
  type AdmissionPolicy,
  isLoginListed,
  isSameAccount,
  isWrittenByOwnRun,
  offersCommands,
  type Permission,
  permissionSuffices,
} from './trust.js';

/** Why a run was not started: output `reason`. */
type SkipReason =
  | 'fork'
  | 'bot'
  | 'permission'
  /** Fails the run instead, where the reason is known. */
  | 'permission-unknown'
  | 'sender-not-author'
  | 'subject-deleted'
  | 'unknown-event'
  /** The other workflow has not ended. */
  | 'not-ended'
  /** A review without a text of its own. */
  | 'no-text'
  /** The pull request was reviewed at its own head. */
  | 'merge-queue'
  | 'closed'
  | 'no-change'
  | 'nothing-new'
  /** The open findings of the pull request could not be read. */
  | 'findings-unread'
  | 'nothing-to-review'
  | 'no-mention'
  | 'own-text'
  | 'paused'
  | 'agent-not-merged'
  /** A run that GitHub starts for Dependabot, which does not have the model's key. */
  | 'no-key'
  | 'budget-spent';

/** Facts of the event itself, which need no request. */
export interface EventFacts {
  readonly trigger: Trigger;
  readonly policy: AdmissionPolicy;
  /** The comment says `/axe review`, which needs no `trigger-phrase`; left out: it does not. */
  readonly asksForReview?: boolean;
}

/** Everything that admission is decided from, in the order in which it becomes known. */
export interface AdmissionFacts {
  readonly event: EventFacts;
  /** The actor's permission; `unknown` for a bot, and for an event without an actor. */
  readonly permission?: Permission | 'unknown';
  readonly agent?:
    | { readonly kind: 'found'; readonly postsReviews: boolean }
    /** The agent is valid, and only the pull request's own head has it. */
    | { readonly kind: 'unmerged'; readonly name: string; readonly source: string };
  /** The variable of the model's key, if that is not there. */
  readonly missingKey?: string;
  /** Facts from memory about earlier runs. */
  readonly state?: {
    readonly isPaused: boolean;
    /**
     * The commit of the event was reviewed to its end, and this run was not started again by hand.
     */
    readonly isReviewed: boolean;
    /** A limit across several runs that is used up, in words; undefined if none is. */
    readonly spent: { readonly message: string; readonly remedy?: string } | undefined;
  };
  /** Set for a pull request whose change could be read. */
  readonly change?: {
    readonly number: number;
    /** Why no file of it is reviewed, in words that end a sentence; undefined if some are. */
    readonly unreadable: string | undefined;
    /**
     * Sha of the commit since which nothing that is reviewed has changed; undefined if something
     * has.
     */
    readonly nothingNewSince: string | undefined;
  };
}

/** An event that starts no run, with the message for people. */
interface Skip {
  readonly kind: 'skip';
  readonly reason: SkipReason;
  readonly message: string;
  readonly remedy?: string;
}

/** A skip ends the step green, with one notice. */
export type Admission = { readonly kind: 'run' } | Skip;

/**
 * Decides whether an event starts a run, by the rules of `docs/events.md`: the first reason against
 * it counts. Reasons that the event alone gives come first and cost no request; the change comes
 * last, just before a model is asked. Facts that are not known yet are left out.
 */
export function decideAdmission({
  event,
  permission,
  agent,
  missingKey,
  state,
  change,
}: AdmissionFacts): Admission {
  const skipped =
    skipByEvent(event) ??
    (permission && skipByPermission(event, permission)) ??
    (agent && skipByAgent(event, agent)) ??
    (missingKey === undefined ? undefined : skipByKey(event, missingKey)) ??
    (state && skipByState(event, state)) ??
    (change && skipByChange(event, change));
  return skipped ?? { kind: 'run' };
}

function skip(reason: SkipReason, message: string, remedy?: string): Skip {
  return { kind: 'skip', reason, message, remedy };
}

function skipByEvent(event: EventFacts): Skip | undefined {
  const { trigger, policy } = event;
  if (trigger.kind === 'unknown') {
    return skip(
      'unknown-event',
      `This version does not know the event ${eventName(trigger)}, or its payload is incomplete`,
      `Run on one of ${KNOWN_EVENTS.map((name) => `\`${name}\``).join(', ')} instead.`,
    );
  }
  const idle = skipIdle(trigger);
  if (idle !== undefined) return idle;

  // Our own texts must not start another run.
  if (isWrittenByOwnRun(trigger)) {
    return skip(
      'own-text',
      `The ${trigger.kind} was written by a run of axe-action, which does not answer itself`,
    );
  }

  const wordless = skipWithoutWords(trigger);
  if (wordless !== undefined) return wordless;
  const unmentioned = event.asksForReview === true ? undefined : skipUnlessMentioned(event);
  if (unmentioned !== undefined) return unmentioned;
  const fork = skipFork(trigger);
  if (fork !== undefined) return fork;

  const actor = admittedActor(trigger);
  if (actor?.isBot === true && !isLoginListed(actor, policy.allowBots)) {
    return skip(
      'bot',
      `The event was caused by the bot ${actor.login}; bots do not start runs by default`,
      `Add \`allow-bots: ${actor.login}\` to allow it; its runs only read and answer.`,
    );
  }

  // Somebody else's edit must not lend a comment its editor's permission, or the other way round.
  if (trigger.kind === 'comment' && !isSameAccount(trigger.author, trigger.actor)) {
    return skip(
      'sender-not-author',
      `The comment is by ${trigger.author.login}, but the event was caused by ${trigger.actor.login}; it is not answered`,
      "Leave `edited` out of the event's `types:`, or write a comment of your own.",
    );
  }
  return undefined;
}

/** There is nothing left to work on, or nothing to work on yet. */
function skipIdle(trigger: Trigger): Skip | undefined {
  if (trigger.kind === 'local') return undefined;
  if (trigger.kind === 'workflow_run' && trigger.action !== 'completed') {
    return skip(
      'not-ended',
      `The workflow ${JSON.stringify(trigger.workflow)} has not ended (${trigger.action})`,
      'Write `types: [completed]` below `workflow_run` in the workflow.',
    );
  }
  if (!isDeleted(trigger)) return undefined;

  if (trigger.kind === 'push') {
    const tag = tagOf(trigger);
    const name =
      tag === undefined ? `branch ${trigger.ref.replace('refs/heads/', '')}` : `tag ${tag}`;
    return skip(
      'subject-deleted',
      `The ${name} was deleted; there is nothing left to work on`,
      'Add `github.event.deleted != true` to the `if:` of the job.',
    );
  }
  // A deleted comment cannot be answered, nor can an issue or a release that is gone from the
  // repository.
  return skip(
    'subject-deleted',
    `The ${trigger.kind} was ${trigger.action}; there is nothing left to work on`,
    `Leave \`${trigger.action}\` out of the event's \`types:\`.`,
  );
}

/** A review that asks nothing: it has no text, or somebody has dismissed it. */
function skipWithoutWords(trigger: Trigger): Skip | undefined {
  if (trigger.kind !== 'comment' || trigger.event !== 'pull_request_review') return undefined;
  if (trigger.action === 'dismissed') {
    return skip(
      'no-change',
      `The review by ${trigger.author.login} was dismissed, so there is nothing to do`,
      'Write `types: [submitted]` below `pull_request_review` in the workflow.',
    );
  }
  if (trigger.body.trim() !== '') return undefined;
  return skip(
    'no-text',
    `The review by ${trigger.author.login} has no text of its own`,
    'To answer its comments on lines, run on `pull_request_review_comment` too.',
  );
}

function skipUnlessMentioned({ trigger, policy: { triggerPhrase } }: EventFacts): Skip | undefined {
  if (trigger.kind !== 'comment' || triggerPhrase === '') return undefined;
  if (askedQuestion(trigger) !== undefined) return undefined;
  if (findMention(trigger.body, triggerPhrase) !== undefined) return undefined;
  return skip(
    'no-mention',
    `The comment by ${trigger.author.login} does not contain ${JSON.stringify(triggerPhrase)} (\`trigger-phrase\`)`,
    'Write it as separate words, outside of code and quotations.',
  );
}

function skipFork(trigger: Trigger): Skip | undefined {
  if (!('isFork' in trigger) || trigger.isFork !== true) return undefined;

  if (trigger.kind === 'comment') {
    // A review or a comment on a line: GitHub gives such runs no secrets, so they would fail.
    return skip(
      'fork',
      `Pull request #${trigger.number} comes from a fork, and GitHub gives its \`${trigger.event}\` runs no secrets`,
      "Ask in a comment in the pull request's conversation, if the workflow runs on `issue_comment`.",
    );
  }
  if (trigger.kind === 'workflow_run') {
    return skip(
      'fork',
      `The workflow ${JSON.stringify(trigger.workflow)} ran on a commit of a fork; such commits do not start runs`,
      'Somebody with write access can push the commits to a branch of this repository.',
    );
  }

  // On `pull_request` a fork's run has no secrets, so there a label would only make it fail.
  if (trigger.event === 'pull_request_target' && trigger.action === 'labeled') return undefined;

  const { number, head } = trigger;
  const from = head.repository === null ? 'a fork that was deleted' : `the fork ${head.repository}`;
  return skip(
    'fork',
    `Pull request #${number} comes from ${from}; forks are not reviewed automatically`,
    'A maintainer can start a review by a comment, if the workflow runs on `issue_comment`, or by a label, on `pull_request_target`.',
  );
}

/** Checks people only: a bot that came this far is allowed. */
function skipByPermission(
  { trigger, policy: { allowUsers, minPermission } }: EventFacts,
  permission: Permission | 'unknown',
): Skip | undefined {
  const actor = admittedActor(trigger);
  if (actor === undefined || actor.isBot || isLoginListed(actor, allowUsers)) return undefined;
  if (permissionSuffices(permission, minPermission)) return undefined;

  if (permission === 'unknown') {
    return skip(
      'permission-unknown',
      `The permission of ${actor.login} could not be read, so the run was not started`,
    );
  }
  return skip(
    'permission',
    `${actor.login} has \`${permission}\` permission; a run needs \`${minPermission}\``,
    'Somebody with write access can start it, by a comment or label of their own.',
  );
}

function skipByAgent(
  event: EventFacts,
  agent: NonNullable<AdmissionFacts['agent']>,
): Skip | undefined {
  // A stranger's text must not configure anything before it is merged.
  if (agent.kind === 'unmerged') {
    return skip(
      'agent-not-merged',
      `The agent "${agent.name}" exists only in this pull request (${agent.source}); it is valid and will run once it is merged`,
    );
  }

  // `/axe review` without the phrase is for agents that post reviews; other agents ignore it.
  const unmentioned = agent.postsReviews ? undefined : skipUnlessMentioned(event);
  const { trigger, policy } = event;
  if (trigger.kind === 'merge_group' && agent.postsReviews) {
    return skip(
      'merge-queue',
      'Pull requests are reviewed before they enter the merge queue, not in it',
    );
  }
  if (unmentioned !== undefined || trigger.kind !== 'pull_request') return unmentioned;

  // An agent without reviews can be for the end of a pull request, if the workflow names that.
  const { number, action, hasNewBase } = trigger;
  const isAboutEnd = !agent.postsReviews && (action === 'closed' || action === 'labeled');
  if (trigger.isClosed === true && !isAboutEnd) {
    return skip(
      'closed',
      `Pull request #${number} is closed or merged`,
      offersCommands(policy)
        ? 'Somebody with write access can ask for a review with `/axe review` in a comment.'
        : undefined,
    );
  }

  // Other agents may look at title, labels or people.
  if (agent.postsReviews && UNCHANGING.has(action) && hasNewBase !== true) {
    return skip(
      'no-change',
      `${eventName(trigger)} changes nothing in the diff of pull request #${number}`,
      `Remove \`${action}\` from the \`types:\` of the event.`,
    );
  }
  return undefined;
}

/** GitHub gives the runs that Dependabot causes other secrets than those of people. */
function skipByKey({ trigger }: EventFacts, variable: string): Skip | undefined {
  if (trigger.kind === 'local' || !isLoginListed(trigger.actor, [DEPENDABOT])) return undefined;
  return skip(
    'no-key',
    `The event was caused by ${DEPENDABOT}, whose runs do not get the secrets of Actions, and \`${variable}\` is empty`,
    `Dependabot secrets are a store of their own: add \`${variable}\` there, under Settings → Secrets and variables → Dependabot.`,
  );
}

const DEPENDABOT = 'dependabot[bot]';

function skipByState(
  { trigger, policy }: EventFacts,
  { isPaused, isReviewed, spent }: NonNullable<AdmissionFacts['state']>,
): Skip | undefined {
  if (isReviewed && isRepeatable(trigger)) {
    return skip(
      'nothing-new',
      `Commit ${trigger.head.sha.slice(0, 7)} of pull request #${trigger.number} has already been reviewed`,
      offersCommands(policy)
        ? 'Run the job again, or write `/axe review full` in a comment.'
        : 'Run the job again to review it again.',
    );
  }
  if (isPaused && isPausable(trigger)) {
    return skip(
      'paused',
      `Runs of this agent on pull request #${trigger.number} are paused`,
      offersCommands(policy)
        ? 'Somebody with write access can write `/axe resume` in a comment.'
        : 'Add a label or request a review to start one.',
    );
  }
  return spent && skip('budget-spent', spent.message, spent.remedy);
}

function skipByChange(
  { trigger, policy }: EventFacts,
  { number, unreadable, nothingNewSince }: NonNullable<AdmissionFacts['change']>,
): Skip | undefined {
  if (unreadable !== undefined)
    return skip('nothing-to-review', `Pull request #${number} was not reviewed: ${unreadable}`);

  // A push that brings nothing to review, such as a merge of the base branch.
  if (nothingNewSince === undefined || !isRepeatable(trigger)) return undefined;
  return skip(
    'nothing-new',
    `Nothing to review has changed in pull request #${number} since ${nothingNewSince.slice(0, 7)}`,
    offersCommands(policy)
      ? 'Write `/axe review full` in a comment to have the whole pull request reviewed again.'
      : undefined,
  );
}

/**
 * The login whose permission decides; undefined if the event alone decides, and for a bot, which
 * has no permission on GitHub.
 */
export function needsPermission(event: EventFacts): string | undefined {
  const actor = admittedActor(event.trigger);
  return actor?.isBot === false && decideAdmission({ event }).kind === 'run'
    ? actor.login
    : undefined;
}

/** `/axe pause` does not stop a label or a requested review: a person asks for a run with those. */
export function isPausable(trigger: Trigger): trigger is PullRequestTrigger {
  if (trigger.kind !== 'pull_request') return false;
  return trigger.action !== 'labeled' && trigger.action !== 'review_requested';
}

/** The event can be skipped if nothing is new. A requested review cannot: a person asked for it. */
export function isRepeatable(trigger: Trigger): trigger is PullRequestTrigger {
  return trigger.kind === 'pull_request' && trigger.action !== 'review_requested';
}

/**
 * Activities of a pull request that leave its diff as it is (GitHub's "Webhook events and
 * payloads").
 */
const UNCHANGING: ReadonlySet<string> = new Set([
  'assigned',
  'auto_merge_disabled',
  'auto_merge_enabled',
  'converted_to_draft',
  'demilestoned',
  'dequeued',
  'edited',
  'enqueued',
  'locked',
  'milestoned',
  'review_request_removed',
  'unassigned',
  'unlabeled',
  'unlocked',
]);

/**
 * The account behind an event that people without write access can cause; undefined for other
 * events.
 */
function admittedActor(trigger: Trigger): Actor | undefined {
  return trigger.kind === 'workflow_run' ? trigger.actor : subjectTrigger(trigger)?.actor;
}

function eventName({ event, action }: { readonly event: string; readonly action: string }): string {
  return `\`${event}\`${action && ` (${action})`}`;
}
