import type { Dependencies } from '../../core/dependencies.js';
import { AxeError, ConfigError } from '../../core/errors.js';
import type { Trigger } from '../../core/event/trigger.js';
import { classifyTrust } from '../../core/event/trust.js';
import type { BudgetLimits } from '../../core/loop/budget.js';
import { costLimit, type Spend, spendBefore, spentFact, usedUp } from '../../core/loop/spend.js';
import { statePath } from '../../core/memory/state.js';
import type { MemoryStore } from '../../core/memory/store.js';
import type { RunStats } from '../../core/outcome.js';
import type { MemoryPlan } from '../../core/plan.js';
import { pruneState } from '../../core/review/prune-state.js';
import { parseReviewFacts, withReviewFacts } from '../../core/review/state-facts.js';
import type { RunReport, RunRequest } from '../../run/request.js';
import { type CommandPolicy, openAgentMemory } from '../open-agent-memory.js';
import { collect } from './gc.js';
import type { GcResult, GcStep } from './gc-result.js';
import { type Suggesting, suggest } from './suggest.js';

/** What `mode: gc` is asked for besides a run. */
interface GcMemoryRequest extends RunRequest {
  /** What becomes of the recommendations; undefined leaves them in the summary. */
  readonly suggesting: Suggesting | undefined;
}

/**
 * Garbage collection in a workflow: the analysis goes to the job summary, and the trim through the store that the
 * agent's runs use. Throws a ConfigError for an event that strangers can cause and for an agent without memory; trouble
 * with model or store is in the report, with what was found out before it.
 */
export async function collectAgentMemory(request: GcMemoryRequest, deps: Dependencies): Promise<RunReport> {
  const { trigger } = request;
  refuseStrangers(trigger);
  const opened = await openAgentMemory(request, gcPolicy(request), deps);
  if (opened.kind === 'skipped') return opened;
  const { agent, memory } = opened;
  if (memory === undefined) {
    throw new ConfigError(`the agent "${agent.name}" has no memory`, {
      remedy: 'Set `enabled = true` in `[memory]` of the agent.',
    });
  }
  refuseReadOnly(request);
  const { plan, store } = memory;
  const maxTokens = request.tokenLimit(agent.config.budget.maxTokens);
  const cost = createGcCost(request, { plan, maxTokens }, deps);
  const steps: GcStep[] = [];
  let suggestion: GcResult['suggestion'];
  try {
    const collected = await collect(
      {
        agent,
        model: request.model,
        fallbackModels: request.fallbackModels,
        store,
        path: plan.path,
        identity: identityOf(trigger),
        limits: cost.limits,
        onAsking: cost.count,
        dryRun: request.dryRun ? 'figures' : false,
        timeLimitMs: () => request.timeLimit(agent.config.timeoutSeconds) * 1000,
        onStep: (step) => steps.push(step),
      },
      deps,
    );
    const suggesting = maySuggest(request, deps);
    if (collected.kind === 'collected' && suggesting !== undefined)
      suggestion = await suggest({ agent, collected, suggesting }, deps);
    const end = collected.kind === 'empty' ? ({ kind: 'empty' } as const) : collected.trim;
    return report({
      ...gathered(steps),
      end,
      removed: collected.removed,
      ...(suggestion && { suggestion }),
    });
  } catch (thrown) {
    if (!(thrown instanceof AxeError)) throw thrown;
    const spent = cost.usedUp();
    if (spent !== undefined)
      return { kind: 'skipped', decision: { kind: 'skip', reason: 'budget-spent', ...spent } };
    return report({ ...gathered(steps), end: { kind: 'failed', error: thrown } });
  } finally {
    await cost.note(store);
  }

  function report(collection: GcResult): RunReport {
    const usage = cost.usage();
    const whole = usage === undefined ? collection : { ...collection, usage };
    return { kind: 'gc', agent: agent.name, store: store.kind, collection: whole };
  }
}

function gcPolicy({ admissionPolicy: admission }: RunRequest): CommandPolicy {
  const { allowBots } = admission;
  return { admission, trust: (trigger, actor) => classifyTrust(trigger, { actor, allowBots }) };
}

