import { join } from 'node:path';
import { confine } from '../../adapters/host/confine.js';
import { createFiles } from '../../adapters/host/files.js';
import { type FindingsGate, type MetGate, metGates } from '../../core/findings/fail-on.js';
import {
  countFindings,
  formatAllFindings,
  formatFindingsOutput,
  type ReviewResult,
} from '../../core/findings/findings-json.js';
import { isOpen } from '../../core/findings/record.js';
import { formatSarif } from '../../core/findings/sarif.js';
import { sanitize } from '../../core/sanitize/sanitize.js';
import { VERSION } from '../../core/version.js';
import type { Outputs } from '../outputs.js';
import type { Runner } from '../runner/runner.js';

/** The conclusion of a run that nothing is wrong with but that `fail-on` has a gate for its findings, and it is met. */
const FINDINGS_CONCLUSION = 'findings';

/** The outputs that tell of a review, before redaction. */
export function reviewOutputs({ report }: ReviewResult): Outputs {
  const { states, worst } = countFindings(report.findings);
  return {
    findings: formatFindingsOutput(report),
    'findings-count': String(states['new'] ?? 0),
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

/** What the files of a review are written with. */
interface ReviewFileParts {
  /** Path of the SARIF file; empty for none. */
  readonly sarifFile: string;
  readonly runner: Runner;
  readonly secrets: readonly string[];
}

/**
 * Writes what other programs read of a review: all findings as JSON, since an output holds no more than a megabyte, and
 * SARIF where a file is named for it. Gives the outputs that name the files. Throws an AxeError.
 */
export async function writeReviewFiles(
  { agent, report }: ReviewResult,
  { sarifFile, runner, secrets }: ReviewFileParts,
): Promise<Outputs> {
  const clean = (text: string) => sanitize(text, 'output', secrets);
  const findings = clean(formatAllFindings(report));
  const { temp } = runner;
  const findingsFile =
    temp === '' ? undefined : await writeForJob({ temp, ...findingsName(agent, report.head) }, findings);
  const sarif = sarifFile === '' ? undefined : await confineSarifFile(runner.workspace, sarifFile);
  if (sarif !== undefined) {
    const tool = { version: VERSION, agent, clean: (text: string) => sanitize(text, 'log', secrets) };
    await createFiles().replace(sarif, clean(formatSarif(report, tool)));
  }
  return {
    ...(findingsFile === undefined ? {} : { 'findings-file': findingsFile }),
    ...(sarif === undefined ? {} : { 'sarif-file': sarif }),
  };
}

/** A job may have several agents review one commit. */
function findingsName(agent: string, head: string): Pick<FileForJob, 'name' | 'extension'> {
  const key = [agent, head].join('-').replace(/[^\w.-]/g, '-');
  return { name: `axe-action-findings-${key}`, extension: 'json' };
}

/** A file for later steps of the job. */
interface FileForJob {
  /** Folder that all steps of the job share. */
  readonly temp: string;
  readonly name: string;
  readonly extension: string;
}

/** Writes a file and gives its path; one that an earlier step has written stays, since its output names it. */
export async function writeForJob({ temp, name, extension }: FileForJob, text: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const path = join(temp, `${name}${number === 1 ? '' : `-${number}`}.${extension}`);
    if (await createFiles().createExclusive(path, text)) return path;
  }
}

/** The absolute path of the SARIF file. Throws a ConfigError where it leads out of the workspace. */
export async function confineSarifFile(workspace: string, path: string): Promise<string> {
  return await confine(workspace, { path, what: 'the input `sarif-file`' });
}
