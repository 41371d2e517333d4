import { formatModelRef, isOffline, type ModelRef, parseModelRef } from '../../axe/agent/model-ref.js';
import { AxeError } from '../../axe/errors.js';
import { affordableTokens, type OldestEntries, oldestEntries } from '../../axe/gc/parts.js';
import { type LogStats, logStats } from '../../axe/gc/stats.js';
import { planTrim, type TrimPlan } from '../../axe/gc/trim.js';
import type { OpenModel } from '../../axe/loop/asker.js';
import type { BudgetLimits } from '../../axe/loop/budget.js';
import { estimateText } from '../../axe/loop/estimate.js';
import type { RunStats } from '../../axe/loop/outcome.js';
import { retryPolicy } from '../../axe/loop/retry.js';
import type { Change } from '../../axe/memory/change.js';
import { promptText } from '../../axe/memory/prompt-text.js';
import { countEntries } from '../../axe/memory/run-log.js';
import type { SaveResult } from '../../axe/memory/store.js';
import type { World } from '../../axe/ports.js';
import { usd } from '../../axe/usd.js';
import { openModel } from '../crew.js';
import { unsavedNoteWarning } from '../remember.js';
import { type Analysed, type Analysis, analyse } from './analyse.js';
import type { CollectStep, Empty, Removed, Trim } from './collection.js';
import { type Expired, expiredChanges, type FindRequest, findMemory, trimChange } from './find-memory.js';

/** What garbage collection of one agent's memory works with. */
export interface CollectRequest extends FindRequest {
  /** `provider/model`; empty for the agent's. */
  readonly model: string;
  readonly fallbackModels: readonly string[];
  /** What it may cost, of the agent's state. May throw an AxeError. */
  limits(state: string): BudgetLimits;
  /** Told before the first question what counts them all. */
  onAsking(stats: () => RunStats): void;
  /** Leave everything as it is: after an analysis, as axe does, or without asking a model. */
  readonly dryRun: false | 'analysis' | 'figures';
  /** Milliseconds for an analysis in so many parts. */
  readonly timeLimitMs: (parts: number) => number;
  /** Told of each step as soon as it is done: a later one may fail. */
  onStep(step: CollectStep): void;
}

/** How garbage collection ended. */
export type Collected =
  | (Empty & { readonly removed: Removed })
  /** No model looked at it. */
  | {
      readonly kind: 'counted';
      readonly stats: LogStats;
      readonly trim: Extract<Trim, { readonly kind: 'not-analysed' | 'not-asked' }>;
      readonly removed: Removed;
    }
  | {
      readonly kind: 'collected';
      readonly entries: number;
      readonly stats: LogStats;
      readonly analysis: Analysis;
      readonly trim: Trim;
      readonly removed: Removed;
      /** Asks the same model more, under the same limits. */
      readonly analysed: Analysed;
    };

/**
 * Garbage collection (axe-behaviour §19): reads an agent's run log, has a model look for patterns in it and trims it to
 * what the agent wants to keep. The trim takes out what was analysed and nothing else, so an entry that is appended in
 * the meantime stays on every store. The offline rules analyse nothing: with them there are figures and no trim. Throws
 * an AxeError; nothing is trimmed then.
 */
export async function collect(request: CollectRequest, world: World): Promise<Collected> {
  const { log, unsigned, expired, state } = await findMemory(request, world);
  const entries = countEntries(log);
  const removed = request.dryRun === false ? countOf(expired) : NOTHING;
  // What has an age of its own goes whatever the log holds and whoever looks at it.
  const byAge = request.dryRun === false ? expiredChanges(expired, request, world) : [];
  if (entries === 0) {
    if (byAge.length > 0) await save(byAge, { request, world });
    return { kind: 'empty', unsigned, removed };
  }
  const stats = logStats(log);
  request.onStep({ kind: 'read', entries, stats });
  const ref = parseModelRef(request.model === '' ? request.agent.config.model : request.model);
  if (isOffline(ref)) {
    if (byAge.length > 0) await save(byAge, { request, world });
    return { kind: 'counted', stats, trim: { kind: 'not-analysed' }, removed };
  }
  const limits = request.limits(state);
  if (request.dryRun === 'figures')
    return { kind: 'counted', stats, trim: foresee({ log, ref, limits }, request, world), removed };
  const { analysed, read } = await analyseLog({ log, ref, limits }, request, world);
  const { analysis } = analysed;
  if (analysis.text.trim() !== '')
    request.onStep({ kind: 'analysed', ...analysis, left: entries - countEntries(read.text) });
  tellBroken(analysis, request, world);
  const made = { kind: 'collected', entries, stats, analysis, analysed, removed } as const;
  if (request.dryRun !== false) return { ...made, trim: { kind: 'dry-run' } };
  const plan = planTrim(log, request.agent.config.memory, { now: world.clock.now(), analysed: read.parts });
  return { ...made, trim: await trimMemory(plan, byAge, { request, world }) };
}

