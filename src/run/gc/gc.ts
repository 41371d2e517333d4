import { resolve } from 'node:path';
import type { LoadedAgent } from '../../agent/agent-source.js';
import { hasNotes } from '../../agent/built-in.js';
import { isOffline, type ModelRef, parseModelRef } from '../../agent/config.js';
import type { Effort } from '../../agent/keys.js';
import type { Price } from '../../agent/model-keys.js';
import type { Trigger } from '../../event/trigger.js';
import { outcomesAndCostTable, parseReviewFacts } from '../../findings/state-facts.js';
import { CONTEXT_WINDOW_TOKENS, GC } from '../../lib/defaults.js';
import { AxeError, ConfigError } from '../../lib/errors.js';
import { estimateText } from '../../lib/text/bytes.js';
import { createAsker, modelSettings } from '../../loop/asker.js';
import {
  Budget,
  type BudgetLimits,
  costLimit,
  exhaustedLimit,
  type Spend,
  spendBefore,
  spentFact,
} from '../../loop/budget.js';
import { firstMessages, textOf } from '../../loop/messages.js';
import { Usage } from '../../loop/reply.js';
import type { MemoryChange } from '../../memory/change.js';
import { checkNotes, type StaleNoteLine } from '../../memory/citations.js';
import { placesToRead } from '../../memory/paths.js';
import { newestEntries } from '../../memory/recall.js';
import { promptText } from '../../memory/run-log.js';
import { statePath } from '../../memory/state.js';
import { firstUnread, type MemoryStore } from '../../memory/store.js';
import { ANALYST_PROMPT } from '../../prompt/gc-prompts.js';
import { agentWorkdir } from '../admit.js';
import { type AgentMemory, openAgentMemory } from '../commands/command.js';
import { openModel } from '../conversation.js';
import type { Dependencies } from '../dependencies.js';
import {
  countLog,
  type GcEnd,
  type GcFindings,
  type GcResult,
  planTrim,
  type Suggestion,
  type TrimPlan,
} from '../gc-result.js';
import { checkCitedCode, placesOf } from '../notes.js';
import type { RunReport, RunRequest } from '../records.js';
import { factsChange } from '../save.js';
import { brokenAnalysis, type GcReply } from './analysis.js';

/** @internal */
export interface GcRequest {
  readonly agent: LoadedAgent;
  readonly store: MemoryStore;
  /** The agent's run log in the tree. */
  readonly path: string;
  readonly trigger: Trigger;
  /** `provider/model`; empty for the agent's. */
  readonly model: string;
  readonly fallbackModels: readonly string[];
  /** Replaces the agent's. */
  readonly effort?: Effort;
  /** The price of the model if it is not known; absent: that in the agent's file. */
  readonly price?: Price;
  /** The limits of tokens and cost, computed from the agent's state. Can throw an AxeError. */
  limits(state: string): BudgetLimits;
  /** Change nothing: after an analysis, as axe does, or without asking a model. */
  readonly dryRun: false | 'analysis' | 'figures';
  /** Called with each finding at once, since a later step can fail. */
  tell(findings: GcFindings): void;
}

type Ask = (system: string, message: string) => Promise<GcReply>;

interface Collected {
  readonly end: GcEnd;
  /** The analysis, and the means to turn it into a suggestion. */
  readonly analysed?: {
    readonly text: string;
    readonly gone: readonly StaleNoteLine[];
    readonly ask: Ask;
  };
}

/**
 * Counts an agent's run log, has a model look for patterns in its newest entries, and trims it to
 * the number of entries that the agent keeps. Entries appended meanwhile stay on every store. The
 * offline rules cannot analyse: with them there are figures and no trim. Throws an AxeError;
 * nothing is trimmed then.
 */
