import type { RunOutcome, RunStats } from '../../src/axe/loop/outcome.js';
import type { RunReport, RunRequest } from '../../src/pipeline/request.js';
import { runPipeline } from '../../src/pipeline/run.js';
import { createFakeWorld, type FakeWorldParts, makeRequest } from './world-fake.js';

/** The account of the tests' triggers, with the permission a run needs. */
export const WRITER = { octocat: { kind: 'known', permission: 'write' } } as const;

/** A report of a kind. */
export type Report<K extends RunReport['kind']> = Extract<RunReport, { readonly kind: K }>;

/** Reports what the pipeline makes of a request in a fake world. Throws if it comes to another end than `kind`. */
export async function reportOf<K extends RunReport['kind']>(
  kind: K,
  parts: FakeWorldParts = {},
  patch: Partial<RunRequest> = {},
): Promise<Report<K>> {
  const request = makeRequest({ dryRun: kind === 'planned', ...patch });
  const report = await runPipeline(request, createFakeWorld({ permissions: WRITER, ...parts }));
  if (!isKind(report, kind)) throw new Error(`the run was ${report.kind}, not ${kind}`);
  return report;
}

function isKind<K extends RunReport['kind']>(report: RunReport, kind: K): report is Report<K> {
  return report.kind === kind;
}

/** Figures of a run, no two alike. */
export const STATS: RunStats = {
  turns: 2,
  toolCalls: 1,
  inputTokens: 1200,
  outputTokens: 34,
  cacheReadTokens: 560,
  durationMs: 6543,
  modelId: 'claude-sonnet-4-5',
  stopReason: 'end_turn',
};

/** A run that did what it should. */
export function completed(answer: string, stats: Partial<RunStats> = {}): RunOutcome {
  return { kind: 'completed', answer, stats: { ...STATS, ...stats } };
}
