import type { LoadedAgent } from '../../agent/agent-source.js';
import type { Trigger } from '../../event/trigger.js';
import { classifyTrust } from '../../event/trust.js';
import { AxeError, ConfigError } from '../../lib/errors.js';
import { costLimit, type Spend, spendBefore, spentFact, usedUp } from '../../loop/spend.js';
import type { GcFindings, GcResult, Suggestion } from '../../memory/gc/gc-result.js';
import { statePath } from '../../memory/state.js';
import type { MemoryStore } from '../../memory/store.js';
import { pruneState } from '../../review/prune-state.js';
import { parseReviewFacts, type Spent, withReviewFacts } from '../../review/state-facts.js';
import { openAgentMemory } from '../commands/open-agent-memory.js';
import type { Dependencies } from '../dependencies.js';
import type { RunReport, RunRequest } from '../request.js';
import { type Collected, collect } from './gc.js';

/** What becomes of an analysis beside the summary. Does not throw: trouble is a warning. */
export type Suggest = (
  agent: LoadedAgent,
  analysed: NonNullable<Collected['analysed']>,
) => Promise<Suggestion>;

/**
 * Garbage collection in a workflow: the analysis goes to the job summary, and the trim through the store that the
 * agent's runs use. Throws a ConfigError for an event that strangers can cause and for an agent without memory; trouble
 * with model or store is in the report, with what was found out before it.
 */
export async function collectAgentMemory(
  request: RunRequest,
  suggest: Suggest | undefined,
  deps: Dependencies,
): Promise<RunReport> {
  const { trigger, admissionPolicy: admission, dryRun } = request;
  refuseStrangers(trigger);
  const { allowBots } = admission;
  const trust: Parameters<typeof openAgentMemory>[1]['trust'] = (by, actor) =>
    classifyTrust(by, { actor, allowBots });
  const opened = await openAgentMemory(request, { admission, trust }, deps);
  if (opened.kind === 'skipped') return opened;
  const { agent, memory } = opened;
  if (memory === undefined) {
    throw new ConfigError(`the agent "${agent.name}" has no memory`, {
      remedy: 'Set `enabled = true` in `[memory]` of the agent.',
    });
  }
  refuseReadOnly(request);
  const { plan, store } = memory;
  deps.deadline.limit(request.timeLimit(agent.config.timeoutSeconds) * 1000);
  let findings: GcFindings = {};
  let spend: Spend | undefined;
  const limits = (state: string) => {
    const now = deps.clock.now();
    spend = spendBefore(parseReviewFacts(state), { trigger, limits: request.spendLimits, now });
    const spent = usedUp(spend);
    if (spent !== undefined) throw new AxeError(spent.message, { remedy: spent.remedy });
    const maxTokens = request.tokenLimit(agent.config.budget.maxTokens);
    return { maxTokens, ...costLimit(request.maxCostUsd, spend) };
  };
  const { model, fallbackModels, effort } = request;
  const tell = (found: GcFindings) => {
    findings = { ...findings, ...found };
  };
  const report = (end: Pick<GcResult, 'end' | 'suggestion'>): RunReport => ({
    kind: 'gc',
    agent: agent.name,
    collection: { ...findings, ...end },
  });
  try {
    const { end, analysed } = await collect(
      {
        agent,
        store,
        path: plan.path,
        model,
        fallbackModels,
        effort,
        limits,
        dryRun: dryRun && 'figures',
        tell,
      },
      deps,
    );
    if (analysed === undefined || suggest === undefined) return report({ end });
    return report({ end, suggestion: await suggest(agent, analysed) });
  } catch (thrown) {
    if (!(thrown instanceof AxeError)) throw thrown;
    const spent = spend && usedUp(spend);
    if (spent !== undefined)
      return { kind: 'skipped', decision: { kind: 'skip', reason: 'budget-spent', ...spent } };
    return report({ end: { kind: 'failed', error: thrown } });
  } finally {
    const cost = findings.usage?.costUsd;
    const now = deps.clock.now();
    const fact = spend && spentFact(cost, { spend, run: plan.entryId, now });
    if (fact !== undefined) await keepSpent(fact, { store, path: statePath(plan.path), now }, deps);
  }
}

/** Only what people with write access cause may cost money and change memory without anybody looking. */
function refuseStrangers(trigger: Trigger): void {
  if (trigger.kind === 'schedule' || trigger.kind === 'dispatch' || trigger.kind === 'push') return;
  const event = trigger.kind === 'local' ? 'local' : trigger.event;
  throw new ConfigError(`\`mode: gc\` does not run on the event \`${event}\``, {
    remedy: 'Run it on `schedule`, `workflow_dispatch` or `push`.',
  });
}

function refuseReadOnly({ isMemoryReadOnly, dryRun }: RunRequest): void {
  if (!isMemoryReadOnly || dryRun) return;
  throw new ConfigError('`mode: gc` trims memory, which `memory-readonly: true` forbids', {
    remedy: 'Leave `memory-readonly` out, or write `dry-run: true` for the figures alone.',
  });
}

/** Notes what was spent as a run does, whatever became of it (D36). Trouble is a warning. */
async function keepSpent(
  fact: Spent,
  { store, path, now }: { readonly store: MemoryStore; readonly path: string; readonly now: Date },
  { saveSignal, reporter }: Dependencies,
): Promise<void> {
  const rewrite = (text: string) => pruneState(withReviewFacts(text, [fact]), now);
  const saved = await store.write([{ kind: 'rewrite', path, rewrite }], saveSignal);
  if (saved.kind === 'saved') return;
  const { message, remedy = 'Check where memory is kept.' } = saved;
  reporter.warn({
    code: 'memory-save-failed',
    message: `what gc cost could not be noted, so no limit counts it: ${message}`,
    remedy,
  });
}
