import { join } from 'node:path';
import { error, notice, setOutput, summary, warning } from '@actions/core';
import { findingsDocument, formatSarif } from '../findings/post/record.js';
import { createFiles } from '../lib/files.js';
import { VERSION } from '../lib/product.js';
import type { Transcript } from '../runner/action-reporter.js';
import { noteReported, writeRunnerFile } from '../runner/journal.js';
import type { Runner } from '../runner/runner.js';
import { hideValues } from '../safety/redact.js';
import { sanitize } from '../safety/sanitize.js';
import { type FindingsRecord, isWhole, type RunRecord, withoutTexts } from './run-record.js';
import { type Annotation, annotationsOf } from './views/annotations.js';
import { formatLog } from './views/log.js';
import { type Outputs, outputsOf, reviewOutputs } from './views/outputs.js';
import { formatSummary } from './views/summary.js';

interface RunToReport {
  readonly record: RunRecord;
  readonly runner: Runner;
  readonly secrets: readonly string[];
  /** Called when outputs and summary are written. */
  onShown(): Promise<void>;
  /** The lines of the run; left out if nobody kept them. */
  readonly transcript?: Transcript;
}

/** Writes outputs, summary and annotations of a run and sets the step's status. */
export async function reportRun(run: RunToReport): Promise<void> {
  const { record, runner, secrets } = run;
  for (const line of formatLog(record)) runner.log(sanitize(line, 'log', secrets));
  await writeResults(run);
  if (record.warnings.includes('memory-save-failed')) await noteReported();
  await annotate(annotationsOf(record), secrets);
  if (record.reason === 'bug' || record.failedBy.length > 0) runner.fail();
}

async function writeResults({
  record,
  runner,
  secrets,
  transcript,
  onShown,
}: RunToReport): Promise<void> {
  const { temp } = runner;
  const outputs = outputsOf(record);
  const { response = '', 'memory-entry-id': id } = outputs;
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
      ...(record.findings &&
        (await writeReviewFiles(record.findings, { temp, isReviewed: isWhole(record) }, secrets))),
    },
    secrets,
  );
  const clean = (markdown: string) => sanitize(markdown, 'summary', secrets);
  await writeSummary(formatSummary(record, clean), { runner, secrets });
  await onShown();
  // The longest of all comes last: a job that is cancelled has some seconds.
  if (temp === '' || transcript === undefined) return;
  const text = transcript.endWith(withoutTexts(record));
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
 * Writes what other programs read of a review into the folder that all steps of the job share: all
 * findings as JSON, since an output holds no more than a megabyte, and as SARIF 2.1.0. Gives the
 * outputs that name the files.
 * @internal
 */
export async function writeReviewFiles(
  { agent, records, ...reviewed }: FindingsRecord,
  { temp, isReviewed }: { readonly temp: string; readonly isReviewed: boolean },
  secrets: readonly string[],
): Promise<Outputs> {
  const report = { ...reviewed, findings: records };
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
