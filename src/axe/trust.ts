import type { Actor, CommentTrigger, IssueTrigger, PullRequestTrigger, Trigger } from './trigger.js';

/** What an account may do in a repository, strongest first (GitHub's repository roles). */
export type Permission = 'admin' | 'maintain' | 'write' | 'triage' | 'read' | 'none';

/** Whether a run's memory is loaded by later runs, and which tools it may have (D18). */
export interface Trust {
  readonly level: 'trusted' | 'untrusted';
  /** Half a sentence for people: why. */
  readonly reason: string;
}

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
type SubjectTrigger = PullRequestTrigger | IssueTrigger | CommentTrigger;

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
 * The other login that matters: who wrote the text an actor with permission lets us read. Undefined where the actor
 * wrote it. Asking is worth it only to lift such a run to `trusted`.
 */
export function contentAuthor(trigger: Trigger): string | undefined {
  if (trigger.kind !== 'issue' && trigger.kind !== 'comment') return undefined;
  const author = contentAuthorOf(trigger);
  return author === undefined || author.isBot || isSame(author, trigger.actor) ? undefined : author.login;
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

/**
 * The level of a run, of the event and the actor's permission (D18). A run that reads text by somebody other than
 * the actor is trusted only if that author (see {@link contentAuthor}) may write too (D19).
 */
export function classifyTrust(
  trigger: Trigger,
  permission: Permission | 'unknown',
  authorPermission: Permission | 'unknown' = 'unknown',
): Trust {
  switch (trigger.kind) {
    case 'push':
      return trusted('only accounts with write access can push');
    case 'schedule':
      return trusted('a schedule runs what the default branch holds');
    case 'dispatch':
      return trusted('only accounts with write access can dispatch');
    case 'local':
      return trusted('it runs on your own machine');
    case 'unknown':
      return untrusted(`the event ${eventName(trigger.event, trigger.action)} is unknown`);
    case 'pull_request':
    case 'issue':
    case 'comment': {
      const gate = decideGate(trigger, permission);
      if (gate.kind === 'skip') return untrusted(SKIP_WORDS[gate.reason]);
      const author = contentAuthorOf(trigger);
      if (author === undefined || isSame(author, trigger.actor) || mayWrite(authorPermission)) {
        return trusted(`${trigger.actor.login} may write to the repository`);
      }
      return untrusted(`it reads text by ${author.login}, who is not known to have write access`);
    }
  }
}

/** Whether the permission includes pushing. */
export function mayWrite(permission: Permission | 'unknown'): boolean {
  return permission === 'admin' || permission === 'maintain' || permission === 'write';
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
  if (isSame(author, sender)) return undefined;
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

const SKIP_WORDS: Record<SkipReason, string> = {
  fork: 'the pull request comes from a fork',
  bot: 'a bot caused the event',
  permission: 'the actor has no write access',
  'permission-unknown': "the actor's permission is unknown",
  'sender-not-author': 'somebody else caused the event than wrote the comment',
  'subject-deleted': 'what the event is about was deleted',
  'unknown-event': 'the event is unknown',
  'agent-not-merged': 'the agent is not merged yet',
};

/**
 * Whose text the run reads. A branch of the repository itself was pushed by a writer, so a pull request from one
 * counts as the actor's.
 */
function contentAuthorOf(trigger: SubjectTrigger): Actor | undefined {
  switch (trigger.kind) {
    case 'issue':
      return trigger.author;
    case 'comment':
      return trigger.subjectAuthor ?? UNKNOWN_AUTHOR;
    case 'pull_request':
      return undefined;
  }
}

const UNKNOWN_AUTHOR: Actor = { login: 'ghost', isBot: false };

/** Logins are case-insensitive. Two deleted accounts are never the same. */
function isSame(a: Actor, b: Actor): boolean {
  return a.login !== 'ghost' && a.login.toLowerCase() === b.login.toLowerCase();
}

function eventName(event: string, action: string): string {
  return action === '' ? `\`${event}\`` : `\`${event}\` (${action})`;
}

function trusted(reason: string): Trust {
  return { level: 'trusted', reason };
}

function untrusted(reason: string): Trust {
  return { level: 'untrusted', reason };
}
