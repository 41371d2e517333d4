import type { TriggerContext } from '../event/context.js';
import { type FetchedChange, subjectNumber, type Trigger } from '../event/trigger.js';
import { mayWrite, type Permission, type Rights, rightsOf, type Word } from '../event/trust.js';
import type { PublishRules } from '../findings/buffered-publications.js';
import { commentableLines } from '../findings/change/diff-lines.js';
import {
  pathsOfKnownPatches,
  planScope,
  type ReviewScope,
  reviewCommand,
} from '../findings/change/scope.js';
import { lessonsOf } from '../findings/decide/duplicates.js';
import type { Ledger, LedgerContext } from '../findings/decide/ledger.js';
import { compareSeverity, isOpen, type Severity } from '../findings/finding.js';
import { type PullRecord, recordOfPull } from '../findings/kept-finding.js';
import { loginsToCheck } from '../findings/read/peoples-words.js';
import { pathsToLookUp, readLedger, recordOn } from '../findings/read/read-ledger.js';
import { keptFindings, type ReviewFact } from '../findings/state-facts.js';
import type { PullRequestConversation } from '../github/reading/conversation.js';
import { MAX_ANSWERERS, MAX_LEARNED_PULLS } from '../lib/defaults.js';
import type { Warning } from '../lib/errors.js';
import { estimateText } from '../lib/text/bytes.js';
import { numberDiff, parseDiff } from '../lib/text/diff.js';
import { createPathFilter } from '../prompt/diff-policy.js';
import { askPermission, permissionOf, postsReviews } from './admit.js';
import type { Dependencies } from './dependencies.js';
import type {
  Admitted,
  EarlierFindings,
  Memory,
  MemoryPlan,
  Plan,
  ReviewedChange,
  RunRequest,
} from './records.js';

interface FindingsParts {
  /** Name of the agent: each has findings of its own. */
  readonly agent: string;
  readonly trigger: Trigger;
  /** Permission of the account that caused the event. */
  readonly permission: Permission | 'unknown';
  readonly facts: readonly ReviewFact[];
  /** See `keepsState`. */
  readonly keepsState: boolean;
  /** The rights of the run. */
  readonly rights: Rights;
  /** Undefined if the diff is not known. */
  readonly change: Pick<ReviewedChange, 'diff' | 'hasAllFiles' | 'head'> | undefined;
  readonly isFork: boolean;
  /** Adds a comment that GitHub might not list yet. */
  readonly add?: (conversation: PullRequestConversation) => PullRequestConversation;
}

/**
 * Reads the current state of findings: on the run's own pull request, and on other ones where the
 * agent's memory has open findings. Errors are in the result; rejects only for an aborted signal.
 */
export async function readEarlierFindings(
  admitted: Admitted,
  deps: Dependencies,
): Promise<EarlierFindings> {
  const { agent, trigger, reading } = admitted.basis;
  const { reads } = admitted;
  const [memory, context] = await Promise.all([reads.memory, reads.context]);
  const facts = memory?.facts ?? [];
  const canHaveFindings = postsReviews(agent) || keptFindings(facts).length > 0;
  const ownPull = pullNumberOf(trigger);
  if (!canHaveFindings || ownPull === undefined || deps.github === undefined)
    return { ledger: undefined, others: [] };

  const parts = {
    agent: agent.name,
    trigger,
    permission: admitted.facts.permission,
    facts,
    keepsState: keepsState(admitted.basis.memory, memory),
    rights: reading.rights,
    change: reviewedChange(trigger, context),
    isFork: trigger.kind === 'pull_request' ? trigger.isFork : reading.facts.code === 'fork',
  };
  const otherPulls = pullsWithOpen(facts)
    .filter((pull) => pull !== ownPull)
    .slice(0, MAX_LEARNED_PULLS);

  const [{ ledger, trouble }, others] = await Promise.all([
    readFindings(ownPull, parts, deps),
    readOthers(otherPulls, parts, deps),
  ]);
  return { ledger, others, trouble };
}

/**
 * The findings of other pull requests. They are only read for people's answers: their change is not
 * known.
 */
