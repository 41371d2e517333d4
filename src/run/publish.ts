import type { LoadedAgent } from '../agent/agent-source.js';
import { subjectNumber } from '../event/trigger.js';
import { laneOfWords, mayChangeFiles, whyOnlyPatch } from '../event/trust.js';
import {
  type BufferedPublications,
  NO_PUBLICATIONS,
  type PublishRules,
} from '../findings/buffered-publications.js';
import { type CommentableLines, commentableLines } from '../findings/change/diff-lines.js';
import { linesOfDiff, ShownFiles } from '../findings/decide/evidence.js';
import { applyToLedger, Ledger } from '../findings/decide/ledger.js';
import { reviewEndOf } from '../findings/post/conversations.js';
import type { ReviewOutcome } from '../findings/post/post-review.js';
import { PublicationBuffer } from '../findings/publication-buffer.js';
import {
  findingMarksIn,
  lastReviewed,
  type MarksOnPull,
  markFacts,
} from '../findings/state-facts.js';
import type { Warning } from '../lib/errors.js';
import { parseDiff } from '../lib/text/diff.js';
import { isReadByPeople } from '../prompt/diff-pack.js';
import { createPathFilter, type DiffPolicy } from '../prompt/diff-policy.js';
import { createReviewTools, REVIEW_TOOL_NAMES } from '../tools/findings/review-tools.js';
import type { Tool } from '../tools/tool.js';
import type { Changes } from '../tools/workspace/changes.js';
import { postsReviews, type SkippedRun } from './admit.js';
import type { Dependencies, FindingsToTell } from './dependencies.js';
import { needsFindings, pullNumberOf, readAgain, readFindings } from './earlier-reviews.js';
import type {
  Admitted,
  Conversed,
  PublicationResult,
  Restored,
  RunReport,
  RunRequest,
} from './records.js';
import { entryChanges, factsChange, keepInJournal, NEVER_ABORTED } from './save.js';

/**
 * An entry that is set before anything is posted, or of a run that posts nothing, says nothing of a
 * comment.
 */
export const UNPUBLISHED: PublicationResult = { line: undefined, url: undefined };

/**
 * The fifth step: puts what the agent wants to the findings as they are now, then posts it and the
 * answer. What a run that is killed here would lose is in the journal before anything is posted.
 * Trouble is a warning.
 */
export async function publish(
  conversed: Conversed,
  deps: Dependencies,
): Promise<PublicationResult> {
  const { plan, buffered, change, learned, taint } = conversed;
  const unpublished = { ...conversed, published: UNPUBLISHED, facts: [] };
  await keepInJournal(unpublished, entryChanges(unpublished, deps), deps);
  const lane = laneOfWords(plan.trust, taint);
  const pull = pullNumberOf(plan.trigger);
  const { ledger: before } = learned;
  let findings: FindingsToTell | undefined;
  let reviewEnd: ReviewOutcome | undefined;
  if (pull !== undefined && before !== undefined && change !== undefined) {
    const ledger = await readAgain(before, { pull, isTrusted: lane === 'trusted' }, deps);
    // People may have answered findings since the run began.
    reviewEnd = reviewEndOf({ ledger, agent: plan.agent.name, blockOn: deps.publishRules.blockOn });
    const knew = new Set(before.findings.map(({ id }) => id));
    // Of a branch that was rewritten nobody knows what was pushed.
    const since = plan.scope?.kind === 'since' && !plan.scope.isRewritten ? plan.scope : undefined;
    const pushed = since && commentableLines(since.change.diff);
    findings = applyToFindings(ledger, pull, buffered, knew, pushed);
  }
  const others = learned.others
    .map((one) => applyToFindings(one.ledger, one.pull))
    .filter(({ news }) => news.ended.length + news.back.length > 0);
  const onlyPatch = whyOnlyPatch(plan.trust, taint);
  return await deps.publisher.publish({
    ...conversed,
    findings,
    reviewEnd,
    others,
    lane,
    onlyPatch,
  });
}

/** The findings after what is to be done with them, and what is to be told. */
export function applyToFindings(
  ledger: Ledger,
  pull: number,
  buffered: BufferedPublications = NO_PUBLICATIONS,
  knew: ReadonlySet<string> = new Set(),
  pushed?: CommentableLines,
): FindingsToTell {
  const news = applyToLedger(ledger, buffered, knew, pushed);
  return { pull, ledger, news };
}

/**
 * Tells what is open on a pull request whose run is skipped: a step that is green because nothing
 * was new must not hide what was found before, and 👎 and *Resolve* start no run of their own.
 * Nothing is read for whoever may start no run.
 */
