import { formatModelRef, isOffline, type ModelRef, parseModelRef } from '../../core/agent/model-ref.js';
import type { Dependencies } from '../../core/dependencies.js';
import { AxeError } from '../../core/errors.js';
import type { OpenFile } from '../../core/files.js';
import {
  affordableTokens,
  type CountedLog,
  countLog,
  estimatePieces,
  type OldestEntries,
  oldestEntries,
  promptPieces,
} from '../../core/gc/parts.js';
import type { LogStats } from '../../core/gc/stats.js';
import { planTrim, type TrimPlan } from '../../core/gc/trim.js';
import type { OpenModel } from '../../core/loop/asker.js';
import type { BudgetLimits } from '../../core/loop/budget.js';
import { retryPolicy } from '../../core/loop/retry.js';
import type { Change } from '../../core/memory/change.js';
import type { SaveResult } from '../../core/memory/store.js';
import type { RunStats } from '../../core/outcome.js';
import { usd } from '../../core/text/number.js';
import { openModel } from '../../run/delegation.js';
import { unsavedNoteWarning } from '../../run/save.js';
import { type Analysed, type Analysis, analyse } from './analyse.js';
import {
  type Expired,
  expiredChanges,
  type FindRequest,
  findMemory,
  type GcTarget,
  trimChange,
} from './find-memory.js';
import type { Empty, GcStep, Removed, Trim } from './gc-result.js';

/** What garbage collection of one agent's memory works with. */
export interface GcRequest extends FindRequest {
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
  onStep(step: GcStep): void;
}

/** How garbage collection ended. */
export type GcOutcome =
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
export async function collect(request: GcRequest, deps: Dependencies): Promise<GcOutcome> {
  const target = await findMemory(request, deps);
  try {
    return await collectFrom(target, request, deps);
  } finally {
    await target.close();
  }
}

async function collectFrom(
  { log, expired, state }: GcTarget,
  request: GcRequest,
  deps: Dependencies,
): Promise<GcOutcome> {
  const removed = request.dryRun === false ? countOf(expired) : NOTHING;
  // What has an age of its own goes whatever the log holds and whoever looks at it.
  const byAge = request.dryRun === false ? expiredChanges(expired, request, deps) : [];
  const counted = await countLog(log);
  const { entries, stats } = counted;
  if (entries === 0) {
    if (byAge.length > 0) await save(byAge, { request, deps });
    return { kind: 'empty', removed };
  }
  request.onStep({ kind: 'read', entries, stats });
  const ref = parseModelRef(request.model === '' ? request.agent.config.model : request.model);
  if (isOffline(ref)) {
    if (byAge.length > 0) await save(byAge, { request, deps });
    return { kind: 'counted', stats, trim: { kind: 'not-analysed' }, removed };
  }
  const limits = request.limits(state);
  const toAnalyse = { log, counted, ref, limits };
  if (request.dryRun === 'figures')
    return { kind: 'counted', stats, trim: await foresee(toAnalyse, request, deps), removed };
  const { analysed, read } = await analyseLog(toAnalyse, request, deps);
  const { analysis } = analysed;
  if (analysis.text.trim() !== '')
    request.onStep({ kind: 'analysed', ...analysis, left: entries - read.entries });
  formatBroken(analysis, request, deps);
  const made = { kind: 'collected', entries, stats, analysis, analysed, removed } as const;
  if (request.dryRun !== false) return { ...made, trim: { kind: 'dry-run' } };
  const time = { now: deps.clock.now(), entries, analysed: read.parts };
  const plan = await planTrim(log, request.agent.config.memory, time);
  return { ...made, trim: await trimMemory(plan, byAge, { request, deps }) };
}

