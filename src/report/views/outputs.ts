import { formatError } from '../../lib/errors.js';
import { allFaults, formatValidation } from '../../run/validate.js';
import { findingsGate } from '../conclusion.js';
import {
  isWhole,
  type ReadRecord,
  type RecordOf,
  type RunRecord,
  type UsageRecord,
} from '../run-record.js';
import { answerOf } from './phrases.js';

/**
 * Names of the action's outputs, as `action.yml` has them; a test holds the two equal.
 * @internal
 */
export const OUTPUT_NAMES = [
  'conclusion',
  'reason',
  'response',
  'response-file',
  'structured-output',
  'artifact-dir',
  'memory-saved',
  'memory-save-error',
  'memory-entry',
  'memory-entry-id',
  'memory-loaded',
  'input-tokens',
  'output-tokens',
  'cost-usd',
  'comment-url',
  'pull-request-url',
  'findings-file',
  'findings-open',
  'findings-worst',
  'coverage',
  'sarif-file',
  'transcript-file',
] as const;

/** Values of the outputs that a run sets; the others stay empty. */
export type Outputs = { readonly [Name in (typeof OUTPUT_NAMES)[number]]?: string | undefined };

/** The outputs of a run but for those of a review, and the files that it writes. */
export function outputsOf(record: RunRecord): Outputs {
  return {
    conclusion: record.conclusion,
    reason: reasonLine(record),
    ...outputsOfEnd(record),
  };
}

function outputsOfEnd(record: RunRecord): Outputs {
  switch (record.end) {
    case 'ran':
      return outputsOfRan(record);
    case 'planned':
      return {
        'memory-saved': '',
        'memory-loaded': String(record.read.memory?.loaded ?? 0),
      };
    case 'memory-command':
      return outputsOfCommand(record);
    case 'gc':
      return outputsOfGc(record);
    case 'validated':
      return {
        response: formatValidation(record.text.validation).join('\n'),
        'memory-saved': '',
      };
    case 'skipped':
    case 'failed':
      return { 'memory-saved': '' };
  }
}

/** The cause in one line; a code for a run that was skipped. Undefined for a success. */
function reasonLine(record: RunRecord): string | undefined {
  const { conclusion, reason, text } = record;
  if (conclusion === 'success') return undefined;
  const isMistake = record.end === 'memory-command' && conclusion === 'skipped';
  if (record.end === 'skipped' || isMistake) return reason;
  if (conclusion === 'findings') return findingsGate(text.gates)?.why;
  if (record.end === 'failed') return record.text.error.message;
  const unpublished = text.warnings.find(({ code }) => code === 'publish-failed')?.message;
  const firstLine = errorTextOf(record)?.split('\n', 1)[0];
  return firstLine ?? unpublished ?? conclusion;
}

/** The words about the error of a run; undefined without one. */
function errorTextOf(record: RunRecord): string | undefined {
  switch (record.end) {
    case 'ran': {
      const { error } = record.work.text;
      return error && formatError(error);
    }
    case 'gc': {
      const { error } = record.text;
      return error && formatError(error);
    }
    case 'memory-command':
      return record.refusal === undefined ? undefined : record.text.reply;
    case 'validated': {
      const { validation } = record.text;
      const problems = [...(validation.setup ?? []), ...allFaults(validation)];
      return problems.find(({ severity }) => severity === 'error')?.message;
    }
    default:
      return undefined;
  }
}

function outputsOfRan(record: RecordOf<'ran'>): Outputs {
  const { plan, work, published } = record;
  const isStructured = plan.isStructured === true && work.outcome === 'completed';
  return {
    response: answerOf(record),
    // Once more where it is JSON that was checked: an output of its own is safe to hand to
    // `fromJSON`.
    'structured-output': isStructured ? work.text.answer : undefined,
    'artifact-dir': work.artifacts,
    ...memoryOutputs(record),
    ...usageOutputs(work),
    'comment-url': published.url,
    'pull-request-url': published.pullRequestUrl,
  };
}

function memoryOutputs({ read: { memory }, saved, lost }: RecordOf<'ran'>): Outputs {
  const all = [...(saved === undefined ? [] : [saved]), ...lost];
  const errors = all.flatMap(({ onlyFor, unsaved, text: { failure } }) => {
    if (failure !== undefined) return [failure.message];
    if (onlyFor !== undefined) return [`it is kept for ${onlyFor} alone`];
    return unsaved.map(({ path, text }) => `${path}: ${text.message}`);
  });
  const isWanted = saved !== undefined && memory?.store !== 'none';
  const isSaved = isWanted && errors.length === 0;
  const texts = all.flatMap(({ entries }) => entries.map(({ text = '' }) => text)).join('');
  return {
    'memory-loaded': String(memory?.loaded ?? 0),
    'memory-saved': isWanted || errors.length > 0 ? String(isSaved) : '',
    'memory-entry-id': saved?.entries[0]?.id,
    'memory-entry': texts === '' ? undefined : texts,
    'memory-save-error': errors.join('; ') || undefined,
  };
}

/** A run that did not come to its end cannot say that nothing is open. */
export function reviewOutputs({
  end,
  conclusion,
  findings,
  read,
}: Pick<RunRecord, 'end' | 'conclusion' | 'findings'> & { readonly read?: ReadRecord }): Outputs {
  const coverage = end === 'ran' ? read?.coverage?.kind : undefined;
  if (findings === undefined) return { coverage };
  const { open, worst } = findings;
  return {
    'findings-open': open > 0 || isWhole({ end, conclusion }) ? String(open) : '',
    'findings-worst': worst ?? '',
    coverage,
  };
}

function usageOutputs({ inputTokens, outputTokens, costUsd }: UsageRecord): Outputs {
  return {
    'input-tokens': String(inputTokens),
    'output-tokens': String(outputTokens),
    'cost-usd': costUsd?.toFixed(6),
  };
}

function outputsOfCommand({
  refusal,
  isChanged,
  published,
  text,
}: RecordOf<'memory-command'>): Outputs {
  const isLost = refusal === 'not-saved';
  return {
    response: refusal === undefined ? text.reply : '',
    'memory-saved': isChanged || isLost ? String(isChanged) : '',
    'memory-save-error': isLost ? text.refusal : undefined,
    'comment-url': published.url,
  };
}

function outputsOfGc({
  result,
  entries = 0,
  isTrimming,
  suggestion,
  work,
  text,
}: RecordOf<'gc'>): Outputs {
  const isTrimmed = result.kind === 'trimmed';
  const error = isTrimming === true ? text.error : undefined;
  return {
    response: text.analysis,
    'memory-loaded': String(entries),
    'memory-saved': isTrimmed || error !== undefined ? String(isTrimmed) : '',
    'memory-save-error': error?.message,
    'comment-url': suggestion?.kind === 'published' ? suggestion.url : undefined,
    ...(work && usageOutputs(work)),
  };
}