export async function collectGarbage(request: GcRequest, deps: Dependencies): Promise<Collected> {
  const { log, state } = await readLog(request, deps);
  const { gone, renewals } = await checkNotesOf(request, deps);
  if (gone.length > 0) request.tell({ gone });

  const { config } = request.agent;
  const counted = countLog(log);
  request.tell({ worth: outcomesAndCostTable(parseReviewFacts(state), deps.clock.now()) });
  if (counted.entries === 0) return { end: { kind: 'empty' } };
  request.tell({ counted });

  const plan = planTrim(counted, config.memory);
  const ref = parseModelRef(request.model === '' ? config.model : request.model);
  if (isOffline(ref)) return { end: { kind: 'not-analysed' } };
  if (request.dryRun === 'figures') return { end: { kind: 'dry-run', plan } };

  const limits = request.limits(state);
  const { ask, roomTokens } = await openQuestions(ref, limits, request, deps);
  const newest = newestOf(log, roomTokens);
  const reply = await ask(ANALYST_PROMPT, newest.text);
  const { text } = reply;
  if (text.trim() !== '')
    request.tell({ analysis: { text, unread: counted.entries - newest.entries } });
  const broken = brokenAnalysis(reply);
  if (broken !== undefined) throw broken;

  const end: GcEnd =
    request.dryRun === false ? await tidy(plan, renewals, request, deps) : { kind: 'dry-run' };
  return { end, analysed: { text, gone, ask } };
}

/** The result of checking an agent's notes. */
interface NotesToTidy {
  /** Lines whose cited code is gone. */
  readonly gone: readonly StaleNoteLine[];
  /** Changes after which citations of renamed files name their current paths. */
  readonly renewals: readonly MemoryChange[];
}

/**
 * Checks the agent's notes. A cited line that the base does not have is gone if its commit's pull
 * request has ended, as after a squash merge. Throws an AxeError.
 */
async function checkNotesOf(
  { agent, store, path, trigger }: GcRequest,
  deps: Dependencies,
): Promise<NotesToTidy> {
  if (!hasNotes(agent)) return { gone: [], renewals: [] };

  const workdir = resolve(deps.cwd, await agentWorkdir(agent, deps));
  const places = placesOf(agent, path, trigger, workdir);
  const paths = placesToRead(places, path, deps.clock.now());
  const { signal } = deps.deadline;
  const result = await store.readTree(signal, paths);
  if (result.kind === 'failed') throw new AxeError(result.message, { remedy: result.remedy });

  const reader = { readBase: deps.readBase, signal };
  const { notes, base, checked, warnings } = await checkCitedCode(result.tree, places, reader);
  for (const warning of warnings) deps.reporter.warn(warning);
  const ended = await commitsOfEndedPulls(checked.elsewhereCommits, deps);
  const history = new Set([...(base?.history ?? []), ...ended]);
  const { gone, withCurrentPaths } =
    base === undefined ? checked : checkNotes(notes, { ...base, history });
  const renewals = [...notes].flatMap(([note, text]) => {
    if (withCurrentPaths(text) === text) return [];
    return { kind: 'rewrite', path: note, rewrite: withCurrentPaths } as const;
  });
  return { gone, renewals };
}

/** Without an answer no line is called gone for its pull request. */
async function commitsOfEndedPulls(
  commits: readonly string[],
  { withEndedPulls, deadline }: Dependencies,
): Promise<readonly string[]> {
  try {
    return (await withEndedPulls?.(commits, deadline.signal)) ?? [];
  } catch (thrown) {
    if (!(thrown instanceof AxeError)) throw thrown;
    return [];
  }
}

/** Reads the run log and its state. Throws an AxeError. */
async function readLog(
  { store, path }: GcRequest,
  { deadline: { signal }, reporter }: Dependencies,
): Promise<{ readonly log: string; readonly state: string }> {
  const places = [path, statePath(path)];
  const result = await store.readTree(signal, places);
  const failure = result.kind === 'failed' ? result : firstUnread(result, places);
  if (result.kind === 'failed' || failure !== undefined) {
    signal.throwIfAborted();
    throw new AxeError(failure?.message ?? '', { remedy: failure?.remedy });
  }

  for (const warning of result.warnings) reporter.warn(warning);
  const [log = '', state = ''] = places.map((place) => result.tree.get(place));
  return { log, state };
}

/**
 * Opens the model. A log can take half of its window or of a limit: its tokens are an estimate, and
 * the answer needs room.
 */
