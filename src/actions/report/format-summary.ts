import { tellResult } from '../../commands/memory/format-result.js';
import { formatModelRef } from '../../core/agent/model-ref.js';
import { MAX_TASK_CODE_POINTS } from '../../core/defaults.js';
import { formatError } from '../../core/errors.js';
import { stripProvenance } from '../../core/memory/run-log.js';
import { type Conclusion, conclusionOf, type RunOutcome } from '../../core/outcome.js';
import type { Plan } from '../../core/plan.js';
import { sourcePosition } from '../../core/position.js';
import { NO_NOTES, withNotes } from '../../core/prompt/system.js';
import { formatScope } from '../../core/review/scope.js';
import { count } from '../../core/text/count.js';
import { usd } from '../../core/text/usd.js';
import type { Warning } from '../../core/warning.js';
import type { RunReport } from '../../run/request.js';
import { type CallCount, countCalls } from './count-calls.js';
import { formatGcSummary } from './format-gc.js';
import { formatLearned } from './format-learned.js';
import { formatMemory, isAddedTo, type LoadedMemoryView } from './format-memory.js';
import { formatPublished } from './format-published.js';
import { row, usageCells } from './format-usage.js';
import { validatedSummary } from './format-validated.js';
import { code, codeBlock, details, oneLine, sections } from './markdown.js';

/** What a summary is made with beside the report. */
export interface SummaryOptions {
  readonly warnings: readonly Warning[];
  readonly view: LoadedMemoryView;
  readonly clean: (markdown: string) => string;
}

/**
 * The job summary of a run, as markdown that has not been through outbound cleaning yet. Only the answer has, by
 * `clean`: a code fence it leaves open must not swallow what stands below.
 */
export function formatSummary(report: RunReport, { warnings, view, clean }: SummaryOptions): string {
  switch (report.kind) {
    case 'skipped': {
      const { message, remedy } = report.decision;
      return sections([
        `### axe-action: skipped`,
        remedy === undefined ? `${message}.` : `${message}.\n\n${remedy}`,
      ]);
    }
    case 'planned':
      return plannedSummary(report, warnings, view);
    case 'tended':
      return tendedSummary(report, warnings, clean);
    case 'collected':
      return sections([formatGcSummary(report, { isHidden: view.isHidden, clean }), warningList(warnings)]);
    case 'validated':
      return validatedSummary(report);
    case 'ran':
      return ranSummary(report, { warnings, view, clean });
  }
}

/** What a command over memory did. What entries say is shown as it stands there, whatever marks it holds. */
function tendedSummary(
  { agent, command, result, published }: Extract<RunReport, { kind: 'tended' }>,
  warnings: readonly Warning[],
  clean: SummaryOptions['clean'],
): string {
  const text = tellResult(result);
  return sections([
    `### ${agent}: memory ${oneLine(command)}`,
    result.kind === 'done' && VERBATIM.has(command) ? codeBlock(text.trimEnd()) : clean(text),
    formatPublished(published),
    warningList(warnings),
  ]);
}

const VERBATIM: ReadonlySet<string> = new Set(['show', 'search', 'export']);

/** The summary of a run that ended before there was anything to report. */
export function formatFailureSummary(
  { conclusion, message }: { readonly conclusion: Conclusion; readonly message: string },
  warnings: readonly Warning[],
): string {
  return sections([`### axe-action: ${conclusion}`, codeBlock(message), warningList(warnings)]);
}

/** The summary of a post step that could not save what a killed main step left either. */
export function formatUnsavedSummary(
  why: string,
  entries: readonly { readonly id: string; readonly text: string }[],
  { isHidden }: Pick<LoadedMemoryView, 'isHidden'>,
): string {
  const ids = [...new Set(entries.map(({ id }) => code(id)))].join(', ');
  const shown = isHidden
    ? [`What the main step left belongs in another repository, so it is not shown here: ${ids}.`]
    : [
        'What the main step left, so that it is not lost:',
        codeBlock(stripProvenance(entries.map(({ text }) => text).join('')).trimEnd()),
      ];
  return sections(['### axe-action: memory not saved', why, ...shown]);
}

type Ran = Extract<RunReport, { kind: 'ran' }>;

function ranSummary(report: Ran, { warnings, view, clean }: SummaryOptions): string {
  const { plan, outcome, published } = report;
  const answer = outcome.kind === 'failed' ? codeBlock(formatError(outcome.error)) : clean(outcome.answer);
  const isShort = outcome.kind === 'exhausted' || outcome.kind === 'incomplete';
  const cut = isShort ? codeBlock(formatError(outcome.error)) : '';
  return sections([
    `### ${plan.agent.name}: ${conclusionOf(outcome)}`,
    answer,
    cut,
    formatPublished(published),
    published.checkUrl === undefined ? '' : `**Check:** ${published.checkUrl}`,
    published.details === undefined ? '' : clean(published.details),
    '---',
    scopeLine(plan),
    formatMemory(report, view),
    formatLearned(report.learned, view),
    warningList(toldOnce(warnings, report)),
    callList(countCalls(outcome.stats.calls)),
    figures(plan, outcome),
    spendLine(report),
  ]);
}

