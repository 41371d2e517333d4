import { formatModelRef } from '../axe/agent/model-ref.js';
import { formatError } from '../axe/errors.js';
import { type Conclusion, conclusionOf, type RunOutcome } from '../axe/loop/outcome.js';
import { stripProvenance } from '../axe/memory/run-log.js';
import type { Plan } from '../axe/plan.js';
import { sourcePosition } from '../axe/position.js';
import { appendMemory } from '../axe/prompt/system.js';
import type { Warning } from '../axe/warning.js';
import { NOWHERE } from '../memory-stores/none-store.js';
import type { Memory, Remembered, RunReport } from '../pipeline/request.js';
import { describeRestored } from './action-reporter.js';
import { type CallCount, countCalls } from './count-calls.js';

/**
 * The job summary of a run, as markdown that has not been through outbound cleaning yet. Only the answer has, by
 * `clean`: a code fence it leaves open must not swallow what stands below.
 */
export function formatSummary(
  report: RunReport,
  warnings: readonly Warning[],
  clean: (markdown: string) => string,
): string {
  switch (report.kind) {
    case 'skipped': {
      const { message, remedy } = report.decision;
      return sections([
        `### axe-action: skipped`,
        remedy === undefined ? `${message}.` : `${message}.\n\n${remedy}`,
      ]);
    }
    case 'planned':
      return plannedSummary(report, warnings);
    case 'ran':
      return ranSummary(report, warnings, clean);
  }
}

/** The summary of a run that ended before there was anything to report. */
export function formatFailureSummary(
  { conclusion, message }: { readonly conclusion: Conclusion; readonly message: string },
  warnings: readonly Warning[],
): string {
  return sections([`### axe-action: ${conclusion}`, codeBlock(message), warningList(warnings)]);
}

/** The summary of a post step that could not save what a killed main step left either. */
export function formatUnsavedSummary(why: string, entries: readonly string[]): string {
  return sections([
    '### axe-action: memory not saved',
    why,
    'What the main step left, so that it is not lost:',
    codeBlock(stripProvenance(entries.join('')).trimEnd()),
  ]);
}

type Ran = Extract<RunReport, { kind: 'ran' }>;

function ranSummary(
  { plan, memory, outcome, published, remembered }: Ran,
  warnings: readonly Warning[],
  clean: (markdown: string) => string,
): string {
  const answer = outcome.kind === 'failed' ? codeBlock(formatError(outcome.error)) : clean(outcome.answer);
  const cut = outcome.kind === 'exhausted' ? codeBlock(formatError(outcome.error)) : '';
  return sections([
    `### ${plan.agent.name}: ${conclusionOf(outcome)}`,
    answer,
    cut,
    published.url === undefined ? '' : `${published.line ?? ''} ${published.url}`,
    '---',
    memorySection(plan, memory, remembered),
    warningList(warnings),
    callList(countCalls(outcome.stats.calls)),
    figures(plan, outcome),
  ]);
}

type Planned = Extract<RunReport, { kind: 'planned' }>;

/** Dry run: nothing was sent and nothing written, so everything is shown (D26). */
function plannedSummary({ plan, memory }: Planned, warnings: readonly Warning[]): string {
  const system = appendMemory(plan.systemPrompt, memory?.text ?? '');
  return sections([
    `### ${plan.agent.name}: dry run`,
    'No model was asked and nothing was written, memory included. This would have been sent:',
    details('System prompt', codeBlock(system === '' ? '(none)' : system)),
    details('User message', codeBlock(plan.task.message)),
    memorySection(plan, memory, { kind: 'nothing' }),
    isAddedTo(memory) ? `An entry for the task “${oneLine(plan.task.sentence)}” would have been added.` : '',
    warningList(warnings),
    row([
      ['Agent', plan.agent.source],
      ['Model', formatModelRef(plan.model)],
      ['Trust', plan.trust.level],
      ['Time limit', `${plan.timeoutSeconds} s`],
    ]),
  ]);
}

