import { isOwnText } from '../safety/mark.js';
import { type AdmissionPolicy, isEnough, isListed } from './admission-policy.js';
import { findMention, isOwnIssue } from './mention.js';
import { isSameAccount, type Permission } from './permission.js';
import {
  type Notice,
  type Skip,
  type SkipReason,
  skipBot,
  skipClosed,
  skipDeleted,
  skipFork,
  skipForkComment,
  skipForkRun,
  skipNothingNew,
  skipOtherSender,
  skipOwnText,
  skipPaused,
  skipPermission,
  skipReviewed,
  skipStranger,
  skipUnchanged,
  skipUnknown,
  skipUnmentioned,
  skipUnmerged,
  skipUnreadable,
} from './skip.js';
import { type Actor, isDeleted, type PullRequestTrigger, type Trigger } from './trigger.js';

/** Whether an event starts a run; a skip ends the step green with one notice (D20). */
export type Admission = { readonly kind: 'run' } | Skip;

/** What is known without a request. */
export interface EventFacts {
  readonly trigger: Trigger;
  readonly policy: AdmissionPolicy;
  /** The comment says `/axe review`, which needs no `trigger-phrase`; left out: it does not. */
  readonly asksForReview?: boolean;
}

/** The agent of a run, as far as it decides whether there is one. */
type AgentFacts =
  | { readonly kind: 'found'; readonly postsReviews: boolean }
  /** The agent is valid, and only the pull request's own head has it. */
  | { readonly kind: 'unmerged'; readonly name: string; readonly source: string };

/** What memory says of earlier runs. */
interface StateFacts {
  /** Somebody stopped the runs of this pull request. */
  readonly isPaused: boolean;
  /** The commit of the event was reviewed to its end, and this run was not started again by hand. */
  readonly isReviewed: boolean;
  /** The limit of several runs that is used up, in words; undefined while something is left. */
  readonly spent: { readonly message: string; readonly remedy: string } | undefined;
}

/** The change that a run is to read. */
export interface ChangeFacts {
  readonly number: number;
  /** Why no file of it is to be read, in words that end a sentence; undefined if there are some. */
  readonly unreadable: string | undefined;
  /** Sha of the commit since which nothing that is reviewed has changed; undefined if something has. */
  readonly nothingNewSince: string | undefined;
}

/** Everything that admission is decided from, in the order in which it becomes known. */
export interface AdmissionFacts {
  readonly event: EventFacts;
  /** What the actor may do. Of bots and of nobody in particular it is `unknown`. */
  readonly permission?: Permission | 'unknown';
  readonly agent?: AgentFacts;
  readonly state?: StateFacts;
  /** Of a pull request whose change could be read. */
  readonly change?: ChangeFacts;
}

/** A reason to start nothing. `needs` is the latest fact that it looks at, besides the event. */
interface Rule<N extends keyof AdmissionFacts> {
  readonly reason: SkipReason;
  readonly needs: N;
  decide(event: EventFacts, known: NonNullable<AdmissionFacts[N]>): Notice | undefined;
}

type AnyRule = { [N in keyof AdmissionFacts]-?: Rule<N> }[keyof AdmissionFacts];

