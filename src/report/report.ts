import { join } from 'node:path';
import { error, notice, setOutput, setSecret, summary, warning } from '@actions/core';
import type { Conclusion } from '../lib/outcome.js';
import type { SourcePosition } from '../lib/position.js';
import { VERSION } from '../lib/version.js';
import { mergeWarnings, type Warning, warningText, warningTitle } from '../lib/warning.js';
import { createFiles } from '../lib/write-files.js';
import { type FindingsGate, formatGate, type MetGate, metGates } from '../review/fail-on.js';
import { isOpen } from '../review/finding.js';
import { countFindings, formatAllFindings, type ReviewResult } from '../review/findings-json.js';
import { formatSarif } from '../review/sarif.js';
import type { RunReport } from '../run/request.js';
import type { Inputs } from '../runner/inputs/inputs.js';
import { noteReported } from '../runner/journal.js';
import type { Runner } from '../runner/runner.js';
import { writeRunnerFile } from '../runner/runner-file.js';
import { sanitize } from '../safety/sanitize.js';
import { failureReporter } from './failure.js';
import { failsStep, lacksMemory, type Outputs } from './outputs.js';
import type { Annotation, KindReporter } from './reporter.js';
import { reporterOf } from './reporters.js';

/** What a finished run is reported from. */
interface RunToReport {
  readonly report: RunReport;
  readonly inputs: Inputs;
  readonly runner: Runner;
  readonly warnings: readonly Warning[];
  readonly secrets: readonly string[];
  /** How often GitHub was asked; left out where it was not. */
  readonly requests?: number;
}

/** Writes outputs and summary of a run, in place of those of an earlier call. */
export async function writeResults({
  report,
  inputs,
  runner,
  warnings,
  secrets,
  requests = 0,
}: RunToReport): Promise<Outputs> {
  const reporter = reporterOf(report);
  const isHidden = isElsewhere(inputs.memory, runner.env);
  const { review } = reporter;
  const met = gatesMet(inputs.failOnReview, review);
  const found = withFindingsConclusion(reporter.outputs(isHidden), met);
  const unpublished = warnings.find(({ code }) => code === 'publish-failed')?.message;
  const outputs = withReason(found, [met[0]?.why, errorOf(reporter), unpublished]);
  const ofReview =
    review === undefined
      ? {}
      : {
          ...reviewOutputs(review),
          ...(await writeReviewFiles(review, runner.temp, secrets)),
        };
  await writeOutputs({ ...(await withResponseFile(outputs, runner, secrets)), ...ofReview }, secrets);
  const { notices, remarks } = reporter.memoryNotes?.(isHidden) ?? { notices: [], remarks: [] };
  const view = { isHidden, notes: [...notices, ...remarks] };
  const clean = (markdown: string) => sanitize(markdown, 'summary', secrets);
  await writeSummary(reporter.formatSummary({ warnings, view, clean, requests }), { runner, secrets });
  return outputs;
}

/** Writes outputs, summary and annotations of a run and sets the step's status. */
export async function reportRun(run: RunToReport): Promise<void> {
  const { report, inputs, runner, warnings, secrets } = run;
  for (const secret of [inputs.apiKey, inputs.repositoriesToken]) {
    if (secret !== '') setSecret(secret);
  }
  const reporter = reporterOf(report);
  for (const line of reporter.logLines()) runner.log(forLog(line, secrets));
  const outputs = await writeResults(run);
  const met = gatesMet(inputs.failOnReview, reporter.review);
  const { notices } = reporter.memoryNotes?.(isElsewhere(inputs.memory, runner.env)) ?? { notices: [] };
  // What the token cannot read, and nobody has asked for.
  const quiet = warnings.filter(({ code }) => code === 'context-unread');
  for (const warning of quiet) runner.log(forLog(`Not read: ${warningText(warning)}`, secrets));
  const isRequired = reporter.entry !== undefined && lacksMemory(outputs, inputs);
  const loud = warnings.filter((warning) => !quiet.includes(warning));
  const isUnpublished = reporter.isUnpublished === true;
  await annotate(warningAnnotations(loud, { isRequired, isUnpublished }), secrets);
  if (notices.length > 0) notice(forLog(notices.join('\n'), secrets), { title: 'Where memory lives' });
  const isUnsaved = warnings.some(({ code }) => code === 'memory-save-failed');
  if (isUnsaved || reporter.entry?.isUnsaved === true) await noteReported();
  await annotate(reporter.annotations(), secrets);
  const unasked = listedAllTheSame(outputs, inputs);
  if (unasked !== undefined) error(forLog(unasked, secrets), { title: 'axe-action' });
  for (const { gate, why } of met)
    error(forLog(`${why}, and \`fail-on\` lists \`${formatGate(gate)}\``, secrets), {
      title: 'axe-action',
    });
  if (met.length > 0 || failsStep(outputs, inputs)) runner.fail();
}

