import { formatModelRef } from '../agent/config.js';
import { formatOpenCount, isOpen } from '../findings/finding.js';
import {
  AxeError,
  CancelledError,
  displayFile,
  formatError,
  messageOf,
  ProviderError,
  sourcePosition,
  warningText,
} from '../lib/errors.js';
import { type Conclusion, conclusionOf } from '../lib/outcome.js';
import {
  codeBlock,
  count,
  cutToCharacters,
  errorBlock,
  foldedDetails,
  formatInteger,
  inlineCode,
  oneLine,
  paragraphs,
  table,
} from '../lib/text/format.js';
import { buildSystemPrompt, withMemory } from '../prompt/prompt.js';
import type { GcResult } from '../run/gc-result.js';
import { formatCommandResult, formatRefusal } from '../run/memory-commands/command-texts.js';
import type { SetupProblem, Validation } from '../run/records.js';
import { allFaults, formatValidation, formatVerdict, isValid } from '../run/validate.js';
import { describePlan, publishedLines } from '../runner/action-reporter.js';
import { figuresOf, formatGcEnd, formatUnread } from './format-gc.js';
import { formatMemory, formatStaleLines, loadedEntries } from './format-memory.js';
import {
  formatFindingTable,
  formatPublished,
  formatReading,
  guidanceCell,
  row,
  summarizeRun,
  usageCells,
  usageOutputs,
  warningList,
} from './run.js';
import type { FinishedRun, ReportOf, RunSummary, SummaryOptions } from './run-summary.js';

export function summarize(report: FinishedRun, options: SummaryOptions): RunSummary {
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
  { decision, reviewResult }: ReportOf<'skipped'>,
  { clean }: SummaryOptions,
): RunSummary {
  const { reason, message, remedy = '' } = decision;
  const isIncomplete = reason === 'findings-unread';
  const conclusion = isIncomplete ? 'incomplete' : 'skipped';
  const open = reviewResult?.report.findings.filter(isOpen) ?? [];
  const sentences = [`${message}.`, remedy, open.length === 0 ? '' : `${formatOpenCount(open)}.`];
  return {
    outputs: { conclusion, reason, 'memory-saved': '' },
    markdown: paragraphs([
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
        message: sentences.filter((part) => part !== '').join(' '),
      },
    ],
  };
}

/**
 * The command of a comment cannot be carried out, or is about another agent's entry: the comment
 * gets the answer, and nothing is wrong with the workflow.
 */
const MISTAKES: ReadonlySet<string> = new Set(['not-found', 'ambiguous', 'refused']);

function summarizeCommand(
  { agent, command, result, published }: ReportOf<'memory-command'>,
  { warnings, clean }: SummaryOptions,
): RunSummary {
  const markdown = paragraphs([
    `### ${agent}: ${oneLine(command)}`,
    clean(formatCommandResult(result)),
    formatPublished(published),
    warningList(warnings),
  ]);
  const isLost = result.kind === 'failed' && result.reason === 'not-saved';
  const outputs = {
    'memory-saved': result.changed || isLost ? String(result.changed) : '',
    'comment-url': published.url,
  };
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
    outputs: { conclusion, reason: messageOf(thrown), 'memory-saved': '' },
    markdown: paragraphs([
      `### axe-action: ${conclusion}`,
      isOurs ? errorBlock(thrown) : codeBlock(message),
      warningList(warnings),
    ]),
    log: [],
    annotations: [
      { level: 'error', title: 'axe-action', message, at: isOurs ? thrown.at : undefined },
    ],
  };
}

/** The conclusion for an error that ended a run, also before the model was asked. */
function conclusionOfError(thrown: unknown): Conclusion {
  if (thrown instanceof ProviderError && thrown.category === 'timeout') return 'timeout';
  if (thrown instanceof AxeError && thrown.exitCode === 4) return 'budget-exceeded';
  return thrown instanceof CancelledError ? 'cancelled' : 'failure';
}

