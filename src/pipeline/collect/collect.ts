import { parseModelRef } from '../../axe/agent/model-ref.js';
import { AxeError } from '../../axe/errors.js';
import { affordableTokens, oldestEntries } from '../../axe/gc/parts.js';
import { type LogStats, logStats } from '../../axe/gc/stats.js';
import { planTrim, type TrimPlan } from '../../axe/gc/trim.js';
import type { BudgetLimits } from '../../axe/loop/budget.js';
import type { RunStats } from '../../axe/loop/outcome.js';
import { retryPolicy } from '../../axe/loop/retry.js';
import type { Change } from '../../axe/memory/change.js';
import { stripProvenance } from '../../axe/memory/run-log.js';
import type { SaveResult } from '../../axe/memory/store.js';
import { parseLog } from '../../axe/memory/units.js';
import type { World } from '../../axe/ports.js';
import { openModel } from '../crew.js';
import { type Analysed, type Analysis, analyse } from './analyse.js';
import type { CollectStep, Removed, Trim } from './collection.js';
import { type Expired, expiredChanges, type FindRequest, findMemory } from './find-memory.js';

/** What garbage collection of one agent's memory works with. */
export interface CollectRequest extends FindRequest {
  /** `provider/model`; empty for the agent's. */
  readonly model: string;
  readonly fallbackModels: readonly string[];
  /** What it may cost, of the agent's state. May throw an AxeError. */
  limits(state: string): BudgetLimits;
  /** Told before the first question what counts them all. */
  onAsking(stats: () => RunStats): void;
  /** Analyse, but leave everything as it is. */
  readonly dryRun: boolean;
  /** Milliseconds for an analysis in so many parts. */
  readonly timeLimitMs: (parts: number) => number;
  /** Told of each step as soon as it is done: a later one may fail. */
  onStep(step: CollectStep): void;
}

/** How garbage collection ended. */
export type Collected =
  | {
      readonly kind: 'empty';
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
 * the meantime stays on every store. Throws an AxeError; nothing is trimmed then.
 */
export async function collect(request: CollectRequest, world: World): Promise<Collected> {
  const { log, expired, state } = await findMemory(request, world);
  const { units } = parseLog(log);
  const removed = request.dryRun ? NOTHING : countOf(expired);
  if (units.length === 0) {
    // What has an age of its own goes whatever the log holds.
    const changes = request.dryRun ? [] : expiredChanges(expired, request, world);
    if (changes.length > 0) await save(changes, { request, world });
    return { kind: 'empty', removed };
  }
  const stats = logStats(log);
  request.onStep({ kind: 'read', entries: units.length, stats });
  const { analysed, read } = await analyseLog({ log, limits: request.limits(state) }, request, world);
  const { analysis } = analysed;
  const ids = new Set(parseLog(read).units.map(({ id }) => id));
  const left = units.filter(({ id }) => !ids.has(id)).length;
  request.onStep({ kind: 'analysed', text: analysis.text, parts: analysis.parts, left });
  const made = { kind: 'collected', entries: units.length, stats, analysis, analysed, removed } as const;
  if (request.dryRun) return { ...made, trim: { kind: 'dry-run' } };
  const plan = planTrim(log, request.agent.config.memory, { now: world.clock.now(), mayGo: ids });
  const trim = await trimMemory(plan, expiredChanges(expired, request, world), { request, world });
  return { ...made, trim };
}

const NOTHING: Removed = { days: 0, untrusted: 0 };

function countOf({ days, untrusted }: Expired): Removed {
  return { days: days.length, untrusted: untrusted.length };
}

interface AnalysedLog {
  readonly analysed: Analysed;
  /** What of the log was analysed: whole entries from its beginning on. */
  readonly read: string;
}

async function analyseLog(
  { log, limits }: { readonly log: string; readonly limits: BudgetLimits },
  request: CollectRequest,
  world: World,
): Promise<AnalysedLog> {
  const { agent, timeLimitMs } = request;
  const ref = parseModelRef(request.model === '' ? agent.config.model : request.model);
  await world.models.configure(ref);
  const model = await openModel(world, ref);
  const read = oldestEntries(log, affordableTokens(limits, model.price));
  const analysed = await analyse(
    {
      log: stripProvenance(read).toWellFormed().replaceAll('\0', '\uFFFD'),
      model,
      fallbacks: request.fallbackModels.map((text) => {
        const other = parseModelRef(text);
        return async () => {
          await world.models.configure(other);
          return await openModel(world, other);
        };
      }),
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

async function trimMemory(
  plan: TrimPlan,
  expired: readonly Change[],
  { request, world }: { readonly request: CollectRequest; readonly world: World },
): Promise<Trim> {
  if (plan.kind !== 'trim') {
    if (expired.length > 0) await save(expired, { request, world });
    return plan;
  }
  const { ids, removed, kept } = plan;
  const trim: Change = { kind: 'trim', path: request.path, ids, at: world.clock.now() };
  return { kind: 'trimmed', removed, kept, saved: await save([trim, ...expired], { request, world }) };
}

async function save(
  changes: readonly Change[],
  { request: { agent, store }, world }: { readonly request: CollectRequest; readonly world: World },
): Promise<Saved> {
  const saved = await store.write(changes, world.saveSignal);
  if (saved.kind === 'saved') return saved;
  const details = saved.remedy === undefined ? {} : { remedy: saved.remedy };
  throw new AxeError(`failed to trim memory for "${agent.name}": ${saved.message}`, details);
}

type Saved = Extract<SaveResult, { readonly kind: 'saved' }>;