/**
 * Who can start a run (D20, memory-and-security B3), as the table of `docs/events.md` has it: the first rule that says why not
 * counts. Those that need the event alone come first and cost no request; then those that are asked before context,
 * review threads and diff are fetched. Only the last look at the change, before a model is asked.
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
      (trigger.kind === 'issue' || trigger.kind === 'comment' || trigger.kind === 'release') &&
      isDeleted(trigger)
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
    decide({ trigger }) {
      if (trigger.kind === 'comment') return trigger.isFork === true ? skipForkComment(trigger) : undefined;
      if (trigger.kind === 'workflow_run') return trigger.isFork ? skipForkRun(trigger) : undefined;
      if (trigger.kind !== 'pull_request' || !trigger.isFork) return undefined;
      return isRunByLabel(trigger) ? undefined : skipFork(trigger);
    },
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
    decide(event, permission) {
      const actor = unlistedActor(event);
      if (actor === undefined || permission !== 'unknown') return undefined;
      return isEnough(permission, event.policy.minPermission) ? undefined : skipStranger(actor);
    },
  },
  {
    reason: 'permission',
    needs: 'permission',
    decide(event, permission) {
      const actor = unlistedActor(event);
      const { minPermission } = event.policy;
      if (actor === undefined || permission === 'unknown') return undefined;
      return isEnough(permission, minPermission)
        ? undefined
        : skipPermission(actor, permission, minPermission);
    },
  },
  {
    reason: 'agent-not-merged',
    needs: 'agent',
    decide: (_, agent) => (agent.kind === 'unmerged' ? skipUnmerged(agent.name, agent.source) : undefined),
  },
  {
    // `/axe review` without the phrase is for agents that post reviews; whoever else listens is not meant.
    reason: 'no-mention',
    needs: 'agent',
    decide: (event, agent) =>
      agent.kind === 'found' && agent.postsReviews ? undefined : skipUnlessMentioned(event),
  },
  {
    reason: 'closed',
    needs: 'agent',
    decide({ trigger }, agent) {
      if (trigger.kind !== 'pull_request' || trigger.isClosed !== true || agent.kind !== 'found')
        return undefined;
      // What is not a review may well be about the end of a pull request, where the workflow names that.
      const isMeant = !agent.postsReviews && (trigger.action === 'closed' || trigger.action === 'labeled');
      return isMeant ? undefined : skipClosed(trigger);
    },
  },
  {
    // Other agents may look at title, labels or people.
    reason: 'no-change',
    needs: 'agent',
    decide: ({ trigger }, agent) =>
      trigger.kind === 'pull_request' && agent.kind === 'found' && agent.postsReviews && isUnchanged(trigger)
        ? skipUnchanged(trigger)
        : undefined,
  },
  {
    reason: 'nothing-new',
    needs: 'state',
    decide: (event, { isReviewed }) =>
      isReviewed && event.trigger.kind === 'pull_request' && isRepeatable(event)
        ? skipReviewed(event.trigger)
        : undefined,
  },
  {
    reason: 'paused',
    needs: 'state',
    decide: ({ trigger }, { isPaused }) =>
      isPaused && isPausable(trigger) ? skipPaused(trigger) : undefined,
  },
  { reason: 'budget-spent', needs: 'state', decide: (_, { spent }) => spent },
  {
    reason: 'nothing-to-review',
    needs: 'change',
    decide: (_, { number, unreadable }) =>
      unreadable === undefined ? undefined : skipUnreadable(number, unreadable),
  },
  {
    reason: 'nothing-new',
    needs: 'change',
    decide: (event, { nothingNewSince }) =>
      nothingNewSince !== undefined && event.trigger.kind === 'pull_request' && isRepeatable(event)
        ? skipNothingNew(event.trigger, nothingNewSince)
        : undefined,
  },
];

/** Whether an event starts a run, as far as the facts say: a rule whose facts are not there yet is left out. */
export function decideAdmission(facts: AdmissionFacts): Admission {
  for (const rule of RULES) {
    const known = facts[rule.needs];
    // The compiler does not see that a rule and its fact belong together.
    const notice = known && rule.decide(facts.event, known as never);
    if (notice !== undefined) return { kind: 'skip', reason: rule.reason, ...notice };
  }
  return { kind: 'run' };
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

/** Whether an event asks for no second look at what was reviewed; nobody's wish is passed over. */
export function isRepeatable({ trigger }: EventFacts): boolean {
  return trigger.kind === 'pull_request' && trigger.action !== 'review_requested';
}

/** Activities of a pull request that leave its diff as it is (GitHub's "Webhook events and payloads"). */
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

function isUnchanged({ action, hasNewBase }: PullRequestTrigger): boolean {
  return UNCHANGING.has(action) && hasNewBase !== true;
}

/** On `pull_request` a fork's run has no secrets, so there it would only fail. */
function isRunByLabel({ event, action }: PullRequestTrigger): boolean {
  return event === 'pull_request_target' && action === 'labeled';
}

function skipUnlessMentioned({ trigger, policy }: EventFacts): Notice | undefined {
  const { triggerPhrase } = policy;
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
    case 'release':
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
