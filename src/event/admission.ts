import { isOwnText } from '../safety/mark.js';
import { findMention, isOwnIssue } from './mention.js';
import { type AdmissionPolicy, isEnough, isListed, isSameAccount, type Permission } from './permission.js';
import { type Actor, isDeleted, type PullRequestTrigger, type Trigger, UNNAMED_EVENT } from './trigger.js';

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
  | 'closed'
  | 'no-change'
  | 'nothing-new'
  /** What is open on the pull request could not be read. */
  | 'findings-unread'
  | 'nothing-to-review'
  | 'no-mention'
  | 'own-text'
  | 'paused'
  | 'agent-not-merged'
  | 'budget-spent';

/** What is known without a request. */
export interface EventFacts {
  readonly trigger: Trigger;
  readonly policy: AdmissionPolicy;
  /** The comment says `/axe review`, which needs no `trigger-phrase`; left out: it does not. */
  readonly asksForReview?: boolean;
}

/** Everything that admission is decided from, in the order in which it becomes known. */
export interface AdmissionFacts {
  readonly event: EventFacts;
  /** What the actor may do. Of bots and of nobody in particular it is `unknown`. */
  readonly permission?: Permission | 'unknown';
  readonly agent?:
    | { readonly kind: 'found'; readonly postsReviews: boolean }
    /** The agent is valid, and only the pull request's own head has it. */
    | { readonly kind: 'unmerged'; readonly name: string; readonly source: string };
  /** What memory says of earlier runs. */
  readonly state?: {
    readonly isPaused: boolean;
    /** The commit of the event was reviewed to its end, and this run was not started again by hand. */
    readonly isReviewed: boolean;
    /** The limit of several runs that is used up, in words; undefined while something is left. */
    readonly spent: Notice | undefined;
  };
  /** Of a pull request whose change could be read. */
  readonly change?: {
    readonly number: number;
    /** Why no file of it is to be read, in words that end a sentence; undefined if there are some. */
    readonly unreadable: string | undefined;
    /** Sha of the commit since which nothing that is reviewed has changed; undefined if something has. */
    readonly nothingNewSince: string | undefined;
  };
}

/** What people are told of a run that is not started. */
interface Notice {
  readonly message: string;
  readonly remedy?: string;
}

/** A reason to start nothing. `needs` is the latest fact that it looks at, besides the event. */
interface Rule<N extends keyof AdmissionFacts> {
  readonly reason: SkipReason;
  readonly needs: N;
  decide(event: EventFacts, known: NonNullable<AdmissionFacts[N]>): Notice | undefined;
}

/**
 * Who can start a run (D20), as the table of `docs/events.md` has it: the first rule that says why not counts. Those that need the event alone come first and cost no request; then those that are asked before context,
 * review threads and diff are fetched. Only the last look at the change, before a model is asked.
 */
