import { formatModelRef } from '../../agent/config.js';
import { displayFile } from '../../lib/errors.js';
import { markedAnswer } from '../../lib/outcome.js';
import { count, formatInteger } from '../../lib/text/format.js';
import type { MemorySaveResult, Validation } from '../../run/records.js';
import { formatVerdict } from '../../run/validate.js';
import { loadedMemory } from '../../run/views/loaded.js';
import { describePlan, publishedLines } from '../../runner/action-reporter.js';
import type { FinishedRun, ReportOf } from '../run-summary.js';
import { whatWasAdded } from './memory.js';
import { formatGcSentence } from './phrases.js';

/** The last lines of the job's log. */
export function formatLog(report: FinishedRun, isHidden: boolean): readonly string[] {
  switch (report.kind) {
    case 'ran': {
      const answer = markedAnswer(report.outcome).trim();
      return [...(answer === '' ? [] : ['', answer, '']), ...rememberedLines(report.remembered)];
    }
    case 'planned':
      return [
        ...describePlan(
          {
            agent: report.plan.agent,
            model: formatModelRef(report.plan.model),
            task: report.plan.task.sentence,
            trust: report.plan.reading,
          },
          report.memory && loadedMemory(report.memory, report.plan.subject, isHidden),
        ),
        'Dry run: no model was asked and nothing was written. The job summary shows what would be sent.',
      ];
    case 'memory-command': {
      const { result, published } = report;
      const text = result.kind === 'done' ? result.text.split('\n') : [];
      return [...text, ...publishedLines(published)];
    }
    case 'gc':
      return gcLines(report);
    case 'validated':
      return validationLines(report.validation);
    case 'skipped':
    case 'failed':
      return [];
  }
}

function rememberedLines(remembered: MemorySaveResult | undefined): readonly string[] {
  if (remembered === undefined) return [];
  const { result } = remembered;
  if (result.kind === 'failed') return [`Memory: not saved: ${result.message}`];
  if (result.isNowhere === true) return [];
  const notSaved = (result.unsaved ?? []).map(
    ({ path, message }) => `Memory: not saved: ${path}: ${message}`,
  );
  return [`Memory: ${whatWasAdded(remembered, result)}`, ...notSaved];
}

function gcLines({ agent, collection }: ReportOf<'gc'>): readonly string[] {
  const { counted, suggestion, end } = collection;
  return [
    ...(counted === undefined
      ? []
      : [`Agent: ${agent}`, `Entries: ${formatInteger(counted.entries)}`]),
    ...(suggestion?.kind === 'published' ? [`Suggestions: ${suggestion.url}`] : []),
    ...(end.kind === 'failed' ? [] : [formatGcSentence(end, agent)]),
  ];
}

/** Annotations report the problems. */
function validationLines({ agents, where }: Validation): readonly string[] {
  const verdicts = agents.map(
    (agent) => `  ${displayFile(agent.file)}: ${formatVerdict(agent.faults)}`,
  );
  return [`Checked ${count(agents.length, 'agent')} in ${where}:`, ...verdicts];
}