async function readOthers(
  pulls: readonly number[],
  parts: FindingsParts,
  deps: Dependencies,
): Promise<EarlierFindings['others']> {
  if (pulls.length === 0 || deps.github === undefined) return [];
  const conversations = await deps.github.saidElsewhere(pulls, deps.deadline.signal);
  const read = [...conversations].map(async ([pull, conversation]) => {
    const place = { ...parts, pull, change: undefined };
    return { pull, ledger: await ledgerFrom(conversation, place, deps) };
  });
  return await Promise.all(read);
}

/**
 * The current findings of a pull request. If GitHub cannot be read they are those of memory, and
 * `trouble` says why.
 */
export async function readFindings(
  pull: number,
  parts: FindingsParts,
  deps: Dependencies,
): Promise<{ readonly ledger: Ledger; readonly trouble?: string }> {
  const { add } = parts;
  const answer = await deps.github?.said(pull, { isFresh: false }, deps.deadline.signal);
  const listed = answer?.kind === 'read' ? answer.seen : undefined;
  const conversation = listed && add !== undefined ? add(listed) : listed;

  const ledger = await ledgerFrom(conversation, { ...parts, pull }, deps);
  if (answer?.kind === 'read') return { ledger };
  return { ledger, trouble: troubleOf(answer) };
}

async function ledgerFrom(
  conversation: PullRequestConversation | undefined,
  parts: FindingsParts & { readonly pull: number },
  deps: Dependencies,
): Promise<Ledger> {
  const { pull, agent, trigger, permission, facts, rights, change, isFork } = parts;
  const record = recordOfPull(facts, pull);
  const isPush = trigger.kind === 'pull_request' && trigger.action === 'synchronize';
  const context = {
    agent,
    head: change?.head,
    lines: change === undefined ? undefined : commentableLines(change.diff),
    hasAllFiles: change?.hasAllFiles,
    isFork,
    rights,
    isPushByWriter: isPush && mayWrite(permission),
    gate: gateOf(deps.publishRules),
    keepsState: parts.keepsState,
    record,
    lessons: lessonsOf(keptFindings(facts)).filter((lesson) => lesson.pull !== pull),
    ...(await accessIn(conversation, { agent, record }, deps)),
  };

  return await readWithHead(conversation, context, deps);
}

/**
 * Reads the findings again, by what the record is now. If GitHub cannot be read they stay as they
 * were at the beginning, and `trouble` says why.
 */
export async function readAgain(
  { context, seen: before }: Ledger,
  {
    pull,
    record,
    word,
  }: { readonly pull: number; readonly record: PullRecord | undefined; readonly word: Word },
  deps: Dependencies,
): Promise<{ readonly ledger: Ledger; readonly trouble?: string }> {
  const answer = await deps.github?.said(pull, { isFresh: true }, deps.deadline.signal);
  const conversation = answer?.kind === 'read' ? answer.seen : before;
  const access = await accessIn(conversation, { ...context, record }, deps);
  const rights = rightsOf(word);
  const ledger = await readWithHead(conversation, { ...context, ...access, record, rights }, deps);
  return answer?.kind === 'read' ? { ledger } : { ledger, trouble: troubleOf(answer) };
}

/** Why GitHub did not give what was asked for. */
export function troubleOf(answer: { readonly message: string } | undefined): string {
  return answer?.message ?? 'there is no `github-token`.';
}

/** Looks up in the head's files, in one request, the lines that the diff does not show. */
async function readWithHead(
  conversation: PullRequestConversation | undefined,
  context: LedgerContext,
  { github, deadline }: Dependencies,
): Promise<Ledger> {
  const ledger = readLedger(conversation, context);
  const { head, headFiles = new Map() } = context;
  const paths = pathsToLookUp(ledger).filter((path) => !headFiles.has(path));
  if (paths.length === 0 || head === undefined || github === undefined) return ledger;

  const files = await github.filesAt(head, paths, deadline.signal);
  return readLedger(conversation, { ...context, headFiles: new Map([...headFiles, ...files]) });
}

