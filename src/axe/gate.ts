import { isSameAccount, mayWrite, type Permission } from './permission.js';
import type { Actor, CommentTrigger, IssueTrigger, PullRequestTrigger, Trigger } from './trigger.js';

/** Why a run was not started: output `skip-reason`. */
export type SkipReason =
  | 'fork'
  | 'bot'
  | 'permission'
  | 'permission-unknown'
  | 'sender-not-author'
  | 'subject-deleted'
  | 'unknown-event'
  /** The agent exists only on the pull request's head (D21). */
  | 'agent-not-merged';

/** Whether an event starts a run; a skip ends the step green with one notice (D20). */
export type GateDecision =
  | { readonly kind: 'run' }
  | {
      readonly kind: 'skip';
      readonly reason: SkipReason;
      readonly message: string;
      readonly remedy?: string;
    };

/** Triggers that somebody without access can cause. */
export type SubjectTrigger = PullRequestTrigger | IssueTrigger | CommentTrigger;

/**
 * The login whose permission decides, or undefined where none does: the event alone says enough, or it is skipped
 * whatever the answer would be.
 */
export function needsPermission(trigger: Trigger): string | undefined {
  switch (trigger.kind) {
    case 'pull_request':
    case 'issue':
    case 'comment':
      return skipWithoutAsking(trigger) === undefined ? trigger.actor.login : undefined;
    case 'push':
    case 'schedule':
    case 'dispatch':
    case 'unknown':
    case 'local':
      return undefined;
  }
}

/**
 * Whether the event starts a run (D20, memory-and-security B3). `permission` is that of {@link needsPermission}'s
 * login; `unknown` where it could not be learnt, which is as good as none.
 */
export function decideGate(trigger: Trigger, permission: Permission | 'unknown'): GateDecision {
  switch (trigger.kind) {
    case 'pull_request':
    case 'issue':
    case 'comment':
      return skipWithoutAsking(trigger) ?? gateOfPermission(trigger.actor, permission);
    case 'push':
    case 'schedule':
    case 'dispatch':
    case 'local':
      return { kind: 'run' };
    case 'unknown':
      return {
        kind: 'skip',
        reason: 'unknown-event',
        message: `The event ${eventName(trigger.event, trigger.action)} is not one this version knows`,
        remedy:
          'Run on `pull_request`, `issues`, `issue_comment`, `push`, `schedule` or `workflow_dispatch` instead.',
      };
  }
}

/** What the event alone rules out. */
function skipWithoutAsking(trigger: SubjectTrigger): GateDecision | undefined {
  switch (trigger.kind) {
    case 'pull_request':
      return trigger.isFork ? skipFork(trigger) : skipBot(trigger.actor);
    case 'issue':
      return skipDeleted(trigger.action, 'issue') ?? skipBot(trigger.actor);
    case 'comment':
      return (
        skipDeleted(trigger.action, 'comment') ??
        skipBot(trigger.actor) ??
        skipOtherSender(trigger.author, trigger.actor)
      );
  }
}

function skipFork({ number, head }: PullRequestTrigger): GateDecision {
  const from = head.repository === null ? 'a fork that was deleted' : `the fork ${head.repository}`;
  return {
    kind: 'skip',
    reason: 'fork',
    message: `Pull request #${number} comes from ${from}; forks are not run`,
    remedy: 'Somebody with write access can push the commits to a branch of this repository.',
  };
}

function skipBot(actor: Actor): GateDecision | undefined {
  if (!actor.isBot) return undefined;
  return {
    kind: 'skip',
    reason: 'bot',
    message: `The event was caused by the bot ${actor.login}; bots do not start runs`,
  };
}

/** A deleted comment cannot be answered, nor can an issue that is gone from the repository. */
function skipDeleted(action: string, what: 'issue' | 'comment'): GateDecision | undefined {
  const isGone = action === 'deleted' || (what === 'issue' && action === 'transferred');
  if (!isGone) return undefined;
  return {
    kind: 'skip',
    reason: 'subject-deleted',
    message: `The ${what} was ${action}; nothing is left to work on`,
    remedy: `Leave \`${action}\` out of the event's \`types:\`.`,
  };
}

/** Somebody else's edit must not lend a comment its editor's permission, or the other way round. */
function skipOtherSender(author: Actor, sender: Actor): GateDecision | undefined {
  if (isSameAccount(author, sender)) return undefined;
  return {
    kind: 'skip',
    reason: 'sender-not-author',
    message: `The comment is by ${author.login}, but the event was caused by ${sender.login}; it is not answered`,
    remedy: "Leave `edited` out of the event's `types:`, or write a comment of your own.",
  };
}

function gateOfPermission(actor: Actor, permission: Permission | 'unknown'): GateDecision {
  if (mayWrite(permission)) return { kind: 'run' };
  if (permission === 'unknown') {
    return {
      kind: 'skip',
      reason: 'permission-unknown',
      message: `What ${actor.login} may do in this repository could not be learnt, so the run was not started`,
    };
  }
  return {
    kind: 'skip',
    reason: 'permission',
    message: `${actor.login} has \`${permission}\` permission; a run needs \`write\``,
    remedy: 'Somebody with write access can start it, by a comment or label of their own.',
  };
}

function eventName(event: string, action: string): string {
  return action === '' ? `\`${event}\`` : `\`${event}\` (${action})`;
}
