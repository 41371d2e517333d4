import { AxeError, formatError, isCancelled, messageOf, ProviderError } from '../lib/errors.js';
import { type Conclusion, conclusionOf } from '../lib/outcome.js';
import { formatCommandResult, formatRefusal } from '../memory/commands/command-session.js';
import { isOpen } from '../review/finding.js';
import { formatSeverities } from '../review/severity.js';
import { summarizeDryRun } from './dry-run.js';
import { formatFindingTable, formatPublished, publishedLines, warningList } from './format-summary.js';
import { summarizeGc } from './gc.js';
import { codeBlock, errorBlock, oneLine, sections } from './markdown.js';
import { summarizeRun } from './run.js';
import type { Finished, ReportOf, RunSummary, SummaryOptions } from './run-summary.js';
import { summarizeValidation } from './validate.js';

export function summarize(report: Finished, options: SummaryOptions): RunSummary {
  switch (report.kind) {
    case 'ran':
      return summarizeRun(report, options);
    case 'planned':
      return summarizeDryRun(report, options);
    case 'skipped':
      return summarizeSkipped(report, options);
    case 'memory-command':
      return summarizeCommand(report, options);
    case 'gc':
      return summarizeGc(report, options);
    case 'validated':
      return summarizeValidation(report.validation);
    case 'failed':
      return summarizeFailure(report.thrown, options);
  }
}

function summarizeSkipped(
  { decision, reviewResult, isIncomplete }: ReportOf<'skipped'>,
  { clean }: SummaryOptions,
): RunSummary {
  const { reason, message, remedy = '' } = decision;
  const conclusion = isIncomplete ? 'incomplete' : 'skipped';
  const open = reviewResult?.report.findings.filter(isOpen) ?? [];
  const are = open.length === 1 ? 'finding is' : 'findings are';
  const severities = formatSeverities(open.map(({ severity }) => severity));
  const said = [`${message}.`, remedy, open.length === 0 ? '' : `${severities} ${are} open.`];
  return {
    outputs: { conclusion, reason, 'memory-saved': 'false' },
    markdown: sections([
      `### axe-action: ${conclusion}`,
      `${message}.`,
      remedy,
      formatFindingTable(open, clean),
    ]),
    log: [],
    annotations: [
      {
        level: isIncomplete ? 'error' : 'notice',
        title: isIncomplete ? 'Not reviewed' : 'Skipped',
        message: said.filter((part) => part !== '').join(' '),
      },
    ],
  };
}

/**
 * What a comment asked for cannot be done, or is about another agent's entry: it is answered there if by anybody, and
 * nothing is wrong with the workflow.
 */
const MISTAKES: ReadonlySet<string> = new Set(['not-found', 'ambiguous', 'refused']);

function summarizeCommand(
  { agent, command, result, published }: ReportOf<'memory-command'>,
  { warnings, clean }: SummaryOptions,
): RunSummary {
  const markdown = sections([
    `### ${agent}: /axe ${oneLine(command)}`,
    clean(formatCommandResult(result)),
    formatPublished(published),
    warningList(warnings),
  ]);
  const outputs = { 'memory-saved': String(result.changed), 'comment-url': published.url };
  if (result.kind === 'done') {
    return {
      outputs: { conclusion: 'success', response: result.text, ...outputs },
      markdown,
      log: [...result.text.split('\n'), ...publishedLines(published)],
      annotations: [],
    };
  }
  const { reason, message } = result;
  const isMistake = MISTAKES.has(reason);
  return {
    outputs: {
      conclusion: isMistake ? 'skipped' : 'failure',
      reason: isMistake ? reason : undefined,
      response: '',
      ...outputs,
      'memory-save-error': reason === 'not-saved' ? message : undefined,
    },
    markdown,
    log: publishedLines(published),
    annotations: [
      {
        level: isMistake ? 'notice' : 'error',
        title: 'Command in a comment',
        message: formatRefusal(result),
      },
    ],
  };
}

function summarizeFailure(thrown: unknown, { warnings }: SummaryOptions): RunSummary {
  const isOurs = thrown instanceof AxeError;
  const message = isOurs ? formatError(thrown) : bugReport(thrown);
  const conclusion = conclusionOfError(thrown);
  return {
    outputs: { conclusion, reason: messageOf(thrown), 'memory-saved': 'false' },
    markdown: sections([
      `### axe-action: ${conclusion}`,
      isOurs ? errorBlock(thrown) : codeBlock(message),
      warningList(warnings),
    ]),
    log: [],
    annotations: [{ level: 'error', title: 'axe-action', message, at: isOurs ? thrown.at : undefined }],
  };
}

/** Time can be up before the model is asked. */
function conclusionOfError(thrown: unknown): Conclusion {
  if (thrown instanceof ProviderError && thrown.category === 'timeout') return 'timeout';
  return isCancelled(thrown) ? 'cancelled' : 'failure';
}

function bugReport(thrown: unknown): string {
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : messageOf(thrown);
  return `This is a bug in axe-action; please report it with these lines:\n${stack}`;
}

/** The one line that whoever asked in a comment is told where nothing else answers; undefined where something does. */
export function noAnswer(report: Finished): string | undefined {
  switch (report.kind) {
    case 'ran': {
      const { outcome, published } = report;
      const isAnswered = outcome.kind === 'completed' || published.url !== undefined;
      return isAnswered ? undefined : withoutAnswer(conclusionOf(outcome));
    }
    case 'skipped':
      return `No run was started: ${report.decision.message}.`;
    case 'failed':
      return withoutAnswer(conclusionOfError(report.thrown));
    default:
      return undefined;
  }
}

/**
 * Chosen by the conclusion alone: the words of an error can quote what a provider or a file says. Undefined for a run that was
 * cancelled: whoever did that knows of it, and a newer run may answer.
 */
function withoutAnswer(conclusion: Conclusion): string | undefined {
  return conclusion === 'cancelled' ? undefined : `There is no answer: ${REASONS[conclusion]}.`;
}

const REASONS: Readonly<Record<Exclude<Conclusion, 'cancelled'>, string>> = {
  success: 'the run had nothing to say',
  failure: 'the run failed',
  skipped: 'the run was skipped',
  timeout: 'the run reached its time limit',
  'budget-exceeded': 'the run reached its limit of tokens or cost',
  'max-turns': 'the run reached its limit of turns',
  refused: 'the model refused to answer',
  incomplete: 'the model did not finish',
};