/** Asks for the write access of people whose words and gestures change findings. */
async function accessIn(
  conversation: PullRequestConversation | undefined,
  known: Pick<LedgerContext, 'agent' | 'record'>,
  deps: Dependencies,
): Promise<Pick<LedgerContext, 'isWriter' | 'hasUnknownAccess' | 'authorMayWrite'>> {
  const author = conversation?.author ?? '';
  const checked =
    conversation === undefined ? [] : loginsToCheck(conversation, recordOn(conversation, known));
  const logins = checked.slice(0, MAX_ANSWERERS);
  const answers = logins.map(
    async (login) => [login.toLowerCase(), permissionOf(await askPermission(login, deps))] as const,
  );
  const permissions = new Map(await Promise.all(answers));
  const accessOf = (login: string) => permissions.get(login.toLowerCase()) ?? 'unknown';
  const isAsked = (login: string) =>
    checked.some((name) => name.toLowerCase() === login.toLowerCase());
  return {
    isWriter: (login) => mayWrite(accessOf(login)),
    hasUnknownAccess: (login) => isAsked(login) && accessOf(login) === 'unknown',
    authorMayWrite: mayWrite(accessOf(author)),
  };
}

/**
 * The run keeps a state; without one the newest review holds the record. So it does if the state
 * could not be read: what a review says of a finding must not replace what the state says.
 */
export function keepsState(
  plan: MemoryPlan | undefined,
  memory: Pick<Memory, 'store' | 'restored'> | undefined,
): boolean {
  if (plan === undefined || plan.isReadOnly || memory === undefined) return false;
  return memory.store.kind !== 'none' && memory.restored.kind !== 'failed';
}

/** The wider of the two gates, which has the milder severity; `major` without either. */
function gateOf({ blockOn, failOn }: PublishRules): Severity {
  const gates = [blockOn, failOn].filter((gate) => gate !== undefined);
  return gates.toSorted((a, b) => compareSeverity(b, a))[0] ?? 'major';
}

/** Pull requests with open findings in memory, the newest decision first. */
function pullsWithOpen(facts: readonly ReviewFact[]): readonly number[] {
  const open = keptFindings(facts)
    .filter(isOpen)
    .toSorted((a, b) => b.decided - a.decided);
  return [...new Set(open.map(({ pull }) => pull))];
}

export function pullNumberOf(trigger: Trigger): number | undefined {
  if (trigger.kind === 'pull_request') return trigger.number;
  return trigger.kind === 'comment' && trigger.on !== 'issue' ? trigger.number : undefined;
}

interface FoundScope {
  /** Undefined if the run is not a review, or the change is not known. */
  readonly scope: ReviewScope | undefined;
  readonly warnings: readonly Warning[];
}

const NO_SCOPE: FoundScope = { scope: undefined, warnings: [] };

/**
 * Decides how much of the pull request is reviewed: the changes since the last review if memory has
 * one and the branch continues from there, or else all of it. GitHub is asked as soon as memory is
 * read, in parallel with everything else, and not for a first review. This only applies to agents
 * that post reviews, since any other answer replaces the previous comment. Rejects as its parts do.
 */
export async function findScope(
  request: RunRequest,
  admitted: Admitted,
  deps: Dependencies,
): Promise<FoundScope> {
  const command = reviewCommand(request.trigger);
  const isReview = request.trigger.kind === 'pull_request' || command !== undefined;
  const { github } = deps;
  if (!isReview || github === undefined || !postsReviews(admitted.basis.agent)) return NO_SCOPE;

  const pull = subjectNumber(request.trigger);
  const { reads } = admitted;
  const memory = await reads.memory;
  const commits = await commitsOf(request.trigger, reads.context);
  if (pull === undefined || memory === undefined || commits === undefined) return NO_SCOPE;

  const isFullRequested = command?.isFull === true || request.reviewScope === 'full';
  const plan = planScope({ facts: memory.facts, pull, ...commits, isFullRequested });
  const newChanges =
    plan.kind === 'full'
      ? undefined
      : await github.newSince({ from: plan.before.last, head: commits.head }, deps.deadline.signal);
  const context = await reads.context;
  if (context?.kind !== 'pull_request') return NO_SCOPE;

  const { paths, pathsIgnore } = request.diffPolicy;
  const only = paths.length + pathsIgnore.length === 0 ? undefined : { paths, pathsIgnore };
  const pullRequest = { head: commits.head, filesTotal: context.filesTotal, only };
  if (plan.kind === 'full') return { scope: { ...plan, ...pullRequest }, warnings: [] };

  const before = withLeftOut(plan.before, context.files, request);
  if (newChanges?.kind === 'ahead') {
    const { change, warnings } = newChanges;
    const reverted = revertedPaths(change, context);
    return { scope: { kind: 'since', before, change, reverted, ...pullRequest }, warnings };
  }

  const reason = newChanges?.kind ?? 'unread';
  const change =
    reason === 'rewritten' ? rewrittenChange(context, before.patches ?? [], request) : undefined;
  if (change === undefined)
    return { scope: { kind: 'full', why: reason, before, ...pullRequest }, warnings: [] };
  // A file that was unseen before has no reviewed patch, so it is part of this change.
  const rest = { before: { ...before, unseen: undefined }, change, ...pullRequest };
  return { scope: { kind: 'since', isRewritten: true, ...rest }, warnings: [] };
}

