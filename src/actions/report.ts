import { join } from 'node:path';
import { AxeError, formatError, messageOf, ProviderError } from '../axe/errors.js';
import type { Conclusion } from '../axe/loop/outcome.js';
import { outbound } from '../axe/outbound/outbound.js';
import type { SourcePosition } from '../axe/position.js';
import { mergeWarnings, type Warning, warningTitle } from '../axe/warning.js';
import { createFiles } from '../host/files.js';
import { NOWHERE } from '../memory-stores/none-store.js';
import type { Remembered, RunReport } from '../pipeline/request.js';
import { describePlan } from './action-reporter.js';
import { formatFailureSummary, formatSummary } from './format-summary.js';
import type { Inputs } from './inputs.js';
import { noteTold } from './journal.js';
import { failsStep, type Outputs, outputsOf } from './outputs.js';
import type { Runner } from './runner.js';
import { loadToolkit } from './toolkit.js';

/** What a finished run is reported from. */
export interface RunToReport {
  readonly report: RunReport;
  readonly inputs: Inputs;
  readonly runner: Runner;
  readonly warnings: readonly Warning[];
  readonly secrets: readonly string[];
}

/** Writes outputs, summary and annotations of a run and sets the step's status. */
export async function reportRun({ report, inputs, runner, warnings, secrets }: RunToReport): Promise<void> {
  const core = await loadToolkit();
  if (inputs.apiKey !== '') core.setSecret(inputs.apiKey);
  const outputs = outputsOf(report);
  for (const line of logLines(report)) runner.log(clean(line, secrets));
  await writeOutputs(await withResponseFile(outputs, runner, secrets), secrets);
  const summary = formatSummary(report, warnings, (markdown) => outbound(markdown, 'summary', secrets));
  await writeSummary(summary, { runner, secrets });
  await annotate(warnings, secrets);
  if (isUnsaved(report)) await noteTold();
  if (report.kind === 'skipped') {
    const { message, remedy } = report.decision;
    core.notice(clean([`${message}.`, remedy ?? ''].join(' ').trim(), secrets), { title: 'Skipped' });
  }
  if (report.kind === 'ran' && report.outcome.kind !== 'completed') tellFailure(core, report, secrets);
  if (failsStep(outputs, inputs)) runner.fail();
}

function isUnsaved(report: RunReport): boolean {
  return (
    report.kind === 'ran' && report.remembered.kind === 'entry' && report.remembered.result.kind === 'failed'
  );
}

/** The answer and what became of the entry, for the job log. */
function logLines(report: RunReport): readonly string[] {
  if (report.kind === 'skipped') return [];
  if (report.kind === 'planned') return [...describePlan(report.plan, report.memory?.restored), DRY_RUN];
  const { outcome, published, remembered } = report;
  const answer =
    outcome.kind === 'failed' || outcome.answer.trim() === '' ? [] : ['', outcome.answer.trim(), ''];
  const posted = published.url === undefined ? [] : [`${published.line ?? 'Posted:'} ${published.url}`];
  return [...answer, ...posted, ...rememberedLine(remembered)];
}

const DRY_RUN =
  'Dry run: no model was asked and nothing was written. The job summary shows what would be sent.';

function rememberedLine(remembered: Remembered): readonly string[] {
  if (remembered.kind === 'nothing') return [];
  const { result } = remembered;
  if (result.kind === 'failed') return [`Memory: not saved: ${result.message}`];
  return result.location === NOWHERE ? [] : [`Memory: 1 entry added to ${result.location}`];
}

/** What a run that ended with an error is reported from. */
export interface FailureToReport extends Pick<RunToReport, 'runner' | 'warnings' | 'secrets'> {
  readonly failOn: readonly Conclusion[];
}

