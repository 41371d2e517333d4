import { ConfigError } from '../lib/errors.js';
import { isOwnText } from '../safety/mark.js';
import {
  type Actor,
  isDeleted,
  type SubjectTrigger,
  subjectTrigger,
  type Trigger,
  type WorkflowRunTrigger,
} from './trigger.js';

/** Everything that the rights of a run depend on; whatever is unknown counts against it. */
export interface Facts {
  /**
   * A person with write access; the repository itself, by a schedule, a push or the like; a person
   * on their own machine who reads along; or anybody else.
   */
  readonly asker: 'writer' | 'repository' | 'yourself' | 'other';
  /** The origin of the run's code: `ours` also without any, `fork` also if that is unread. */
  readonly code: 'ours' | 'fork';
  /** Half a sentence for people: why somebody else has asked, or why the code is a fork's. */
  readonly why?: string;
  /**
   * Texts that people without write access, or anybody on a network, can have written, each as half
   * a sentence that follows "because". It only grows.
   */
  readonly strangers: readonly string[];
}

/** The one word of trust. Everything a run may do, and what becomes of its words, follows from it. */
export const WORDS = ['own', 'mixed', 'guest', 'fork'] as const;

export type Word = (typeof WORDS)[number];

/** The only place that decides the word. @internal */
export function wordOf({ asker, code, strangers }: Facts): Word {
  if (asker === 'yourself') return 'own';
  if (code === 'fork') return 'fork';
  if (asker === 'other') return 'guest';
  return strangers.length > 0 ? 'mixed' : 'own';
}

/** The rights of a run, and of its words after it. */
export interface Rights {
  /** Reads the memory of a `memory-repo`; the run stays `own` from then on. */
  readonly privateMemory: boolean;
  /** The place of its words; `computed`: apart, with a computed line in the log. */
  readonly remembers: 'log' | 'computed' | 'apart';
  /**
   * Asked of the word with which a run begins. `all`: those that write, execute or reach the network
   * too, with `tools-allowed`; `copy`: it reads, and edits a copy; `read`: it reads.
   */
  readonly tools: 'all' | 'copy' | 'read';
  /** The most that becomes of the files it has changed. */
  readonly changes: 'commit' | 'patch' | 'none';
  /**
   * The model's word ends a finding: alone unless it blocks, `look`: after a second look in any
   * case, `people`: never.
   */
  readonly ends: 'word' | 'look' | 'people';
  /** The model dismisses a finding because a writer said so in words. */
  readonly dismisses: boolean;
  /** The authors of the texts it is shown. Asked of the word with which a run begins. */
  readonly hears: 'writers' | 'all';
  /**
   * Tests of findings are written and run. One that passes after a push ends its finding `alone`, or
   * after a second `look`.
   */
  readonly demonstrates: 'alone' | 'look' | 'none';
  /** Its comments can refer to people, issues and commits. */
  readonly refers: boolean;
  /** An `own` run reads its texts as ours, as a stranger's, or not at all. */
  readonly texts: 'read' | 'strangers' | 'left-out';
}

/** Everything that trust decides; only {@link rightsOf} reads it. */
const RIGHTS: { readonly [Right in keyof Rights]: Readonly<Record<Word, Rights[Right]>> } = {
  privateMemory: { own: true, mixed: false, guest: false, fork: false },
  remembers: { own: 'log', mixed: 'computed', guest: 'apart', fork: 'apart' },
  tools: { own: 'all', mixed: 'copy', guest: 'read', fork: 'read' },
  changes: { own: 'commit', mixed: 'patch', guest: 'none', fork: 'none' },
  ends: { own: 'word', mixed: 'look', guest: 'look', fork: 'people' },
  dismisses: { own: true, mixed: false, guest: false, fork: false },
  hears: { own: 'writers', mixed: 'all', guest: 'all', fork: 'all' },
  demonstrates: { own: 'alone', mixed: 'look', guest: 'none', fork: 'none' },
  refers: { own: true, mixed: false, guest: false, fork: false },
  texts: { own: 'read', mixed: 'strangers', guest: 'left-out', fork: 'left-out' },
};