async function openQuestions(
  ref: ModelRef,
  limits: BudgetLimits,
  { agent: { config }, fallbackModels, effort, price = config.params.price, tell }: GcRequest,
  deps: Dependencies,
): Promise<{ readonly ask: Ask; readonly roomTokens: number }> {
  const { deadline, clock } = deps;
  const { signal } = deadline;
  await deps.models.configure();
  const params = effort === undefined ? config.params : { ...config.params, effort };
  const model = await openModel(deps, ref, { ...params, stream: config.stream, price });
  const startMs = clock.now().getTime();
  const usage = new Usage(model.model.modelId);
  const budget = new Budget(limits);

  // The offline rules would give an answer that is not an analysis.
  const fallbacks = fallbackModels.map(parseModelRef).filter((fallback) => !isOffline(fallback));
  const asker = createAsker(
    {
      model,
      fallbacks: fallbacks.map(
        (fallback) => () => openModel(deps, fallback, { stream: config.stream }),
      ),
      retry: config.retry,
      budget,
      usage,
      ownSettings: effort === undefined ? ['temperature', 'effort'] : ['temperature'],
    },
    { ...deps, signal, leftMs: () => deadline.leftMs() },
  );

  const window = model.windowTokens ?? CONTEXT_WINDOW_TOKENS;
  const quarter = Math.floor(window / 4);
  const settings = {
    maxOutputTokens: params.maxTokens === 0 ? undefined : Math.min(quarter, params.maxTokens),
    temperature: GC.temperature,
    ...modelSettings(params),
  };

  const ask: Ask = async (system, message) => {
    try {
      signal.throwIfAborted();
      const messages = firstMessages({ system, message });
      const reply = await asker.ask(messages, settings, Math.min(quarter, GC.outputTokens));
      return { text: textOf(reply.content), finish: reply.finishReason.unified };
    } catch (thrown) {
      const cause: unknown = signal.aborted ? signal.reason : thrown;
      throw cause instanceof AxeError ? cause : thrown;
    } finally {
      tell({ usage: usage.stats(clock.now().getTime() - startMs, budget) });
    }
  };

  const { maxTokens, maxCostUsd } = limits;
  const inputUsd = model.price?.input ?? 0;
  const byCost = maxCostUsd > 0 && inputUsd > 0 ? (maxCostUsd / inputUsd) * 1e6 : window;
  return { ask, roomTokens: Math.floor(Math.min(window, maxTokens || window, byCost) / 2) };
}

/** The newest whole entries that fit; if a single entry is too long, its beginning and its end. */
function newestOf(
  log: string,
  roomTokens: number,
): { readonly text: string; readonly entries: number } {
  // Our estimate counts at least one token for eight bytes in every script.
  for (
    let maxBytes = Math.max(LEAST_BYTES, roomTokens * 8);
    ;
    maxBytes = Math.floor(maxBytes * 0.8)
  ) {
    const { text: newest, loaded } = newestEntries(log, 0, maxBytes);
    const text = promptText(newest);
    if (estimateText(text) <= roomTokens || maxBytes <= LEAST_BYTES)
      return { text, entries: loaded };
  }
}

/** A few entries, even if there is less room. */
const LEAST_BYTES = 8 * 1024;

/** Trims the log and renews citations in one save. */
async function tidy(
  plan: TrimPlan,
  renewals: readonly MemoryChange[],
  { agent, store, path, tell }: GcRequest,
  { deadline }: Dependencies,
): Promise<GcEnd> {
  const trims: readonly MemoryChange[] =
    plan.kind === 'trim' ? [{ kind: 'trim', path, keeps: plan.keeps }] : [];
  if (plan.kind !== 'trim' && renewals.length === 0) return plan;
  if (plan.kind === 'trim') tell({ isTrimming: true });
  const saved = await store.write([...trims, ...renewals], deadline.closing);
  if (saved.kind === 'failed') {
    const { message, remedy } = saved;
    if (plan.kind === 'trim')
      throw new AxeError(`failed to trim memory for "${agent.name}": ${message}`, { remedy });
    throw new AxeError(`failed to update the notes of "${agent.name}": ${message}`, { remedy });
  }
  if (plan.kind !== 'trim') return plan;
  const { removed, kept } = plan;
  return { kind: 'trimmed', removed, kept, saved };
}

/**
 * Makes a suggestion from an analysis, next to the summary. Does not throw: failures are warnings.
 */
export type Suggest = (
  agent: LoadedAgent,
  analysed: NonNullable<Collected['analysed']>,
) => Promise<Suggestion>;

