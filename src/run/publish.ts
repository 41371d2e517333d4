import type { LoadedAgent } from '../agent/agent-source.js';
import { queuedPull, subjectNumber } from '../event/trigger.js';
import { rightsOf } from '../event/trust.js';
import type { BufferedPublications, PublishRules } from '../findings/buffered-publications.js';
import { commentableLines } from '../findings/change/diff-lines.js';
import { linesOfDiff, ShownFiles } from '../findings/decide/evidence.js';
import { Ledger, raiseAlone } from '../findings/decide/ledger.js';
import { formatFindings } from '../findings/post/comment-text.js';
import { reviewEndOf } from '../findings/post/conversations.js';
import { PublicationBuffer } from '../findings/publication-buffer.js';
import { hasNews } from '../findings/read/look.js';
import { keptFindings, lastReviewed } from '../findings/state-facts.js';
import type { Warning } from '../lib/errors.js';
import { cameToNothing } from '../lib/outcome.js';
import { parseDiff } from '../lib/text/diff.js';
import { paragraphs } from '../lib/text/format.js';
import { isReadByPeople } from '../prompt/diff-pack.js';
import { createPathFilter, type DiffPolicy } from '../prompt/diff-policy.js';
import { sanitize } from '../safety/sanitize.js';
import { createReviewTools, REVIEW_TOOL_NAMES } from '../tools/findings/review-tools.js';
import type { Changes } from '../tools/workspace/changes.js';
import { postsReviews, type SkippedRun } from './admit.js';
import type { ListedTools } from './conversation.js';
import type { Dependencies } from './dependencies.js';
import { keepsState, needsFindings, pullNumberOf, readFindings } from './earlier-reviews.js';
import { cleanFor, reviewExtent } from './outbound.js';
import type { Conversed, OpenRun, PublicationResult, RunReport, RunRequest } from './records.js';
import {
  entryChanges,
  journaledFacts,
  keepInJournal,
  type Published,
  postedKeeper,
  warnUnsaved,
} from './save.js';
import {
  type DecidingRun,
  type Decision,
  decideAgain,
  decideNow,
  type SettledFindings,
  settleFindings,
} from './settle-findings.js';

/** For entries that are written before anything is posted, and for runs that post nothing. */
export const UNPUBLISHED: PublicationResult = { posts: [] };

/**
 * The fifth step: decides about findings as they are now, saves their record, and then posts them
 * and the answer. The journal gets the memory changes before anything is posted, in case the run is
 * killed. Errors are warnings.
 */
export async function publish(conversed: Conversed, deps: Dependencies): Promise<Published> {
  const { plan, buffered, learned, outcome } = conversed;
  const unpublished = { ...conversed, published: UNPUBLISHED, facts: [] };
  await keepInJournal(unpublished, entryChanges(unpublished, deps), deps);
  await keepAccepted(conversed, [buffered], deps);

  const decision = ownDecision(conversed);
  const settled = decision && (await settleOwn(decision, conversed, deps));
  // Their change is not known, so they are only read for people's answers.
  const others: SettledFindings[] = [];
  for (const { pull, ledger } of cameToNothing(outcome) ? [] : learned.others) {
    // Only a part was read, so what looks new is read again, and whole.
    const answers = { pull, start: ledger, isOld: true };
    if (!hasNews(decideNow(answers, ledger.copy()))) continue;
    const run = { ...decidingRun(conversed, ledger.seen?.head ?? ''), extent: undefined };
    others.push(await settleFindings(answers, run, deps));
  }

  const { blockOn } = deps.publishRules;
  const agent = plan.agent.name;
  const published = await deps.publisher.publish({
    ...conversed,
    findings: settled,
    reviewEnd: settled && reviewEndOf({ ledger: settled.before, agent, blockOn }),
    others,
    word: plan.reading.word,
    onlyPatch: plan.reading.whyOnlyPatch(),
    onPosted: postedKeeper(plan, deps),
  });
  const records = [settled, ...others].flatMap((findings) =>
    findings?.save.kind === 'failed' ? findings.save.changes : [],
  );
  const notices = [settled, ...others].flatMap((findings) =>
    findings?.save.kind === 'saved' ? (findings.save.notices ?? []) : [],
  );
  return { published, records, notices, isUnread: settled?.isUnread === true };
}