export async function reportSkipped(
  { at, ...skipped }: SkippedRun,
  { trigger, dryRun }: RunRequest,
  deps: Dependencies,
): Promise<Extract<RunReport, { kind: 'skipped' }>> {
  const { message } = skipped.decision;
  const { unchangedSince: since } = skipped;
  if (at === undefined || dryRun || trigger.kind !== 'pull_request') return skipped;
  const { agent } = at.basis;
  const facts = (await at.memory)?.facts ?? [];
  if (!postsReviews(agent) && findingMarksIn(facts).length === 0) {
    const review = { open: [], isBlocking: false, unposted: [] };
    const about = { repository: trigger.repository, headSha: trigger.head.sha, name: agent.name };
    await deps.progress?.tell({ ...about, review, skipped: { message, since } });
    return skipped;
  }
  const answer = await deps.github?.change(deps.deadline.signal);
  const change = answer?.kind === 'read' ? answer : undefined;
  const { ledger, trouble } = await readFindings(
    trigger.number,
    {
      agent: agent.name,
      trigger,
      permission: at.facts.permission,
      facts,
      isTrusted: laneOfWords(at.basis.trust, at.taint) === 'trusted',
      change,
      isFork: trigger.isFork,
    },
    deps,
  );
  const findings = applyToFindings(ledger, trigger.number);
  const told = await deps.publisher.tellFindings({
    ...findings,
    trigger,
    agent: agent.name,
    head: change?.head ?? trigger.head.sha,
    answered: new Set(),
    skipped: { message, since },
  });
  await keepMarks(told.marks ?? [], at, deps);
  if (trouble !== undefined) {
    // What memory has of findings is the least that is open.
    const message = `what is open on #${trigger.number} could not be read: ${trouble} We count what memory knows of it.`;
    deps.reporter.warn({ code: 'context-incomplete', message });
  }
  return { ...skipped, reviewResult: told.reviewResult };
}

/** Keeps what was said of findings. Trouble is a warning. */
async function keepMarks(
  told: readonly MarksOnPull[],
  { basis: { memory: plan, agent }, memory }: Admitted,
  { clock, reporter }: Dependencies,
): Promise<void> {
  const store = (await memory)?.store;
  const facts = told.flatMap(({ pull, marks }) => markFacts(marks, pull));
  if (plan === undefined || store === undefined || plan.lane === 'none' || facts.length === 0)
    return;
  const saved = await store.write([factsChange(plan.path, facts, clock.now())], NEVER_ABORTED);
  if (saved.kind === 'saved') return;
  const message = `what became of findings could not be kept for "${agent.name}": ${saved.message}`;
  reporter.warn({ code: 'memory-save-failed', message, remedy: saved.remedy });
}

/**
 * A review that does not know what is open would say it twice, and settle nothing: no model is
 * asked, and nothing posted but the check. Undefined where findings are known, or where the run is
 * no review.
 */
export async function refuseWithoutFindings(
  { plan, change, learned: { ledger, trouble } }: Restored,
  deps: Dependencies,
): Promise<RunReport | undefined> {
  const { trigger, agent } = plan;
  const pull = pullNumberOf(trigger);
  if (trouble === undefined || ledger === undefined || !needsFindings(plan)) return undefined;
  if (pull === undefined || trigger.kind === 'local') return undefined;
  const message = `What is open on #${pull} could not be read, so nothing was reviewed: ${trouble.replace(/\.$/, '')}`;
  const { reviewResult } = await deps.publisher.tellFindings({
    ...applyToFindings(ledger, pull),
    trigger,
    agent: agent.name,
    head: change?.head ?? ledger.seen?.head ?? '',
    answered: new Set(),
    skipped: { message, since: undefined },
  });
  const decision = {
    kind: 'skip',
    reason: 'findings-unread',
    message,
    remedy: 'Start the run again.',
  } as const;
  return { kind: 'skipped', decision, isIncomplete: true, reviewResult };
}

/**
 * What the agents of a run publish to, all of them together (D23); nothing without an event or a
 * change on this machine, whose findings are printed. `policy` says which files the review is
 * about, and `run` is what no other run has.
 */
export function openPublications(
  { plan, memory, taint, change, learned }: Restored,
  policy: DiffPolicy,
  run: string,
  rules: PublishRules,
  changes?: Changes,
  toFix?: RunRequest['toFix'],
): PublicationBuffer | undefined {
  const { trigger, scope, trust } = plan;
  const isLocal = trigger.kind === 'local';
  if (isLocal && change === undefined) return undefined;
  const subject = isLocal ? undefined : subjectNumber(trigger);
  const ledger = isLocal ? withoutEarlier(plan.agent.name) : learned.ledger;
  const open = {
    rules,
    subject,
    isLocal,
    changes:
      changes !== undefined && mayChangeFiles(trust)
        ? {
            problem: () => changes.problem,
            whyOnlyPatch: () => whyOnlyPatch(trust, taint),
            endCommit: () => changes.endCommit(),
          }
        : undefined,
    toFix,
    isOnPull:
      pullNumberOf(trigger) !== undefined && !('isClosed' in trigger && trigger.isClosed === true),
  };
  if (change === undefined || ledger === undefined)
    return new PublicationBuffer({ ...open, review: undefined });
  const files = parseDiff(change.diff);
  const shown = new ShownFiles(linesOfDiff(files));
  const unread = new Set(files.flatMap((file) => (isReadByPeople(file) ? [] : [file.path])));
  const review = {
    lines: ledger.context.lines ?? commentableLines(change.diff),
    fresh: scope?.kind === 'since' ? commentableLines(scope.change.diff) : undefined,
    ledger,
    // Strangers may have a part in what the run reads.
    isUntrusted: laneOfWords(trust, taint) !== 'trusted',
    overrides: plan.review.overrides,
    isRead: (path: string) => !unread.has(path),
    run,
    shown,
    isInScope: createPathFilter(policy),
    isLaterReview:
      subject !== undefined && lastReviewed(memory?.facts ?? [], subject) !== undefined,
  };
  return new PublicationBuffer({ ...open, review });
}

