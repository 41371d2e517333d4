import { ConfigError } from '../lib/errors.js';
import { isOwnText, type MarkLane } from '../safety/mark.js';
import {
  type Actor,
  isDeleted,
  type SubjectTrigger,
  subjectTrigger,
  type Trigger,
  type WorkflowRunTrigger,
} from './trigger.js';

/**
 * Where the entry of a run goes: `trusted` runs load the trusted lane; of a `tainted` run only what
 * we compute goes there, its own words go to the untrusted lane, where everything of an `untrusted`
 * run goes; `none` keeps nothing.
 */
export type Lane = MarkLane | 'none';

/** How far a run is trusted: which tools it may have, and where its memory goes. */
export interface Trust {
  readonly level: 'trusted' | 'untrusted';
  readonly lane: Exclude<Lane, 'none'>;
  /** Half a sentence for people: why. */
  readonly reason: string;
}

/**
 * The other login that matters: who wrote the text an actor with permission lets us read. Undefined
 * where the actor wrote it, and for a bot, whose words are never trusted. Asking is worth it only
 * to lift such a run to `trusted`.
 */
export function contentAuthor(trigger: Trigger): string | undefined {
  const subject = subjectTrigger(trigger);
  if (subject === undefined) return undefined;
  const author = contentAuthorOf(subject);
  return author.isBot || isSameAccount(author, subject.actor) ? undefined : author.login;
}

/**
 * The level and lane of a run, of the event and the actor's permission. A run that reads text by
 * somebody other than the actor is trusted only if that author (see {@link contentAuthor}) may
 * write too; otherwise it is tainted. Whatever a workflow allows beyond accounts that may write
 * (`min-permission`, `allow-users`, `allow-bots`) is untrusted all the same, and so is a fork's
 * pull request that somebody labelled: nothing of such a run goes to the trusted lane.
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
      if (actor.isBot && !isLoginListed(actor, allowBots))
        return untrustedBecause(
          `the bot ${actor.login}, which is not in \`allow-bots\`, caused the event`,
        );
      return trusted(`only accounts with write access can ${kind}`);
    }
    case 'unknown':
      return untrustedBecause('the event is unknown');
    case 'merge_group':
      return tainted("a queue holds anyone's pull requests");
    case 'workflow_run':
    case 'pull_request':
    case 'issue':
    case 'comment': {
      const why = whyUntrusted(trigger, permission);
      if (why !== undefined) return untrustedBecause(why);
      if (trigger.kind === 'workflow_run') return tainted('logs hold whatever a program printed');
      const author = contentAuthorOf(trigger);
      if (isSameAccount(author, trigger.actor) || (!author.isBot && mayWrite(authorPermission)))
        return trusted(`${trigger.actor.login} can write to the repository`);
      return tainted(`it reads text by ${author.login}, who is not known to have write access`);
    }
  }
}

/**
 * Why nothing of the run may go to the trusted lane; undefined for a person with write access, on
 * what is in this repository. Whether the event starts a run at all is another question
 * (`admission.ts`), which a workflow can answer more freely.
 */
