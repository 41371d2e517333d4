import { join } from 'node:path';
import { createFiles } from '../adapters/host/files.js';
import { NOWHERE } from '../adapters/stores/none-store.js';
import { formatRefusal } from '../commands/memory/format-result.js';
import { allFaults } from '../commands/validate/validation.js';
import { AxeError, formatError, messageOf, ProviderError } from '../core/errors.js';
import { signingKeys } from '../core/memory/signing-keys.js';
import { type Conclusion, markedAnswer } from '../core/outcome.js';
import { sanitize } from '../core/sanitize/sanitize.js';
import { count } from '../core/text/count.js';
import type { Warning } from '../core/warning.js';
import type { Remembered, RunReport } from '../run/request.js';
import type { Inputs } from './inputs/inputs.js';
import { memoryNotes } from './memory/memory-notes.js';
import { failsStep, isMistaken, lacksMemory, type Outputs, outputsOf, problemsIn } from './outputs.js';
import { annotateFaults } from './publish/annotate-faults.js';
import { annotateWarnings, annotationPlace } from './publish/annotate-warnings.js';
import { formatGcLines } from './report/format-gc.js';
import { whatWasAdded } from './report/format-notes.js';
import { formatPublished } from './report/format-published.js';
import { formatFailureSummary, formatSummary } from './report/format-summary.js';
import { validatedLines } from './report/format-validated.js';
import { describePlan } from './runner/action-reporter.js';
import { noteReported } from './runner/journal.js';
import type { Runner } from './runner/runner.js';
import { loadToolkit } from './runner/toolkit.js';

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
  const { apiKey, agents, memory } = inputs;
  for (const secret of [apiKey, agents.token, memory.token, ...signingKeys(memory.signingKey)]) {
    if (secret !== '') core.setSecret(secret);
  }
  const isHidden = isElsewhere(inputs.memory, runner.env);
  const outputs = outputsOf(report, isHidden);
  for (const line of logLines(report)) runner.log(forLog(line, secrets));
  await writeOutputs(await withResponseFile(outputs, runner, secrets), secrets);
  const { notices, remarks } = memoryNotes({ report, isElsewhere: isHidden });
  const view = { isHidden, notes: [...notices, ...remarks] };
  const clean = (markdown: string) => sanitize(markdown, 'summary', secrets);
  const summary = formatSummary(report, { warnings, view, clean });
  await writeSummary(summary, { runner, secrets });
  const quiet = unaskedFor(warnings, inputs);
  for (const { message } of quiet) runner.log(forLog(`Not read: ${message}`, secrets));
  const isRequired = report.kind === 'ran' && lacksMemory(outputs, inputs);
  await annotateWarnings(
    warnings.filter((warning) => !quiet.includes(warning)),
    { secrets, isRequired },
  );
  if (notices.length > 0) core.notice(forLog(notices.join('\n'), secrets), { title: 'Where memory lives' });
  if (isUnsaved(report)) await noteReported();
  if (report.kind === 'skipped') {
    const { message, remedy } = report.decision;
    core.notice(forLog([`${message}.`, remedy ?? ''].join(' ').trim(), secrets), { title: 'Skipped' });
  }
  if (report.kind === 'ran' && report.outcome.kind !== 'completed') tellFailure(core, report, secrets);
  if (report.kind === 'tended') tellTended(core, report, secrets);
  if (report.kind === 'collected' && report.collection.end.kind === 'failed')
    core.error(forLog(formatError(report.collection.end.error), secrets), { title: 'axe-action' });
  if (report.kind === 'validated') await annotateFaults(allFaults(report.validation), secrets);
  const unasked = listedAllTheSame(outputs, inputs);
  if (unasked !== undefined) core.error(forLog(unasked, secrets), { title: 'axe-action' });
  if (failsStep(outputs, inputs)) runner.fail();
}

/** Why a step fails in which nothing went wrong: the workflow wants it to. */
function listedAllTheSame(
  { conclusion, 'skip-reason': reason = '' }: Outputs,
  { failOn }: Inputs,
): string | undefined {
  if (conclusion !== 'success' && conclusion !== 'skipped') return undefined;
  if (!failOn.includes(conclusion)) return undefined;
  const why = reason === '' ? '' : ` (${reason})`;
  return `the conclusion is \`${conclusion}\`${why}, and \`fail-on\` lists it`;
}

/** What the token may not read and nobody has asked for by name: the default of `context` asks for all there is. */
function unaskedFor(warnings: readonly Warning[], { context }: Inputs): readonly Warning[] {
  if (context.isNamed) return [];
  return warnings.filter(({ code }) => code === 'context-unread');
}

