import { join } from 'node:path';
import { error, notice, setOutput, summary, warning } from '@actions/core';
import { hasChange, hasFindings, type Trigger } from '../event/trigger.js';
import { isQuestion } from '../findings/change/scope.js';
import { endsOfRows } from '../findings/check-rows.js';
import {
  findingsDocument,
  formatSarif,
  type GateFacts,
  type MetGate,
  metGates,
  type ReviewResult,
} from '../findings/post/record.js';
import { AxeError, type Warning } from '../lib/errors.js';
import { createFiles } from '../lib/files.js';
import { VERSION } from '../lib/product.js';
import type { NoteWrite, Transcript } from '../runner/action-reporter.js';
import type { FailOn } from '../runner/inputs.js';
import { noteReported, writeRunnerFile } from '../runner/journal.js';
import type { Runner } from '../runner/runner.js';
import { hideValues } from '../safety/redact.js';
import { sanitize } from '../safety/sanitize.js';
import { isWhole, type RunRecord, recordRun, reviewOf } from './run-record.js';
import type { Annotation, FinishedRun, Outputs } from './run-summary.js';
import { summarize } from './summarize.js';
import { gateAnnotations, warningAnnotations, withinBudget } from './views/annotations.js';
import { reviewOutputs, withReason } from './views/outputs.js';

interface RunToReport {
  readonly report: FinishedRun;
  /** Undefined if the run ended before it was read. */
  readonly trigger: Trigger | undefined;
  readonly failOn: FailOn;
  /** Memory is kept in another repository than the run's, to stay there. */
  readonly isHidden: boolean;
  readonly runner: Runner;
  readonly warnings: readonly Warning[];
  readonly noteWrites?: readonly NoteWrite[];
  readonly secrets: readonly string[];
  readonly requests?: number;
  /** Called when outputs and summary are written. */
  onShown(): Promise<void>;
  /** The lines of the run; left out if nobody kept them. */
  readonly transcript?: Transcript;
}

/** Writes outputs, summary and annotations of a run and sets the step's status. */
export async function reportRun(run: RunToReport): Promise<void> {
  const { report, failOn, isHidden, runner, warnings, noteWrites, secrets, requests } = run;
  const log = (line: string) => runner.log(sanitize(line, 'log', secrets));
  const clean = (markdown: string) => sanitize(markdown, 'summary', secrets);
  const shown = summarize(report, { warnings, noteWrites, isHidden, clean, requests });
  for (const line of shown.log) log(line);
  const facts = gateFacts(report, run.trigger);
  const met = metGates(failOn.findings, facts);
  const gated = withFindingsConclusion(shown.outputs, met);
  const outputs = withReason(gated, { report, met, warnings });
  const gates = met.map(({ gate }) => gate);
  const record = recordRun(report, { ...run, outputs, gates });
  await writeResults(run, { markdown: shown.markdown, outputs, record }, facts.review);
  const lacksMemory = failOn.memory && outputs['memory-save-error'] !== undefined;
  const isUnpublished = report.kind === 'ran' && report.published.failure !== undefined;
  if (warnings.some(({ code }) => code === 'memory-save-failed')) await noteReported();
  const isListed = failOn.conclusions.some((conclusion) => conclusion === outputs.conclusion);
  const annotations = [
    ...warningAnnotations(warnings, lacksMemory, isUnpublished),
    ...shown.annotations,
    ...gateAnnotations(met, isListed ? outputs : undefined),
  ];
  await annotate(withinBudget(annotations), secrets);
  const isBug = report.kind === 'failed' && !(report.thrown instanceof AxeError);
  if (isBug || met.length > 0 || isListed || lacksMemory) runner.fail();
}

function gateFacts(report: FinishedRun, trigger: Trigger | undefined): GateFacts {
  const review = reviewOf(report);
  if (report.kind === 'failed') {
    const isAboutChange = trigger === undefined || hasChange(trigger);
    const areFindingsUnread = trigger === undefined || hasFindings(trigger);
    return { review, coverage: isAboutChange ? 'unknown' : undefined, areFindingsUnread };
  }
  const areFindingsUnread = report.kind === 'skipped' && report.areFindingsUnread === true;
  const isAboutChange = report.kind === 'ran' && hasChange(report.plan.trigger);
  const coverage = review?.report.coverage ?? (isAboutChange ? report.read.coverage : undefined);
  const checks = report.kind === 'ran' ? checksOfRun(report) : undefined;
  return { review, coverage, areFindingsUnread, checks: checks ?? review?.checks };
}

/** The ends of a run's checks; `unknown` where they were to be asked, and were not. */
function checksOfRun({
  plan: { trigger, checks = [] },
  buffered,
}: Extract<FinishedRun, { kind: 'ran' }>): GateFacts['checks'] {
  if (buffered.checks !== undefined) return endsOfRows(buffered.checks);
  const isReview = hasFindings(trigger) && !isQuestion(trigger);
  return isReview && checks.length > 0 ? 'unknown' : undefined;
}

