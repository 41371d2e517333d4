import { type AdmissionPolicy, commonLabel, isEnough, isListed } from './admission-policy.js';
import { type AgentRef, type HeadPermissions, refuseHeadAgent } from './agent-ref.js';
import { findMention, isOwnIssue, isOwnText } from './mention.js';
import { isSameAccount } from './permission.js';
import {
  type Skip,
  type SkipReason,
  skipBot,
  skipDeleted,
  skipDraft,
  skipFork,
  skipForkComment,
  skipForkRun,
  skipLabel,
  skipOtherSender,
  skipOwnText,
  skipPaused,
  skipPermission,
  skipStranger,
  skipUnknown,
  skipUnmentioned,
  skipUnmerged,
} from './skip.js';
import { type Actor, isDeleted, type PullRequestTrigger, type Trigger } from './trigger.js';

/** Whether an event starts a run; a skip ends the step green with one notice (D20). */
export type Admission = { readonly kind: 'run' } | Skip;

/** What is known without a request. */
export interface EventFacts {
  readonly trigger: Trigger;
  readonly policy: AdmissionPolicy;
  /** Which side of a pull request its agent is taken from; left out: the base. */
  readonly agentRef?: AgentRef;
  /** The comment says `/axe review`, which needs no `trigger-phrase`; left out: it does not. */
  readonly asksForReview?: boolean;
}

/** The agent of a run, as far as it decides whether there is one. */
export type AgentFacts =
  | { readonly kind: 'found'; readonly postsReviews: boolean }
  /** The agent is valid, and only the pull request's own head has it. */
  | { readonly kind: 'unmerged'; readonly name: string; readonly source: string };

/** What memory says of earlier runs. */
export interface StateFacts {
  /** Somebody stopped the runs of this pull request. */
  readonly isPaused: boolean;
  /** The limit of several runs that is used up, in words; undefined while something is left. */
  readonly spent: { readonly message: string; readonly remedy: string } | undefined;
}

/** Everything that admission is decided from, in the order in which it becomes known. */
export interface AdmissionFacts {
  readonly event: EventFacts;
  /** What the actor and the author of the text may do. Of bots and of nobody in particular it is `unknown`. */
  readonly permission?: HeadPermissions;
  readonly agent?: AgentFacts;
  readonly state?: StateFacts;
}

/** A reason to start nothing. `needs` is the latest fact that it looks at, beside the event. */
interface Rule<R extends SkipReason, N extends keyof AdmissionFacts> {
  readonly reason: R;
  readonly needs: N;
  decide(event: EventFacts, known: NonNullable<AdmissionFacts[N]>): Skip<R> | undefined;
}

type AnyRule = {
  [R in SkipReason]: { [N in keyof AdmissionFacts]-?: Rule<R, N> }[keyof AdmissionFacts];
}[SkipReason];

/**
 * Who can start a run (D20, memory-and-security B3), as the README's table has it: the first rule that says why not
 * counts. Those that need the event alone come first and cost no request; the rest is asked before context, review
 * threads and diff are fetched.
 */
