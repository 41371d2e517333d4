import { formatCommandResult, formatRefusal } from '../../commands/memory/format-result.js';
import { count } from '../../core/text/number.js';
import type { Outputs } from '../outputs.js';
import { formatPublished, publishedLines, warningList } from './format-summary.js';
import { codeBlock, oneLine, sections } from './markdown.js';
import type { Annotation, KindReporter, ReportOf, SummaryOptions } from './reporter.js';

type MemoryReport = ReportOf<'memory-command'>;

/** The reporter of a command over memory. */
export function memoryReporter(report: MemoryReport): KindReporter {
  const { result, published } = report;
  return {
    outputs: () => outputsOf(report),
    formatSummary: (options) => summaryOf(report, options),
    logLines: () => [
      ...(result.kind === 'done' ? result.text.split('\n') : []),
      ...publishedLines(published),
    ],
    annotations: () => annotationsOf(report),
  };
}

/** What was found to be wrong makes the step red, as it makes the command line fail. */
function outputsOf(report: MemoryReport): Outputs {
  const { store, result, published } = report;
  const isFine = result.kind === 'done' && problemsIn(report) === 0;
  return {
    conclusion: isFine ? 'success' : isMistaken(report) ? 'skipped' : 'failure',
    ...(result.kind === 'failed' && isMistaken(report) ? { reason: result.reason } : {}),
    response: result.kind === 'done' ? result.text : '',
    'memory-store': store,
    'memory-saved': String(result.changed),
    ...(result.kind === 'failed' && result.reason === 'not-saved'
      ? { 'memory-save-error': result.message }
      : {}),
    ...(published.url === undefined ? {} : { 'comment-url': published.url }),
  };
}

/**
 * Whether a comment asked for what cannot be done, or for another agent's entry: it is answered there if by anybody, and
 * nothing is wrong with the workflow.
 */
function isMistaken({ requestedIn: askedIn, result }: MemoryReport): boolean {
  return askedIn === 'comment' && result.kind === 'failed' && MISTAKES.has(result.reason);
}

const MISTAKES: ReadonlySet<string> = new Set(['not-found', 'ambiguous', 'refused']);

/** How many problems a look through memory found. */
function problemsIn({ result }: MemoryReport): number {
  const findings = result.kind === 'done' ? (result.findings ?? []) : [];
  return findings.filter(({ severity }) => severity === 'problem').length;
}

/** What the command did. What entries say is shown as it stands there, whatever marks it holds. */
function summaryOf(
  { agent, command, requestedIn: askedIn, result, published }: MemoryReport,
  { warnings, clean }: SummaryOptions,
): string {
  const text = formatCommandResult(result);
  return sections([
    askedIn === 'comment'
      ? `### ${agent}: /axe ${oneLine(command)}`
      : `### ${agent}: memory ${oneLine(command)}`,
    result.kind === 'done' && VERBATIM.has(command) ? codeBlock(text.trimEnd()) : clean(text),
    formatPublished(published),
    warningList(warnings),
  ]);
}

const VERBATIM: ReadonlySet<string> = new Set(['show', 'search', 'export']);

/** Why a command was not done; a comment that was mistaken is nobody's failure. Problems that were found are one, too. */
function annotationsOf(report: MemoryReport): readonly Annotation[] {
  const { agent, requestedIn, result } = report;
  // A comment can also ask for what has nothing to do with memory, such as a review.
  const title = requestedIn === 'comment' ? 'Command in a comment' : 'Memory';
  const problems = problemsIn(report);
  const found = `${count(problems, 'problem')} in the memory of \`${agent}\`; the job summary lists them.`;
  const level = isMistaken(report) ? 'notice' : 'error';
  return [
    ...(problems > 0 ? [{ level: 'error', title, message: found } as const] : []),
    ...(result.kind === 'failed' ? [{ level, title, message: formatRefusal(result) } as const] : []),
  ];
}