export function rightsOf(word: Word): Rights {
  const rights = Object.entries(RIGHTS).map(([right, byWord]) => [right, byWord[word]]);
  return Object.fromEntries(rights) as Rights;
}

/** Each is half a sentence that follows "because": a run has not the rights of an `own` one. */
export function reasonsOf({ why: reason, strangers }: Facts): readonly string[] {
  return reason === undefined ? strangers : [reason, ...strangers];
}

/** For people. */
export function describeTrust({
  word,
  facts,
}: {
  readonly word: Word;
  readonly facts: Facts;
}): string {
  return word === 'own' ? 'full' : `limited, because ${reasonsOf(facts).join(', and ')}`;
}

/** The reason why a run has limited rights, in half a sentence that follows "because". */
export const WHY_LIMITED = 'people without write access have a part in this run';

/**
 * The strangers' texts that a run has read, and so its rights now. There is one for a run, shared with its
 * sub-agents: whatever one of them has read, the others may be told next.
 */
export class Reading {
  readonly begun: Word;
  readonly #facts: Facts;
  readonly #added = new Set<string>();
  #knowsPrivateMemory = false;

  constructor(facts: Facts) {
    this.#facts = facts;
    this.begun = wordOf(facts);
  }

  /** Adds a text by strangers: half a sentence that follows "because". */
  add(stranger: string): void {
    this.#added.add(stranger);
  }

  /** Adds words of strangers that the run has read, such as `issue #12 by eve`. */
  addRead(words: string): void {
    this.add(`it read ${words}`);
  }

  /** Adds a text of ours that says what strangers say. */
  addOwnRemark(): void {
    this.addRead("a comment of ours by a run that had read strangers' words");
  }

  /** Adds everything that a tool can have fetched. */
  addNetwork(tool: string): void {
    this.add(`it reached the network with \`${tool}\``);
  }

  /**
   * Asks for private memory, right before it is read. If the answer is yes, no text by strangers
   * reaches the run any more, and it reaches no network.
   */
  openPrivateMemory(): boolean {
    const isOpen = this.rights.privateMemory;
    if (isOpen) this.#knowsPrivateMemory = true;
    return isOpen;
  }

  get knowsPrivateMemory(): boolean {
    return this.#knowsPrivateMemory;
  }

  get word(): Word {
    return wordOf(this.facts);
  }

  get rights(): Rights {
    return rightsOf(this.word);
  }

