import { join } from 'node:path';
import { AxeError, formatError, messageOf } from '../axe/errors.js';
import { outbound } from '../axe/outbound/outbound.js';
import type { SourcePosition } from '../axe/position.js';
import { mergeWarnings, type Warning, warningTitle } from '../axe/warning.js';
import { createFiles } from '../host/files.js';
import type { Remembered, RunReport } from '../pipeline/request.js';
import { formatFailureSummary, formatSummary } from './format-summary.js';
import type { Inputs } from './inputs.js';
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
  await writeSummary(formatSummary(report, warnings), { runner, secrets });
  await annotate(warnings, secrets);
  if (report.kind === 'skipped') {
    const { message, remedy } = report.decision;
    core.notice(clean(remedy === undefined ? message : `${message}. ${remedy}`, secrets), {
      title: 'Skipped',
    });
  }
  if (report.kind === 'ran' && report.outcome.kind !== 'completed') tellFailure(core, report, secrets);
  if (failsStep(outputs, inputs)) runner.fail();
}

/** The answer and what became of the entry, for the job log. */
function logLines(report: RunReport): readonly string[] {
  if (report.kind !== 'ran') return [];
  const { outcome, published, remembered } = report;
  const answer =
    outcome.kind === 'failed' || outcome.answer.trim() === '' ? [] : ['', outcome.answer.trim(), ''];
  const posted = published.url === undefined ? [] : [`${published.line ?? 'Posted:'} ${published.url}`];
  return [...answer, ...posted, ...rememberedLine(remembered)];
}

function rememberedLine(remembered: Remembered): readonly string[] {
  if (remembered.kind === 'nothing') return [];
  const { result } = remembered;
  if (result.kind === 'saved') return [`Memory: 1 entry added to ${result.location}`];
  return [`Memory: not saved: ${result.message}`];
}

/** Reports a run that ended with an error: one annotation at the place it is about, and the step fails. */
export async function reportFailure(
  thrown: unknown,
  { runner, warnings, secrets }: Pick<RunToReport, 'runner' | 'warnings' | 'secrets'>,
): Promise<void> {
  const core = await loadToolkit();
  const message = thrown instanceof AxeError ? formatError(thrown) : bugReport(thrown);
  await writeOutputs({ conclusion: 'failure', 'memory-saved': 'false' }, secrets);
  await writeSummary(formatFailureSummary(message, warnings), { runner, secrets });
  await annotate(warnings, secrets);
  const at = thrown instanceof AxeError ? thrown.at : undefined;
  core.error(clean(message, secrets), { title: 'axe-action', ...annotationPlace(at) });
  runner.fail();
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

async function writeSummary(
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
  for (const { code, message, at } of mergeWarnings(warnings)) {
    core.warning(clean(message, secrets), { title: warningTitle(code), ...annotationPlace(at) });
  }
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
