import { answerMemoryCommand } from '../commands/memory/answer-command.js';
import { commandInComment } from '../commands/memory/parse-comment.js';
import { pauseCommand, runPauseCommand, skipPaused } from '../commands/pause.js';
import type { Dependencies } from '../core/dependencies.js';
import { AxeError } from '../core/errors.js';
import type { TaintTracker } from '../core/event/taint.js';
import type { OpenModel } from '../core/loop/asker.js';
import type { LoopDependencies } from '../core/loop/loop-dependencies.js';
import { costLimit, spendBefore, spentFact, usedUp } from '../core/loop/spend.js';
import type { RunOutcome } from '../core/outcome.js';
import type { Plan } from '../core/plan.js';
import type { Publications } from '../core/review/buffer.js';
import { NOTHING_BUFFERED } from '../core/review/buffered.js';
import { converse, createDelegation } from './converse.js';
import { cutWarning, judge } from './judge.js';
import { withLessons } from './learn.js';
import type { RunNotes } from './notes.js';
import { prepare } from './prepare.js';
import { openPublications } from './publishing-tools.js';
import {
  entriesOf,
  keepInJournal,
  memoryWarnings,
  notesWarnings,
  remember,
  UNPUBLISHED,
} from './remember.js';
import type { Memory, RunReport, RunRequest } from './request.js';
import { reviewFacts } from './review-facts.js';

/**
 * The six steps: inputs → plan → restore → run → publish → save. Publishing comes before saving, so that the entry
 * can name what was posted. Throws an AxeError for what stops a run before it reaches the model; what happens later
 * is in the report.
 */
export async function runPipeline(request: RunRequest, deps: Dependencies): Promise<RunReport> {
  const words = commandInComment(request.trigger);
  if (words !== undefined) return await answerMemoryCommand({ ...request, words, askedIn: 'comment' }, deps);
  const pause = pauseCommand(request.trigger);
  if (pause !== undefined) return await runPauseCommand(pause, request, deps);
  const prepared = await prepare(request, deps);
  if (prepared.kind === 'skipped') return prepared;
  for (const warning of prepared.plan.warnings) deps.reporter.warn(warning);
  const memory = (await prepared.memory)();
  if (memory !== undefined) {
    for (const warning of memoryWarnings(prepared.plan, memory.restored, deps)) deps.reporter.warn(warning);
    for (const warning of notesWarnings(memory)) deps.reporter.warn(warning);
  }
  const { change } = prepared;
  const learned = (await prepared.learned)();
  const plan = withLessons(prepared.plan, { memory, learned, change });
  if (prepared.model === undefined) {
    // The summary shows what would be sent, and not what is kept in another repository.
    return { kind: 'planned', plan: request.isMemoryHidden ? prepared.plan : plan, memory };
  }
  const paused = skipPaused(plan.trigger, memory?.facts ?? []);
  if (paused !== undefined) return { kind: 'skipped', decision: paused };
  const spend = spendBefore(memory?.facts ?? [], {
    trigger: plan.trigger,
    limits: request.spendLimits,
    now: deps.clock.now(),
  });
  const spent = usedUp(spend);
  if (spent !== undefined)
    return { kind: 'skipped', decision: { kind: 'skip', reason: 'budget-spent', ...spent } };

  warnOfUnheldLimits(plan, request, deps);
  const limited = { ...request, ...costLimit(request.maxCostUsd, spend) };
  const { taint } = prepared;
  const publications = openPublications(plan.trigger, change, deps.publishRules);
  const model = (await prepared.model)();
  const ended = await run(plan, { request: limited, memory, model, taint, publications }, deps);
  const buffered = publications?.buffered ?? NOTHING_BUFFERED;
  const outcome = judge(ended, buffered, request);
  if (ended.kind === 'incomplete' && outcome.kind === 'completed')
    deps.reporter.warn(cutWarning(ended.error));
  const cost = { spend, run: plan.memory?.entryId ?? '', now: deps.clock.now() };
  const fact = plan.trigger.kind === 'local' ? undefined : spentFact(outcome.stats.costUsd, cost);
  const spentFacts = fact === undefined ? [] : [fact];
  const unpublished = { plan, memory, outcome, taint, facts: spentFacts, published: UNPUBLISHED };
  await keepInJournal(unpublished, entriesOf(unpublished, deps), deps);
  const known = [...(memory?.facts ?? []), ...learned.withdrawn];
  const wanted = {
    buffered,
    commits: change,
    facts: known,
    withdrawnHere: learned.withdrawnHere,
    isUntrusted: taint.lane(plan.trust.lane) !== 'trusted',
  };
  const published = await deps.publisher.publish(plan, outcome, wanted);
  const lane = plan.memory === undefined ? 'none' : taint.lane(plan.memory.lane);
  const now = deps.clock.now();
  const { trigger, scope, task } = plan;
  const { unseen = [] } = task;
  const reviewed = reviewFacts({ trigger, change, outcome, published, lane, scope, unseen, now });
  const facts = [...spentFacts, ...learned.withdrawn, ...reviewed];
  const remembered = await remember({ plan, memory, outcome, taint, published, facts }, deps);
  const taints = taint.sources;
  return { kind: 'ran', plan, memory, outcome, taints, published, remembered, spend, learned };
}