/** Only what people with write access cause may cost money and change memory without anybody looking. */
function refuseStrangers(trigger: Trigger): void {
  if (trigger.kind === 'schedule' || trigger.kind === 'dispatch' || trigger.kind === 'push') return;
  const event = trigger.kind === 'local' ? 'local' : trigger.event;
  throw new ConfigError(`\`mode: gc\` does not run on the event \`${event}\``, {
    remedy: 'Run it on `schedule`, `workflow_dispatch` or `push`.',
  });
}

/** What a memory in another repository says must not be shown here (D14). */
function maySuggest({ suggesting, dryRun, isMemoryHidden }: GcMemoryRequest, { reporter }: Dependencies) {
  if (suggesting === undefined || dryRun) return undefined;
  if (!isMemoryHidden) return suggesting;
  const message =
    '`report-to` shows nothing here, since the memory is kept in another repository. Run `mode: gc` there.';
  reporter.warn({ code: 'input-invalid', message });
  return undefined;
}

function identityOf(trigger: Trigger): string {
  return trigger.kind === 'local' ? '' : `${trigger.repository.owner}/${trigger.repository.name}`;
}

function refuseReadOnly({ memoryPolicy, dryRun }: RunRequest): void {
  if (memoryPolicy.write === 'auto' || dryRun) return;
  throw new ConfigError(`\`mode: gc\` trims memory, which \`memory-write: ${memoryPolicy.write}\` forbids`, {
    remedy: 'Leave `memory-write` out, or write `dry-run: true` for the figures alone.',
  });
}

function gathered(steps: readonly GcStep[]): Pick<GcResult, 'read' | 'analysed'> {
  const read = steps.find((step) => step.kind === 'read');
  const analysed = steps.find((step) => step.kind === 'analysed');
  return { ...(read && { read }), ...(analysed && { analysed }) };
}

/** What garbage collection may cost besides the agent's runs of the day, and what it has cost. */
interface GcCost {
  /** The limits for the questions, of the agent's state. Throws an AxeError where nothing is left; see `usedUp`. */
  limits(state: string): BudgetLimits;
  /** Why there were no limits available. */
  usedUp(): ReturnType<typeof usedUp>;
  /** Takes what counts the questions. */
  count(stats: () => RunStats): void;
  /** What the questions have taken so far; undefined before the first. */
  usage(): RunStats | undefined;
  /** Notes in the state what was spent, whatever became of it (D36). Trouble is a warning. */
  note(store: MemoryStore): Promise<void>;
}

/** Counts what one garbage collection costs. */
function createGcCost(
  request: RunRequest,
  { plan, maxTokens }: { readonly plan: MemoryPlan; readonly maxTokens: number },
  deps: Dependencies,
): GcCost {
  let spend: Spend | undefined;
  let counted: (() => RunStats) | undefined;
  return {
    limits(state) {
      const { trigger, spendLimits, maxCostUsd } = request;
      spend = spendBefore(parseReviewFacts(state), { trigger, limits: spendLimits, now: deps.clock.now() });
      const spent = usedUp(spend);
      if (spent !== undefined) throw new AxeError(spent.message, { remedy: spent.remedy });
      return { maxTokens, ...costLimit(maxCostUsd, spend) };
    },
    usedUp: () => (spend === undefined ? undefined : usedUp(spend)),
    count(stats) {
      counted = stats;
    },
    usage: () => counted?.(),
    async note(store) {
      if (spend === undefined || counted === undefined) return;
      const now = deps.clock.now();
      const fact = spentFact(counted().costUsd, { spend, run: plan.entryId, now });
      if (fact === undefined) return;
      const rewrite = (text: string) => pruneState(withReviewFacts(text, [fact]), now);
      const change = { kind: 'rewrite', path: statePath(plan.path), rewrite } as const;
      const saved = await store.write([change], deps.saveSignal);
      if (saved.kind === 'saved') return;
      const effect = spend.limits.perDayUsd > 0 ? ', so `max-cost-usd-per-day` does not count it' : '';
      const message = `what gc cost could not be noted${effect}: ${saved.message}`;
      const { remedy = 'Check where memory is kept.' } = saved;
      deps.reporter.warn({ code: 'memory-save-failed', message, remedy });
    },
  };
}
