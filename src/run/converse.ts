import { type BufferedPublications, NO_PUBLICATIONS } from '../findings/buffered-publications.js';
import {
  coverageCutShort,
  coverageWithoutAnswer,
  coverageWithoutFiles,
} from '../findings/change/scope.js';
import { raiseHidden } from '../findings/decide/hidden-findings.js';
import type { Settlement } from '../findings/known-finding.js';
import type { PublicationBuffer } from '../findings/publication-buffer.js';
import { DEFAULT_MAX_DEPTH } from '../lib/defaults.js';
import { AxeError } from '../lib/errors.js';
import { cameToNothing, isCutShort, isUnreviewed, type RunOutcome } from '../lib/outcome.js';
import type { OpenModel } from '../loop/asker.js';
import { Budget, costLimit, spendBefore, unenforceableLimits } from '../loop/budget.js';
import type { LoopDependencies } from '../loop/events.js';
import { UsageByAgent } from '../loop/reply.js';
import {
  type AgentConversation,
  type ConversationResult,
  endIfLeaked,
  judgeOutcome,
  type LiveRun,
  truncatedAnswerWarning,
} from './conversation.js';
import type { Dependencies } from './dependencies.js';
import { holdConversation } from './hold-conversation.js';
import { withFittingLog } from './memory.js';
import { keepFound, openPublications } from './publish.js';
import type {
  Conversed,
  Memory,
  OpenRun,
  Plan,
  ReadByRun,
  RunNotes,
  RunRequest,
} from './records.js';
import { withLessons } from './restore.js';
import { spentKeeper } from './save.js';

/**
 * The fourth step: holds the conversations of the run, and judges their outcome. Throws a
 * SecretLeakError if a model wrote a secret; other errors are in the outcome.
 */
export async function converse(
  request: RunRequest,
  openRun: OpenRun,
  model: OpenModel,
  deps: Dependencies,
): Promise<Conversed> {
  const { memory, change, hidden } = openRun;
  const { clock, reporter, publishRules } = deps;
  const testedAgain = await testsAgain(request, openRun, deps);
  const plan = withLessons(openRun.plan, testedAgain?.forModel);
  const { trigger, agent, review } = plan;

  const facts = memory?.facts ?? [];
  const spend = spendBefore(facts, { trigger, limits: request.spendLimits, now: clock.now() });
  const reason = whyCostIsNotShared(plan, memory);
  const limitWarnings =
    reason === undefined ? [] : unenforceableLimits(request.spendLimits, reason);
  for (const warning of limitWarnings) reporter.warn(warning);

  const id = plan.memory?.entryId ?? clock.newId();
  const rules = { ...publishRules, minSeverity: review.minSeverity ?? publishRules.minSeverity };
  const { diffPolicy: policy, toFix } = request;
  const buffers: PublicationBuffer[] = [];
  const open = (name: string) => {
    const failing = testedAgain?.failing;
    const options = { policy, run: name, rules, changes: deps.changes, toFix, failing };
    const buffer = openPublications(openRun, options);
    if (buffer !== undefined) buffers.push(buffer);
    return buffer;
  };
  const notes = memory?.notes;
  const run: LiveRun = {
    request,
    deps,
    mainModel: plan.model,
    change,
    hidden,
    // The top-level agent's limits apply to the whole run, sub-agents included.
    budget: new Budget(
      {
        maxTokens: request.tokenLimit(agent.config.budget.maxTokens),
        ...costLimit(request.maxCostUsd, spend),
      },
      spentKeeper(plan, spend, deps),
    ),
    usage: new UsageByAgent(),
    missed: { paths: new Set(), isCut: false, runLog: memory?.text ?? '' },
    publications: open(id),
    openPass: (name) => open(`${id} ${name}`),
    keepFound: () => keepFound(openRun, buffers, deps),
    notes,
    lost: [],
    maxDepth: agent.config.subAgentsConfig.maxDepth || DEFAULT_MAX_DEPTH,
    fixTests: await fixTestsOf(request, deps),
  };
  const conversation: AgentConversation = {
    plan,
    model,
    memory: memory?.text ?? '',
    notes,
    loop: loopOf(plan, notes, deps),
    depth: 0,
    callerEffects: undefined,
  };
  reporter.event({ kind: 'run-started', plan, memory, notes: notes?.found });
  let artifacts: Conversed['artifacts'];
  const ended = testedAgain?.settlements ?? [];
  const hold = request.toShow === undefined ? holdAll : holdTest;
  const { unread, ...result } = await hold(conversation, run, ended).finally(async () => {
    artifacts = await deps.closeTools((warning) => reporter.warn(warning));
    await endIfLeaked(deps);
  });

  const read = readByRun(plan, result.outcome, { unread, ...run.missed });
  const fittedMemory = memory && withFittingLog(memory, run.missed.runLog);
  return {
    ...openRun,
    plan,
    ...result,
    memory: fittedMemory,
    read,
    spend,
    usage: run.usage.all,
    lost: run.lost,
    artifacts,
  };
}