/** Throws for what is not a whole analysis; where nothing would be trimmed, the beginning of one is something, too. */
function tellBroken({ broken }: Analysis, { dryRun }: CollectRequest, { reporter }: World): void {
  if (broken === undefined) return;
  const { isCut, error } = broken;
  if (!isCut || dryRun === false) throw error;
  const message = error.remedy === undefined ? error.message : `${error.message}. ${error.remedy}`;
  reporter.warn({ code: 'answer-truncated', message });
}

const NOTHING: Removed = { days: 0, untrusted: 0 };

function countOf({ days, untrusted }: Expired): Removed {
  return { days: days.length, untrusted: untrusted?.removed ?? 0 };
}

/** What would be sent and trimmed. */
function foresee(
  { log, ref, limits }: LogToAnalyse,
  { agent }: CollectRequest,
  { models, clock }: World,
): Extract<Trim, { readonly kind: 'not-asked' }> {
  const read = oldestEntries(log, affordableTokens(limits, models.facts(ref).price));
  if (read === undefined) throw noRoom(limits);
  const plan = planTrim(log, agent.config.memory, { now: clock.now(), analysed: read.parts });
  return { kind: 'not-asked', model: formatModelRef(ref), tokens: estimateText(promptText(read.text)), plan };
}

interface AnalysedLog {
  readonly analysed: Analysed;
  /** What of the log was analysed. */
  readonly read: OldestEntries;
}

interface LogToAnalyse {
  readonly log: string;
  readonly ref: ModelRef;
  readonly limits: BudgetLimits;
}

async function analyseLog(
  { log, ref, limits }: LogToAnalyse,
  request: CollectRequest,
  world: World,
): Promise<AnalysedLog> {
  const { agent, timeLimitMs } = request;
  await world.models.configure(ref);
  const model = await openModel(world, ref);
  const read = oldestEntries(log, affordableTokens(limits, model.price));
  if (read === undefined) throw noRoom(limits);
  const analysed = await analyse(
    {
      log: promptText(read.text),
      model,
      fallbacks: fallbacksOf(request, world),
      retry: retryPolicy(agent.config.retry),
      limits,
      onParts: (parts, stats) => {
        world.deadline.limit(timeLimitMs(parts));
        request.onAsking(stats);
      },
    },
    world,
  );
  return { analysed, read };
}

/** In the order they are asked; the offline rules would give an answer that is not an analysis. */
function fallbacksOf(
  { fallbackModels }: CollectRequest,
  world: World,
): readonly (() => Promise<OpenModel>)[] {
  const refs = fallbackModels.map(parseModelRef).filter((ref) => !isOffline(ref));
  return refs.map((ref) => async () => {
    await world.models.configure(ref);
    return await openModel(world, ref);
  });
}

function noRoom({ maxTokens, maxCostUsd, costInput = 'max-cost-usd' }: BudgetLimits): AxeError {
  const limits = [
    ...(maxTokens > 0 ? [`\`max-tokens\` (${maxTokens})`] : []),
    ...(maxCostUsd > 0 ? [`\`${costInput}\` (${usd(maxCostUsd)})`] : []),
  ];
  return new AxeError(
    `${limits.join(' and ')} ${limits.length > 1 ? 'leave' : 'leaves'} no room for an analysis, so nothing was trimmed`,
    {
      exitCode: 4,
      remedy: 'Raise the limit: gc reads entries from the oldest on, as far as half of it goes.',
    },
  );
}

async function trimMemory(
  plan: TrimPlan,
  expired: readonly Change[],
  { request, world }: { readonly request: CollectRequest; readonly world: World },
): Promise<Trim> {
  if (plan.kind !== 'trim') {
    if (expired.length > 0) await save(expired, { request, world });
    return plan;
  }
  const { removed, kept } = plan;
  const trim = trimChange(plan, request.path, world.clock.now());
  return { kind: 'trimmed', removed, kept, saved: await save([trim, ...expired], { request, world }) };
}

async function save(
  changes: readonly Change[],
  { request: { agent, store }, world }: { readonly request: CollectRequest; readonly world: World },
): Promise<Saved> {
  const saved = await store.write(changes, world.saveSignal);
  if (saved.kind === 'saved') {
    for (const note of saved.unsaved ?? []) world.reporter.warn(unsavedNoteWarning(agent.name, note));
    return saved;
  }
  const details = saved.remedy === undefined ? {} : { remedy: saved.remedy };
  throw new AxeError(`failed to trim memory for "${agent.name}": ${saved.message}`, details);
}

type Saved = Extract<SaveResult, { readonly kind: 'saved' }>;
