import type { RunStats } from '../../core/outcome.js';
import { oneLine } from './markdown.js';

/** A head and the value below it. */
export type Cell = readonly [head: string, value: string];

/** A table of one row. */
export function row(cells: readonly Cell[]): string {
  const line = (values: readonly string[]) =>
    `| ${values.map((value) => oneLine(value).replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    line(cells.map(([head]) => head)),
    line(cells.map(() => '---')),
    line(cells.map(([, value]) => value)),
  ].join('\n');
}

/** What a model was asked and what that took. */
export function usageCells(stats: RunStats): readonly Cell[] {
  const { modelId, turns, toolCalls, retries, inputTokens, outputTokens, costUsd, durationMs } = stats;
  return [
    ['Model', modelId],
    ['Turns', String(turns)],
    ...(toolCalls === 0 ? [] : [['Tool calls', String(toolCalls)] as const]),
    ...(retries === 0 ? [] : [['Retries', String(retries)] as const]),
    ['Input tokens', String(inputTokens)],
    ['Output tokens', String(outputTokens)],
    ...(costUsd === undefined ? [] : [['Cost', formatCost(costUsd)] as const]),
    ['Time', `${(durationMs / 1000).toFixed(1)} s`],
  ];
}

/** Most runs cost cents, so there are four digits of a dollar; what is less is not nothing. */
export function formatCost(costUsd: number): string {
  if (costUsd === 0) return '$0';
  return costUsd < 0.0001 ? 'below $0.0001' : `$${costUsd.toFixed(4)}`;
}
