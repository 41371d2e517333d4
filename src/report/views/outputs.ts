import type { MetGate } from '../../findings/post/record.js';
import { formatError, messageOf, type Warning } from '../../lib/errors.js';
import { errorOf, markedAnswer, type RunStats } from '../../lib/outcome.js';
import { formatRefusal } from '../../run/memory-commands/command-texts.js';
import { allFaults, formatValidation } from '../../run/validate.js';
import { conclusionOfRun, isMistake } from '../conclusion.js';
import { isWhole, type RunRecord } from '../run-record.js';
import type { FinishedRun, Outputs, ReportOf } from '../run-summary.js';
import { loadedEntries } from './memory.js';

/** The outputs of a run, before `fail-on` is asked. `isHidden`: memory is in another repository. */
export function outputsOf(report: FinishedRun, isHidden: boolean): Outputs {
  const conclusion = conclusionOfRun(report);
  switch (report.kind) {
    case 'ran':
      return { conclusion, ...outputsOfRan(report, isHidden) };
    case 'planned':
      return {
        conclusion,
        'memory-saved': '',
        'memory-loaded': String(loadedEntries(report.memory)),
      };
    case 'skipped':
      return { conclusion, reason: report.decision.reason, 'memory-saved': '' };
    case 'memory-command':
      return { conclusion, ...outputsOfCommand(report) };
    case 'gc':
      return { conclusion, ...outputsOfGc(report, isHidden) };
    case 'validated':
      return {
        conclusion,
        response: formatValidation(report.validation).join('\n'),
        'memory-saved': '',
      };
    case 'failed':
      return { conclusion, reason: messageOf(report.thrown), 'memory-saved': '' };
  }
}

/** The outputs, with a reason in one line if the run was not a success and they lack one. */
export function withReason(
  outputs: Outputs,
  {
    report,
    met,
    warnings,
  }: {
    readonly report: FinishedRun;
    readonly met: readonly MetGate[];
    readonly warnings: readonly Warning[];
  },
): Outputs {
  const { conclusion, reason } = outputs;
  if (conclusion === 'success') return outputs;
  const unpublished = warnings.find(({ code }) => code === 'publish-failed')?.message;
  const cause = met[0]?.why ?? errorLine(report) ?? unpublished ?? conclusion;
  return { ...outputs, reason: reason ?? cause };
}

/** The first line about the error of a run; undefined without one. */
function errorLine(report: FinishedRun): string | undefined {
  return errorTextOf(report)?.split('\n', 1)[0];
}

function errorTextOf(report: FinishedRun): string | undefined {
  switch (report.kind) {
    case 'ran': {
      const error = errorOf(report.outcome);
      return error && formatError(error);
    }
    case 'gc': {
      const { end } = report.collection;
      return end.kind === 'failed' ? formatError(end.error) : undefined;
    }
    case 'memory-command': {
      const { result } = report;
      return result.kind === 'failed' ? formatRefusal(result) : undefined;
    }
    case 'validated': {
      const { setup = [] } = report.validation;
      const problems = [...setup, ...allFaults(report.validation)];
      return problems.find(({ severity }) => severity === 'error')?.message;
    }
    case 'planned':
    case 'skipped':
    case 'failed':
      return undefined;
  }
}

function outputsOfRan(report: ReportOf<'ran'>, isHidden: boolean): Outputs {
  const { plan, outcome, published, artifacts } = report;
  return {
    response: markedAnswer(outcome),
    // Once more where it is JSON that was checked: an output of its own is safe to hand to
    // `fromJSON`.
    'structured-output':
      plan.form !== undefined && outcome.kind === 'completed' ? outcome.answer : undefined,
    'artifact-dir': artifacts?.folder,
    ...memoryOutputs(report, isHidden),
    ...usageOutputs(outcome.stats),
    'comment-url': published.url,
    'pull-request-url': published.pullRequestUrl,
  };
}

function memoryOutputs({ memory, remembered, lost }: ReportOf<'ran'>, isHidden: boolean): Outputs {
  const all = [...(remembered === undefined ? [] : [remembered]), ...lost];
  const errors = all.flatMap(({ result }) => {
    if (result.kind === 'failed') return [result.message];
    if (result.onlyFor !== undefined) return [`it is kept for ${result.onlyFor} alone`];
    return (result.unsaved ?? []).map(({ path, message }) => `${path}: ${message}`);
  });
  const isWanted = remembered !== undefined && memory?.store.kind !== 'none';
  const isSaved = isWanted && remembered.result.kind === 'saved' && errors.length === 0;
  const text = all.flatMap(({ entries }) => entries.map((entry) => entry.text)).join('');
  return {
    'memory-loaded': String(loadedEntries(memory)),
    'memory-saved': isWanted || errors.length > 0 ? String(isSaved) : '',
    'memory-entry-id': remembered?.entries[0]?.id,
    'memory-entry': isHidden || text === '' ? undefined : text,
    'memory-save-error': errors.join('; ') || undefined,
  };
}

/** A run that did not come to its end cannot say that nothing is open. */
export function reviewOutputs(
  record: Pick<RunRecord, 'end' | 'conclusion' | 'findings' | 'read'>,
): Outputs {
  const { end, findings, read } = record;
  const coverage = end === 'ran' ? read?.coverage?.kind : undefined;
  if (findings === undefined) return { coverage };
  const { open, worst } = findings;
  return {
    'findings-open': open > 0 || isWhole(record) ? String(open) : '',
    'findings-worst': worst ?? '',
    coverage,
  };
}

function usageOutputs({ inputTokens, outputTokens, costUsd }: RunStats): Outputs {
  return {
    'input-tokens': String(inputTokens),
    'output-tokens': String(outputTokens),
    'cost-usd': costUsd?.toFixed(6),
  };
}

function outputsOfCommand({ result, published }: ReportOf<'memory-command'>): Outputs {
  const isLost = result.kind === 'failed' && result.reason === 'not-saved';
  const outputs = {
    'memory-saved': result.changed || isLost ? String(result.changed) : '',
    'comment-url': published.url,
  };
  if (result.kind === 'done') return { response: result.text, ...outputs };
  return {
    reason: isMistake(result) ? result.reason : undefined,
    response: '',
    ...outputs,
    'memory-save-error': isLost ? result.message : undefined,
  };
}

/** The analysis is about the memory, and stays where that is. */
function outputsOfGc({ collection }: ReportOf<'gc'>, isHidden: boolean): Outputs {
  const { analysis, counted, usage, suggestion, isTrimming = false, end } = collection;
  const error = end.kind === 'failed' ? end.error : undefined;
  return {
    response: isHidden ? '' : (analysis?.text ?? ''),
    'memory-loaded': String(counted?.entries ?? 0),
    'memory-saved': end.kind === 'trimmed' || (error && isTrimming) ? String(!error) : '',
    'memory-save-error': isTrimming ? error?.message : undefined,
    'comment-url': suggestion?.kind === 'published' ? suggestion.url : undefined,
    ...(usage && usageOutputs(usage)),
  };
}