/** Holds one conversation, or several for a large review, and then verifies a review's findings. */
async function holdAll(
  conversation: AgentConversation,
  run: LiveRun,
  endedByTests: readonly Settlement[],
): Promise<ConversationResult> {
  const { passes } = conversation.plan;
  const review = run.publications?.scopeOfReview;
  const conversed =
    passes === undefined || review === undefined
      ? {
          outcome: await holdConversation(conversation, run),
          buffered: run.publications?.buffered ?? NO_PUBLICATIONS,
          unread: [],
        }
      : await (await import('./passes.js')).reviewInPasses(
          conversation,
          passes,
          review.rules.maxFindings,
          run,
        );

  const buffered = withEnds(withHidden(conversed.buffered, run), endedByTests);
  const judged = judgeOutcome(conversed.outcome, buffered, run.request);
  const outcome = run.fixTests?.withResults(judged) ?? judged;
  // On the command line a truncated answer is a success, so people need a warning.
  if (conversed.outcome.kind === 'incomplete' && outcome.kind === 'completed')
    conversation.loop.reporter.warn(truncatedAnswerWarning(conversed.outcome.error));

  const result = { ...conversed, outcome, buffered };
  if (review === undefined) return result;
  const { verifyFindings, verifySettlements } = await import('./verify.js');
  const settled = await verifySettlements(conversation, result, run);
  const verified = await verifyFindings(conversation, settled, run);
  return await withChecks(conversation, verified, run);
}

/** Asks the checks of the plan. */
async function withChecks(
  conversation: AgentConversation,
  result: ConversationResult,
  run: LiveRun,
): Promise<ConversationResult> {
  const { checks = 'unread' } = conversation.plan;
  if (checks === 'unread' || cameToNothing(result.outcome)) return result;
  const before = run.publications?.scopeOfReview?.ledger.checks?.said ?? [];
  // The last rule can be gone: what was said of it must not hold a change up.
  if (checks.length + before.length === 0) return result;
  const { askChecks } = await import('./ask-checks.js');
  return await askChecks(checks, conversation, result, run);
}

/** Has one finding shown by a test: no other conversation is held. */
async function holdTest(
  conversation: AgentConversation,
  run: LiveRun,
): Promise<ConversationResult> {
  const { showFinding } = await import('./show-finding.js');
  return await showFinding(conversation, run);
}

/** The tests of the findings that a run fixes; undefined if none of them has one. */
async function fixTestsOf({ toFix, fixBench }: RunRequest, { changes }: Dependencies) {
  if (toFix === undefined || fixBench === undefined || changes === undefined) return undefined;
  const { createFixTests } = await import('./fix-tests.js');
  return createFixTests(toFix, fixBench, changes);
}

/**
 * Tests of earlier findings are run again before the reviewer is asked: its task has the results.
 */
async function testsAgain(request: RunRequest, openRun: OpenRun, deps: Dependencies) {
  const hasTests = openRun.learned.ledger?.open.some(({ test }) => test !== undefined);
  const isAboutFindings = request.toFix !== undefined || request.toShow !== undefined;
  if (hasTests !== true || isAboutFindings) return undefined;
  const { runTestsAgain } = await import('./run-tests-again.js');
  return await runTestsAgain(openRun, deps);
}

