import { join } from 'node:path';
import { error, notice, setOutput, summary, warning } from '@actions/core';
import { AxeError } from '../lib/errors.js';
import { createFiles } from '../lib/files.js';
import { VERSION } from '../lib/product.js';
import { mergeWarnings, WARNING_TITLES, type Warning, warningText } from '../lib/warning.js';
import { isOpen } from '../review/finding.js';
import { allFindings, countFindings, type MetGate, metGates, type ReviewResult } from '../review/record.js';
import { formatSarif } from '../review/sarif.js';
import type { FailOn } from '../runner/inputs.js';
import { noteReported } from '../runner/journal.js';
import type { Runner } from '../runner/runner.js';
import { writeRunnerFile } from '../runner/runner-file.js';
import type { Transcript } from '../runner/transcript.js';
import { sanitize } from '../safety/sanitize.js';
import { type Annotation, type Finished, failsStep, lacksMemory, type Outputs } from './run-summary.js';
import { summarize } from './summarize.js';

interface RunToReport {
  readonly report: Finished;
  readonly failOn: FailOn;
  /** Memory is kept in another repository than the run's, to stay there (D14). */
  readonly isHidden: boolean;
  readonly runner: Runner;
  readonly warnings: readonly Warning[];
  readonly secrets: readonly string[];
  readonly requests?: number;
  /** What the run did; left out where nobody kept it. */
  readonly transcript?: Transcript;
}

/** Writes outputs, summary and annotations of a run and sets the step's status. */
export async function reportRun(run: RunToReport): Promise<void> {
  const { report, failOn, isHidden, runner, warnings, secrets, requests } = run;
  const clean = (markdown: string) => sanitize(markdown, 'summary', secrets);
  const summary = summarize(report, { warnings, isHidden, clean, requests });
  for (const line of summary.log) runner.log(forLog(line, secrets));
  const review = reviewOf(report);
  const met = metGates(failOn.findings, review);
  const failed = summary.annotations.find(({ level }) => level === 'error')?.message.split('\n', 1)[0];
  const unpublished = warnings.find(({ code }) => code === 'publish-failed')?.message;
  const found = withFindingsConclusion(summary.outputs, met);
  const outputs = withReason(found, [met[0]?.why, failed, unpublished]);
  await writeResults(run, summary.markdown, outputs, review);
  // What the token cannot read, and nobody has asked for.
  const quiet = warnings.filter(({ code }) => code === 'context-unread');
  for (const warning of quiet) runner.log(forLog(`Not read: ${warningText(warning)}`, secrets));
  const loud = warnings.filter((warning) => !quiet.includes(warning));
  const isUnpublished = report.kind === 'ran' && report.published.failure !== undefined;
  const isRequired = lacksMemory(outputs, failOn);
  const annotations = warningAnnotations(loud, { isRequired, isUnpublished });
  await annotate([...annotations, ...summary.annotations], secrets);
  if (warnings.some(({ code }) => code === 'memory-save-failed')) await noteReported();
  const unasked = listedAllTheSame(outputs, failOn);
  const gates = met.map(({ gate, why }) => `${why}, and \`fail-on\` lists \`${gate}\``);
  for (const why of unasked === undefined ? gates : [unasked, ...gates])
    error(forLog(why, secrets), { title: 'axe-action' });
  const isBug = report.kind === 'failed' && !(report.thrown instanceof AxeError);
  if (isBug || met.length > 0 || failsStep(outputs, failOn)) runner.fail();
}

/** What a review found; undefined of what is no review. */
function reviewOf(report: Finished): ReviewResult | undefined {
  if (report.kind === 'skipped') return report.reviewResult;
  return report.kind === 'ran' ? report.published.reviewResult : undefined;
}

async function writeResults(
  { report, runner, secrets, transcript }: RunToReport,
  markdown: string,
  outputs: Outputs,
  review: ReviewResult | undefined,
): Promise<void> {
  const { temp } = runner;
  const ofReview = review && reviewOutputs(review);
  const files = review && (await writeReviewFiles(review, temp, secrets));
  await writeOutputs(
    { ...(await withResponseFile(outputs, runner, secrets)), ...ofReview, ...files },
    secrets,
  );
  await writeSummary(markdown, { runner, secrets });
  // The longest of all comes last: a job that is cancelled has some seconds.
  if (temp === '') return;
  // The answer has a line, and so has what the entry tells of it.
  const { response: _, 'memory-entry': _entry, ...end } = { ...outputs, ...ofReview };
  const taints = report.kind === 'ran' ? report.taints : [];
  const text = transcript?.endWith({ ...end, taints, findings: review?.report.findings }) ?? '';
  const name = `axe-action-transcript-${outputs['memory-entry-id'] ?? 'run'}`;
  const file = text === '' ? undefined : await writeForJob({ temp, name, extension: 'jsonl' }, text);
  await writeOutputs({ 'transcript-file': file }, secrets);
}