const RULES: readonly { [N in keyof AdmissionFacts]-?: Rule<N> }[keyof AdmissionFacts][] = [
  {
    reason: 'unknown-event',
    needs: 'event',
    decide({ trigger }) {
      if (trigger.kind !== 'unknown') return undefined;
      const { event, action, lacks } = trigger;
      const name = eventName(event, action);
      if (lacks !== undefined) {
        return {
          message: `The payload of the event ${name} does not have ${lacks}`,
          remedy: `Check that the event file is the payload of \`${event}\`, as GitHub sends it.`,
        };
      }
      return {
        message: `This version does not know ${event === UNNAMED_EVENT ? 'the event of this payload' : `the event ${name}`}`,
        remedy:
          'Run on `pull_request`, `issues`, `issue_comment`, `push`, `release`, `workflow_run`, `merge_group`, `schedule` or `workflow_dispatch` instead.',
      };
    },
  },
  {
    // A deleted comment cannot be answered, nor can an issue or a release that is gone from the repository.
    reason: 'subject-deleted',
    needs: 'event',
    decide({ trigger }) {
      if (trigger.kind === 'local' || !isDeleted(trigger)) return undefined;
      return {
        message: `The ${trigger.kind} was ${trigger.action}; there is nothing left to work on`,
        remedy: `Leave \`${trigger.action}\` out of the event's \`types:\`.`,
      };
    },
  },
  {
    // What we wrote ourselves must not start us again.
    reason: 'own-text',
    needs: 'event',
    decide({ trigger }) {
      const isOwn =
        (trigger.kind === 'issue' && isOwnIssue(trigger)) ||
        (trigger.kind === 'comment' && isOwnText(trigger.body));
      if (!isOwn) return undefined;
      return {
        message: `The ${trigger.kind} was written by a run of axe-action, which does not answer itself`,
      };
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
      switch (trigger.kind) {
        case 'comment':
          // A review or a comment on a line: GitHub gives such runs no secrets, so they would fail.
          if (trigger.isFork !== true) return undefined;
          return {
            message: `Pull request #${trigger.number} comes from a fork, and GitHub gives its \`${trigger.event}\` runs no secrets`,
            remedy:
              "Ask in a comment in the pull request's conversation, if the workflow runs on `issue_comment`.",
          };
        case 'workflow_run':
          if (!trigger.isFork) return undefined;
          return {
            message: `The workflow ${JSON.stringify(trigger.workflow)} ran on a commit of a fork; such commits do not start runs`,
            remedy: 'Somebody with write access can push the commits to a branch of this repository.',
          };
        case 'pull_request':
          // On `pull_request` a fork's run has no secrets, so there a label would only make it fail.
          if (trigger.event === 'pull_request_target' && trigger.action === 'labeled') return undefined;
          return trigger.isFork ? skipFork(trigger) : undefined;
        default:
          return undefined;
      }
    },
  },
  {
    reason: 'bot',
    needs: 'event',
    decide({ trigger, policy }) {
      const actor = admittedActor(trigger);
      if (actor?.isBot !== true || isListed(actor, policy.allowBots)) return undefined;
      return {
        message: `The event was caused by the bot ${actor.login}; bots do not start runs by default`,
        remedy: `Add \`allow-bots: ${actor.login}\` to allow it; its runs are untrusted.`,
      };
    },
  },
  {
    // Somebody else's edit must not lend a comment its editor's permission, or the other way round.
    reason: 'sender-not-author',
    needs: 'event',
    decide({ trigger }) {
      if (trigger.kind !== 'comment' || isSameAccount(trigger.author, trigger.actor)) return undefined;
      return {
        message: `The comment is by ${trigger.author.login}, but the event was caused by ${trigger.actor.login}; it is not answered`,
        remedy: "Leave `edited` out of the event's `types:`, or write a comment of your own.",
      };
    },
  },
  {
    reason: 'permission-unknown',
    needs: 'permission',
    decide(event, permission) {
      const actor = unlistedActor(event);
      if (actor === undefined || permission !== 'unknown') return undefined;
      if (isEnough(permission, event.policy.minPermission)) return undefined;
      return { message: `The permission of ${actor.login} could not be read, so the run was not started` };
    },
  },
  {
    reason: 'permission',
    needs: 'permission',
    decide(event, permission) {
      const actor = unlistedActor(event);
      const { minPermission } = event.policy;
      if (actor === undefined || permission === 'unknown' || isEnough(permission, minPermission))
        return undefined;
      return {
        message: `${actor.login} has \`${permission}\` permission; a run needs \`${minPermission}\``,
        remedy: 'Somebody with write access can start it, by a comment or label of their own.',
      };
    },
  },
  {
    // A stranger's text must not configure anything before it is merged (D21).
    reason: 'agent-not-merged',
    needs: 'agent',
    decide(_, agent) {
      if (agent.kind !== 'unmerged') return undefined;
      return {
        message: `The agent "${agent.name}" exists only in this pull request (${agent.source}); it is valid and will run once it is merged`,
      };
    },
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
      if (!agent.postsReviews && (trigger.action === 'closed' || trigger.action === 'labeled'))
        return undefined;
      return {
        message: `Pull request #${trigger.number} is closed or merged`,
        remedy: 'Somebody with write access can ask for a review with `/axe review` in a comment.',
      };
    },
  },
  {
    // Other agents may look at title, labels or people.
    reason: 'no-change',
    needs: 'agent',
    decide({ trigger }, agent) {
      if (trigger.kind !== 'pull_request' || agent.kind !== 'found' || !agent.postsReviews) return undefined;
      const { number, event, action, hasNewBase } = trigger;
      if (!UNCHANGING.has(action) || hasNewBase === true) return undefined;
      return {
        message: `${eventName(event, action)} changes nothing in the diff of pull request #${number}`,
        remedy: `Remove \`${action}\` from the \`types:\` of the event.`,
      };
    },
  },
  {
    reason: 'nothing-new',
    needs: 'state',
    decide({ trigger }, { isReviewed }) {
      if (!isReviewed || !isRepeatable(trigger)) return undefined;
      const { number, head } = trigger;
      return {
        message: `Commit ${head.sha.slice(0, 7)} of pull request #${number} was reviewed before`,
        remedy: 'Start the run again, or write `/axe review full` in a comment.',
      };
    },
  },
  {
    reason: 'paused',
    needs: 'state',
    decide({ trigger }, { isPaused }) {
      if (!isPaused || !isPausable(trigger)) return undefined;
      return {
        message: `Runs of this agent on pull request #${trigger.number} are paused`,
        remedy: 'Somebody with write access can write `/axe resume` in a comment.',
      };
    },
  },
  { reason: 'budget-spent', needs: 'state', decide: (_, { spent }) => spent },
  {
    reason: 'nothing-to-review',
    needs: 'change',
    decide: (_, { number, unreadable }) =>
      unreadable === undefined
        ? undefined
        : { message: `Pull request #${number} was not reviewed: ${unreadable}` },
  },
  {
    // A push that brings nothing to review, such as a merge of the base branch.
    reason: 'nothing-new',
    needs: 'change',
    decide({ trigger }, { nothingNewSince: from }) {
      if (from === undefined || !isRepeatable(trigger)) return undefined;
      return {
        message: `Nothing to review has changed in pull request #${trigger.number} since ${from.slice(0, 7)}`,
        remedy: 'Write `/axe review full` in a comment to have the whole pull request reviewed again.',
      };
    },
  },
];