function bugReport(thrown: unknown): string {
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : messageOf(thrown);
  return `This is a bug in axe-action; please report it with these lines:\n${stack}`;
}

/** The line that answers a comment if nothing else does; undefined if something does. */
export function missingAnswerLine(report: FinishedRun): string | undefined {
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
 * The conclusion alone chooses it: the words of an error can quote a provider or a file. Undefined
 * for a run that was cancelled: the person who cancelled knows of it, and a newer run can answer.
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

/** Nothing was sent and nothing written, so everything is shown. */
function summarizeDryRun(
  report: ReportOf<'planned'>,
  { warnings, isHidden }: SummaryOptions,
): RunSummary {
  const { plan, memory } = report;
  const shown = isHidden ? undefined : memory;
  const system = withMemory(
    buildSystemPrompt(plan.prompt),
    shown?.text ?? '',
    shown?.notes?.prompt,
  );
  return {
    outputs: {
      conclusion: 'success',
      'memory-saved': '',
      'memory-loaded': String(loadedEntries(memory)),
    },
    markdown: paragraphs([
      `### ${plan.agent.name}: dry run`,
      'No model was asked and nothing was written, memory included. This would have been sent:',
      foldedDetails('System prompt', codeBlock(system === '' ? '(none)' : system)),
      foldedDetails('User message', codeBlock(plan.task.message)),
      formatReading(plan.coverage, plan.scope),
      formatMemory({ plan, memory, remembered: undefined }, isHidden, []),
      warningList(warnings),
      row([
        ['Agent', plan.agent.source],
        ['Model', formatModelRef(plan.model)],
        ['Trust', plan.reading.describe()],
        ...guidanceCell(plan),
        ['Time limit', `${plan.timeoutSeconds} s`],
      ]),
    ]),
    log: [
      ...describePlan(plan, memory),
      'Dry run: no model was asked and nothing was written. The job summary shows what would be sent.',
    ],
    annotations: [],
  };
}

/**
 * The analysis is cleaned by `clean`, since a model wrote it; of a memory in another repository it
 * is not told.
 */
function summarizeGc(
  { agent, collection }: ReportOf<'gc'>,
  { warnings, isHidden, clean }: SummaryOptions,
): RunSummary {
  const { counted, usage, suggestion, isTrimming = false, end } = collection;
  const { analysis, gone = [], worth = '' } = isHidden ? {} : collection;
  const url = suggestion?.kind === 'published' ? suggestion.url : undefined;
  const error = end.kind === 'failed' ? end.error : undefined;
  const ended = end.kind === 'failed' ? '' : formatGcEnd(end, agent, entries);
  const backupNote =
    end.kind === 'trimmed'
      ? ' Removed entries are kept next to the log as `.bak` until the next time.'
      : '';
  return {
    outputs: {
      conclusion: error === undefined ? 'success' : conclusionOfError(error),
      response: analysis?.text ?? '',
      'memory-loaded': String(counted?.entries ?? 0),
      'memory-saved': end.kind === 'trimmed' || (error && isTrimming) ? String(!error) : '',
      'memory-save-error': isTrimming ? error?.message : undefined,
      'comment-url': url,
      ...(usage && usageOutputs(usage)),
    },
    markdown: paragraphs([
      `### ${agent}: garbage collection`,
      isHidden && collection.analysis !== undefined
        ? 'The analysis is not shown here, because the memory belongs to another repository.'
        : clean(analysis?.text ?? ''),
      formatUnread(collection.analysis?.unread ?? 0),
      formatStaleLines(gone, false),
      suggestion === undefined ? '' : suggestionLine(suggestion),
      error === undefined ? `**${ended}**${backupNote}` : errorBlock(error),
      counted === undefined || isHidden
        ? ''
        : figuresOf(counted)
            .map((line) => `- ${line}`)
            .join('\n'),
      worth,
      usage === undefined ? '' : row(usageCells(usage)),
      warningList(warnings),
    ]),
    log: [
      ...(counted === undefined
        ? []
        : [`Agent: ${agent}`, `Entries: ${formatInteger(counted.entries)}`]),
      ...(url === undefined ? [] : [`Suggestions: ${url}`]),
      ...(ended === '' ? [] : [ended]),
    ],
    annotations:
      error === undefined
        ? []
        : [{ level: 'error', title: 'axe-action', message: formatError(error) }],
  };
}

const entries = (number: number) => count(number, 'entry');

function suggestionLine(suggestion: NonNullable<GcResult['suggestion']>): string {
  switch (suggestion.kind) {
    case 'published':
      return `${suggestion.created ? 'Opened' : 'Updated'}: [the suggestions](${suggestion.url}).`;
    case 'none':
      return 'No change is suggested.';
    case 'closed-before':
      return `Not suggested again: [the same suggestion](${suggestion.url}) was closed.`;
    case 'failed':
      return `Suggestions not published: ${suggestion.message}.`;
  }
}

/** GitHub's levels of annotations, worst first. */
const ANNOTATION_LEVELS = [
  ['error', 'error'],
  ['warning', 'warning'],
  ['note', 'notice'],
] as const;

function summarizeValidation(validation: Validation): RunSummary {
  const { agents, where, setup = [] } = validation;
  const faults = allFaults(validation);
  const verdicts = agents.map(
    (agent) => `  ${displayFile(agent.file)}: ${formatVerdict(agent.faults)}`,
  );
  const lines = [
    ...setup.map((problem) => `- **${problem.severity}**: ${problemText(problem)}`),
    ...faults.map((fault) => {
      const place = inlineCode(sourcePosition(fault.at));
      return `- **${fault.severity}** ${place}: ${problemText(fault)}`;
    }),
  ].map(oneLine);
  return {
    outputs: {
      conclusion: isValid(validation) ? 'success' : 'failure',
      response: formatValidation(validation).join('\n'),
      'memory-saved': '',
    },
    markdown: paragraphs([
      `### axe-action: ${validationTitle(validation)}`,
      `${count(agents.length, 'agent')} in ${where}. No model was asked and memory was not touched.`,
      table(
        ['Agent', 'Result'],
        agents.map((agent) => [
          inlineCode(cutToCharacters(agent.file, 100)),
          formatVerdict(agent.faults),
        ]),
      ),
      lines.join('\n'),
    ]),
    // Annotations report the problems.
    log: [`Checked ${count(agents.length, 'agent')} in ${where}:`, ...verdicts],
    annotations: ANNOTATION_LEVELS.flatMap(([severity, level]) => [
      ...setup
        .filter((problem) => problem.severity === severity)
        .map(({ message, remedy }) => ({
          level,
          title: 'Input',
          message: `${message}\n${remedy}`,
        })),
      ...faults
        .filter((problem) => problem.severity === severity)
        .map(({ message, remedy, at }) => {
          return {
            level,
            title: at.file.endsWith('.toml') ? 'Agent' : 'Workflow',
            message: [message, remedy].join('\n').trim(),
            at,
          };
        }),
    ]),
  };
}

function validationTitle(validation: Validation): string {
  if (isValid(validation)) return 'the agents are valid';
  const isOfInputs = validation.setup?.some(({ severity }) => severity === 'error') === true;
  return isOfInputs ? 'the set-up is not valid' : 'the agents are not valid';
}

function problemText({ message, remedy }: SetupProblem): string {
  return withoutMarkup(warningText({ message, remedy: remedy || undefined }));
}

/**
 * Code stays code. The rest can have names that a stranger wrote, so it gets no link, image or
 * element.
 */
function withoutMarkup(text: string): string {
  const parts = text.split(/(?<!`)(`[^`]+`)(?!`)/);
  return parts
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/[\\`[<]/g, '\\$&')))
    .join('');
}