/** Files that are new in `change` but not in the pull request: they equal the base again. */
function revertedPaths(change: FetchedChange, pullRequest: FetchedChange): readonly string[] {
  const pullPaths = new Set(pullRequest.files.map(({ path }) => path));
  const isListed = pullRequest.filesTotal === pullPaths.size && pullRequest.isListShort !== true;
  return isListed
    ? change.files.map(({ path }) => path).filter((path) => !pullPaths.has(path))
    : [];
}

/**
 * The changes of a rewritten branch in files whose patch was not reviewed. Undefined if all of it
 * has to be reviewed: no patch is known, GitHub does not list all files, or it is so large that it
 * needs several passes.
 */
function rewrittenChange(
  context: FetchedChange,
  patches: readonly string[],
  { diffPolicy: { maxTokens } }: RunRequest,
): FetchedChange | undefined {
  const known = pathsOfKnownPatches(context.diff, patches);
  const isListed = context.filesTotal === context.files.length && context.isListShort !== true;
  if (known.size === 0 || !isListed) return undefined;

  const files = context.files.filter(({ path }) => !known.has(path));
  const parts = parseDiff(context.diff).flatMap(({ path, text }) =>
    known.has(path) ? [] : [text],
  );
  const diff = parts.length === 0 ? '' : `${parts.join('\n')}\n`;
  return maxTokens > 0 && estimateText(numberDiff(diff)) > maxTokens
    ? undefined
    : { diff, files, filesTotal: files.length };
}

/** Adds files to `unseen` that the last review's `paths` inputs left out and this one's do not. */
function withLeftOut(
  before: Since['before'],
  files: FetchedChange['files'],
  { diffPolicy }: RunRequest,
): Since['before'] {
  if (before.only === undefined) return before;
  const wasShown = createPathFilter(before.only);
  const isShown = createPathFilter(diffPolicy);
  const added = files.flatMap(({ path }) => (!wasShown(path) && isShown(path) ? [path] : []));
  const unseen = [...new Set([...(before.unseen ?? []), ...added])];
  return unseen.length === 0 ? before : { ...before, unseen };
}

type Since = Extract<ReviewScope, { readonly kind: 'since' }>;

/** A review must know the open findings, or it would repeat them and could not settle any. */
export function needsFindings({ trigger, agent, scope }: Plan): boolean {
  return (trigger.kind === 'pull_request' || scope !== undefined) && postsReviews(agent);
}

/** The payload of a pull request event names its commits; for a comment they have to be fetched. */
async function commitsOf(
  trigger: Trigger,
  context: Admitted['reads']['context'],
): Promise<{ readonly head: string; readonly into: string } | undefined> {
  if (trigger.kind === 'pull_request') return { head: trigger.head.sha, into: trigger.base.ref };
  const change = reviewedChange(trigger, await context);
  return change === undefined ? undefined : { head: change.head, into: change.into ?? '' };
}

/** Undefined if the run has no pull request, or its diff is not known. */
export function reviewedChange(
  trigger: Trigger,
  context: TriggerContext | undefined,
): ReviewedChange | undefined {
  if (context?.kind !== 'pull_request') return undefined;
  const commentCommits = trigger.kind === 'comment' ? trigger.commits : undefined;
  const commits = context.pinned ?? (trigger.kind === 'pull_request' ? trigger : commentCommits);
  if (commits === undefined) return undefined;

  const { head, base } = commits;
  const { diff, files, filesTotal, isListShort } = context;
  const hasAllFiles = filesTotal <= files.length && isListShort !== true;
  return { head: head.sha, base: base.sha, into: base.ref || undefined, diff, hasAllFiles };
}