/** Nothing is kept in no store, and nothing is added to a log that could not be read (D14). */
function isAddedTo(memory: Memory | undefined): boolean {
  return memory !== undefined && memory.store.kind !== 'none' && memory.restored.kind !== 'failed';
}

function memorySection(plan: Plan, memory: Memory | undefined, remembered: Remembered): string {
  if (memory === undefined)
    return '**Memory:** off. Set `enabled = true` in `[memory]` of the agent to have it remember.';
  const loaded =
    memory.text === ''
      ? ''
      : details('What the model was given from memory', codeBlock(memory.text.trimEnd()));
  return sections([
    `**Memory** (${memory.store.kind}): ${describeRestored(memory.restored, code)}.`,
    loaded,
    addedSection(remembered),
    apartNote(plan, remembered),
  ]);
}

/** Why an entry stands where trusted runs do not read (D19). */
function apartNote({ trust, memory }: Plan, remembered: Remembered): string {
  if (trust.level !== 'trusted') return UNTRUSTED_NOTE;
  return remembered.kind === 'entry' && remembered.path !== memory?.appendPath ? TAINTED_NOTE : '';
}

const TAINTED_NOTE =
  'This run read pages or other text of the open network, so its entry stays apart from what trusted runs load.';

const UNTRUSTED_NOTE =
  'This run read text by somebody without write access, so its entry stays apart from what trusted runs load.';

function addedSection(remembered: Remembered): string {
  if (remembered.kind === 'nothing') return '';
  const { result, text } = remembered;
  const entry = codeBlock(stripProvenance(text).trimEnd());
  if (result.kind === 'saved' && result.location === NOWHERE) return '';
  if (result.kind === 'saved') return sections([`Added to ${code(result.location)}:`, entry]);
  return sections([`**Not saved:** ${result.message}. The entry, so that it is not lost:`, entry]);
}

function warningList(warnings: readonly Warning[]): string {
  if (warnings.length === 0) return '';
  return sections(['**Warnings**', warnings.map(warningLine).join('\n')]);
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

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function figures({ trust }: Plan, outcome: RunOutcome): string {
  const { modelId, turns, toolCalls, retries, inputTokens, outputTokens, costUsd, durationMs } =
    outcome.stats;
  return row([
    ['Model', modelId],
    ['Turns', String(turns)],
    ...(toolCalls === 0 ? [] : [['Tool calls', String(toolCalls)] as const]),
    ...(retries === 0 ? [] : [['Retries', String(retries)] as const]),
    ['Input tokens', String(inputTokens)],
    ['Output tokens', String(outputTokens)],
    ...(costUsd === undefined ? [] : [['Cost', formatCost(costUsd)] as const]),
    ['Time', `${(durationMs / 1000).toFixed(1)} s`],
    ...(outcome.kind === 'exhausted' ? [['Limit reached', outcome.limit] as const] : []),
    ['Trust', trust.level],
  ]);
}

/** Most runs cost cents, so there are four digits of a dollar; what is less is not nothing. */
function formatCost(costUsd: number): string {
  if (costUsd === 0) return '$0';
  return costUsd < 0.0001 ? 'below $0.0001' : `$${costUsd.toFixed(4)}`;
}

function row(cells: readonly (readonly [string, string])[]): string {
  const line = (values: readonly string[]) =>
    `| ${values.map((value) => oneLine(value).replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    line(cells.map(([head]) => head)),
    line(cells.map(() => '---')),
    line(cells.map(([, value]) => value)),
  ].join('\n');
}

function details(title: string, body: string): string {
  return `<details><summary>${title}</summary>\n\n${body}\n\n</details>`;
}

/** A place as it is written in the repository or the cache, whatever marks it ends in. */
function code(place: string): string {
  return `\`${place.replaceAll('`', "'")}\``;
}

/** A fence longer than any run of backticks inside, so that no text can end it. */
function codeBlock(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ');
}

function sections(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}
