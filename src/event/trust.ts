import { ConfigError } from '../lib/errors.js';
import { isOwnText, type MarkLane } from '../safety/mark.js';
import { isOurs } from './mention.js';
import { isListed, isSameAccount, mayWrite, type Permission } from './permission.js';
import {
  type Actor,
  isDeleted,
  type SubjectTrigger,
  subjectTrigger,
  type Trigger,
  type WorkflowRunTrigger,
} from './trigger.js';

/**
 * Where the entry of a run goes (D19): `trusted` runs load the trusted lane; of a `tainted` run only what we compute
 * goes there, its own words go to the untrusted lane, where everything of an `untrusted` run goes; `none` keeps nothing.
 */
export type Lane = MarkLane | 'none';

/** How far a run is trusted: which tools it may have, and where its memory goes (D18). */
export interface Trust {
  readonly level: 'trusted' | 'untrusted';
  readonly lane: Exclude<Lane, 'none'>;
  /** Half a sentence for people: why. */
  readonly reason: string;
}

/**
 * The other login that matters: who wrote the text an actor with permission lets us read. Undefined where the actor
 * wrote it, and for a bot, whose words are never trusted. Asking is worth it only to lift such a run to `trusted`.
 */
export function contentAuthor(trigger: Trigger): string | undefined {
  const subject = subjectTrigger(trigger);
  if (subject === undefined) return undefined;
  const author = contentAuthorOf(subject);
  return author.isBot || isSameAccount(author, subject.actor) ? undefined : author.login;
}

/**
 * The level and lane of a run, of the event and the actor's permission (D18). A run that reads text by somebody other
 * than the actor is trusted only if that author (see {@link contentAuthor}) may write too; otherwise it is tainted (D19).
 * Whatever a workflow allows beyond accounts that may write (`min-permission`, `allow-users`, `allow-bots`) is untrusted
 * all the same, and so is a fork's pull request that somebody labelled: nothing of such a run goes to the trusted lane.
 * `issue_comment` does not say it; then the context does (see `trustOfDiff`).
 */
export function classifyTrust(
  trigger: Trigger,
  {
    actor: permission,
    author: authorPermission = 'unknown',
    allowBots = [],
  }: {
    readonly actor: Permission | 'unknown';
    /** Of {@link contentAuthor}. */
    readonly author?: Permission | 'unknown';
    readonly allowBots?: readonly string[];
  },
): Trust {
  switch (trigger.kind) {
    case 'local':
      return trusted('it runs on your own machine');
    case 'schedule':
      return trusted('a schedule runs what is on the default branch');
    case 'push':
    case 'release':
    case 'dispatch': {
      const { actor, kind } = trigger;
      // A bot that pushes may carry anybody's words, unless the workflow vouches for it.
      if (actor.isBot && !isListed(actor, allowBots))
        return untrusted(`the bot ${actor.login}, which is not in \`allow-bots\`, caused the event`);
      return trusted(`only accounts with write access can ${kind}`);
    }
    case 'unknown':
      return untrusted('the event is unknown');
    case 'merge_group':
      return tainted("a queue holds anyone's pull requests");
    case 'workflow_run':
    case 'pull_request':
    case 'issue':
    case 'comment': {
      const why = whyUntrusted(trigger, permission);
      if (why !== undefined) return untrusted(why);
      if (trigger.kind === 'workflow_run') return tainted('logs hold whatever a program printed');
      const author = contentAuthorOf(trigger);
      if (isSameAccount(author, trigger.actor) || (!author.isBot && mayWrite(authorPermission)))
        return trusted(`${trigger.actor.login} can write to the repository`);
      return tainted(`it reads text by ${author.login}, who is not known to have write access`);
    }
  }
}

/**
 * Why nothing of the run may go to the trusted lane; undefined for a person with write access, on what is in this
 * repository. Whether the event starts a run at all is another question (`admission.ts`), which a workflow can answer
 * more freely.
 */
function whyUntrusted(
  trigger: SubjectTrigger | WorkflowRunTrigger,
  permission: Permission | 'unknown',
): string | undefined {
  if (trigger.kind === 'issue' || trigger.kind === 'comment') {
    if (isDeleted(trigger)) return 'what the event is about was deleted';
    if (isOurs(trigger)) return 'one of our own runs caused the event';
  }
  if (trigger.actor.isBot) return 'a bot caused the event';
  if (trigger.kind === 'comment' && !isSameAccount(trigger.author, trigger.actor)) {
    return 'the event was not caused by the author of the comment';
  }
  if (permission === 'unknown') return "the actor's permission is unknown";
  if (!mayWrite(permission)) return 'the actor has no write access';
  const isFork = 'isFork' in trigger && trigger.isFork === true;
  return isFork ? 'the pull request comes from a fork' : undefined;
}

/**
 * Whose text the run reads. The commits of a branch of the repository were pushed by a writer, but title and description
 * are by the pull request's author, which takes no write access, and a bot's may quote anybody, as may what a run of ours
 * has written with a person's token.
 */
function contentAuthorOf(trigger: SubjectTrigger): Actor {
  if (isOwnText(trigger.kind === 'comment' ? trigger.description : trigger.body)) return OUR_RUN;
  if (trigger.kind !== 'comment') return trigger.author;
  return trigger.subjectAuthor ?? { login: 'ghost', isBot: false };
}

const OUR_RUN: Actor = { login: 'a run of ours', isBot: true };

function trusted(reason: string): Trust {
  return { level: 'trusted', lane: 'trusted', reason };
}

function tainted(reason: string): Trust {
  return { level: 'untrusted', lane: 'tainted', reason };
}

function untrusted(reason: string): Trust {
  return { level: 'untrusted', lane: 'untrusted', reason };
}

/**
 * Refuses to work next to a fork's code that was checked out where secrets are: whatever builds or tests it in the same
 * job runs a stranger's program with them (D21). `checkedOut` is the commit in the workspace. Throws a ConfigError.
 */
export function refuseCheckout(trigger: Trigger, checkedOut: string | undefined): void {
  if (trigger.kind !== 'pull_request' || trigger.event !== 'pull_request_target' || !trigger.isFork) return;
  if (checkedOut === undefined) return;
  if (checkedOut !== trigger.head.sha && checkedOut !== trigger.mergeSha) return;
  const { number, event } = trigger;
  throw new ConfigError(
    `the commits of pull request #${number}, which comes from a fork, are checked out on \`${event}\`, where its code can reach the secrets`,
    {
      remedy: 'Remove the checkout or its `ref:`; the diff and the files are read through the API.',
    },
  );
}
