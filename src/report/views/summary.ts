import { describeTrust } from '../../event/trust.js';
import { isOpen } from '../../findings/finding.js';
import { sourcePosition, warningText } from '../../lib/errors.js';
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
import type { SetupProblem, Validation } from '../../run/records.js';
import { allFaults, formatVerdict, isValid } from '../../run/validate.js';
import type { RecordOf, RunRecord } from '../run-record.js';
import { figuresOf, formatUnread } from './gc.js';
import { formatMemory, formatStaleLines } from './memory.js';
import { bugReport, formatGcSentence, publicationsOf } from './phrases.js';
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

type Clean = (markdown: string) => string;

/**
 * The job summary. Only the texts by others are clean already, by `clean`: a code fence that one
 * leaves open must not swallow what follows.
 */
export function formatSummary(record: RunRecord, clean: Clean): string {
  switch (record.end) {
    case 'ran':
      return formatRun(record, clean);
    case 'planned':
      return formatDryRun(record);
    case 'skipped':
      return formatSkipped(record, clean);
    case 'memory-command':
      return formatCommand(record, clean);
    case 'gc':
      return formatGc(record, clean);
    case 'validated':
      return formatValidated(record);
    case 'failed':
      return formatFailure(record);
  }
}

function formatSkipped({ conclusion, text, findings }: RecordOf<'skipped'>, clean: Clean): string {
  const open = findings?.records.filter(isOpen) ?? [];
  return paragraphs([
    `### axe-action: ${conclusion === 'findings' ? 'skipped' : conclusion}`,
    `${text.message}.`,
    text.remedy ?? '',
    formatFindingTable(open, clean),
    warningList(text.warnings),
  ]);
}

function formatCommand(record: RecordOf<'memory-command'>, clean: Clean): string {
  const { agent, text } = record;
  return paragraphs([
    `### ${agent}: ${oneLine(text.command)}`,
    clean(text.reply),
    formatPublished(publicationsOf(record)),
    warningList(text.warnings),
  ]);
}

function formatFailure({ conclusion, text }: RecordOf<'failed'>): string {
  const { error, stack, warnings } = text;
  return paragraphs([
    `### axe-action: ${conclusion}`,
    stack === undefined ? errorBlock(error) : codeBlock(bugReport(stack)),
    warningList(warnings),
  ]);
}

/** Nothing was sent and nothing written, so everything is shown. */
function formatDryRun(record: RecordOf<'planned'>): string {
  const { plan, read, text } = record;
  return paragraphs([
    `### ${plan.agent.name}: dry run`,
    'No model was asked and nothing was written, memory included. This would have been sent:',
    foldedDetails('System prompt', codeBlock(text.system === '' ? '(none)' : text.system)),
    foldedDetails('User message', codeBlock(text.message)),
    formatReading(read),
    formatMemory(record),
    warningList(text.warnings),
    row([
      ['Agent', plan.agent.source],
      ['Model', plan.model],
      ['Trust', describeTrust(plan.trust)],
      ...guidanceCell(read),
      ['Time limit', `${plan.limits.seconds} s`],
    ]),
  ]);
}

/** The analysis is cleaned by `clean`, since a model wrote it. */
function formatGc(record: RecordOf<'gc'>, clean: Clean): string {
  const { agent, result, work, suggestion, unread, isHidden, text } = record;
  const backupNote =
    result.kind === 'trimmed'
      ? ' Removed entries are kept next to the log as `.bak` until the next time.'
      : '';
  const figures = figuresOf({ days: new Map(text.days), words: text.words });
  return paragraphs([
    `### ${agent}: garbage collection`,
    isHidden && unread !== undefined
      ? 'The analysis is not shown here, because the memory belongs to another repository.'
      : clean(text.analysis),
    formatUnread(unread ?? 0),
    formatStaleLines(text.gone),
    suggestion === undefined ? '' : suggestionLine(suggestion),
    text.error === undefined ? '' : errorBlock(text.error),
    result.kind === 'failed' ? '' : `**${formatGcSentence(result, agent)}**${backupNote}`,
    figures.map((line) => `- ${line}`).join('\n'),
    text.worth,
    work === undefined ? '' : row(usageCells(work)),
    warningList(text.warnings),
  ]);
}

function suggestionLine(suggestion: NonNullable<RecordOf<'gc'>['suggestion']>): string {
  const { kind, url, isCreated, text } = suggestion;
  switch (kind) {
    case 'published':
      return `${isCreated === true ? 'Opened' : 'Updated'}: [the suggestions](${url}).`;
    case 'none':
      return 'No change is suggested.';
    case 'closed-before':
      return `Not suggested again: [the same suggestion](${url}) was closed.`;
    case 'failed':
      return `Suggestions not published: ${text}.`;
  }
}

function formatValidated({ text }: RecordOf<'validated'>): string {
  const { validation, warnings } = text;
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
    warningList(warnings),
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