/** The run's decision about its own pull request; undefined if it has none. */
function ownDecision({ plan, buffered, change, learned }: Conversed): Decision | undefined {
  const pull = pullNumberOf(plan.trigger);
  const { ledger: start } = learned;
  if (pull === undefined || start === undefined || change === undefined) return undefined;
  // If the branch was rewritten, the pushed lines are not known.
  const since = plan.scope?.kind === 'since' && !plan.scope.isRewritten ? plan.scope : undefined;
  const pushed = since && commentableLines(since.change.diff);
  return { pull, start, buffered, pushed, isOld: true };
}

/** A run that came to nothing says nothing of findings: the next one reads what people did. */
async function settleOwn(
  decision: Decision,
  conversed: Conversed,
  deps: Dependencies,
): Promise<SettledFindings> {
  const run = decidingRun(conversed, conversed.change?.head ?? '');
  if (!cameToNothing(conversed.outcome)) return await settleFindings(decision, run, deps);
  const save = { kind: 'none', isCompared: false, isRemote: false } as const;
  return { ...(await decideAgain(decision, decision.start.context.record, run, deps)), save };
}

function decidingRun(conversed: Conversed, head: string): DecidingRun {
  const { plan, memory, outcome } = conversed;
  const { trigger, agent, reading } = plan;
  if (trigger.kind === 'local') throw new Error('a local run has no pull request');
  return {
    repository: trigger.repository,
    agent: agent.name,
    head,
    word: reading.word,
    model: outcome.stats.modelId,
    extent: reviewExtent(conversed),
    memory: memory && { plan: plan.memory, store: memory.store },
  };
}

/**
 * Reports the open findings of a pull request whose run is skipped. Without this a green step could
 * hide earlier findings, and a 👎 or a *Resolve* would have no effect, since neither starts a run.
 * Nothing is read if the actor is not allowed to start runs.
 */
export async function reportSkipped(
  { admitted, ...skipped }: SkippedRun,
  { trigger, dryRun }: RunRequest,
  deps: Dependencies,
): Promise<Extract<RunReport, { kind: 'skipped' }>> {
  const { message } = skipped.decision;
  const { unchangedSince: since } = skipped;
  const isQueued = trigger.kind === 'merge_group';
  if (admitted === undefined || dryRun || !(isQueued || trigger.kind === 'pull_request'))
    return skipped;

  const { agent } = admitted.basis;
  const memory = await admitted.reads.memory;
  const facts = memory?.facts ?? [];
  if (!postsReviews(agent) && keptFindings(facts).length === 0) {
    const review = { open: [], isBlocking: false, unposted: [] };
    const check = { repository: trigger.repository, headSha: trigger.head.sha, name: agent.name };
    await deps.progress?.tell({ ...check, review, skipped: { message, since } });
    return skipped;
  }

  const number = isQueued ? queuedPull(trigger) : trigger.number;
  if (number === undefined)
    return unreadFindings(`the merge queue's branch \`${trigger.head.ref}\` names no pull request`);
  // The change of a queue is not that of its pull request, whose own runs settle findings.
  const answer = isQueued ? undefined : await deps.github?.change(deps.deadline.signal);
  const change = answer?.kind === 'read' ? answer : undefined;
  const { ledger, trouble } = await readFindings(
    number,
    {
      agent: agent.name,
      trigger,
      permission: admitted.facts.permission,
      facts,
      keepsState: keepsState(admitted.basis.memory, memory),
      rights: admitted.basis.reading.rights,
      change,
      isFork: isQueued || trigger.isFork,
    },
    deps,
  );

  const { memory: plan } = admitted.basis;
  const run = {
    repository: trigger.repository,
    agent: agent.name,
    head: change?.head ?? trigger.head.sha,
    word: 'own',
    memory: memory && { plan, store: memory.store },
  } as const;
  const decision = { pull: number, start: ledger, isOld: false };
  const findings = await settleFindings(decision, run, deps);
  const reviewResult = await deps.publisher.tellFindings({
    ...findings,
    trigger,
    agent: agent.name,
    head: run.head,
    answered: new Set(),
    skipped: { message, since },
  });
  warnUnsaved(findings.save, run.agent, deps);
  if (trouble === undefined) return { ...skipped, reviewResult };
  const failure = `what is open on #${number} could not be read: ${trouble}`;
  if (isQueued) return { ...unreadFindings(failure), reviewResult };
  deps.reporter.warn({
    code: 'context-incomplete',
    message: `${failure} We count what memory knows of it.`,
  });
  return { ...skipped, areFindingsUnread: true, reviewResult };
}

