import { AxeError } from '../axe/errors.js';
import type { OpenModel } from '../axe/loop/asker.js';
import type { RunOutcome } from '../axe/loop/outcome.js';
import type { LoopWorld } from '../axe/loop/world.js';
import type { Plan } from '../axe/plan.js';
import type { World } from '../axe/ports.js';
import type { Publications } from '../axe/review/buffer.js';
import { NOTHING_BUFFERED } from '../axe/review/buffered.js';
import { costLimit, spendBefore, spentFact, usedUp } from '../axe/review/spend.js';
import type { TaintTracker } from '../axe/taint.js';
import { converse, formCrew } from './converse.js';
import { cutWarning, judge } from './judge.js';
import { withLessons } from './learn.js';
import type { RunNotes } from './notes.js';
import { carryOutPause, pauseCommand, skipPaused } from './pause.js';
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
import { commentWords } from './tend/command-words.js';
import { tendMemory } from './tend/tend-memory.js';

/**
 * The six steps: inputs → plan → restore → run → publish → save. Publishing comes before saving, so that the entry
 * can name what was posted. Throws an AxeError for what stops a run before it reaches the model; what happens later
 * is in the report.
 */
export async function runPipeline(request: RunRequest, world: World): Promise<RunReport> {
  const words = commentWords(request.trigger);
  if (words !== undefined) return await tendMemory({ ...request, words, askedIn: 'comment' }, world);
  const pause = pauseCommand(request.trigger);
  if (pause !== undefined) return await carryOutPause(pause, request, world);
  const prepared = await prepare(request, world);
  if (prepared.kind === 'skipped') return prepared;
  for (const warning of prepared.plan.warnings) world.reporter.warn(warning);
  const memory = (await prepared.memory)();
  if (memory !== undefined) {
    for (const warning of memoryWarnings(prepared.plan, memory.restored, world)) world.reporter.warn(warning);
    for (const warning of notesWarnings(memory)) world.reporter.warn(warning);
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
    now: world.clock.now(),
  });
  const spent = usedUp(spend);
  if (spent !== undefined)
    return { kind: 'skipped', decision: { kind: 'skip', reason: 'budget-spent', ...spent } };

  warnOfUnheldLimits(plan, request, world);
  const limited = { ...request, ...costLimit(request.maxCostUsd, spend) };
  const { taint } = prepared;
  const publications = openPublications(plan.trigger, change, world.publishRules);
  const model = (await prepared.model)();
  const ended = await run(plan, { request: limited, memory, model, taint, publications }, world);
  const buffered = publications?.buffered ?? NOTHING_BUFFERED;
  const outcome = judge(ended, buffered, request);
  if (ended.kind === 'incomplete' && outcome.kind === 'completed')
    world.reporter.warn(cutWarning(ended.error));
  const cost = { spend, run: plan.memory?.entryId ?? '', now: world.clock.now() };
  const fact = plan.trigger.kind === 'local' ? undefined : spentFact(outcome.stats.costUsd, cost);
  const spentFacts = fact === undefined ? [] : [fact];
  const unpublished = { plan, memory, outcome, taint, facts: spentFacts, published: UNPUBLISHED };
  await keepInJournal(unpublished, entriesOf(unpublished, world), world);
  const known = [...(memory?.facts ?? []), ...learned.withdrawn];
  const wanted = {
    buffered,
    commits: change,
    facts: known,
    withdrawnHere: learned.withdrawnHere,
    isUntrusted: taint.lane(plan.trust.lane) !== 'trusted',
  };
  const published = await world.publisher.publish(plan, outcome, wanted);
  const lane = plan.memory === undefined ? 'none' : taint.lane(plan.memory.lane);
  const now = world.clock.now();
  const { trigger, scope, task } = plan;
  const { unseen = [] } = task;
  const reviewed = reviewFacts({ trigger, change, outcome, published, lane, scope, unseen, now });
  const facts = [...spentFacts, ...learned.withdrawn, ...reviewed];
  const remembered = await remember({ plan, memory, outcome, taint, published, facts }, world);
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
  world: World,
): Promise<RunOutcome> {
  const { clock, reporter, deadline } = world;
  const desk = memory?.desk;
  const notes = desk === undefined ? {} : { notes: desk.found };
  reporter.event({ kind: 'run-started', plan, restored: memory?.restored, ...notes });
  const loop = {
    clock,
    reporter,
    signal: deadline.signal,
    leftMs: () => deadline.leftMs(),
    ...(desk === undefined || plan.memory?.lane === 'none' ? {} : { keepSummary: summaryKeeper(desk) }),
  };
  const crew = formCrew(plan, { request, taint, publications, desk }, world);
  return await converse(plan, { model, memory: memory?.text ?? '', desk, loop }, crew, {
    depth: 0,
    callerEffects: undefined,
  });
}

/** What the loop is about to leave out stands in the daily log first (memory-tools 1.6). */
function summaryKeeper({ session }: RunNotes): NonNullable<LoopWorld['keepSummary']> {
  return async ({ text, messages }) => {
    const answer = await session.addSummary(text, messages);
    if (answer.kind === 'failed') throw new AxeError(answer.message);
  };
}

/** Limits over several runs are held by what memory keeps of their cost. */
function warnOfUnheldLimits({ memory }: Plan, { spendLimits }: RunRequest, { reporter }: World): void {
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