interface RunParts {
  readonly request: RunRequest;
  readonly memory: Memory | undefined;
  readonly model: OpenModel;
  readonly taint: TaintTracker;
  readonly publications: Publications | undefined;
}

async function run(
  plan: Plan,
  { request, memory, model, taint, publications }: RunParts,
  deps: Dependencies,
): Promise<RunOutcome> {
  const { clock, reporter, deadline } = deps;
  const notesSession = memory?.notesSession;
  const notes = notesSession === undefined ? {} : { notes: notesSession.found };
  reporter.event({ kind: 'run-started', plan, restored: memory?.restored, ...notes });
  const loop = {
    clock,
    reporter,
    signal: deadline.signal,
    leftMs: () => deadline.leftMs(),
    ...(notesSession === undefined || plan.memory?.lane === 'none'
      ? {}
      : { keepSummary: summaryKeeper(notesSession) }),
  };
  const delegation = createDelegation(plan, { request, taint, publications, notesSession }, deps);
  return await converse(plan, { model, memory: memory?.text ?? '', notesSession, loop }, delegation, {
    depth: 0,
    callerEffects: undefined,
  });
}

/** What the loop is about to leave out stands in the daily log first (memory-tools 1.6). */
function summaryKeeper({ session }: RunNotes): NonNullable<LoopDependencies['keepSummary']> {
  return async ({ text, messages }) => {
    const answer = await session.addSummary(text, messages);
    if (answer.kind === 'failed') throw new AxeError(answer.message);
  };
}

/** Limits over several runs are held by what memory keeps of their cost. */
function warnOfUnheldLimits({ memory }: Plan, { spendLimits }: RunRequest, { reporter }: Dependencies): void {
  const limits = [
    ...(spendLimits.perPullUsd > 0 ? ['`max-cost-usd-per-pr`'] : []),
    ...(spendLimits.perDayUsd > 0 ? ['`max-cost-usd-per-day`'] : []),
  ];
  if (limits.length === 0 || (memory !== undefined && memory.lane !== 'none')) return;
  const remedy =
    memory === undefined
      ? 'the agent keeps no memory of what its runs cost. Set `enabled = true` in `[memory]` of the agent.'
      : 'this run writes no memory, so what it costs is not kept. Set `memory-write: auto`.';
  const message = `${limits.join(' and ')} ${limits.length === 1 ? 'is' : 'are'} not held: ${remedy}`;
  reporter.warn({ code: 'input-invalid', message });
}