/** Reports a run that ended with an error: one annotation at the place it is about, and the step's status. */
export async function reportFailure(
  thrown: unknown,
  { runner, failOn, warnings, secrets }: FailureToReport,
): Promise<void> {
  const core = await loadToolkit();
  const message = thrown instanceof AxeError ? formatError(thrown) : bugReport(thrown);
  const conclusion = isTimeout(thrown) ? 'timeout' : 'failure';
  await writeOutputs({ conclusion, 'memory-saved': 'false' }, secrets);
  await writeSummary(formatFailureSummary({ conclusion, message }, warnings), { runner, secrets });
  await annotate(warnings, secrets);
  const at = thrown instanceof AxeError ? thrown.at : undefined;
  core.error(clean(message, secrets), { title: 'axe-action', ...annotationPlace(at) });
  if (failOn.includes(conclusion) || !(thrown instanceof AxeError)) runner.fail();
}

/** Time can be up before the model is asked. */
function isTimeout(thrown: unknown): boolean {
  return thrown instanceof ProviderError && thrown.category === 'timeout';
}

type Toolkit = Awaited<ReturnType<typeof loadToolkit>>;

function tellFailure(
  core: Toolkit,
  report: Extract<RunReport, { kind: 'ran' }>,
  secrets: readonly string[],
): void {
  const { outcome } = report;
  if (outcome.kind === 'completed') return;
  const message = outcome.kind === 'refused' ? 'the model refused to answer' : formatError(outcome.error);
  core.error(clean(message, secrets), { title: 'axe-action' });
}

function bugReport(thrown: unknown): string {
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : messageOf(thrown);
  return `This is a bug in axe-action; please report it with these lines:\n${stack}`;
}

async function writeOutputs(outputs: Outputs, secrets: readonly string[]): Promise<void> {
  const core = await loadToolkit();
  for (const [name, value] of Object.entries(outputs))
    core.setOutput(name, outbound(value, 'output', secrets));
}

/** The answer as a file too: an output holds a megabyte at most, and a file needs no quoting in a script. */
async function withResponseFile(
  outputs: Outputs,
  { temp }: Runner,
  secrets: readonly string[],
): Promise<Outputs> {
  if (outputs.response === undefined || outputs.response === '' || temp === '') return outputs;
  const file = join(temp, `axe-action-response-${outputs['memory-entry-id'] ?? 'answer'}.md`);
  await createFiles().replace(file, outbound(outputs.response, 'output', secrets));
  return { ...outputs, 'response-file': file };
}

/** Adds to the job summary, where there is one. */
export async function writeSummary(
  markdown: string,
  { runner, secrets }: { readonly runner: Runner; readonly secrets: readonly string[] },
): Promise<void> {
  if ((runner.env['GITHUB_STEP_SUMMARY'] ?? '') === '') return;
  const core = await loadToolkit();
  await core.summary.addRaw(outbound(markdown, 'summary', secrets), true).write();
}

async function annotate(warnings: readonly Warning[], secrets: readonly string[]): Promise<void> {
  if (warnings.length === 0) return;
  const core = await loadToolkit();
  for (const { code, message, at } of mergeWarnings(toldOnce(warnings))) {
    core.warning(clean(message, secrets), { title: warningTitle(code), ...annotationPlace(at) });
  }
}

/** A log that could not be read is not added to; the failed save names the cause, so it need not be told twice (D14). */
function toldOnce(warnings: readonly Warning[]): readonly Warning[] {
  const isSaveFailed = warnings.some(({ code }) => code === 'memory-save-failed');
  return isSaveFailed ? warnings.filter(({ code }) => code !== 'memory-load-failed') : warnings;
}

function annotationPlace(at: SourcePosition | undefined): {
  file?: string;
  startLine?: number;
  startColumn?: number;
} {
  if (at === undefined) return {};
  return {
    file: at.file,
    ...(at.line === undefined ? {} : { startLine: at.line }),
    ...(at.column === undefined ? {} : { startColumn: at.column }),
  };
}

function clean(text: string, secrets: readonly string[]): string {
  return outbound(text, 'log', secrets);
}
