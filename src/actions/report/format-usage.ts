import type { RunStats } from '../../core/outcome.js';
import type { Outputs } from '../outputs.js';
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

/** The same as outputs, but for the cost and the time. */
export function usageOutputs(stats: RunStats): Outputs {
  const { modelId, turns, inputTokens, outputTokens, cacheReadTokens } = stats;
  return {
    model: modelId,
    turns: String(turns),
    'input-tokens': String(inputTokens),
    'output-tokens': String(outputTokens),
    'cache-read-tokens': String(cacheReadTokens),
  };
}

/** What it cost as an output, where that is known. */
export function costOutput({ costUsd }: RunStats): Outputs {
  return costUsd === undefined ? {} : { 'cost-usd': costUsd.toFixed(6) };
}

/** How long it took as an output. */
export function durationOutput({ durationMs }: RunStats): Outputs {
  return { 'duration-ms': String(Math.round(durationMs)) };
}

/** Most runs cost cents, so there are four digits of a dollar; what is less is not nothing. */
export function formatCost(costUsd: number): string {
  if (costUsd === 0) return '$0';
  return costUsd < 0.0001 ? 'below $0.0001' : `$${costUsd.toFixed(4)}`;
}