/** The outputs with what went wrong, in one line, where nothing else says it. */
function withReason(outputs: Outputs, causes: readonly (string | undefined)[]): Outputs {
  if (outputs.conclusion === 'success' || outputs.reason !== undefined) return outputs;
  return { ...outputs, reason: causes.find((cause) => cause !== undefined) ?? outputs.conclusion ?? '' };
}

function errorOf(reporter: KindReporter): string | undefined {
  const error = reporter.annotations().find(({ level }) => level === 'error');
  return error?.message.split('\n', 1)[0];
}

/** Why a step fails in which nothing went wrong: the workflow wants it to. */
function listedAllTheSame({ conclusion, reason = '' }: Outputs, { failOn }: Inputs): string | undefined {
  if (conclusion !== 'success' && conclusion !== 'skipped') return undefined;
  if (!failOn.includes(conclusion)) return undefined;
  const why = reason === '' ? '' : ` (${reason})`;
  return `the conclusion is \`${conclusion}\`${why}, and \`fail-on\` lists it. Remove it there if the step may be green.`;
}

/** Whether memory is kept in another repository than the run's, to stay there (D14). */
export function isElsewhere({ repository }: Inputs['memory'], env: Runner['env']): boolean {
  if (repository === undefined) return false;
  const name = `${repository.owner}/${repository.name}`;
  return name.toLowerCase() !== (env['GITHUB_REPOSITORY'] ?? '').toLowerCase();
}

/** What a run that ended with an error is reported from. */
export interface FailureToReport extends Pick<RunToReport, 'runner' | 'warnings' | 'secrets'> {
  readonly failOn: readonly Conclusion[];
}

const NO_WEIGHT = { isRequired: false, isUnpublished: false };

/** Reports a run that ended with an error: one annotation at the place it is about, and the step's status. */
export async function reportFailure(
  thrown: unknown,
  { runner, failOn, warnings, secrets }: FailureToReport,
): Promise<void> {
  const reporter = failureReporter(thrown);
  const outputs = reporter.outputs(false);
  await writeOutputs(outputs, secrets);
  const clean = (markdown: string) => sanitize(markdown, 'summary', secrets);
  const view = { isHidden: false, notes: [] };
  await writeSummary(reporter.formatSummary({ warnings, view, clean }), { runner, secrets });
  await annotate([...warningAnnotations(warnings, NO_WEIGHT), ...reporter.annotations()], secrets);
  const fails = failsStep(outputs, { failOn, failOnMemory: false });
  if (fails || reporter.alwaysFails === true) runner.fail();
}

async function writeOutputs(outputs: Outputs, secrets: readonly string[]): Promise<void> {
  await writeRunnerFile('GITHUB_OUTPUT', () => {
    for (const [name, value] of Object.entries(outputs)) setOutput(name, sanitize(value, 'output', secrets));
  });
}

/** The answer as a file too: an output holds a megabyte at most, and a file needs no quoting in a script. */
async function withResponseFile(
  outputs: Outputs,
  { temp }: Runner,
  secrets: readonly string[],
): Promise<Outputs> {
  if (outputs.response === undefined || outputs.response === '' || temp === '') return outputs;
  const name = `axe-action-response-${outputs['memory-entry-id'] ?? 'answer'}`;
  const text = sanitize(outputs.response, 'output', secrets);
  return { ...outputs, 'response-file': await writeForJob({ temp, name, extension: 'md' }, text) };
}

/** Writes the job summary of this step, where there is one. */
export async function writeSummary(
  markdown: string,
  { runner, secrets }: { readonly runner: Runner; readonly secrets: readonly string[] },
): Promise<void> {
  if ((runner.env['GITHUB_STEP_SUMMARY'] ?? '') === '') return;
  const text = sanitize(markdown, 'summary', secrets);
  await writeRunnerFile('GITHUB_STEP_SUMMARY', () => summary.addRaw(text, true).write({ overwrite: true }));
}

function forLog(text: string, secrets: readonly string[]): string {
  return sanitize(text, 'log', secrets);
}

const SHOW = { error, warning, notice };

/** Shows annotations, cleaned for the log. */
export async function annotate(
  annotations: readonly Annotation[],
  secrets: readonly string[],
): Promise<void> {
  for (const { level, title, message, at } of annotations)
    SHOW[level](sanitize(message, 'log', secrets), { title, ...annotationPlace(at) });
}

