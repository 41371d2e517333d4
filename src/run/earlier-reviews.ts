import type { TriggerContext } from '../event/context.js';
import { type FetchedChange, subjectNumber, type Trigger } from '../event/trigger.js';
import { laneOfWords, mayWrite, type Permission } from '../event/trust.js';
import type { PublishRules } from '../findings/buffered-publications.js';
import { commentableLines } from '../findings/change/diff-lines.js';
import {
  pathsOfKnownPatches,
  planScope,
  type ReviewScope,
  reviewCommand,
} from '../findings/change/scope.js';
import { lessonsOf } from '../findings/decide/duplicates.js';
import type { Ledger } from '../findings/decide/ledger.js';
import { compareSeverity, type Severity } from '../findings/finding.js';
import { loginsToCheck } from '../findings/read/peoples-words.js';
import { readLedger } from '../findings/read/read-ledger.js';
import { findingMarksIn, pullRequestState, type ReviewFact } from '../findings/state-facts.js';
import type { PullRequestConversation } from '../github/reading/conversation.js';
import { MAX_ANSWERERS, MAX_LEARNED_PULLS } from '../lib/defaults.js';
import type { Warning } from '../lib/errors.js';
import { estimateText } from '../lib/text/bytes.js';
import { parseDiff } from '../lib/text/diff.js';
import { createPathFilter } from '../prompt/diff-policy.js';
import { askPermission, permissionOf, postsReviews } from './admit.js';
import type { Dependencies } from './dependencies.js';
import type { Admitted, EarlierFindings, Plan, ReviewedChange, RunRequest } from './records.js';

interface FindingsParts {
  /** Name of the agent: each has findings of its own. */
  readonly agent: string;
  readonly trigger: Trigger;
  /** What whoever caused the event may do. */
  readonly permission: Permission | 'unknown';
  readonly facts: readonly ReviewFact[];
  /** Nobody without write access wrote what the run has read. */
  readonly isTrusted: boolean;
  /** Undefined where the diff is not known. */
  readonly change: { readonly diff: string } | undefined;
  readonly isFork: boolean;
  /** Adds what GitHub may not list yet. */
  readonly add?: (seen: PullRequestConversation) => PullRequestConversation;
}

/**
 * Reads what became of findings: on the run's own pull request, and on those others where the
 * agent's state has some that nobody has answered. Trouble is in the result; rejects only for an
 * aborted signal.
 */
export async function readEarlierFindings(
  admitted: Admitted,
  deps: Dependencies,
): Promise<EarlierFindings> {
  const { agent, trigger, trust } = admitted.basis;
  const [memory, context] = await Promise.all([admitted.memory, admitted.context]);
  const facts = memory?.facts ?? [];
  const isAsked = postsReviews(agent) || findingMarksIn(facts).length > 0;
  const own = pullNumberOf(trigger);
  if (!isAsked || own === undefined || deps.github === undefined)
    return { ledger: undefined, others: [] };
  const parts = {
    agent: agent.name,
    trigger,
    permission: admitted.facts.permission,
    facts,
    isTrusted: laneOfWords(trust, admitted.taint) === 'trusted',
    change: reviewedChange(trigger, context),
    isFork: trigger.kind === 'pull_request' ? trigger.isFork : trust.level !== 'trusted',
  };
  const others = pullsWithOpen(facts)
    .filter((pull) => pull !== own)
    .slice(0, MAX_LEARNED_PULLS);
  const [{ ledger, trouble }, ...read] = await Promise.all([
    readFindings(own, parts, deps),
    // On another pull request only answers are looked for: its change is not known.
    ...others.map((pull) => readFindings(pull, { ...parts, change: undefined }, deps)),
  ]);
  const answered = read.flatMap((one, index) => {
    const pull = others[index];
    return pull === undefined || one.trouble !== undefined ? [] : [{ pull, ledger: one.ledger }];
  });
  return { ledger, others: answered, trouble };
}

/**
 * The findings of a pull request as they are now; without a `seen` where GitHub could not be asked.
 */