/**
 * Collects garbage in a workflow: the analysis goes to the job summary, and the trim to the store
 * that the agent's runs use. Throws a ConfigError for an event that strangers can cause and for an
 * agent without memory. A failure of the model or the store is in the report, with the findings
 * before it.
 */
export async function collectAgentMemory(
  request: RunRequest,
  suggest: Suggest | undefined,
  deps: Dependencies,
): Promise<RunReport> {
  const {
    trigger,
    admissionPolicy: admission,
    dryRun,
    model,
    fallbackModels,
    effort,
    price,
  } = request;
  requireTrustedEvent(trigger);
  const opened = await openAgentMemory(request, admission, deps);
  if (opened.kind === 'skipped') return opened;

  const { agent, memory } = opened;
  if (memory === undefined) {
    throw new ConfigError(`the agent "${agent.name}" has no memory`, {
      remedy: 'Set `enabled = true` in `[memory]` of the agent.',
    });
  }
  if (request.isMemoryReadOnly && !dryRun) {
    throw new ConfigError('`mode: gc` trims memory, which `memory-readonly: true` forbids', {
      remedy: 'Leave `memory-readonly` out, or write `dry-run: true` for the figures alone.',
    });
  }

  const { plan, store } = memory;
  deps.deadline.limit(request.timeLimit(agent.config.timeoutSeconds) * 1000);
  let findings: GcFindings = {};
  let spend: Spend | undefined;
  const limits = (state: string) => {
    const now = deps.clock.now();
    spend = spendBefore(parseReviewFacts(state), { trigger, limits: request.spendLimits, now });
    const exhausted = exhaustedLimit(spend);
    if (exhausted !== undefined)
      throw new AxeError(exhausted.message, { remedy: exhausted.remedy });
    const maxTokens = request.tokenLimit(agent.config.budget.maxTokens);
    return { maxTokens, ...costLimit(request.maxCostUsd, spend) };
  };
  const tell = (newFindings: GcFindings) => {
    findings = { ...findings, ...newFindings };
  };
  const report = (end: GcResult['end'], suggestion?: Suggestion): RunReport => ({
    kind: 'gc',
    agent: agent.name,
    collection: { ...findings, end, suggestion },
  });

  try {
    const { end, analysed } = await collectGarbage(
      {
        agent,
        store,
        path: plan.path,
        trigger,
        model,
        fallbackModels,
        effort,
        price,
        limits,
        dryRun: dryRun && 'figures',
        tell,
      },
      deps,
    );
    return report(end, analysed && (await suggest?.(agent, analysed)));
  } catch (thrown) {
    if (!(thrown instanceof AxeError)) throw thrown;
    const exhausted = spend && exhaustedLimit(spend);
    if (exhausted !== undefined)
      return { kind: 'skipped', decision: { kind: 'skip', reason: 'budget-spent', ...exhausted } };
    return report({ kind: 'failed', error: thrown });
  } finally {
    await recordCost(memory, spend, findings.usage, deps);
  }
}

async function recordCost(
  { plan, store }: NonNullable<AgentMemory['memory']>,
  spend: Spend | undefined,
  usage: GcFindings['usage'],
  { clock, reporter, deadline }: Dependencies,
): Promise<void> {
  const now = clock.now();
  const model = usage?.modelId ?? '';
  const fact = spend && spentFact(usage?.costUsd, { spend, run: plan.entryId, model, now });
  if (fact === undefined) return;

  const saved = await store.write([factsChange(plan.path, [fact], now)], deadline.closing);
  if (saved.kind === 'failed') {
    const message = `the cost of gc could not be recorded, so no limit counts it: ${saved.message}`;
    const { remedy = 'Check where memory is kept.' } = saved;
    reporter.warn({ code: 'memory-save-failed', message, remedy });
  }
}

/**
 * Nobody watches this mode, so only people with write access can let it spend money or trim memory.
 */
function requireTrustedEvent(trigger: Trigger): void {
  if (trigger.kind === 'schedule' || trigger.kind === 'dispatch' || trigger.kind === 'push') return;
  const event = trigger.kind === 'local' ? 'local' : trigger.event;
  throw new ConfigError(`\`mode: gc\` does not run on the event \`${event}\``, {
    remedy: 'Run it on `schedule`, `workflow_dispatch` or `push`.',
  });
}