/** Throws for what is not a whole analysis; where nothing would be trimmed, the beginning of one is something, too. */
function formatBroken({ broken }: Analysis, { dryRun }: GcRequest, { reporter }: Dependencies): void {
  if (broken === undefined) return;
  const { isCut, error } = broken;
  if (!isCut || dryRun === false) throw error;
  const { message, remedy } = error;
  reporter.warn({ code: 'answer-truncated', message, ...(remedy === undefined ? {} : { remedy }) });
}

const NOTHING: Removed = { days: 0, untrusted: 0 };

function countOf({ days, untrusted }: Expired): Removed {
  return { days: days.length, untrusted: untrusted?.removed ?? 0 };
}

/** What would be sent and trimmed. */
async function foresee(
  { log, counted, ref, limits }: LogToAnalyse,
  { agent }: GcRequest,
  { models, clock }: Dependencies,
): Promise<Extract<Trim, { readonly kind: 'not-asked' }>> {
  const price = models.facts(ref).price ?? agent.config.params.price;
  const read = await oldestEntries(log, counted, affordableTokens(limits, price));
  if (read === undefined) throw noRoom(limits);
  const time = { now: clock.now(), entries: counted.entries, analysed: read.parts };
  return {
    kind: 'not-asked',
    model: formatModelRef(ref),
    tokens: await estimatePieces(promptPieces(log, read)),
    plan: await planTrim(log, agent.config.memory, time),
  };
}

interface AnalysedLog {
  readonly analysed: Analysed;
  /** What of the log was analysed. */
  readonly read: OldestEntries;
}

interface LogToAnalyse {
  readonly log: OpenFile;
  readonly counted: CountedLog;
  readonly ref: ModelRef;
  readonly limits: BudgetLimits;
}

async function analyseLog(
  { log, counted, ref, limits }: LogToAnalyse,
  request: GcRequest,
  deps: Dependencies,
): Promise<AnalysedLog> {
  const { agent, timeLimitMs } = request;
  await deps.models.configure();
  const model = await openModel(deps, ref, agent.config.params);
  const read = await oldestEntries(log, counted, affordableTokens(limits, model.price));
  if (read === undefined) throw noRoom(limits);
  const analysed = await analyse(
    {
      log: () => promptPieces(log, read),
      model,
      fallbacks: fallbacksOf(request, deps),
      retry: retryPolicy(agent.config.retry),
      params: agent.config.params,
      limits,
      onParts: (parts, stats) => {
        deps.deadline.limit(timeLimitMs(parts));
        request.onAsking(stats);
      },
    },
    deps,
  );
  return { analysed, read };
}

/** In the order they are asked; the offline rules would give an answer that is not an analysis. */
function fallbacksOf(
  { fallbackModels }: GcRequest,
  deps: Dependencies,
): readonly (() => Promise<OpenModel>)[] {
  const refs = fallbackModels.map(parseModelRef).filter((ref) => !isOffline(ref));
  return refs.map((ref) => () => openModel(deps, ref));
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
  { request, deps }: { readonly request: GcRequest; readonly deps: Dependencies },
): Promise<Trim> {
  if (plan.kind !== 'trim') {
    if (expired.length > 0) await save(expired, { request, deps });
    return plan;
  }
  const { removed, kept } = plan;
  const trim = trimChange(plan, request.path, deps.clock.now());
  return { kind: 'trimmed', removed, kept, saved: await save([trim, ...expired], { request, deps }) };
}

async function save(
  changes: readonly Change[],
  { request: { agent, store }, deps }: { readonly request: GcRequest; readonly deps: Dependencies },
): Promise<Saved> {
  const saved = await store.write(changes, deps.saveSignal);
  if (saved.kind === 'saved') {
    for (const note of saved.unsaved ?? []) deps.reporter.warn(unsavedNoteWarning(agent.name, note));
    return saved;
  }
  const details = saved.remedy === undefined ? {} : { remedy: saved.remedy };
  throw new AxeError(`failed to trim memory for "${agent.name}": ${saved.message}`, details);
}

type Saved = Extract<SaveResult, { readonly kind: 'saved' }>;