export async function readFindings(
  pull: number,
  parts: FindingsParts,
  deps: Dependencies,
): Promise<{ readonly ledger: Ledger; readonly trouble?: string }> {
  const { agent, trigger, permission, facts, isTrusted, change, isFork, add } = parts;
  const answer = await deps.github?.said(pull, { isFresh: false }, deps.deadline.signal);
  const said = answer?.kind === 'read' ? answer.seen : undefined;
  const seen = said && add !== undefined ? add(said) : said;
  const isPush = trigger.kind === 'pull_request' && trigger.action === 'synchronize';
  const ledger = readLedger(seen, {
    agent,
    lines: change === undefined ? undefined : commentableLines(change.diff),
    isFork,
    isTrusted,
    isPushByWriter: isPush && mayWrite(permission),
    gate: gateOf(deps.publishRules),
    memory: pullRequestState(facts, pull),
    lessons: lessonsOf(findingMarksIn(facts)).filter((lesson) => lesson.pull !== pull),
    isWriter: await writersIn(seen, deps),
  });
  if (answer?.kind === 'read') return { ledger };
  return { ledger, trouble: answer?.message ?? 'there is no `github-token`.' };
}

/**
 * The same findings as they are now: people may have answered while the model was at work, and
 * another run may have ended. Where GitHub cannot be asked again, as they were.
 */
export async function readAgain(
  { context, seen: before }: Ledger,
  { pull, isTrusted }: { readonly pull: number; readonly isTrusted: boolean },
  deps: Dependencies,
): Promise<Ledger> {
  const answer = await deps.github?.said(pull, { isFresh: true }, deps.deadline.signal);
  const seen = answer?.kind === 'read' ? answer.seen : before;
  return readLedger(seen, { ...context, isTrusted, isWriter: await writersIn(seen, deps) });
}

/** Who of those whose word counts may write. */
async function writersIn(
  seen: PullRequestConversation | undefined,
  deps: Dependencies,
): Promise<(login: string) => boolean> {
  const people = seen === undefined ? [] : loginsToCheck(seen).slice(0, MAX_ANSWERERS);
  const asked = people.map(
    async (login) => [login.toLowerCase(), permissionOf(await askPermission(login, deps))] as const,
  );
  const permissions = new Map(await Promise.all(asked));
  return (login) => mayWrite(permissions.get(login.toLowerCase()) ?? 'unknown');
}

/** The wider of the two gates: the milder severity; without both, `major`. */
function gateOf({ blockOn, failOn }: PublishRules): Severity {
  const gates = [blockOn, failOn].filter((gate) => gate !== undefined);
  return gates.toSorted((a, b) => compareSeverity(b, a))[0] ?? 'major';
}

/** The pull requests on which findings are open as far as is known, those of the newest first. */
function pullsWithOpen(facts: readonly ReviewFact[]): readonly number[] {
  const marks = findingMarksIn(facts).toSorted((a, b) => a.at - b.at);
  const last = new Map(marks.map((mark) => [mark.id, mark]));
  const open = [...last.values()]
    .filter(({ kind }) => kind !== 'ended')
    .toSorted((a, b) => b.at - a.at);
  return [...new Set(open.map(({ pull }) => pull))];
}

/** The pull request a run is about. */
export function pullNumberOf(trigger: Trigger): number | undefined {
  if (trigger.kind === 'pull_request') return trigger.number;
  return trigger.kind === 'comment' && trigger.on !== 'issue' ? trigger.number : undefined;
}

interface FoundScope {
  /** Undefined where the run is not a review, or nothing is known of the change. */
  readonly scope: ReviewScope | undefined;
  readonly warnings: readonly Warning[];
}

const NO_SCOPE: FoundScope = { scope: undefined, warnings: [] };