function whyUntrusted(
  trigger: SubjectTrigger | WorkflowRunTrigger,
  permission: Permission | 'unknown',
): string | undefined {
  if (trigger.kind === 'issue' || trigger.kind === 'comment') {
    if (isDeleted(trigger)) return 'what the event is about was deleted';
    if (isWrittenByOwnRun(trigger)) return 'one of our own runs caused the event';
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
 * Whether a run of ours wrote the comment, or the issue just now; somebody's label on an issue is
 * their wish.
 */
export function isWrittenByOwnRun(trigger: Trigger): boolean {
  if (trigger.kind === 'comment') return isOwnText(trigger.body);
  if (trigger.kind !== 'issue') return false;
  const { action, body, author, actor } = trigger;
  const isWriting = action === 'opened' || action === 'edited' || action === 'reopened';
  return isWriting && isSameAccount(author, actor) && isOwnText(body);
}

/**
 * Whose text the run reads. The commits of a branch of the repository were pushed by a writer, but
 * title and description are by the pull request's author, which takes no write access, and a bot's
 * may quote anybody, as may what a run of ours has written with a person's token.
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

export function untrustedBecause(reason: string): Trust {
  return { level: 'untrusted', lane: 'untrusted', reason };
}

/**
 * Refuses to work next to a fork's code that was checked out where secrets are: whatever builds or
 * tests it in the same job runs a stranger's program with them. `checkedOut` is the commit in the
 * workspace. Throws a ConfigError.
 */
export function refuseCheckout(trigger: Trigger, checkedOut: string | undefined): void {
  if (trigger.kind !== 'pull_request' || trigger.event !== 'pull_request_target' || !trigger.isFork)
    return;
  if (checkedOut === undefined) return;
  if (checkedOut !== trigger.head.sha && checkedOut !== trigger.mergeSha) return;
  const { number, event } = trigger;
  const message = `the commits of pull request #${number}, which comes from a fork, are checked out on \`${event}\`, where its code can reach the secrets`;
  throw new ConfigError(message, {
    remedy: 'Remove the checkout or its `ref:`; the diff and the files are read through the API.',
  });
}

/** Text in a run that people without write access, or anybody on a network, may have written. */
export type TaintSource =
  /**
   * The event itself: whose words started the run or are its subject. `reason` is half a sentence
   * for people.
   */
  | { readonly kind: 'event'; readonly reason: string }
  /**
   * A squash merge carries the title of a pull request, which may be anybody's, and generated notes
   * list such titles.
   */
  | { readonly kind: 'history' }
  /** Checks of the commit, which print whatever the programs under test were fed. */
  | { readonly kind: 'failing-checks' }
  /** What runs of ours have posted that had read such text themselves. */
  | { readonly kind: 'own-words' }
  /**
   * A tool that reaches a network or starts programs, or whose result says that it holds such text.
   */
  | { readonly kind: 'tool'; readonly tool: string };

/**
 * Knows whether and why a run is tainted. There is one for a run, shared with its sub-agents:
 * whatever one of them has read, the others may be told next. Taint decides where memory is written
 * and whether a change becomes a commit, never which tools a run has.
 */
export interface TaintTracker {
  /** Adds a source. Nothing taints a run on somebody's own machine: a person reads along. */
  add(source: TaintSource): void;
  /** Every source once, in the order in which they were first met. */
  readonly sources: readonly TaintSource[];
  /** The lane of what is written now, where the event allows `planned`. */
  lane(planned: Lane): Lane;
}

/** A tracker that has met no source. */
export function createTaintTracker({ kind }: Pick<Trigger, 'kind'>): TaintTracker {
  const sources = new Map<string, TaintSource>();
  return {
    add(source) {
      const reason = describeTaint(source);
      if (kind !== 'local' && !sources.has(reason)) sources.set(reason, source);
    },
    get sources() {
      return [...sources.values()];
    },
    lane: (planned) => (planned === 'trusted' && sources.size > 0 ? 'tainted' : planned),
  };
}

/** The lane of what a run says to people, whatever it keeps in memory. */
export function laneOfWords({ level, lane }: Trust, taint: TaintTracker): MarkLane {
  if (level === 'untrusted') return 'untrusted';
  return taint.lane(lane) === 'trusted' ? 'trusted' : 'tainted';
}

/**
 * Whether people with write access, or the repository itself, have caused a run, so that it may
 * change files at all.
 */
export function mayChangeFiles({ level, lane }: Trust): boolean {
  return level === 'trusted' || lane === 'tainted';
}

/**
 * Why what a run has changed becomes no commit, as half a sentence that follows "because";
 * undefined if it may become one. A branch of the repository runs its workflows with all secrets,
 * so no stranger's words may have a part in it.
 */
export function whyOnlyPatch(
  { level, reason }: Trust,
  { sources }: TaintTracker,
): string | undefined {
  const [source] = sources;
  if (level !== 'trusted') return reason;
  return source === undefined ? undefined : describeTaint(source);
}

/** Why a source taints, as half a sentence for people: it follows "because". */
export function describeTaint(source: TaintSource): string {
  switch (source.kind) {
    case 'event':
      return source.reason;
    case 'history':
      return "it saw commit messages or release notes, which can hold anyone's text";
    case 'failing-checks':
      return 'it read failing checks, which can print anything';
    case 'own-words':
      return 'it saw what an earlier run had made of such text';
    case 'tool':
      return `it used \`${source.tool}\`, which can bring in anyone's text`;
  }
}

/** What an account may do in a repository, strongest first (GitHub's repository roles). */
export type Permission = 'admin' | 'maintain' | 'write' | 'triage' | 'read' | 'none';

/** Whether the permission includes pushing. */
export function mayWrite(permission: Permission | 'unknown'): boolean {
  return permission === 'admin' || permission === 'maintain' || permission === 'write';
}

/**
 * Whether two accounts are one: logins are case-insensitive, and two deleted accounts are never the
 * same.
 */
export function isSameAccount(a: Actor, b: Actor): boolean {
  return a.login !== 'ghost' && a.login.toLowerCase() === b.login.toLowerCase();
}

/** What an account may do in a repository; `unknown` where it could not be asked. */
export type PermissionAnswer =
  | { readonly kind: 'known'; readonly permission: Permission }
  | { readonly kind: 'unknown'; readonly message: string; readonly remedy?: string };

/** Whom a workflow lets start a run, and with what. */
export interface AdmissionPolicy {
  /**
   * What the account that caused the event must be allowed to do here at the least; `none` lets
   * everybody in.
   */
  readonly minPermission: MinPermission;
  /** Logins that may start runs whatever their permission, in any case. */
  readonly allowUsers: readonly string[];
  /** Logins of bots (`dependabot[bot]`) that may start runs; no other bot may. */
  readonly allowBots: readonly string[];
  /** What a comment has to say to be answered (`@axe`); empty answers every comment. */
  readonly triggerPhrase: string;
}

/** What can be asked of whoever starts a run, most first. */
export const MIN_PERMISSIONS = ['write', 'triage', 'read', 'none'] as const;

type MinPermission = (typeof MIN_PERMISSIONS)[number];

/** Where nobody says otherwise: who may write starts runs, by every event of the workflow. */
export const DEFAULT_ADMISSION_POLICY: AdmissionPolicy = {
  minPermission: 'write',
  allowUsers: [],
  allowBots: [],
  triggerPhrase: '',
};

/** Of two requirements the one that lets more people in. */
export function weakerPermission(one: MinPermission, other: MinPermission): MinPermission {
  return MIN_PERMISSIONS.indexOf(one) > MIN_PERMISSIONS.indexOf(other) ? one : other;
}

/** Whether a permission is enough; an unknown one is as good as none. */
export function permissionSuffices(
  permission: Permission | 'unknown',
  least: MinPermission,
): boolean {
  if (least === 'none') return true;
  return permission !== 'unknown' && RANK[permission] >= RANK[least];
}

const RANK: Record<Permission, number> = {
  none: 0,
  read: 1,
  triage: 2,
  write: 3,
  maintain: 4,
  admin: 5,
};

/**
 * Whether an account is in a list of logins, in any case. A deleted one never is: `ghost` is many
 * accounts.
 */
export function isLoginListed({ login }: Actor, logins: readonly string[]): boolean {
  return login !== 'ghost' && logins.some((one) => one.toLowerCase() === login.toLowerCase());
}
