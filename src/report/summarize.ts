import type { FinishedRun, RunSummary, SummaryOptions } from './run-summary.js';
import { annotationsOf } from './views/annotations.js';
import { formatLog } from './views/log.js';
import { outputsOf } from './views/outputs.js';
import { formatSummary } from './views/summary.js';

/** All that people and workflows see of a run, by its views. */
export function summarize(report: FinishedRun, options: SummaryOptions): RunSummary {
  const { isHidden } = options;
  return {
    outputs: outputsOf(report, isHidden),
    markdown: formatSummary(report, options),
    log: formatLog(report, isHidden),
    annotations: annotationsOf(report, isHidden),
  };
}