/**
 * What a review looks at: what is new since the last one, where memory knows of it and the branch
 * goes on from there, or else all of it. GitHub is asked as soon as memory is read, besides
 * everything else that is waited for, and not at all for a first review. Only agents that post
 * reviews are limited so: an answer in one comment takes the place of the one before. Rejects as
 * its parts do.
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
  const memory = await admitted.memory;
  const commits = await commitsOf(request.trigger, admitted.context);
  if (pull === undefined || memory === undefined || commits === undefined) return NO_SCOPE;
  const isFullRequested = command?.isFull === true || request.reviewScope === 'full';
  const plan = planScope({ facts: memory.facts, pull, ...commits, isFullRequested });
  const found =
    plan.kind === 'full'
      ? undefined
      : await github.newSince({ from: plan.before.last, head: commits.head }, deps.deadline.signal);
  const context = await admitted.context;
  if (context?.kind !== 'pull_request') return NO_SCOPE;
  const { paths, pathsIgnore } = request.diffPolicy;
  const only = paths.length + pathsIgnore.length === 0 ? undefined : { paths, pathsIgnore };
  const pullRequest = { head: commits.head, filesTotal: context.filesTotal, only };
  if (plan.kind === 'full') return { scope: { ...plan, ...pullRequest }, warnings: [] };
  const before = withLeftOut(plan.before, context.files, request);
  if (found?.kind === 'ahead') {
    const { change, warnings } = found;
    const now = new Set(context.files.map(({ path }) => path));
    const isListed = context.filesTotal === now.size && context.isListShort !== true;
    const reverted = change.files.flatMap(({ path }) => (isListed && !now.has(path) ? [path] : []));
    return { scope: { kind: 'since', before, change, reverted, ...pullRequest }, warnings };
  }
  const why = found?.kind ?? 'unread';
  const change =
    why === 'rewritten' ? rewrittenChange(context, before.patches ?? [], request) : undefined;
  if (change === undefined)
    return { scope: { kind: 'full', why, before, ...pullRequest }, warnings: [] };
  // What was not seen before is in no patch, so it is new.
  const rest = { before: { ...before, unseen: undefined }, change, ...pullRequest };
  return { scope: { kind: 'since', isRewritten: true, ...rest }, warnings: [] };
}

/**
 * What a rewritten branch changes in files whose patch was not reviewed. Undefined where all of it
 * has to be reviewed: no patch is known, GitHub does not list all files, or there is so much that
 * it is read in parts.
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
  return maxTokens > 0 && estimateText(diff) > maxTokens
    ? undefined
    : { diff, files, filesTotal: files.length };
}

/**
 * Files that the inputs of the last review kept from it, and those of this one do not, have not
 * been seen either.
 */
function withLeftOut(
  before: Since['before'],
  files: FetchedChange['files'],
  { diffPolicy }: RunRequest,
): Since['before'] {
  if (before.only === undefined) return before;
  const [was, is] = [createPathFilter(before.only), createPathFilter(diffPolicy)];
  const added = files.flatMap(({ path }) => (!was(path) && is(path) ? [path] : []));
  const unseen = [...new Set([...(before.unseen ?? []), ...added])];
  return unseen.length === 0 ? before : { ...before, unseen };
}

type Since = Extract<ReviewScope, { readonly kind: 'since' }>;

/** Whether a run must know what is open: a review would say it twice, and settle nothing. */
export function needsFindings({ trigger, agent, scope }: Plan): boolean {
  return (trigger.kind === 'pull_request' || scope !== undefined) && postsReviews(agent);
}

/**
 * An event on a pull request says its commits itself; below a comment they have to be waited for.
 */
async function commitsOf(
  trigger: Trigger,
  context: Admitted['context'],
): Promise<{ readonly head: string; readonly into: string } | undefined> {
  if (trigger.kind === 'pull_request') return { head: trigger.head.sha, into: trigger.base.ref };
  const change = reviewedChange(trigger, await context);
  return change === undefined ? undefined : { head: change.head, into: change.into ?? '' };
}

/**
 * The change of the pull request a run is about; undefined where there is none or its diff is not
 * known.
 */
export function reviewedChange(
  trigger: Trigger,
  context: TriggerContext | undefined,
): ReviewedChange | undefined {
  if (context?.kind !== 'pull_request') return undefined;
  const below = trigger.kind === 'comment' ? trigger.commits : undefined;
  const commits = context.pinned ?? (trigger.kind === 'pull_request' ? trigger : below);
  if (commits === undefined) return undefined;
  const { head, base } = commits;
  return {
    head: head.sha,
    base: base.sha,
    into: base.ref || undefined,
    diff: context.diff,
  };
}