/** The end of a run that had to know the open findings and could not read them. */
function unreadFindings(message: string): Extract<RunReport, { kind: 'skipped' }> {
  const decision = {
    kind: 'skip',
    reason: 'findings-unread',
    message: message.replace(/\.$/, ''),
    remedy: 'Run the job again.',
  } as const;
  return { kind: 'skipped', decision, areFindingsUnread: true };
}

/**
 * Ends a review that does not know the open findings, since it would repeat them and settle none:
 * no model is asked, and only the check is posted. Undefined if the findings are known, or the run
 * is not a review.
 */
export async function refuseWithoutFindings(
  { plan, change, learned: { ledger, trouble } }: OpenRun,
  deps: Dependencies,
): Promise<RunReport | undefined> {
  const { trigger, agent } = plan;
  const pull = pullNumberOf(trigger);
  if (trouble === undefined || ledger === undefined || !needsFindings(plan)) return undefined;
  if (pull === undefined || trigger.kind === 'local') return undefined;
  const message = `Could not list earlier findings on #${pull}, so the review was skipped: ${trouble}`;
  const reviewResult = await deps.publisher.tellFindings({
    ...decideNow({ pull, start: ledger, isOld: false }, ledger),
    trigger,
    agent: agent.name,
    head: change?.head ?? ledger.seen?.head ?? '',
    answered: new Set(),
    skipped: { message, since: undefined },
  });
  return { ...unreadFindings(message), reviewResult };
}

interface PublicationOptions {
  /** The files that the review is about. */
  readonly policy: DiffPolicy;
  /** An id that no other run has. */
  readonly run: string;
  readonly rules: PublishRules;
  readonly changes?: Changes;
  readonly toFix?: RunRequest['toFix'];
  /** Ids of findings whose test still fails; left out: none. */
  readonly failing?: ReadonlySet<string>;
}

/**
 * Opens the buffer that all agents of a run publish to. Undefined without an event, unless there is
 * a local change, whose findings are printed.
 */
export function openPublications(
  { plan, memory, change, learned }: OpenRun,
  { policy, run, rules, changes, toFix, failing }: PublicationOptions,
): PublicationBuffer | undefined {
  const { trigger, scope, reading } = plan;
  const isLocal = trigger.kind === 'local';
  if (isLocal && change === undefined) return undefined;

  const subject = isLocal ? undefined : subjectNumber(trigger);
  const ledger = isLocal ? emptyLedger(plan.agent.name) : learned.ledger;
  const isClosed = 'isClosed' in trigger && trigger.isClosed === true;
  const target = {
    rules,
    subject,
    isLocal,
    changes:
      changes !== undefined && reading.rights.changes !== 'none'
        ? {
            problem: () => changes.problem,
            whyOnlyPatch: () => reading.whyOnlyPatch(),
            endCommit: () => changes.endCommit(),
          }
        : undefined,
    toFix,
    isOnPull: pullNumberOf(trigger) !== undefined && !isClosed,
  };
  if (change === undefined || ledger === undefined)
    return new PublicationBuffer({ ...target, review: undefined });

  const files = parseDiff(change.diff);
  const shown = new ShownFiles(linesOfDiff(files));
  const unread = new Set(files.flatMap((file) => (isReadByPeople(file) ? [] : [file.path])));
  const review = {
    lines: ledger.context.lines ?? commentableLines(change.diff),
    fresh: scope?.kind === 'since' ? commentableLines(scope.change.diff) : undefined,
    freshFrom: scope?.before?.last,
    ledger,
    overrides: plan.review.overrides,
    isRead: (path: string) => !unread.has(path),
    run,
    shown,
    failing,
    isInScope: createPathFilter(policy),
    isLaterReview:
      subject !== undefined && lastReviewed(memory?.facts ?? [], subject) !== undefined,
  };
  return new PublicationBuffer({ ...target, review });
}

/** A local change has no earlier findings. */
function emptyLedger(agent: string): Ledger {
  const context = {
    agent,
    lines: undefined,
    isFork: false,
    rights: rightsOf('own'),
    isPushByWriter: false,
  } as const;
  const isWriter = () => false;
  return new Ledger(
    { ...context, gate: 'major', record: undefined, lessons: [], isWriter },
    undefined,
    [],
  );
}

