import type { Fault } from '../agent/fault.js';
import { formatModelRef } from '../agent/model-ref.js';
import { MAX_TASK_CODE_POINTS } from '../lib/defaults.js';
import { shownFile, sourcePosition } from '../lib/position.js';
import { cutToCharacters } from '../lib/text/cut.js';
import { count } from '../lib/text/number.js';
import { formatCommandResult, formatRefusal } from '../memory/commands/command-session.js';
import { buildSystemPrompt, NO_NOTES, withNotes } from '../prompt/system.js';
import { isOpen } from '../review/finding.js';
import type { FindingRecord } from '../review/record.js';
import { formatSeverities } from '../review/severity.js';
import type { RunReport } from '../run/request.js';
import type { Plan } from '../run/run-plan.js';
import { formatValidation, formatVerdict } from '../run/validate/format-validation.js';
import { allFaults, type CheckedAgent, isValid, type Validation } from '../run/validate/validation.js';
import { describePlan } from '../runner/action-reporter.js';
import { formatMemory, type LoadedMemoryView, loadedEntries } from './format-memory.js';
import {
  formatFindingTable,
  formatPublished,
  formatReading,
  publishedLines,
  warningList,
} from './format-summary.js';
import { row } from './format-usage.js';
import { gcReporter } from './gc.js';
import { code, codeBlock, details, oneLine, sections } from './markdown.js';
import type { Outputs } from './outputs.js';
import type { Annotation, KindReporter, ReportOf, SummaryOptions } from './reporter.js';
import { runReporter } from './run.js';

/** The reporter of each kind. */
export function reporterOf(report: RunReport): KindReporter {
  switch (report.kind) {
    case 'ran':
      return runReporter(report);
    case 'planned':
      return dryRunReporter(report);
    case 'skipped':
      return skippedReporter(report);
    case 'memory-command':
      return memoryReporter(report);
    case 'gc':
      return gcReporter(report);
    case 'validated':
      return validateReporter(report);
  }
}

/** The reporter of an event that starts no run. */
function skippedReporter({ decision, reviewResult, isIncomplete }: ReportOf<'skipped'>): KindReporter {
  const { reason, message, remedy } = decision;
  const conclusion = isIncomplete === true ? 'incomplete' : 'skipped';
  const next = remedy === undefined ? `${message}.` : `${message}.\n\n${remedy}`;
  const open = reviewResult?.report.findings.filter(isOpen) ?? [];
  const said = [`${message}.`, remedy ?? '', open.length === 0 ? '' : `${openSentence(open)}.`];
  return {
    outputs: () => ({ conclusion, reason, 'memory-saved': 'false' }),
    formatSummary: ({ clean }) =>
      sections([`### axe-action: ${conclusion}`, next, formatFindingTable(open, clean)]),
    logLines: () => [],
    annotations: () => [
      {
        level: isIncomplete === true ? 'error' : 'notice',
        title: isIncomplete === true ? 'Not reviewed' : 'Skipped',
        message: said.filter((part) => part !== '').join(' '),
      },
    ],
    noAnswer: () => `No run was started: ${message}.`,
    ...(reviewResult === undefined ? {} : { review: reviewResult }),
  };
}

function openSentence(open: readonly FindingRecord[]): string {
  const are = open.length === 1 ? 'finding is' : 'findings are';
  return `${formatSeverities(open.map(({ severity }) => severity))} ${are} open`;
}

type Planned = ReportOf<'planned'>;

/** The reporter of a dry run. */
function dryRunReporter(report: Planned): KindReporter {
  const { plan, memory } = report;
  return {
    outputs: () => ({
      conclusion: 'success',
      'memory-saved': 'false',
      'memory-loaded': String(loadedEntries(memory)),
    }),
    formatSummary: (options) => summaryOfDryRun(report, options),
    logLines: () => [...describePlan(plan, memory?.restored), DRY_RUN],
    annotations: () => [],
  };
}

const DRY_RUN =
  'Dry run: no model was asked and nothing was written. The job summary shows what would be sent.';

const NO_MEMORY = { text: '', notes: NO_NOTES };