/** The properties that put an annotation at its place. */
function annotationPlace(at: SourcePosition | undefined) {
  if (at === undefined) return {};
  return {
    file: at.file,
    ...(at.line === undefined ? {} : { startLine: at.line }),
    ...(at.column === undefined ? {} : { startColumn: at.column }),
  };
}

/** The warnings of a run as annotations, merged by code (D35); one that fails the step is an error. */
function warningAnnotations(
  warnings: readonly Warning[],
  { isRequired, isUnpublished }: WarningWeights,
): readonly Annotation[] {
  return mergeWarnings(withoutRepeats(warnings)).map(({ code, message, at }) => {
    const why =
      (isRequired && code === 'memory-save-failed' ? REQUIRED : undefined) ??
      (isUnpublished && code === 'publish-failed' ? UNPUBLISHED : undefined);
    return {
      level: why === undefined ? 'warning' : 'error',
      title: warningTitle(code),
      message: why === undefined ? message : `${message.replace(/\.$/, '')}. ${why}`,
      at,
    };
  });
}

/** Which warnings fail the step. */
interface WarningWeights {
  /** Memory had to be saved. */
  readonly isRequired: boolean;
  /** Nothing of what the run was there for could be published (D40). */
  readonly isUnpublished: boolean;
}

const REQUIRED = 'The step fails because `fail-on` lists `memory`.';
const UNPUBLISHED = 'The run failed because nothing else could be published either.';

/** A log that could not be read is not added to; the failed save names the cause, so it need not be told twice (D14). */
function withoutRepeats(warnings: readonly Warning[]): readonly Warning[] {
  const isSaveFailed = warnings.some(({ code }) => code === 'memory-save-failed');
  return isSaveFailed ? warnings.filter(({ code }) => code !== 'memory-load-failed') : warnings;
}

/** The conclusion of a run that nothing is wrong with but that `fail-on` has a gate for its findings, and it is met. */
const FINDINGS_CONCLUSION = 'findings';

/** The outputs that tell of a review, before redaction. */
export function reviewOutputs({ report }: ReviewResult): Outputs {
  const { worst } = countFindings(report.findings);
  return {
    'findings-open': String(report.findings.filter(isOpen).length),
    'findings-worst': worst ?? '',
    ...(report.coverage === undefined ? {} : { coverage: report.coverage.kind }),
  };
}

/** The gates of `fail-on` that a review meets; none where there was no review. */
export function gatesMet(
  gates: readonly FindingsGate[],
  review: ReviewResult | undefined,
): readonly MetGate[] {
  if (review === undefined) return [];
  const { report, isUnpublished } = review;
  return metGates(gates, { findings: report.findings, coverage: report.coverage, isUnpublished });
}

/** The outputs of a run whose findings fail the step; one that ended in another way keeps its conclusion. */
export function withFindingsConclusion(outputs: Outputs, met: readonly MetGate[]): Outputs {
  const isMet = met.some(({ gate }) => gate.kind === 'findings');
  const isElseWell = outputs.conclusion === 'success' || outputs.conclusion === 'skipped';
  return isMet && isElseWell ? { ...outputs, conclusion: FINDINGS_CONCLUSION } : outputs;
}

/**
 * Writes what other programs read of a review into the folder that all steps of the job share: all findings as JSON, since
 * an output holds no more than a megabyte, and as SARIF 2.1.0. Gives the outputs that name the files.
 */
export async function writeReviewFiles(
  { agent, report }: ReviewResult,
  temp: string,
  secrets: readonly string[],
): Promise<Outputs> {
  const clean = (text: string) => sanitize(text, 'output', secrets);
  if (temp === '') return {};
  const key = [agent, report.head].join('-').replace(/[^\w.-]/g, '-');
  const tool = { version: VERSION, agent, clean: (text: string) => sanitize(text, 'log', secrets) };
  const file = (extension: string) => ({ temp, name: `axe-action-findings-${key}`, extension });
  return {
    'findings-file': await writeForJob(file('json'), clean(formatAllFindings(report))),
    'sarif-file': await writeForJob(file('sarif'), clean(formatSarif(report, tool))),
  };
}

/** A file for later steps of the job. */
interface FileForJob {
  /** Folder that all steps of the job share. */
  readonly temp: string;
  readonly name: string;
  readonly extension: string;
}

/** Writes a file and gives its path, empty if it cannot be; one of an earlier step stays, since its output names it. */
async function writeForJob({ temp, name, extension }: FileForJob, text: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const path = join(temp, `${name}${number === 1 ? '' : `-${number}`}.${extension}`);
    let isNew = false;
    const create = async () => {
      isNew = await createFiles().createExclusive(path, text);
    };
    if (!(await writeRunnerFile('RUNNER_TEMP', create))) return '';
    if (isNew) return path;
  }
}
