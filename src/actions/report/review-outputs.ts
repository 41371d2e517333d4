import { join } from 'node:path';
import { createFiles } from '../../adapters/host/files.js';
import { type FindingsGate, type MetGate, metGates } from '../../core/findings/fail-on.js';
import { countFindings, formatAllFindings, type ReviewResult } from '../../core/findings/findings-json.js';
import { isOpen } from '../../core/findings/record.js';
import { formatSarif } from '../../core/findings/sarif.js';
import { sanitize } from '../../core/sanitize/sanitize.js';
import { VERSION } from '../../core/version.js';
import type { Outputs } from '../outputs.js';
import { writeRunnerFile } from '../runner/runner-file.js';

/** The conclusion of a run that nothing is wrong with but that `fail-on` has a gate for its findings, and it is met. */
const FINDINGS_CONCLUSION = 'findings';

/** The outputs that tell of a review, before redaction. */
export function reviewOutputs({ report }: ReviewResult): Outputs {
  const { worst } = countFindings(report.findings);
  return {
    'findings-open': String(report.findings.filter(isOpen).length),
    'findings-worst': worst ?? '',
    coverage: report.coverage.kind,
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
  return isMet && outputs.conclusion === 'success'
    ? { ...outputs, conclusion: FINDINGS_CONCLUSION }
    : outputs;
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
export async function writeForJob({ temp, name, extension }: FileForJob, text: string): Promise<string> {
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
