import type { LoadedAgent } from '../agent/agent-source.js';
import { type FetchedChange, subjectNumber, type Trigger } from '../event/trigger.js';
import type { Warning } from '../lib/errors.js';
import { estimateText } from '../lib/text/bytes.js';
import { parseDiff } from '../lib/text/diff.js';
import { createPathFilter, type TriggerContext } from '../prompt/context.js';
import { knownPaths, planScope, reviewCommand, type Scope } from '../review/scope.js';
import type { PathPatterns } from '../review/state-facts.js';
import type { Dependencies } from './dependencies.js';
import type { Admitted, Plan, ReviewedChange, RunRequest } from './records.js';

interface FoundScope {
  /** Undefined where the run is not a review, or nothing is known of the change. */
  readonly scope: Scope | undefined;
  readonly warnings: readonly Warning[];
}

const NO_SCOPE: FoundScope = { scope: undefined, warnings: [] };

/**
 * What a review looks at: what is new since the last one, where memory knows of it and the branch goes on from there, or
 * else all of it. GitHub is asked as soon as memory is read, besides everything else that is waited for, and not at all
 * for a first review. Only agents that post reviews are limited so: an answer in one comment takes the place of the
 * one before. Rejects as its parts do.
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
  const only = patternsOf(request);
  const pullRequest = { head: commits.head, filesTotal: context.filesTotal, only };
  if (plan.kind === 'full') return { scope: { ...plan, ...pullRequest }, warnings: [] };
  const before = withLeftOut(plan.before, context.files, request);
  if (found?.kind === 'ahead') {
    const { change, warnings } = found;
    return { scope: { kind: 'since', before, change, ...pullRequest }, warnings };
  }
  const why = found?.kind ?? 'unread';
  const change = why === 'rewritten' ? rewrittenChange(context, before.patches ?? [], request) : undefined;
  if (change === undefined) return { scope: { kind: 'full', why, before, ...pullRequest }, warnings: [] };
  // What was not seen before is in no patch, so it is new.
  const rest = { before: { ...before, unseen: undefined }, change, ...pullRequest };
  return { scope: { kind: 'since', isRewritten: true, ...rest }, warnings: [] };
}

/**
 * What a rewritten branch changes in files whose patch was not reviewed. Undefined where all of it has to be reviewed: no patch
 * is known, GitHub does not list all files, or there is so much that it is read in parts.
 */
function rewrittenChange(
  context: FetchedChange,
  patches: readonly string[],
  { diffPolicy: { maxTokens } }: RunRequest,
): FetchedChange | undefined {
  const known = knownPaths(context.diff, patches);
  const isListed = context.filesTotal === context.files.length && context.isListShort !== true;
  if (known.size === 0 || !isListed) return undefined;
  const files = context.files.filter(({ path }) => !known.has(path));
  const parts = parseDiff(context.diff).flatMap(({ path, text }) => (known.has(path) ? [] : [text]));
  const diff = parts.length === 0 ? '' : `${parts.join('\n')}\n`;
  return maxTokens > 0 && estimateText(diff) > maxTokens
    ? undefined
    : { diff, files, filesTotal: files.length };
}

/** The inputs that keep files from a review; undefined where none does. */
function patternsOf({ diffPolicy: { paths, pathsIgnore } }: RunRequest): PathPatterns | undefined {
  return paths.length + pathsIgnore.length === 0 ? undefined : { paths, pathsIgnore };
}

/** Files that the inputs of the last review kept from it, and those of this one do not, have not been seen either. */
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

type Since = Extract<Scope, { readonly kind: 'since' }>;

/** Whether an agent has a tool that writes reviews. */
export function postsReviews({ config }: LoadedAgent): boolean {
  return config.tools.includes('add_review_comment') || config.tools.includes('submit_review');
}

/** Whether a run must know what is open: a review would say it twice, and settle nothing. */
export function needsFindings({ trigger, agent, scope }: Plan): boolean {
  return (trigger.kind === 'pull_request' || scope !== undefined) && postsReviews(agent);
}

/** An event on a pull request says its commits itself; below a comment they have to be waited for. */
async function commitsOf(
  trigger: Trigger,
  context: Admitted['context'],
): Promise<{ readonly head: string; readonly into: string } | undefined> {
  if (trigger.kind === 'pull_request') return { head: trigger.head.sha, into: trigger.base.ref };
  const change = changeOf(trigger, await context);
  return change === undefined ? undefined : { head: change.head, into: change.into ?? '' };
}

/** The change of the pull request a run is about; undefined where there is none or its diff is not known. */
export function changeOf(trigger: Trigger, context: TriggerContext | undefined): ReviewedChange | undefined {
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