  get facts(): Facts {
    return { ...this.#facts, strangers: this.strangers };
  }

  /** Every text by strangers once, in the order in which they were read. */
  get strangers(): readonly string[] {
    return [...new Set([...this.#facts.strangers, ...this.#added])];
  }

  /** Each is half a sentence that follows "because": its rights are not those of an `own` run. */
  get reasons(): readonly string[] {
    return reasonsOf(this.facts);
  }

  /** The reason if its changes become no commit, half a sentence that follows "because". */
  whyOnlyPatch(): string | undefined {
    return this.rights.changes === 'commit' ? undefined : this.reasons[0];
  }
}

/**
 * The other login that matters: who wrote the text an actor with permission lets us read. Undefined
 * where the actor wrote it, and for a bot, whose words are never those of a writer.
 */
export function contentAuthor(trigger: Trigger): string | undefined {
  const subject = subjectTrigger(trigger);
  if (subject === undefined) return undefined;
  const author = contentAuthorOf(subject);
  return author.isBot || isSameAccount(author, subject.actor) ? undefined : author.login;
}

/**
 * The facts that an event gives. `head` is where the head of the pull request was read to be, if the
 * event does not say it: undefined if it could not be read.
 */
export function factsOf(
  trigger: Trigger,
  {
    actor: permission,
    author = 'unknown',
    allowBots = [],
    head,
    toFix,
  }: {
    readonly actor: Permission | 'unknown';
    /** The permission of {@link contentAuthor}. */
    readonly author?: Permission | 'unknown';
    readonly allowBots?: readonly string[];
    readonly head?: Facts['code'];
    /** Findings that the run is to fix, and nothing else. */
    readonly toFix?: readonly { readonly handle: string; readonly words: Word }[];
  },
): Facts {
  const strangers = toFix === undefined ? strangersIn(trigger, author) : strangersInFindings(toFix);
  const code = isForkUnknown(trigger) ? (head ?? 'fork') : codeOf(trigger);
  const whyElse = whyOther(trigger, permission, allowBots);
  if (whyElse !== undefined) return { asker: 'other', code, why: whyElse, strangers };

  const facts = { asker: askerOf(trigger), code, strangers };
  if (code === 'ours') return facts;
  const isUnread = isForkUnknown(trigger) && head === undefined;
  const whyFork = isUnread
    ? 'the pull request could not be read'
    : 'the pull request comes from a fork';
  return { ...facts, why: whyFork };
}

/** The payload of a plain comment does not say where the head of its pull request is. */
export function isForkUnknown(trigger: Trigger): boolean {
  return (
    trigger.kind === 'comment' && trigger.on === 'pull_request' && trigger.isFork === undefined
  );
}

function codeOf(trigger: Trigger): Facts['code'] {
  if (trigger.kind === 'unknown') return 'fork';
  return 'isFork' in trigger && trigger.isFork === true ? 'fork' : 'ours';
}

function askerOf({ kind }: Trigger): Facts['asker'] {
  if (kind === 'local') return 'yourself';
  const isPersons = kind === 'pull_request' || kind === 'issue' || kind === 'comment';
  return isPersons ? 'writer' : 'repository';
}

/** The reason if neither a person with write access nor the repository itself has asked. */
function whyOther(
  trigger: Trigger,
  permission: Permission | 'unknown',
  allowBots: readonly string[],
): string | undefined {
  switch (trigger.kind) {
    case 'local':
    case 'schedule':
    case 'merge_group':
      return undefined;
    case 'unknown':
      return 'the event is unknown';
    case 'push':
    case 'release':
    case 'dispatch': {
      const { actor } = trigger;
      // Only accounts with write access cause these; a bot that pushes may carry anybody's words,
      // unless the workflow vouches for it.
      return actor.isBot && !isLoginListed(actor, allowBots)
        ? `the bot ${actor.login}, which is not in \`allow-bots\`, caused the event`
        : undefined;
    }
    case 'workflow_run':
    case 'pull_request':
    case 'issue':
    case 'comment':
      return whyNoWriter(trigger, permission);
  }
}

/**
 * The reason if no person with write access asks. If the event starts a run at all is another
 * question (`admission.ts`), which a workflow can answer more freely.
 */
function whyNoWriter(
  trigger: SubjectTrigger | WorkflowRunTrigger,
  permission: Permission | 'unknown',
): string | undefined {
  if (trigger.kind === 'issue' || trigger.kind === 'comment') {
    if (isDeleted(trigger)) return 'what the event is about was deleted';
    if (isWrittenByOwnRun(trigger)) return 'one of our own runs caused the event';
  }
  if (trigger.actor.isBot) return 'a bot caused the event';
  if (trigger.kind === 'comment' && !isSameAccount(trigger.author, trigger.actor))
    return 'the event was not caused by the author of the comment';
  if (permission === 'unknown') return "the actor's permission is unknown";
  return mayWrite(permission) ? undefined : 'the actor has no write access';
}

/** The texts by strangers that the event itself brings. */
function strangersIn(
  trigger: Trigger,
  authorPermission: Permission | 'unknown',
): readonly string[] {
  if (trigger.kind === 'merge_group') return ['a merge queue holds commits of forks'];
  if (trigger.kind === 'workflow_run') return isOurLog(trigger.cause) ? [] : [foreignLog(trigger)];
  const subject = subjectTrigger(trigger);
  if (subject === undefined) return [];
  const author = contentAuthorOf(subject);
  const isWriters =
    isSameAccount(author, subject.actor) || (!author.isBot && mayWrite(authorPermission));
  return isWriters
    ? []
    : [`it reads text by ${author.login}, who is not known to have write access`];
}

/** A push, a pull request or a dispatch of this repository caused the log of a workflow's run. */
export function isOurLog(cause: string): boolean {
  return cause === 'push' || cause === 'pull_request' || cause === 'workflow_dispatch';
}

function foreignLog({ cause }: WorkflowRunTrigger): string {
  const name = cause === '' ? 'an event that is not known' : `\`${cause}\``;
  return `it reads the log of a workflow that ${name} started`;
}

function strangersInFindings(
  findings: readonly { readonly handle: string; readonly words: Word }[],
): readonly string[] {
  return findings.flatMap(({ handle, words }) =>
    words === 'own' ? [] : [`it fixes ${handle}, whose text strangers may have had a part in`],
  );
}

/**
 * A run of ours wrote the comment, or the issue just now; somebody's label on an issue is their
 * wish.
 */
export function isWrittenByOwnRun(trigger: Trigger): boolean {
  if (trigger.kind === 'comment') return isOwnText(trigger.body);
  if (trigger.kind !== 'issue') return false;
  const { action, body, author, actor } = trigger;
  const isWriting = action === 'opened' || action === 'edited' || action === 'reopened';
  return isWriting && isSameAccount(author, actor) && isOwnText(body);
}

/**
 * The author of the text that the run reads. The commits of a branch of the repository were pushed by a writer, but
 * title and description are by the pull request's author, which takes no write access, and a bot's
 * may quote anybody, as may what a run of ours has written with a person's token.
 */
function contentAuthorOf(trigger: SubjectTrigger): Actor {
  if (isOwnText(trigger.kind === 'comment' ? trigger.description : trigger.body)) return OUR_RUN;
  if (trigger.kind !== 'comment') return trigger.author;
  return trigger.subjectAuthor ?? { login: 'ghost', isBot: false };
}

const OUR_RUN: Actor = { login: 'a run of ours', isBot: true };

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

/** GitHub's roles of an account in a repository, strongest first. */
export type Permission = 'admin' | 'maintain' | 'write' | 'triage' | 'read' | 'none';

/** The permission includes pushing. */
export function mayWrite(permission: Permission | 'unknown'): boolean {
  return permission === 'admin' || permission === 'maintain' || permission === 'write';
}

/**
 * Two accounts are one: logins are case-insensitive, and two deleted accounts are never the
 * same.
 */
export function isSameAccount(a: Actor, b: Actor): boolean {
  return a.login !== 'ghost' && a.login.toLowerCase() === b.login.toLowerCase();
}

/** The permission of an account; `unknown` where it could not be asked. */
export type PermissionAnswer =
  | { readonly kind: 'known'; readonly permission: Permission }
  | { readonly kind: 'unknown'; readonly message: string; readonly remedy?: string };

/** The accounts that a workflow lets start a run, and the phrase they need. */
export interface AdmissionPolicy {
  /** The least permission of the account that caused the event; `none` lets everybody in. */
  readonly minPermission: MinPermission;
  /** Logins that may start runs whatever their permission, in any case. */
  readonly allowUsers: readonly string[];
  /** Logins of bots (`dependabot[bot]`) that may start runs; no other bot may. */
  readonly allowBots: readonly string[];
  /** A comment is answered if it contains this (`/axe`); empty answers every comment. */
  readonly triggerPhrase: string;
}

/** With a `trigger-phrase` comments start the workflow, so texts can offer commands in comments. */
export function offersCommands({ triggerPhrase }: Pick<AdmissionPolicy, 'triggerPhrase'>): boolean {
  return triggerPhrase !== '';
}

/** The permissions that can be required to start a run, strongest first. */
export const MIN_PERMISSIONS = ['write', 'triage', 'read', 'none'] as const;

type MinPermission = (typeof MIN_PERMISSIONS)[number];

/** The default: accounts with write access start runs, by every event of the workflow. */
export const DEFAULT_ADMISSION_POLICY: AdmissionPolicy = {
  minPermission: 'write',
  allowUsers: [],
  allowBots: [],
  triggerPhrase: '',
};

/** The one of two requirements that lets more people in. */
export function weakerPermission(a: MinPermission, b: MinPermission): MinPermission {
  return MIN_PERMISSIONS.indexOf(a) > MIN_PERMISSIONS.indexOf(b) ? a : b;
}

/** A permission is enough; an unknown one is as good as none. */
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
 * An account is in a list of logins, in any case. A deleted one never is: `ghost` is many
 * accounts.
 */
export function isLoginListed({ login }: Actor, logins: readonly string[]): boolean {
  return login !== 'ghost' && logins.some((listed) => listed.toLowerCase() === login.toLowerCase());
}