/** Whether an event starts a run; a skip ends the step green with one notice (D20). */
export type Admission =
  | { readonly kind: 'run' }
  | (Notice & { readonly kind: 'skip'; readonly reason: SkipReason });

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

/** The login whose permission decides; undefined where the event alone says enough, and for a bot: GitHub knows none. */
export function needsPermission(event: EventFacts): string | undefined {
  const actor = admittedActor(event.trigger);
  return actor?.isBot === false && decideAdmission({ event }).kind === 'run' ? actor.login : undefined;
}

function skipFork({ number, head, event }: PullRequestTrigger): Notice {
  const from = head.repository === null ? 'a fork that was deleted' : `the fork ${head.repository}`;
  const label =
    event === 'pull_request_target' ? 'a label (`labeled` in `types:`)' : 'a label, on `pull_request_target`';
  return {
    message: `Pull request #${number} comes from ${from}; forks do not start runs by default`,
    remedy: `Somebody with write access can start it by a comment, if the workflow runs on \`issue_comment\`, or by ${label}.`,
  };
}

/** Whether `/axe pause` holds for an event: a label or a review that is asked for is somebody's wish all the same. */
export function isPausable(trigger: Trigger): trigger is PullRequestTrigger {
  if (trigger.kind !== 'pull_request') return false;
  return trigger.action !== 'labeled' && trigger.action !== 'review_requested';
}

/** Whether an event asks for no second look at what was reviewed; nobody's wish is passed over. */
export function isRepeatable(trigger: Trigger): trigger is PullRequestTrigger {
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

function skipUnlessMentioned({ trigger, policy: { triggerPhrase } }: EventFacts): Notice | undefined {
  if (trigger.kind !== 'comment' || triggerPhrase === '') return undefined;
  if (findMention(trigger.body, triggerPhrase) !== undefined) return undefined;
  return {
    message: `The comment by ${trigger.author.login} does not contain ${JSON.stringify(triggerPhrase)} (\`trigger-phrase\`)`,
    remedy: 'Write it as separate words, outside of code and quotations.',
  };
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

function eventName(event: string, action: string): string {
  return `\`${event}\`${action && ` (${action})`}`;
}