/**
 * The model's word on a finding whose test passes does not count, unless it passes on that a person
 * has dismissed the finding.
 */
function withEnds(
  buffered: BufferedPublications,
  endedByTests: readonly Settlement[],
): BufferedPublications {
  const tested = new Set(endedByTests.map(({ finding }) => finding.id));
  const others = buffered.settlements.filter(
    ({ finding, how }) => how === 'dismissed' || !tested.has(finding.id),
  );
  const decided = new Set(others.map(({ finding }) => finding.id));
  const byTests = endedByTests.filter(({ finding }) => !decided.has(finding.id));
  return { ...buffered, settlements: [...others, ...byTests] };
}

/** Adds the findings that need no model, behind those of the model. */
function withHidden(
  buffered: BufferedPublications,
  { hidden, publications }: LiveRun,
): BufferedPublications {
  const review = publications?.scopeOfReview;
  if (review === undefined || hidden.length === 0) return buffered;
  const raised = raiseHidden(hidden, review, review.rules.maxFindings);
  return { ...buffered, findings: [...buffered.findings, ...raised] };
}

function loopOf(
  { memory }: Plan,
  notes: RunNotes | undefined,
  { clock, reporter, deadline }: Dependencies,
): LoopDependencies {
  const keepsAllNotes = notes !== undefined && notes.facts === undefined;
  const keepsSummaries = keepsAllNotes && memory?.isReadOnly !== true;
  return {
    clock,
    reporter,
    signal: deadline.signal,
    leftMs: () => deadline.leftMs(),
    keepSummary: keepsSummaries ? summaryKeeper(notes) : undefined,
  };
}

/** Writes a summary to the daily log before the loop drops the messages that it replaces. */
function summaryKeeper({ session }: RunNotes): NonNullable<LoopDependencies['keepSummary']> {
  return async ({ text, messages }) => {
    const answer = await session.addSummary(text, messages);
    if (answer.kind === 'failed') throw new AxeError(answer.message);
  };
}

/** The reason if later runs will not know this run's cost; undefined if they probably will. */
function whyCostIsNotShared(
  { memory: plan }: Plan,
  memory: Memory | undefined,
): string | undefined {
  if (plan?.isReadOnly !== false)
    return 'this run keeps no record of what it costs. Set `enabled = true` in `[memory]` of the agent, and remove `memory-readonly`.';
  return memory?.store.kind === 'file'
    ? 'what this run costs is kept in the workspace, and counts once a later step has pushed it. Add that step, or limit each run with `max-cost-usd`.'
    : undefined;
}

/**
 * The part of the planned change that a run has read. The files in `unread` are those of passes
 * that were left out or failed; those in `paths` were cut or left out, because the model's context
 * window is too small; `isCut`: the model's server cut the prompt.
 */
function readByRun(
  { coverage: planned, task }: Plan,
  outcome: RunOutcome,
  { unread, paths, isCut }: LiveRun['missed'] & { readonly unread: readonly string[] },
): ReadByRun {
  const unseen = [...new Set([...(task.unseen ?? []), ...unread, ...paths])];
  if (planned === undefined) return { coverage: undefined, unseen };

  const read = coverageWithoutFiles(planned, [
    ...unread.map((path) => ({ path, why: 'failed' as const })),
    ...[...paths].map((path) => ({ path, why: 'budget' as const })),
  ]);
  // The files in the prompt only count as read if the model gave an answer, or reviewed.
  const isEmpty = cameToNothing(outcome) || isUnreviewed(outcome);
  const hasAnswer = !isEmpty && outcome.stats.turns > 0;
  const coverage = hasAnswer ? read : coverageWithoutAnswer(read);
  const wasCutShort = isCut || (hasAnswer && isCutShort(outcome));
  return { coverage: wasCutShort ? coverageCutShort(coverage) : coverage, unseen };
}
