import { NO_PUBLICATIONS } from '../../src/findings/buffered-publications.js';
import { AxeError, type ExitCode } from '../../src/lib/errors.js';
import type { Limit, RunOutcome, RunStats, ToolCallRecord } from '../../src/lib/outcome.js';
import { createNoneStore, type RestoreResult } from '../../src/memory/store.js';
import type { FinishedRun } from '../../src/report/conclusion.js';
import { type RecordOptions, recordRun } from '../../src/report/record-run.js';
import type { RecordOf, RunRecord } from '../../src/report/run-record.js';
import { type Outputs, outputsOf as outputsOfRecord } from '../../src/report/views/outputs.js';
import { formatSummary as formatSummaryOfRecord } from '../../src/report/views/summary.js';
import type { PublishRequest } from '../../src/run/dependencies.js';
import type {
  MemoryCommandResult,
  MemoryRefusal,
} from '../../src/run/memory-commands/command-session.js';
import type { Memory, Plan, RunReport, RunRequest } from '../../src/run/records.js';
import { runPipeline } from '../../src/run/run.js';
import {
  createFakeDependencies,
  type FakeDependenciesParts,
  makeRequest,
} from './dependencies-fake.js';

/** The account of the tests' triggers, with the permission a run needs. */
export const WRITER = { octocat: { kind: 'known', permission: 'write' } } as const;

/** Memory from which a store has loaded this. */
export function memoryOf(restored: RestoreResult): Memory {
  return { store: createNoneStore(), restored, facts: [], text: '' };
}

/** A report of a kind. */
export type Report<K extends RunReport['kind']> = Extract<RunReport, { readonly kind: K }>;

/**
 * Reports what the pipeline makes of a request in a fake world. Throws if it comes to another end
 * than `kind`.
 */
export async function reportOf<K extends RunReport['kind']>(
  kind: K,
  parts: FakeDependenciesParts = {},
  patch: Partial<RunRequest> = {},
): Promise<Report<K>> {
  const request = makeRequest({ dryRun: kind === 'planned', ...patch });
  const report = await runPipeline(
    request,
    createFakeDependencies({ permissions: WRITER, ...parts }),
  );
  if (report.kind !== kind) throw new Error(`the run was ${report.kind}, not ${kind}`);
  return report as Report<K>;
}

/** The record of a report, in a workflow that fails for nothing. */
export function recordOf(report: FinishedRun, options: Partial<RecordOptions> = {}): RunRecord {
  return recordRun(report, {
    trigger: 'plan' in report ? report.plan.trigger : undefined,
    failOn: { conclusions: [], findings: [], memory: false },
    isHidden: false,
    warnings: [],
    ...options,
  });
}

/** The record of a run that asked a model. */
export function ranRecordOf(
  report: FinishedRun,
  options?: Partial<RecordOptions>,
): RecordOf<'ran'> {
  const record = recordOf(report, options);
  if (record.end !== 'ran') throw new Error(`the run was ${record.end}`);
  return record;
}

/** The outputs of a report that have a value. */
export function outputsOf(report: FinishedRun, isHidden = false): Outputs {
  const outputs = outputsOfRecord(recordOf(report, { isHidden }));
  return Object.fromEntries(Object.entries(outputs).filter(([, value]) => value !== undefined));
}

/** The job summary of a report, before it is cleaned as a whole. */
export function formatSummary(
  report: FinishedRun,
  {
    clean = (text) => text,
    ...options
  }: Partial<RecordOptions> & { readonly clean?: (markdown: string) => string } = {},
): string {
  return formatSummaryOfRecord(recordOf(report, options), clean);
}

/** Figures of a run without tools, no two alike. */
export const STATS: RunStats = {
  turns: 2,
  toolCalls: 0,
  calls: [],
  retries: 0,
  inputTokens: 1200,
  outputTokens: 34,
  cacheReadTokens: 560,
  cacheWriteTokens: 0,
  costUsd: undefined,
  budget: undefined,
  durationMs: 6543,
  modelId: 'claude-sonnet-4-5',
  stopReason: 'end_turn',
};

/** A run that did what it should. */
export function completed(answer: string, stats: Partial<RunStats> = {}): RunOutcome {
  return { kind: 'completed', answer, stats: { ...STATS, ...stats } };
}

/** A run that a limit cut short, with the error that a person sees. */
export function exhausted(limit: Limit, answer: string, stats: Partial<RunStats> = {}): RunOutcome {
  const remedy = `Raise the limit of ${limit}.`;
  const error = new AxeError(`no ${limit} left`, { exitCode: LIMIT_STATUS[limit], remedy });
  return { kind: 'exhausted', limit, answer, error, stats: { ...STATS, ...stats } };
}

const LIMIT_STATUS: Record<Limit, ExitCode> = { turns: 1, time: 3, tokens: 4, cost: 4 };

/** A tool call that went well. */
export function called(tool: string, patch: Partial<ToolCallRecord> = {}): ToolCallRecord {
  return {
    turn: 1,
    tool,
    input: {},
    output: 'ok',
    isError: false,
    isDenied: false,
    durationMs: 5,
    ...patch,
  };
}

/** A run that is over, of which nothing is published but its answer. */
export function requestOf(
  plan: Plan,
  outcome: RunOutcome,
  patch: Partial<PublishRequest> = {},
): PublishRequest {
  const nothing = {
    onPosted: () => undefined,
    buffered: NO_PUBLICATIONS,
    read: { coverage: undefined, unseen: [] },
    others: [],
  };
  return { plan, outcome, ...nothing, word: 'own', ...patch } as unknown as PublishRequest;
}

/** A command over memory that was not. */
export function refused(
  reason: MemoryRefusal['reason'],
  patch: Partial<MemoryRefusal> = {},
): MemoryRefusal {
  return { kind: 'failed', reason, message: 'it is so', changed: false, ...patch };
}

/** The report of a command over the memory of the agent `bot`. */
export function memoryReport(
  result: MemoryCommandResult,
  patch: Partial<Report<'memory-command'>> = {},
): Report<'memory-command'> {
  const published = { posts: [] };
  return { kind: 'memory-command', agent: 'bot', command: 'forget', result, published, ...patch };
}
