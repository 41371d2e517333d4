import { NO_PUBLICATIONS } from '../findings/buffered-publications.js';
import {
  coverageCutShort,
  coverageWithoutAnswer,
  coverageWithoutFiles,
} from '../findings/change/scope.js';
import { reviewEndOf } from '../findings/post/conversations.js';
import { DEFAULT_MAX_DEPTH } from '../lib/defaults.js';
import { AxeError } from '../lib/errors.js';
import { isCutShort, type RunOutcome } from '../lib/outcome.js';
import type { OpenModel } from '../loop/asker.js';
import { Budget, costLimit, spendBefore, unenforceableLimits } from '../loop/budget.js';
import type { LoopDependencies } from '../loop/events.js';
import { UsageByAgent } from '../loop/reply.js';
import { admit } from './admit.js';
import { runCommentCommand } from './commands/run-command.js';
import {
  type AgentConversation,
  type ConversationResult,
  judgeOutcome,
  type LiveRun,
  truncatedAnswerWarning,
} from './conversation.js';
import type { Dependencies } from './dependencies.js';
import { holdConversation } from './hold-conversation.js';
import { reviewInPasses } from './passes.js';
import { makePlan, restore } from './plan.js';
import { openPublications, publish, refuseWithoutFindings, reportSkipped } from './publish.js';
import type {
  Conversed,
  Memory,
  Plan,
  ReadByRun,
  Restored,
  RunNotes,
  RunReport,
  RunRequest,
} from './records.js';
import { save, spentKeeper } from './save.js';
import { verifyFindings, verifySettlements } from './verify.js';

/**
 * The six steps: admit → plan → restore → converse → publish → save. Publishing comes before
 * saving, so that the entry can name what was posted. Throws an AxeError for what stops a run
 * before it reaches the model; what happens later is in the report.
 */
export async function runPipeline(given: RunRequest, deps: Dependencies): Promise<RunReport> {
  const answered = await runCommentCommand(given, deps);
  if (answered !== undefined && answered.kind !== 'fix') return answered;
  const request = answered?.request ?? given;

  const admitted = await admit(request, deps);
  if (admitted.kind === 'skipped') return await reportSkipped(admitted, request, deps);

  const draft = await makePlan(request, admitted, deps);
  if (draft.kind === 'skipped')
    return await reportSkipped({ ...draft, at: admitted }, request, deps);

  const restored = await restore(request, draft, deps);
  const { plan, memory, taint, model } = restored;
  if (model === undefined) return { kind: 'planned', plan, memory };
  const refused = await refuseWithoutFindings(restored, deps);
  if (refused !== undefined) return refused;

  const { ledger } = restored.learned;
  const about = ledger && { ledger, agent: plan.agent.name, blockOn: deps.publishRules.blockOn };
  deps.progress?.start(plan, restored.change?.head, about && reviewEndOf(about));
  const conversed = await converse(request, { ...restored, model }, deps);
  const published = await publish(conversed, deps);
  const remembered = await save(conversed, published, deps);
  return { ...conversed, kind: 'ran', taints: taint.sources, published, remembered };
}

/**
 * The fourth step: the conversations of a run, from opening its model to what their end counts as.
 * Throws an AxeError for a model that cannot be opened; whatever the model does is in the outcome.
 */