async function writeResults(
  { runner, secrets, transcript, onShown }: RunToReport,
  {
    markdown,
    outputs,
    record,
  }: { readonly markdown: string; readonly outputs: Outputs; readonly record: RunRecord },
  review: ReviewResult | undefined,
): Promise<void> {
  const { temp } = runner;
  const { response = '', 'memory-entry-id': id } = outputs;
  const isReviewed = isWhole(record);
  // The answer as a file too: an output holds a megabyte at most, and a file needs no quoting in a
  // script. A made-up token stays as it is, since a mask in a file is damage.
  const answer = hideValues(response, secrets);
  await writeOutputs(
    {
      ...outputs,
      'response-file':
        answer === ''
          ? undefined
          : await writeForJob(temp, `axe-action-response-${id ?? 'answer'}`, 'md', answer),
      ...reviewOutputs(record),
      ...(review && (await writeReviewFiles(review, { temp, isReviewed }, secrets))),
    },
    secrets,
  );
  await writeSummary(markdown, { runner, secrets });
  await onShown();
  // The longest of all comes last: a job that is cancelled has some seconds.
  if (temp === '' || transcript === undefined) return;
  const text = transcript.endWith(record);
  if (text === '') return;
  const file = await writeForJob(temp, `axe-action-transcript-${id ?? 'run'}`, 'jsonl', text);
  await writeOutputs({ 'transcript-file': file }, secrets);
}

export async function writeOutputs(outputs: Outputs, secrets: readonly string[]): Promise<void> {
  await writeRunnerFile('GITHUB_OUTPUT', () => {
    for (const [name, value] of Object.entries(outputs))
      if (value !== undefined) setOutput(name, fitOutput(name, sanitize(value, 'output', secrets)));
  });
}

/**
 * GitHub ends the step if an output has over a megabyte, which it counts in UTF-16. A text is cut at
 * the end of a line and says so; JSON that is cut is none, so it is left out.
 */
function fitOutput(name: string, text: string): string {
  if (text.length <= MAX_OUTPUT_CHARACTERS) return text;
  if (name === 'structured-output') return '';
  const beginning = text.slice(0, MAX_OUTPUT_CHARACTERS - OUTPUT_CUT.length);
  const lineEnd = beginning.lastIndexOf('\n');
  const whole = lineEnd > 0 ? beginning.slice(0, lineEnd) : beginning.toWellFormed();
  return `${whole}${OUTPUT_CUT}`;
}

const MAX_OUTPUT_CHARACTERS = 500_000;
const OUTPUT_CUT = '\n[The text is cut here: it is longer than an output can be.]';

/** Writes the job summary of this step, where there is one. */
export async function writeSummary(
  markdown: string,
  { runner, secrets }: { readonly runner: Runner; readonly secrets: readonly string[] },
): Promise<void> {
  if ((runner.env['GITHUB_STEP_SUMMARY'] ?? '') === '') return;
  const text = sanitize(markdown, 'summary', secrets);
  await writeRunnerFile('GITHUB_STEP_SUMMARY', () =>
    summary.addRaw(text, true).write({ overwrite: true }),
  );
}

const SHOW = { error, warning, notice };

/** Shows annotations, cleaned for the log. */
async function annotate(
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
 * The outputs of a run whose findings fail the step; one that ended in another way keeps its
 * conclusion.
 * @internal
 */
export function withFindingsConclusion(outputs: Outputs, met: readonly MetGate[]): Outputs {
  const isMet = met.some(({ gate }) => gate.startsWith('findings:'));
  const isElseWell = outputs.conclusion === 'success' || outputs.conclusion === 'skipped';
  return isMet && isElseWell ? { ...outputs, conclusion: 'findings' } : outputs;
}

/**
 * Writes what other programs read of a review into the folder that all steps of the job share: all
 * findings as JSON, since an output holds no more than a megabyte, and as SARIF 2.1.0. Gives the
 * outputs that name the files.
 * @internal
 */
export async function writeReviewFiles(
  { agent, report }: ReviewResult,
  { temp, isReviewed }: { readonly temp: string; readonly isReviewed: boolean },
  secrets: readonly string[],
): Promise<Outputs> {
  const clean = (text: string) => sanitize(text, 'output', secrets);
  const tool = {
    version: VERSION,
    agent,
    isSuccessful: isReviewed,
    clean: (text: string) => sanitize(text, 'log', secrets),
  };
  const name = `axe-action-findings-${[agent, report.head].join('-').replace(/[^\w.-]/g, '-')}`;
  return {
    'findings-file': await writeForJob(
      temp,
      name,
      'json',
      clean(JSON.stringify(findingsDocument(report))),
    ),
    'sarif-file': await writeForJob(temp, name, 'sarif', clean(formatSarif(report, tool))),
  };
}

/**
 * Writes a file and gives its path; empty if it cannot be written, undefined where there is no such
 * folder. One of an earlier step stays, since its output names it.
 */
async function writeForJob(
  temp: string,
  name: string,
  extension: string,
  text: string,
): Promise<string | undefined> {
  if (temp === '') return undefined;
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