/** Each review of a change on this machine is its first. */
function withoutEarlier(agent: string): Ledger {
  const context = {
    agent,
    lines: undefined,
    isFork: false,
    isTrusted: true,
    isPushByWriter: false,
  } as const;
  const isWriter = () => false;
  return new Ledger(
    { ...context, gate: 'major', memory: undefined, lessons: [], isWriter },
    undefined,
    [],
  );
}

/**
 * Makes the publishing tools an agent lists: those that have something to publish to (D22). Gives
 * the agent as its other tools are opened for.
 */
export function publishingTools(
  agent: LoadedAgent,
  publications: PublicationBuffer | undefined,
): {
  readonly agent: LoadedAgent;
  readonly tools: readonly Tool[];
  readonly warnings: readonly Warning[];
} {
  const { config } = agent;
  // The triager that comes with the product suggests labels where it may set none.
  const isIdle = agent.source === 'built-in' && publications?.allowsLabels === false;
  // Whoever raises findings may end them: an agent names that tool no more than a person would.
  const ends = (name: string) =>
    name === 'settle_finding' && config.tools.includes('add_review_comment');
  const listedNames = REVIEW_TOOL_NAMES.filter(
    (name) => (config.tools.includes(name) || ends(name)) && !(isIdle && name === 'set_labels'),
  );
  if (!REVIEW_TOOL_NAMES.some((name) => config.tools.includes(name))) {
    return { agent, tools: [], warnings: [] };
  }
  const offered =
    publications === undefined
      ? []
      : createReviewTools(publications).filter(
          ({ name }) => listedNames.includes(name) && publications.isOpenTo(name),
        );
  const has = (name: string) => offered.some((tool) => tool.name === name);
  // What is pushed where there is a pull request to push to is a pull request of its own elsewhere.
  const isReplaced = (name: string) => name === 'push_to_pull_request' && has('open_pull_request');
  const missing = listedNames.filter(
    (name) => name !== 'settle_finding' && !has(name) && !isReplaced(name),
  );
  const others = config.tools.filter((name) => !REVIEW_TOOL_NAMES.includes(name));
  return {
    agent: { ...agent, config: { ...config, tools: others } },
    tools: offered,
    warnings: warningsOf(agent.name, missing, publications),
  };
}

/**
 * A reviewer that runs on a push, a schedule or a laptop too answers there in words: nothing to
 * warn of. Where there is a pull request without a diff, or an agent of another kind, somebody
 * expects something that will not happen.
 */
function warningsOf(
  agent: string,
  missing: readonly string[],
  publications: PublicationBuffer | undefined,
): readonly Warning[] {
  if (publications === undefined || publications.isLocal) return [];
  const changing = missing.filter((name) => name.endsWith('_pull_request'));
  if (changing.length > 0 && !publications.isOpenTo('open_pull_request')) {
    const others = missing.filter((name) => !changing.includes(name));
    return [cannotChange(agent, changing), ...warningsOf(agent, others, publications)];
  }
  const expected = publications.isOpenTo('react')
    ? missing
    : missing.filter((name) => name !== 'add_review_comment' && name !== 'submit_review');
  if (expected.length === 0) return [];
  const listed = expected.map((name) => `\`${name}\``).join(', ');
  const message = `agent "${agent}" asks for ${listed}, and this run has nothing to publish that to: a review needs a pull request whose diff is known, and the others an event about an issue or pull request. Run the agent on such an event, or remove these tools from it.`;
  return [{ code: 'tool-not-available', message }];
}

function cannotChange(agent: string, names: readonly string[]): Warning {
  const listed = names.map((name) => `\`${name}\``).join(' and ');
  const message = `agent "${agent}" asks for ${listed}, but this run can change nothing. Set \`changes-allowed\` in the step's \`with:\` (patterns such as \`src/**\`). A person with write access, a schedule or a dispatch must have started the run, and it cannot be about a fork's pull request.`;
  return { code: 'tool-not-available', message };
}
