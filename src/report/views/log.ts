import { displayFile } from '../../lib/errors.js';
import { count, formatInteger } from '../../lib/text/format.js';
import { formatVerdict } from '../../run/validate.js';
import { describePlan, publishedLines } from '../../runner/action-reporter.js';
import type { RecordOf, RunRecord, SavedRecord } from '../run-record.js';
import { whatWasAdded } from './memory.js';
import { answerOf, formatGcSentence, publicationsOf } from './phrases.js';

/** The last lines of the job's log. */
export function formatLog(record: RunRecord): readonly string[] {
  switch (record.end) {
    case 'ran': {
      const answer = answerOf(record).trim();
      return [...(answer === '' ? [] : ['', answer, '']), ...savedLines(record.saved)];
    }
    case 'planned': {
      const { plan, read } = record;
      return [
        ...describePlan({ ...plan, task: plan.text }, read.memory),
        'Dry run: no model was asked and nothing was written. The job summary shows what would be sent.',
      ];
    }
    case 'memory-command': {
      const reply = record.refusal === undefined ? record.text.reply.split('\n') : [];
      return [...reply, ...publishedLines(publicationsOf(record))];
    }
    case 'gc':
      return gcLines(record);
    case 'validated':
      return validationLines(record);
    case 'skipped':
    case 'failed':
      return [];
  }
}

function savedLines(saved: SavedRecord | undefined): readonly string[] {
  if (saved === undefined) return [];
  const { failure } = saved.text;
  if (failure !== undefined) return [`Memory: not saved: ${failure.message}`];
  if (saved.isNowhere === true) return [];
  const notSaved = saved.unsaved.map(
    ({ path, text }) => `Memory: not saved: ${path}: ${text.message}`,
  );
  return [`Memory: ${whatWasAdded(saved)}`, ...notSaved];
}

function gcLines({ agent, entries, suggestion, result }: RecordOf<'gc'>): readonly string[] {
  return [
    ...(entries === undefined ? [] : [`Agent: ${agent}`, `Entries: ${formatInteger(entries)}`]),
    ...(suggestion?.kind === 'published' ? [`Suggestions: ${suggestion.url}`] : []),
    ...(result.kind === 'failed' ? [] : [formatGcSentence(result, agent)]),
  ];
}

/** Annotations report the problems. */
function validationLines({ text: { validation } }: RecordOf<'validated'>): readonly string[] {
  const { agents, where } = validation;
  const verdicts = agents.map(
    (agent) => `  ${displayFile(agent.file)}: ${formatVerdict(agent.faults)}`,
  );
  return [`Checked ${count(agents.length, 'agent')} in ${where}:`, ...verdicts];
}