/** The outputs with what went wrong, in one line, where nothing else says it. */
function withReason(outputs: Outputs, causes: readonly (string | undefined)[]): Outputs {
  if (outputs.conclusion === 'success' || outputs.reason !== undefined) return outputs;
  return { ...outputs, reason: causes.find((cause) => cause !== undefined) ?? outputs.conclusion ?? '' };
}

/** Why a step fails in which nothing went wrong: the workflow wants it to. */
function listedAllTheSame({ conclusion, reason = '' }: Outputs, failOn: FailOn): string | undefined {
  if (conclusion !== 'success' && conclusion !== 'skipped') return undefined;
  if (!failOn.conclusions.includes(conclusion)) return undefined;
  const why = reason === '' ? '' : ` (${reason})`;
  return `the conclusion is \`${conclusion}\`${why}, and \`fail-on\` lists it. Remove it there if the step should pass.`;
}

async function writeOutputs(outputs: Outputs, secrets: readonly string[]): Promise<void> {
  await writeRunnerFile('GITHUB_OUTPUT', () => {
    for (const [name, value] of Object.entries(outputs))
      if (value !== undefined) setOutput(name, sanitize(value, 'output', secrets));
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
    SHOW[level](sanitize(message, 'log', secrets), {
      title,
      ...(at && { file: at.file, startLine: at.line, startColumn: at.column }),
    });
}

/**
 * The warnings of a run as annotations, merged by code (D35); one that fails the step is an error: memory had to be saved
 * (`isRequired`), or nothing of what the run was there for could be published (D40).
 */
function warningAnnotations(
  warnings: readonly Warning[],
  { isRequired, isUnpublished }: { readonly isRequired: boolean; readonly isUnpublished: boolean },
): readonly Annotation[] {
  // A log that could not be read is not added to; the failed save names the cause, so it need not be told twice (D14).
  const isSaveFailed = warnings.some(({ code }) => code === 'memory-save-failed');
  const told = warnings.filter(({ code }) => !isSaveFailed || code !== 'memory-load-failed');
  return mergeWarnings(told).map(({ code, message, at }) => {
    const why =
      (isRequired && code === 'memory-save-failed' ? REQUIRED : undefined) ??
      (isUnpublished && code === 'publish-failed' ? UNPUBLISHED : undefined);
    return {
      level: why === undefined ? 'warning' : 'error',
      title: WARNING_TITLES[code],
      message: why === undefined ? message : `${message.replace(/\.$/, '')}. ${why}`,
      at,
    };
  });
}

const REQUIRED = 'The step fails because `fail-on` lists `memory`.';
const UNPUBLISHED = 'The run failed because of it.';

/** The conclusion of a run that nothing is wrong with but that `fail-on` has a gate for its findings, and it is met. */
const FINDINGS_CONCLUSION = 'findings';

/** The outputs that tell of a review, before redaction. */
export function reviewOutputs({ report }: ReviewResult): Outputs {
  const { worst } = countFindings(report.findings);
  return {
    'findings-open': String(report.findings.filter(isOpen).length),
    'findings-worst': worst ?? '',
    coverage: report.coverage?.kind,
  };
}

/** The outputs of a run whose findings fail the step; one that ended in another way keeps its conclusion. */
export function withFindingsConclusion(outputs: Outputs, met: readonly MetGate[]): Outputs {
  const isMet = met.some(({ gate }) => gate.startsWith('findings:'));
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
    'findings-file': await writeForJob(file('json'), clean(JSON.stringify(allFindings(report)))),
    'sarif-file': await writeForJob(file('sarif'), clean(formatSarif(report, tool))),
  };
}

/** Writes a file and gives its path, empty if it cannot be; one of an earlier step stays, since its output names it. */
async function writeForJob(
  { temp, name, extension }: Readonly<Record<'temp' | 'name' | 'extension', string>>,
  text: string,
): Promise<string> {
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