type Planned = Extract<RunReport, { kind: 'planned' }>;

const NO_MEMORY = { text: '', notes: NO_NOTES };

/** Dry run: nothing was sent and nothing written, so everything is shown (D26). */
function plannedSummary(report: Planned, warnings: readonly Warning[], view: LoadedMemoryView): string {
  const { plan, memory } = report;
  const { text: runLog, notes = NO_NOTES } = view.isHidden || memory === undefined ? NO_MEMORY : memory;
  const system = withNotes(plan.systemPrompt, { runLog, ...notes });
  return sections([
    `### ${plan.agent.name}: dry run`,
    'No model was asked and nothing was written, memory included. This would have been sent:',
    details('System prompt', codeBlock(system === '' ? '(none)' : system)),
    details('User message', codeBlock(plan.task.message)),
    scopeLine(plan),
    formatMemory({ plan, memory, remembered: { kind: 'nothing' } }, view),
    isAddedTo(report) ? announced(plan, view) : '',
    warningList(warnings),
    row([
      ['Agent', plan.agent.source],
      ['Model', formatModelRef(plan.model)],
      ['Trust', plan.trust.level],
      ['Time limit', `${plan.timeoutSeconds} s`],
    ]),
  ]);
}

function announced({ task }: Plan, { isHidden }: LoadedMemoryView): string {
  const isLong = task.sentence.length > MAX_TASK_CODE_POINTS;
  const shown = isLong
    ? `this task, cut to ${MAX_TASK_CODE_POINTS} characters,`
    : `the task “${oneLine(task.sentence)}”`;
  const about = isHidden ? '' : ` for ${shown}`;
  return `An entry${about} would have been added.`;
}

/** The warnings without those of the agent's own memory that the section above has told; a sub-agent's stay. */
function toldOnce(warnings: readonly Warning[], { plan, memory, remembered }: Ran): readonly Warning[] {
  const isUnsaved = remembered.kind !== 'nothing' && remembered.result.kind === 'failed';
  const told = [
    ...(isUnsaved ? [`failed to save memory for "${plan.agent.name}"`] : []),
    ...(memory?.restored.kind === 'failed' ? [`failed to load memory for "${plan.agent.name}"`] : []),
  ];
  return warnings.filter(({ message }) => !told.some((start) => message.startsWith(start)));
}

function warningList(warnings: readonly Warning[]): string {
  const unread = warnings.filter(({ code }) => code === 'context-unread');
  const others = warnings.filter(({ code }) => code !== 'context-unread');
  return sections([listUnder('Warnings', others), listUnder('Not read', unread)]);
}

function listUnder(heading: string, warnings: readonly Warning[]): string {
  return warnings.length === 0 ? '' : sections([`**${heading}**`, warnings.map(warningLine).join('\n')]);
}

function warningLine({ message, at }: Warning): string {
  return `- ${oneLine(message)}${at === undefined ? '' : ` (${code(sourcePosition(at))})`}`;
}

/** Most tools and sub-agents that are listed; a model can make up names without end. */
const MAX_LISTED_CALLS = 50;

function callList(counts: readonly CallCount[]): string {
  if (counts.length === 0) return '';
  const left = counts.length - MAX_LISTED_CALLS;
  const lines = [
    ...counts.slice(0, MAX_LISTED_CALLS).map(callLine),
    ...(left > 0 ? [`- and ${left} more`] : []),
  ];
  return details('What the agent called', lines.join('\n'));
}

function callLine({ name, calls, errors, isDenied }: CallCount): string {
  const failed = errors === 0 ? '' : `, ${count(errors, 'error')}`;
  return `- ${code(name)}: ${count(calls, 'call')}${isDenied ? ', not offered' : failed}`;
}

function figures({ trust }: Plan, outcome: RunOutcome): string {
  return row([
    ...usageCells(outcome.stats),
    ...(outcome.kind === 'exhausted' ? [['Limit reached', outcome.limit] as const] : []),
    ['Trust', trust.level],
  ]);
}

/** How much of a pull request was looked at, or would have been. */
function scopeLine({ scope, task }: Plan): string {
  return scope === undefined ? '' : `**Reviewed:** ${formatScope(scope, task.unseen?.length)}.`;
}

/** What the limits over several runs have come to, where there are any. */
function spendLine({ outcome, spend }: Ran): string {
  const { limits, pull, pullUsd, dayUsd } = spend;
  const cost = outcome.stats.costUsd ?? 0;
  const parts = [
    ...(limits.perPullUsd > 0 && pull !== undefined
      ? [`${usd(pullUsd + cost)} of ${usd(limits.perPullUsd)} on #${pull}`]
      : []),
    ...(limits.perDayUsd > 0 ? [`${usd(dayUsd + cost)} of ${usd(limits.perDayUsd)} today (UTC)`] : []),
  ];
  return parts.length === 0 ? '' : `**Spent by this agent:** ${parts.join(', ')}.`;
}
