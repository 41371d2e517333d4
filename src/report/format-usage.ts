import type { RunStats } from '../lib/outcome.js';
import { duration, grouped, usd } from '../lib/text/number.js';
import type { Spend } from '../loop/spend.js';
import type { AgentUsage } from '../loop/usage.js';
import type { Plan } from '../run/records.js';
import { table } from './markdown.js';
import type { Outputs } from './run-summary.js';

/** A head and the value below it. */
type Cell = readonly [head: string, value: string];

/** A table of one row. */
export function row(cells: readonly Cell[]): string {
  return table(
    cells.map(([head]) => head),
    [cells.map(([, value]) => value)],
  );
}

/** The project's files that the system prompt holds; none without any. */
export function guidanceCell({ prompt: { guidance = [] } }: Plan): readonly Cell[] {
  return guidance.length === 0 ? [] : [['Guidance', guidance.map(({ path }) => path).join(', ')]];
}

/** What a model was asked and what that took. */
export function usageCells(stats: RunStats): readonly Cell[] {
  const { modelId, turns, toolCalls, retries, inputTokens, outputTokens, costUsd, durationMs } = stats;
  return [
    ['Model', modelId],
    ['Turns', grouped(turns)],
    ...(toolCalls === 0 ? [] : [['Tool calls', grouped(toolCalls)] as const]),
    ...(retries === 0 ? [] : [['Retries', grouped(retries)] as const]),
    ['Input tokens', grouped(inputTokens)],
    ['Output tokens', grouped(outputTokens)],
    ...(costUsd === undefined ? [] : [['Cost', formatCost(costUsd)] as const]),
    ['Time', duration(durationMs)],
  ];
}

/** Who took how much of which model; empty where only one was asked. */
export function usageTable(usages: readonly AgentUsage[]): string {
  if (usages.length < 2) return '';
  const rows = usages.map((one) => {
    const { name, modelId, conversations, turns, inputTokens, outputTokens, costUsd } = one;
    const times = conversations === 1 ? '' : ` × ${grouped(conversations)}`;
    return [
      `${name}${times}`,
      modelId,
      grouped(turns),
      grouped(inputTokens),
      grouped(outputTokens),
      costUsd === undefined ? 'unknown' : formatCost(costUsd),
    ];
  });
  return table(['Asked', 'Model', 'Turns', 'Input tokens', 'Output tokens', 'Cost'], rows);
}

/** The same as outputs. */
export function usageOutputs({ inputTokens, outputTokens, costUsd }: RunStats): Outputs {
  return {
    'input-tokens': String(inputTokens),
    'output-tokens': String(outputTokens),
    'cost-usd': costUsd?.toFixed(6),
  };
}

/** Most runs cost cents, so there are four digits of a dollar; what is less is not nothing. */
function formatCost(costUsd: number): string {
  if (costUsd === 0) return '$0';
  return costUsd < 0.0001 ? 'below $0.0001' : `$${costUsd.toFixed(4)}`;
}

/** What the limits over several runs have come to, where there are any. */
export function formatSpend(spend: Spend, costUsd = 0): string {
  const { limits, pull, pullUsd, dayUsd } = spend;
  const parts = [
    ...(limits.perPullUsd > 0 && pull !== undefined
      ? [`${usd(pullUsd + costUsd)} of ${usd(limits.perPullUsd)} on #${pull}`]
      : []),
    ...(limits.perDayUsd > 0 ? [`${usd(dayUsd + costUsd)} of ${usd(limits.perDayUsd)} today (UTC)`] : []),
  ];
  return parts.length === 0 ? '' : `**Spent by this agent:** ${parts.join(', ')}.`;
}
