import type { LoadedAgent } from '../../axe/agent/loaded-agent.js';
import { parseModelRef } from '../../axe/agent/model-ref.js';
import { AxeError } from '../../axe/errors.js';
import { expiredDailyLogs } from '../../axe/gc/expired.js';
import { type LogStats, logStats } from '../../axe/gc/stats.js';
import { planTrim } from '../../axe/gc/trim.js';
import type { BudgetLimits } from '../../axe/loop/budget.js';
import type { RunStats } from '../../axe/loop/outcome.js';
import { retryPolicy } from '../../axe/loop/retry.js';
import type { Change } from '../../axe/memory/change.js';
import { notesPlaces, pathOf } from '../../axe/memory/notes/place.js';
import { stripProvenance } from '../../axe/memory/run-log.js';
import { signedEntries } from '../../axe/memory/signature.js';
import { statePath } from '../../axe/memory/state.js';
import type { MemoryStore, SaveResult } from '../../axe/memory/store.js';
import type { MemoryTree } from '../../axe/memory/tree.js';
import { parseLog } from '../../axe/memory/units.js';
import { memoryName } from '../../axe/plan.js';
import type { World } from '../../axe/ports.js';
import { openModel } from '../crew.js';
import { type Analysed, type Analysis, analyse } from './analyse.js';
import type { CollectStep, Trim } from './collection.js';

/** What garbage collection of one agent's memory works with. */
export interface CollectRequest {
  readonly agent: LoadedAgent;
  /** `provider/model`; empty for the agent's. */
  readonly model: string;
  readonly fallbackModels: readonly string[];
  readonly store: MemoryStore;
  /** The agent's run log in the tree. */
  readonly path: string;
  /** What the project is known by, for the daily logs of its notes (see `projectSlug`). */
  readonly identity: string;
  /** Only entries with a good signature are analysed, and only they are trimmed. */
  readonly requireSigned: boolean;
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
      /** Daily logs that were removed. */
      readonly days: number;
    }
  | {
      readonly kind: 'collected';
      readonly entries: number;
      readonly stats: LogStats;
      readonly analysis: Analysis;
      readonly trim: Trim;
      /** Daily logs that were removed. */
      readonly days: number;
      /** Asks the same model more, under the same limits. */
      readonly analysed: Analysed;
    };

/**
 * Garbage collection (axe-behaviour §19): reads an agent's run log, has a model look for patterns in it and trims it to
 * what the agent wants to keep. The trim takes out what was analysed and nothing else, so an entry that is appended in
 * the meantime stays on every store. Throws an AxeError; nothing is trimmed then.
 */
export async function collect(request: CollectRequest, world: World): Promise<Collected> {
  const { log, expired, state } = await readMemory(request, world);
  const { units } = parseLog(log);
  if (units.length === 0) {
    // Notes have an age of their own, whatever the log holds.
    const days = request.dryRun ? [] : expired;
    if (days.length > 0) await save(daysOver(days, world), { request, world });
    return { kind: 'empty', days: days.length };
  }
  const stats = logStats(log);
  request.onStep({ kind: 'read', entries: units.length, stats });
  const analysed = await analyseLog({ log, limits: request.limits(state) }, request, world);
  const { analysis } = analysed;
  request.onStep({ kind: 'analysed', text: analysis.text, parts: analysis.parts, usage: analysis.stats });
  const made = { kind: 'collected', entries: units.length, stats, analysis, analysed } as const;
  if (request.dryRun) return { ...made, trim: { kind: 'dry-run' }, days: 0 };
  return { ...made, trim: await trimMemory(log, expired, { request, world }), days: expired.length };
}

interface Found {
  readonly log: string;
  readonly state: string;
  /** Daily logs that are too old. */
  readonly expired: readonly string[];
}

async function readMemory(request: CollectRequest, world: World): Promise<Found> {
  const { store, path, requireSigned, agent } = request;
  const { retentionDays } = agent.config.memory;
  const found = await store.readTree(world.deadline.signal, wantedPlaces(request));
  if (found.kind === 'failed') {
    world.deadline.signal.throwIfAborted();
    throw new AxeError(found.message, found.remedy === undefined ? {} : { remedy: found.remedy });
  }
  for (const warning of found.warnings) world.reporter.warn(warning);
  const text = found.tree.get(path) ?? '';
  const state = found.tree.get(statePath(path)) ?? '';
  const expired = expiredDailyLogs(dailyPaths(request, found.tree), retentionDays, world.clock.now());
  if (!requireSigned) return { log: text, expired, state };
  if (world.sign === undefined) {
    throw new AxeError('`memory-require-signed` needs a key to check signatures with', {
      remedy: 'Give `memory-signing-key`.',
    });
  }
  const { text: log } = signedEntries(text, { paths: [path], lastN: 0, sign: world.sign });
  return { log, expired, state };
}

/** Days that all share lie at the top of the tree, which can only be read whole. */
function wantedPlaces(request: CollectRequest): readonly string[] | undefined {
  const { path } = request;
  const folder = dailyFolder(request);
  if (folder === undefined) return [path, statePath(path)];
  return folder === '' ? undefined : [path, statePath(path), folder];
}

/** Undefined where no daily log is to be removed. */
function dailyFolder({ agent: { name, config }, identity, path }: CollectRequest): string | undefined {
  const { notes, scope, project, retentionDays } = config.memory;
  if (!notes || retentionDays <= 0) return undefined;
  const places = notesPlaces(scope, {
    identity: project === '' ? identity : project,
    agent: memoryName(name),
  });
  const day = pathOf({ kind: 'daily', date: '2026-01-01' }, places);
  // What a trial without a model remembers lies apart (D32).
  const apart = path.startsWith('offline/') ? 'offline/' : '';
  return apart + day.slice(0, -'2026-01-01.md'.length);
}

function dailyPaths(request: CollectRequest, tree: MemoryTree): readonly string[] {
  const folder = dailyFolder(request);
  if (folder === undefined) return [];
  return [...tree.keys()].filter(
    (path) => path.startsWith(folder) && !path.slice(folder.length).includes('/'),
  );
}

async function analyseLog(
  { log, limits }: { readonly log: string; readonly limits: BudgetLimits },
  request: CollectRequest,
  world: World,
): Promise<Analysed> {
  const { agent, timeLimitMs } = request;
  const ref = parseModelRef(request.model === '' ? agent.config.model : request.model);
  await world.models.configure(ref);
  return await analyse(
    {
      log: stripProvenance(log).toWellFormed().replaceAll('\0', '\uFFFD'),
      model: await openModel(world, ref),
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
}

async function trimMemory(
  log: string,
  expired: readonly string[],
  { request, world }: { readonly request: CollectRequest; readonly world: World },
): Promise<Trim> {
  const now = world.clock.now();
  const plan = planTrim(log, request.agent.config.memory, now);
  const trimmed: readonly Change[] =
    plan.kind === 'trim' ? [{ kind: 'trim', path: request.path, ids: plan.ids, at: now }] : [];
  if (expired.length + trimmed.length === 0 && plan.kind !== 'trim') return plan;
  const saved = await save([...trimmed, ...daysOver(expired, world)], { request, world });
  return plan.kind === 'trim' ? { kind: 'trimmed', removed: plan.removed, kept: plan.kept, saved } : plan;
}

function daysOver(expired: readonly string[], { clock }: World): readonly Change[] {
  return expired.map((path): Change => {
    const edit = { kind: 'delete', isOver: true } as const;
    return { kind: 'note', path, edit, backup: false, id: clock.newId() };
  });
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
