import { formatModelRef } from '../../core/agent/model-ref.js';
import { MAX_TASK_CODE_POINTS } from '../../core/defaults.js';
import type { Plan } from '../../core/plan.js';
import { NO_NOTES, withNotes } from '../../core/prompt/system.js';
import { describePlan } from '../runner/action-reporter.js';
import { formatMemory, type LoadedMemoryView, loadedEntries } from './format-memory.js';
import { formatReading, warningList } from './format-summary.js';
import { row } from './format-usage.js';
import { codeBlock, details, oneLine, sections } from './markdown.js';
import type { KindReporter, ReportOf, SummaryOptions } from './reporter.js';

type Planned = ReportOf<'planned'>;

/** The reporter of a dry run. */
export function dryRunReporter(report: Planned): KindReporter {
  const { plan, memory } = report;
  return {
    outputs: () => ({
      conclusion: 'success',
      'memory-saved': 'false',
      'memory-store': memory?.restored.store ?? memory?.store.kind ?? 'none',
      'memory-loaded': String(loadedEntries(memory)),
    }),
    formatSummary: (options) => summaryOf(report, options),
    logLines: () => [...describePlan(plan, memory?.restored), DRY_RUN],
    annotations: () => [],
  };
}

const DRY_RUN =
  'Dry run: no model was asked and nothing was written. The job summary shows what would be sent.';

const NO_MEMORY = { text: '', notes: NO_NOTES };

/** Nothing was sent and nothing written, so everything is shown (D26). */
function summaryOf({ plan, memory }: Planned, { warnings, view }: SummaryOptions): string {
  const { text: runLog, notes = NO_NOTES } = view.isHidden || memory === undefined ? NO_MEMORY : memory;
  const system = withNotes(plan.systemPrompt, { runLog, ...notes });
  return sections([
    `### ${plan.agent.name}: dry run`,
    'No model was asked and nothing was written, memory included. This would have been sent:',
    details('System prompt', codeBlock(system === '' ? '(none)' : system)),
    details('User message', codeBlock(plan.task.message)),
    formatReading(plan.coverage, plan.scope),
    formatMemory({ plan, memory, remembered: { kind: 'nothing' } }, view),
    isAddedTo({ plan, memory }) ? announced(plan, view) : '',
    warningList(warnings),
    row([
      ['Agent', plan.agent.source],
      ['Model', formatModelRef(plan.model)],
      ['Trust', plan.trust.level],
      ['Time limit', `${plan.timeoutSeconds} s`],
    ]),
  ]);
}

/** Nothing is kept in no store or by a run that is to add nothing, nor added to a log that could not be read (D14). */
function isAddedTo({ plan, memory }: Pick<Planned, 'plan' | 'memory'>): boolean {
  if (memory === undefined || plan.memory?.lane === 'none') return false;
  return memory.store.kind !== 'none' && memory.restored.kind !== 'failed';
}

function announced({ task }: Plan, { isHidden }: LoadedMemoryView): string {
  const isLong = task.sentence.length > MAX_TASK_CODE_POINTS;
  const shown = isLong
    ? `this task, cut to ${MAX_TASK_CODE_POINTS} characters,`
    : `the task “${oneLine(task.sentence)}”`;
  const about = isHidden ? '' : ` for ${shown}`;
  return `An entry${about} would have been added.`;
}