/** Whether memory is kept in another repository than the run's, to stay there (D14). */
export function isElsewhere({ repository }: Inputs['memory'], env: Runner['env']): boolean {
  if (repository === undefined) return false;
  const name = `${repository.owner}/${repository.name}`;
  return name.toLowerCase() !== (env['GITHUB_REPOSITORY'] ?? '').toLowerCase();
}

function isUnsaved(report: RunReport): boolean {
  return (
    report.kind === 'ran' &&
    report.remembered.kind !== 'nothing' &&
    report.remembered.result.kind === 'failed'
  );
}

/** The answer and what became of the entry, for the job log. */
function logLines(report: RunReport): readonly string[] {
  if (report.kind === 'skipped') return [];
  if (report.kind === 'planned') return [...describePlan(report.plan, report.memory?.restored), DRY_RUN];
  if (report.kind === 'tended') return tendedLines(report);
  if (report.kind === 'collected') return formatGcLines(report);
  if (report.kind === 'validated') return validatedLines(report);
  const { outcome, published, remembered } = report;
  const text = markedAnswer(outcome).trim();
  const answer = text === '' ? [] : ['', text, ''];
  return [...answer, ...publishedLine(published), ...rememberedLine(remembered)];
}

function tendedLines({ result, published }: Tended): readonly string[] {
  return [...(result.kind === 'done' ? result.text.split('\n') : []), ...publishedLine(published)];
}

function publishedLine(published: Tended['published']): readonly string[] {
  const line = formatPublished(published);
  return line === '' ? [] : [line];
}

type Tended = Extract<RunReport, { kind: 'tended' }>;

const DRY_RUN =
  'Dry run: no model was asked and nothing was written. The job summary shows what would be sent.';

function rememberedLine(remembered: Remembered): readonly string[] {
  if (remembered.kind === 'nothing') return [];
  const { result } = remembered;
  if (result.kind === 'failed') {
    const kept = result.kept === undefined ? '' : `; kept in ${result.kept.location}`;
    return [`Memory: not saved: ${result.message}${kept}`];
  }
  if (result.location === NOWHERE) return [];
  const notSaved = (result.unsaved ?? []).map(
    ({ path, message }) => `Memory: not saved: ${path}: ${message}`,
  );
  return [`Memory: ${whatWasAdded(remembered, result.location)}`, ...notSaved];
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
  await annotateWarnings(warnings, { secrets, isRequired: false });
  const at = thrown instanceof AxeError ? thrown.at : undefined;
  core.error(forLog(message, secrets), { title: 'axe-action', ...annotationPlace(at) });
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
  core.error(forLog(message, secrets), { title: 'axe-action' });
}

/** Why a command was not done; a comment that was mistaken is nobody's failure. Problems that were found are one, too. */
function tellTended(core: Toolkit, report: Tended, secrets: readonly string[]): void {
  const { result } = report;
  const problems = problemsIn(report);
  if (problems > 0) {
    const text = `${count(problems, 'problem')} in the memory of \`${report.agent}\`; the job summary lists them.`;
    core.error(forLog(text, secrets), { title: 'Memory' });
  }
  if (result.kind !== 'failed') return;
  const tell = isMistaken(report) ? core.notice : core.error;
  tell(forLog(formatRefusal(result), secrets), { title: 'Memory' });
}

function bugReport(thrown: unknown): string {
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : messageOf(thrown);
  return `This is a bug in axe-action; please report it with these lines:\n${stack}`;
}

async function writeOutputs(outputs: Outputs, secrets: readonly string[]): Promise<void> {
  const core = await loadToolkit();
  for (const [name, value] of Object.entries(outputs))
    core.setOutput(name, sanitize(value, 'output', secrets));
}

/** The answer as a file too: an output holds a megabyte at most, and a file needs no quoting in a script. */
async function withResponseFile(
  outputs: Outputs,
  { temp }: Runner,
  secrets: readonly string[],
): Promise<Outputs> {
  if (outputs.response === undefined || outputs.response === '' || temp === '') return outputs;
  const file = join(temp, `axe-action-response-${outputs['memory-entry-id'] ?? 'answer'}.md`);
  await createFiles().replace(file, sanitize(outputs.response, 'output', secrets));
  return { ...outputs, 'response-file': file };
}

/** Adds to the job summary, where there is one. */
export async function writeSummary(
  markdown: string,
  { runner, secrets }: { readonly runner: Runner; readonly secrets: readonly string[] },
): Promise<void> {
  if ((runner.env['GITHUB_STEP_SUMMARY'] ?? '') === '') return;
  const core = await loadToolkit();
  await core.summary.addRaw(sanitize(markdown, 'summary', secrets), true).write();
}

function forLog(text: string, secrets: readonly string[]): string {
  return sanitize(text, 'log', secrets);
}