/**
 * Has the journal keep what review tools have accepted so far: in words for the job summary, and as
 * lines of the record, so that the next run says it. An error there is ignored.
 */
export function keepFound(
  restored: OpenRun,
  buffers: readonly PublicationBuffer[],
  deps: Dependencies,
): void {
  const parts = buffers.map(({ buffered }) => buffered);
  const summaries = parts.flatMap(({ review }) => review?.summary ?? []);
  const findings = parts.flatMap((part) => part.findings);
  const markdown = paragraphs([...summaries, formatFindings('Findings', findings)]);
  const text = sanitize(markdown, 'summary', deps.secrets.values);
  deps.journal?.found(text).catch(() => undefined);
  keepAccepted(restored, parts, deps).catch(() => undefined);
}

/** The findings of this run as lines of the record; none for a run that keeps none. */
async function keepAccepted(
  { plan, change, learned, memory }: OpenRun,
  parts: readonly Pick<BufferedPublications, 'findings'>[],
  { journal, clock, secrets }: Dependencies,
): Promise<void> {
  const pull = pullNumberOf(plan.trigger);
  const ledger = learned.ledger?.copy();
  if (pull === undefined || ledger === undefined || change === undefined) return;
  if (!keepsState(plan.memory, memory)) return;

  const findings = parts.flatMap((part) => part.findings);
  const known = new Set(ledger.findings.map(({ id }) => id));
  const { fresh } = raiseAlone(ledger, { findings }, known);
  const freshIds = new Set(fresh.map(({ finding }) => finding.id));
  const { word } = plan.reading;
  const clean = cleanFor(word, { secrets: secrets.values });
  const record = ledger.record({ pull, head: change.head, word, now: clock.now(), clean });
  const facts = record.findings.filter(({ id }) => freshIds.has(id));
  await journal?.accepted(journaledFacts(plan.memory, facts));
}

const IMPLIED_TOOLS: readonly string[] = ['settle_finding', 'submit_review'];

/**
 * Creates the publishing tools that an agent lists, as far as the run can publish with them;
 * `listed` are all that it lists.
 */
export function publishingTools(
  agent: LoadedAgent,
  publications: PublicationBuffer | undefined,
): ListedTools {
  const { config } = agent;
  const listed = REVIEW_TOOL_NAMES.filter((name) => config.tools.includes(name));
  if (listed.length === 0) return { tools: [], listed, warnings: [] };

  // If it cannot set labels, the built-in triager suggests them in its answer instead.
  const isLabelless = agent.source === 'built-in' && publications?.allowsLabels === false;
  // An agent that can raise findings can also settle them and end its review, without listing the
  // tools for that. Otherwise it could not say that it has found nothing.
  const isImplied = (name: string) =>
    IMPLIED_TOOLS.includes(name) && listed.includes('add_review_comment');
  const wantedNames = REVIEW_TOOL_NAMES.filter(
    (name) => (listed.includes(name) || isImplied(name)) && !(isLabelless && name === 'set_labels'),
  );
  const tools =
    publications === undefined
      ? []
      : createReviewTools(publications).filter(
          ({ name }) => wantedNames.includes(name) && publications.isOpenTo(name),
        );

  const has = (name: string) => tools.some((tool) => tool.name === name);
  // Without a pull request to push to, an agent can open one instead.
  const isReplaced = (name: string) => name === 'push_to_pull_request' && has('open_pull_request');
  const missing = wantedNames.filter(
    (name) => listed.includes(name) && !has(name) && !isReplaced(name) && name !== 'settle_finding',
  );
  return { tools, listed, warnings: warnOfMissing(agent.name, missing, publications) };
}

/**
 * There is no warning here for a reviewer that runs without a pull request: it gives its review as
 * its answer, and the plan warns if the event has no change. But a pull request without a diff, or
 * an agent of another kind, leaves a person waiting for something that is never posted.
 */
function warnOfMissing(
  agent: string,
  missing: readonly string[],
  publications: PublicationBuffer | undefined,
): readonly Warning[] {
  if (publications === undefined || publications.isLocal) return [];
  const changing = missing.filter((name) => name.endsWith('_pull_request'));
  if (changing.length > 0 && !publications.isOpenTo('open_pull_request')) {
    const others = missing.filter((name) => !changing.includes(name));
    return [cannotChange(agent, changing), ...warnOfMissing(agent, others, publications)];
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