async function converse(
  request: RunRequest,
  restored: Restored & { readonly model: Promise<OpenModel> },
  deps: Dependencies,
): Promise<Conversed> {
  const { plan, memory, taint, change } = restored;
  const { clock, reporter, publishRules } = deps;
  const { trigger, agent, review } = plan;
  const facts = memory?.facts ?? [];
  const spend = spendBefore(facts, { trigger, limits: request.spendLimits, now: clock.now() });
  const why = whyUnheld(plan, memory);
  const unheld = why === undefined ? [] : unenforceableLimits(request.spendLimits, why);
  for (const warning of unheld) reporter.warn(warning);
  const id = plan.memory?.entryId ?? clock.newId();
  const rules = { ...publishRules, minSeverity: review.minSeverity ?? publishRules.minSeverity };
  const open = (name: string) =>
    openPublications(restored, request.diffPolicy, name, rules, deps.changes, request.toFix);
  const notes = memory?.notes;
  const run: LiveRun = {
    request,
    deps,
    change,
    // How much the run may take, and how deep it may delegate, are the first agent's to say.
    budget: new Budget(
      {
        maxTokens: request.tokenLimit(agent.config.budget.maxTokens),
        ...costLimit(request.maxCostUsd, spend),
      },
      spentKeeper(plan, spend, deps),
    ),
    usage: new UsageByAgent(),
    missed: { paths: new Set(), isCut: false },
    taint,
    publications: open(id),
    openPass: (name) => open(`${id} ${name}`),
    notes,
    lost: [],
    maxDepth: agent.config.subAgentsConfig.maxDepth || DEFAULT_MAX_DEPTH,
  };
  const own: AgentConversation = {
    plan,
    model: await restored.model,
    memory: memory?.text ?? '',
    notes,
    loop: loopOf(plan, notes, deps),
    depth: 0,
    callerEffects: undefined,
  };
  reporter.event({ kind: 'run-started', plan, restored: memory?.restored, notes: notes?.found });
  let artifacts: Conversed['artifacts'];
  const { unread, ...held } = await holdAll(own, run).finally(async () => {
    artifacts = await deps.closeTools((warning) => reporter.warn(warning));
  });
  const read = readByRun(plan, held.outcome, { unread, ...run.missed });
  return { ...restored, ...held, read, spend, usage: run.usage.all, lost: run.lost, artifacts };
}

/**
 * The one conversation, or of a large review several; what a review found is then looked at a
 * second time.
 */
async function holdAll(own: AgentConversation, run: LiveRun): Promise<ConversationResult> {
  const { passes } = own.plan;
  const review = run.publications?.scopeOfReview;
  const said =
    passes === undefined || review === undefined
      ? {
          outcome: await holdConversation(own, run),
          buffered: run.publications?.buffered ?? NO_PUBLICATIONS,
          unread: [],
        }
      : await reviewInPasses(own, passes, review.rules.maxFindings, run);
  const outcome = judgeOutcome(said.outcome, said.buffered, run.request);
  // Its answer is not whole, and the run succeeds all the same.
  if (said.outcome.kind === 'incomplete' && outcome.kind === 'completed')
    own.loop.reporter.warn(truncatedAnswerWarning(said.outcome.error));
  const held = { ...said, outcome };
  if (review === undefined) return held;
  return await verifyFindings(own, await verifySettlements(own, held, run), run);
}

function loopOf(
  { memory }: Plan,
  notes: RunNotes | undefined,
  { clock, reporter, deadline }: Dependencies,
): LoopDependencies {
  return {
    clock,
    reporter,
    signal: deadline.signal,
    leftMs: () => deadline.leftMs(),
    keepSummary: notes === undefined || memory?.lane === 'none' ? undefined : summaryKeeper(notes),
  };
}

/** What the loop is about to leave out is in the daily log first (memory-tools 1.6). */
function summaryKeeper({ session }: RunNotes): NonNullable<LoopDependencies['keepSummary']> {
  return async ({ text, messages }) => {
    const answer = await session.addSummary(text, messages);
    if (answer.kind === 'failed') throw new AxeError(answer.message);
  };
}

/**
 * Why what this run costs will not be known to others; undefined where it will, as far as can be
 * said before.
 */
function whyUnheld({ memory: plan }: Plan, memory: Memory | undefined): string | undefined {
  if (plan === undefined || plan.lane === 'none')
    return 'this run keeps no record of what it costs. Set `enabled = true` in `[memory]` of the agent, and remove `memory-readonly`.';
  return memory?.store.kind === 'file'
    ? 'what this run costs is kept in the workspace, and counts once a later step has pushed it. Add that step, or limit each run with `max-cost-usd`.'
    : undefined;
}

/**
 * What a run has read of the change that was planned. The pass of files in `unread` was not held,
 * or failed; those in `paths` did not fit into the model's window, or not whole; `isCut`: the
 * model's server has cut the prompt.
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
  // What the model was sent counts as read only if an answer came of it.
  const hasAnswer =
    outcome.kind !== 'failed' && outcome.kind !== 'refused' && outcome.stats.turns > 0;
  const inTheEnd = hasAnswer ? read : coverageWithoutAnswer(read);
  return {
    coverage: isCut || (hasAnswer && isCutShort(outcome)) ? coverageCutShort(inTheEnd) : inTheEnd,
    unseen,
  };
}