const RULES: readonly AnyRule[] = [
  {
    reason: 'unknown-event',
    needs: 'event',
    decide: ({ trigger }) => (trigger.kind === 'unknown' ? skipUnknown(trigger) : undefined),
  },
  {
    reason: 'subject-deleted',
    needs: 'event',
    decide: ({ trigger }) =>
      (trigger.kind === 'issue' || trigger.kind === 'comment') && isDeleted(trigger)
        ? skipDeleted(trigger)
        : undefined,
  },
  {
    reason: 'own-text',
    needs: 'event',
    decide({ trigger }) {
      if (trigger.kind === 'issue') return isOwnIssue(trigger) ? skipOwnText(trigger) : undefined;
      return trigger.kind === 'comment' && isOwnText(trigger.body) ? skipOwnText(trigger) : undefined;
    },
  },
  {
    reason: 'no-mention',
    needs: 'event',
    decide: (event) => (event.asksForReview === true ? undefined : skipUnlessMentioned(event)),
  },
  {
    reason: 'fork',
    needs: 'event',
    decide: ({ trigger }) =>
      trigger.kind === 'comment' && trigger.isFork === true ? skipForkComment(trigger) : undefined,
  },
  {
    reason: 'skip-label',
    needs: 'event',
    decide({ trigger, policy: { skipLabels } }) {
      if (trigger.kind !== 'pull_request' && trigger.kind !== 'issue' && trigger.kind !== 'comment')
        return undefined;
      const label = commonLabel(trigger.labels, skipLabels);
      return label === undefined ? undefined : skipLabel(trigger, label);
    },
  },
  {
    reason: 'fork',
    needs: 'event',
    decide({ trigger }) {
      if (trigger.kind === 'workflow_run') return trigger.isFork ? skipForkRun(trigger) : undefined;
      if (trigger.kind !== 'pull_request' || !trigger.isFork) return undefined;
      return isRunByLabel(trigger) ? undefined : skipFork(trigger);
    },
  },
  {
    reason: 'draft',
    needs: 'event',
    decide: ({ trigger, policy }) =>
      trigger.kind === 'pull_request' && trigger.isDraft && !policy.reviewDrafts && !isAskedFor(trigger)
        ? skipDraft(trigger)
        : undefined,
  },
  {
    reason: 'bot',
    needs: 'event',
    decide({ trigger, policy }) {
      const actor = admittedActor(trigger);
      return actor?.isBot === true && !isListed(actor, policy.allowBots) ? skipBot(actor) : undefined;
    },
  },
  {
    reason: 'sender-not-author',
    needs: 'event',
    decide: ({ trigger }) =>
      trigger.kind === 'comment' && !isSameAccount(trigger.author, trigger.actor)
        ? skipOtherSender(trigger)
        : undefined,
  },
  {
    reason: 'permission-unknown',
    needs: 'permission',
    decide(event, { actor: permission }) {
      const actor = unlistedActor(event);
      if (actor === undefined || permission !== 'unknown') return undefined;
      return isEnough(permission, event.policy.minPermission) ? undefined : skipStranger(actor);
    },
  },
  {
    reason: 'permission',
    needs: 'permission',
    decide(event, { actor: permission }) {
      const actor = unlistedActor(event);
      const { minPermission } = event.policy;
      if (actor === undefined || permission === 'unknown') return undefined;
      return isEnough(permission, minPermission)
        ? undefined
        : skipPermission(actor, permission, minPermission);
    },
  },
  {
    reason: 'agent-ref',
    needs: 'permission',
    decide: ({ trigger, agentRef = 'base' }, permissions) => refuseHeadAgent(trigger, agentRef, permissions),
  },
  {
    reason: 'agent-not-merged',
    needs: 'agent',
    decide: (_, agent) => (agent.kind === 'unmerged' ? skipUnmerged(agent) : undefined),
  },
  {
    // `/axe review` without the phrase is for agents that post reviews; whoever else listens is not meant.
    reason: 'no-mention',
    needs: 'agent',
    decide: (event, agent) =>
      agent.kind === 'found' && agent.postsReviews ? undefined : skipUnlessMentioned(event),
  },
  {
    reason: 'paused',
    needs: 'state',
    decide: ({ trigger }, { isPaused }) =>
      isPaused && isPausable(trigger) ? skipPaused(trigger) : undefined,
  },
  {
    reason: 'budget-spent',
    needs: 'state',
    decide: (_, { spent }) =>
      spent === undefined ? undefined : { kind: 'skip', reason: 'budget-spent', ...spent },
  },
];

/** Whether an event starts a run, as far as the facts say: a rule whose facts are not there yet is left out. */
export function decideAdmission(facts: AdmissionFacts): Admission {
  for (const rule of RULES) {
    const skip = apply(rule, facts);
    if (skip !== undefined) return skip;
  }
  return { kind: 'run' };
}

function apply(rule: AnyRule, { event, permission, agent, state }: AdmissionFacts): Skip | undefined {
  switch (rule.needs) {
    case 'event':
      return rule.decide(event, event);
    case 'permission':
      return permission === undefined ? undefined : rule.decide(event, permission);
    case 'agent':
      return agent === undefined ? undefined : rule.decide(event, agent);
    case 'state':
      return state === undefined ? undefined : rule.decide(event, state);
  }
}

/**
 * The login whose permission decides, or undefined where none does: the event alone says enough, or it is skipped
 * whatever the answer would be. Nobody asks about a bot: GitHub has no permission of it.
 */
export function needsPermission(event: EventFacts): string | undefined {
  const actor = admittedActor(event.trigger);
  if (actor === undefined || actor.isBot) return undefined;
  return decideAdmission({ event }).kind === 'run' ? actor.login : undefined;
}

/** Whether `/axe pause` holds for an event: a label or a review that is asked for is somebody's wish all the same. */
export function isPausable(trigger: Trigger): trigger is PullRequestTrigger {
  return trigger.kind === 'pull_request' && !isAskedFor(trigger);
}

/** What a person asks for by hand is done for a draft too, and while runs are paused. */
function isAskedFor({ action }: PullRequestTrigger): boolean {
  return action === 'labeled' || action === 'review_requested';
}

/** On `pull_request` a fork's run has no secrets, so there it would only fail. */
function isRunByLabel({ event, action }: PullRequestTrigger): boolean {
  return event === 'pull_request_target' && action === 'labeled';
}

function skipUnlessMentioned({
  trigger,
  policy: { triggerPhrase },
}: EventFacts): Skip<'no-mention'> | undefined {
  if (trigger.kind !== 'comment' || triggerPhrase === '') return undefined;
  if (findMention(trigger.body, triggerPhrase) !== undefined) return undefined;
  return skipUnmentioned(trigger, triggerPhrase);
}

/** Who caused an event that somebody without access can cause; undefined where write access or nobody did. */
function admittedActor(trigger: Trigger): Actor | undefined {
  switch (trigger.kind) {
    case 'pull_request':
    case 'issue':
    case 'comment':
    case 'workflow_run':
      return trigger.actor;
    case 'push':
    case 'merge_group':
    case 'schedule':
    case 'dispatch':
    case 'unknown':
    case 'local':
      return undefined;
  }
}

/** The person whose permission has to be enough; a bot that came so far is allowed. */
function unlistedActor({ trigger, policy }: EventFacts): Actor | undefined {
  const actor = admittedActor(trigger);
  return actor === undefined || actor.isBot || isListed(actor, policy.allowUsers) ? undefined : actor;
}
