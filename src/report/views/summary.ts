import { formatModelRef } from '../../agent/config.js';
import { describeTrust } from '../../event/trust.js';
import { isOpen } from '../../findings/finding.js';
import { AxeError, sourcePosition, warningText } from '../../lib/errors.js';
import {
  codeBlock,
  count,
  cutToCharacters,
  errorBlock,
  foldedDetails,
  inlineCode,
  oneLine,
  paragraphs,
  table,
} from '../../lib/text/format.js';
import { buildSystemPrompt, withMemory } from '../../prompt/prompt.js';
import type { GcResult } from '../../run/gc-result.js';
import { formatCommandResult } from '../../run/memory-commands/command-texts.js';
import type { SetupProblem, Validation } from '../../run/records.js';
import { allFaults, formatVerdict, isValid } from '../../run/validate.js';
import { conclusionOfRun } from '../conclusion.js';
import type { FinishedRun, ReportOf, SummaryOptions } from '../run-summary.js';
import { figuresOf, formatUnread } from './gc.js';
import { formatMemory, formatStaleLines } from './memory.js';
import { bugReport, formatGcSentence } from './phrases.js';
import { formatRun } from './summary-of-run.js';
import {
  formatFindingTable,
  formatPublished,
  formatReading,
  guidanceCell,
  row,
  usageCells,
  warningList,
} from './summary-parts.js';

/**
 * The job summary. Only the texts by others are clean already, by `clean`: a code fence that one
 * leaves open must not swallow what follows.
 */
export function formatSummary(report: FinishedRun, options: SummaryOptions): string {
  switch (report.kind) {
    case 'ran':
      return formatRun(report, options);
    case 'planned':
      return formatDryRun(report, options);
    case 'skipped':
      return formatSkipped(report, options);
    case 'memory-command':
      return formatCommand(report, options);
    case 'gc':
      return formatGc(report, options);
    case 'validated':
      return formatValidated(report.validation);
    case 'failed':
      return formatFailure(report, options);
  }
}

function formatSkipped(report: ReportOf<'skipped'>, { clean }: SummaryOptions): string {
  const { message, remedy = '' } = report.decision;
  const open = report.reviewResult?.report.findings.filter(isOpen) ?? [];
  return paragraphs([
    `### axe-action: ${conclusionOfRun(report)}`,
    `${message}.`,
    remedy,
    formatFindingTable(open, clean),
  ]);
}

function formatCommand(
  { agent, command, result, published }: ReportOf<'memory-command'>,
  { warnings, clean }: SummaryOptions,
): string {
  return paragraphs([
    `### ${agent}: ${oneLine(command)}`,
    clean(formatCommandResult(result)),
    formatPublished(published),
    warningList(warnings),
  ]);
}

function formatFailure(report: ReportOf<'failed'>, { warnings }: SummaryOptions): string {
  const { thrown } = report;
  return paragraphs([
    `### axe-action: ${conclusionOfRun(report)}`,
    thrown instanceof AxeError ? errorBlock(thrown) : codeBlock(bugReport(thrown)),
    warningList(warnings),
  ]);
}

/** Nothing was sent and nothing written, so everything is shown. */
function formatDryRun(
  { plan, memory }: ReportOf<'planned'>,
  { warnings, isHidden }: SummaryOptions,
): string {
  const shown = isHidden ? undefined : memory;
  const system = withMemory(
    buildSystemPrompt(plan.prompt),
    shown?.text ?? '',
    shown?.notes?.prompt,
  );
  return paragraphs([
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
      ['Trust', describeTrust(plan.reading)],
      ...guidanceCell(plan),
      ['Time limit', `${plan.timeoutSeconds} s`],
    ]),
  ]);
}

/**
 * The analysis is cleaned by `clean`, since a model wrote it; of a memory in another repository it
 * is not told.
 */
function formatGc(
  { agent, collection }: ReportOf<'gc'>,
  { warnings, isHidden, clean }: SummaryOptions,
): string {
  const { counted, usage, suggestion, end } = collection;
  const { analysis, gone = [], worth = '' } = isHidden ? {} : collection;
  const backupNote =
    end.kind === 'trimmed'
      ? ' Removed entries are kept next to the log as `.bak` until the next time.'
      : '';
  const ended =
    end.kind === 'failed'
      ? errorBlock(end.error)
      : `**${formatGcSentence(end, agent)}**${backupNote}`;
  return paragraphs([
    `### ${agent}: garbage collection`,
    isHidden && collection.analysis !== undefined
      ? 'The analysis is not shown here, because the memory belongs to another repository.'
      : clean(analysis?.text ?? ''),
    formatUnread(collection.analysis?.unread ?? 0),
    formatStaleLines(gone, false),
    suggestion === undefined ? '' : suggestionLine(suggestion),
    ended,
    counted === undefined || isHidden
      ? ''
      : figuresOf(counted)
          .map((line) => `- ${line}`)
          .join('\n'),
    worth,
    usage === undefined ? '' : row(usageCells(usage)),
    warningList(warnings),
  ]);
}

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

function formatValidated(validation: Validation): string {
  const { agents, where, setup = [] } = validation;
  const lines = [
    ...setup.map((problem) => `- **${problem.severity}**: ${problemText(problem)}`),
    ...allFaults(validation).map((fault) => {
      const place = inlineCode(sourcePosition(fault.at));
      return `- **${fault.severity}** ${place}: ${problemText(fault)}`;
    }),
  ].map(oneLine);
  return paragraphs([
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
  ]);
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