/** Nothing was sent and nothing written, so everything is shown (D26). */
function summaryOfDryRun({ plan, memory }: Planned, { warnings, view }: SummaryOptions): string {
  const { text: runLog, notes = NO_NOTES } = view.isHidden || memory === undefined ? NO_MEMORY : memory;
  const system = withNotes(buildSystemPrompt(plan.prompt), { runLog, ...notes });
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

type MemoryReport = ReportOf<'memory-command'>;

/** The reporter of a command of a comment. */
export function memoryReporter(report: MemoryReport): KindReporter {
  const { result, published } = report;
  return {
    outputs: () => outputsOf(report),
    formatSummary: (options) => summaryOfMemory(report, options),
    logLines: () => [
      ...(result.kind === 'done' ? result.text.split('\n') : []),
      ...publishedLines(published),
    ],
    annotations: () => annotationsOfMemory(report),
  };
}

function outputsOf({ result, published }: MemoryReport): Outputs {
  const isSkipped = result.kind === 'failed' && MISTAKES.has(result.reason);
  return {
    conclusion: result.kind === 'done' ? 'success' : isSkipped ? 'skipped' : 'failure',
    ...(isSkipped ? { reason: result.reason } : {}),
    response: result.kind === 'done' ? result.text : '',
    'memory-saved': String(result.changed),
    ...(result.kind === 'failed' && result.reason === 'not-saved'
      ? { 'memory-save-error': result.message }
      : {}),
    ...(published.url === undefined ? {} : { 'comment-url': published.url }),
  };
}

/**
 * What a comment asked for cannot be done, or is about another agent's entry: it is answered there if by anybody, and
 * nothing is wrong with the workflow.
 */
const MISTAKES: ReadonlySet<string> = new Set(['not-found', 'ambiguous', 'refused']);

function summaryOfMemory(
  { agent, command, result, published }: MemoryReport,
  { warnings, clean }: SummaryOptions,
): string {
  return sections([
    `### ${agent}: /axe ${oneLine(command)}`,
    clean(formatCommandResult(result)),
    formatPublished(published),
    warningList(warnings),
  ]);
}

/** Why a command was not done; a comment that was mistaken is nobody's failure. */
function annotationsOfMemory({ result }: MemoryReport): readonly Annotation[] {
  if (result.kind === 'done') return [];
  const level = MISTAKES.has(result.reason) ? 'notice' : 'error';
  return [{ level, title: 'Command in a comment', message: formatRefusal(result) }];
}

/** The reporter of a look at agents. */
export function validateReporter({ validation }: ReportOf<'validated'>): KindReporter {
  return {
    outputs: () => ({
      conclusion: isValid(validation) ? 'success' : 'failure',
      response: formatValidation(validation).join('\n'),
      'memory-saved': 'false',
    }),
    formatSummary: () => summaryOfValidation(validation),
    logLines: () => logLinesOf(validation),
    annotations: () => annotationsOfValidation(allFaults(validation)),
  };
}

/** Faults that are listed; an annotation holds less, a summary a megabyte. */
const MAX_LISTED = 200;

/** A row for each agent, and below it all that is wrong. */
function summaryOfValidation(validation: Validation): string {
  const { agents, where } = validation;
  const faults = allFaults(validation);
  const lines = faults
    .slice(0, MAX_LISTED)
    .map((fault) =>
      oneLine(`- **${fault.severity}** ${code(sourcePosition(fault.at))}: ${formatFault(fault)}`),
    );
  const left = faults.length - lines.length;
  return sections([
    `### axe-action: ${isValid(validation) ? 'the agents are valid' : 'the agents are not valid'}`,
    `${count(agents.length, 'agent')} of ${where}. No model was asked and memory was not touched.`,
    table(
      ['Agent', 'Model', 'Tools', 'Memory', 'Result'],
      agents.map((agent) => [name(agent.file), ...cellsOf(agent), formatVerdict(agent)]),
    ),
    lines.join('\n'),
    left > 0 ? `And ${left} more.` : '',
  ]);
}

/** The annotations tell the faults. */
function logLinesOf({ agents, where }: Validation): readonly string[] {
  const lines = agents.map((agent) => `  ${shownFile(agent.file)}: ${formatVerdict(agent)}`);
  return [`Looked at ${count(lines.length, 'agent')} of ${where}:`, ...lines];
}

/** The runner shows ten annotations of a kind for a step (D35); the tenth counts what is left. */
const MAX_ANNOTATIONS = 9;

/** What is wrong with agents, at their lines. */
function annotationsOfValidation(faults: readonly Fault[]): readonly Annotation[] {
  return (['error', 'warning'] as const).flatMap((level) => {
    const own = faults.filter(({ severity }) => severity === level);
    const left = own.length - MAX_ANNOTATIONS;
    const message = `${count(left, `more ${level}`)}; the job summary lists them.`;
    return [
      ...own.slice(0, MAX_ANNOTATIONS).map(({ message, remedy, at }) => ({
        level,
        title: 'Agent',
        message: [message, remedy].join('\n').trim(),
        at,
      })),
      ...(left > 0 ? [{ level, title: 'Agent', message }] : []),
    ];
  });
}

/** Message and remedy as sentences. */
function formatFault({ message, remedy }: Fault): string {
  return withoutMarkup(remedy === '' ? message : `${message.replace(/\.$/, '')}. ${remedy}`);
}

/** Code stays code; the rest, in which names stand as a stranger wrote them, is no link, image or element. */
function withoutMarkup(text: string): string {
  const [first = '', ...others] = text.split(/(?<!`)(`[^`]+`)(?!`)/);
  const parts = [first, ...others];
  return parts.map((part, index) => (index % 2 === 1 ? part : part.replace(/[\\`[<]/g, '\\$&'))).join('');
}

function cellsOf({ raw }: CheckedAgent): readonly string[] {
  if (raw === undefined) return ['', '', ''];
  const { model, tools, mcp_servers: servers, sub_agents: subAgents, memory } = raw;
  const others = [
    ...servers.map((server) => `MCP ${name(server.name)}`),
    ...subAgents.map((agent) => `sub-agent ${name(agent)}`),
  ];
  return [
    model === '' ? '' : name(model),
    listed([...tools.map(name), ...others]),
    memory.enabled ? (memory.notes ? 'on, with notes' : 'on') : 'off',
  ];
}

/** Most characters of a name; what stands in a file is anybody's. */
const MAX_NAME = 100;

/** Most names in a cell. */
const MAX_NAMES = 20;

function name(text: string): string {
  return code(cutToCharacters(text, MAX_NAME));
}

function listed(names: readonly string[]): string {
  return [...names.slice(0, MAX_NAMES), ...(names.length > MAX_NAMES ? ['…'] : [])].join(', ');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function cell(text: string): string {
  return oneLine(text).replaceAll('|', '\\|');
}
