import { formatModelRef } from '../agent/model-ref.js';
import { MAX_TASK_CODE_POINTS } from '../lib/defaults.js';
import { buildSystemPrompt, NO_NOTES, withNotes } from '../prompt/system.js';
import { describePlan } from '../runner/action-reporter.js';
import { formatMemory, loadedEntries } from './format-memory.js';
import { formatReading, guidanceCell, row, warningList } from './format-summary.js';
import { codeBlock, details, oneLine, sections } from './markdown.js';
import type { ReportOf, RunSummary, SummaryOptions } from './run-summary.js';

type Planned = ReportOf<'planned'>;

/** Nothing was sent and nothing written, so everything is shown (D26). */
export function summarizeDryRun(report: Planned, { warnings, isHidden }: SummaryOptions): RunSummary {
  const { plan, memory } = report;
  const shown = isHidden ? undefined : memory;
  const added = { runLog: shown?.text ?? '', ...(shown?.notes?.prompt ?? NO_NOTES) };
  const system = withNotes(buildSystemPrompt(plan.prompt), added);
  return {
    outputs: {
      conclusion: 'success',
      'memory-saved': 'false',
      'memory-loaded': String(loadedEntries(memory)),
    },
    markdown: sections([
      `### ${plan.agent.name}: dry run`,
      'No model was asked and nothing was written, memory included. This would have been sent:',
      details('System prompt', codeBlock(system === '' ? '(none)' : system)),
      details('User message', codeBlock(plan.task.message)),
      formatReading(plan.coverage, plan.scope),
      formatMemory({ plan, memory, taints: [], remembered: undefined }, isHidden, []),
      wouldAddEntry(report, isHidden),
      warningList(warnings),
      row([
        ['Agent', plan.agent.source],
        ['Model', formatModelRef(plan.model)],
        ['Trust', plan.trust.level],
        ...guidanceCell(plan),
        ['Time limit', `${plan.timeoutSeconds} s`],
      ]),
    ]),
    log: [
      ...describePlan(plan, memory?.restored),
      'Dry run: no model was asked and nothing was written. The job summary shows what would be sent.',
    ],
    annotations: [],
  };
}

/** Nothing is kept in no store or by a run that is to add nothing, nor added to a log that could not be read (D14). */
function wouldAddEntry({ plan, memory }: Planned, isHidden: boolean): string {
  if (memory === undefined || plan.memory?.lane === 'none') return '';
  if (memory.store.kind === 'none' || memory.restored.kind === 'failed') return '';
  if (isHidden) return 'An entry would have been added.';
  const { sentence } = plan.task;
  const isLong = sentence.length > MAX_TASK_CODE_POINTS;
  const task = isLong
    ? `this task, cut to ${MAX_TASK_CODE_POINTS} characters,`
    : `the task “${oneLine(sentence)}”`;
  return `An entry for ${task} would have been added.`;
}
