import type { RunRecord } from '../run-record.js';

/** The line that answers a comment if nothing else does; undefined if something does. */
export function missingAnswerLine(record: RunRecord): string | undefined {
  const { conclusion } = record;
  switch (record.end) {
    case 'ran': {
      const isAnswered = record.work.outcome === 'completed' || record.published.url !== undefined;
      return isAnswered ? undefined : withoutAnswer(conclusion);
    }
    case 'skipped':
      return `No run was started: ${record.text.message}.`;
    case 'failed':
      return withoutAnswer(conclusion);
    default:
      return undefined;
  }
}

/**
 * The conclusion alone chooses it: the words of an error can quote a provider or a file. Undefined
 * for a run that was cancelled: the person who cancelled knows of it, and a newer run can answer.
 */
function withoutAnswer(conclusion: RunRecord['conclusion']): string | undefined {
  const reason = REASONS[conclusion];
  return reason && `There is no answer: ${reason}.`;
}

const REASONS: Readonly<Partial<Record<RunRecord['conclusion'], string>>> = {
  success: 'the run had nothing to say',
  failure: 'the run failed',
  skipped: 'the run was skipped',
  timeout: 'the run reached its time limit',
  'budget-exceeded': 'the run reached its limit of tokens or cost',
  'max-turns': 'the run reached its limit of turns',
  refused: 'the model refused to answer',
  incomplete: 'the model did not finish',
};
