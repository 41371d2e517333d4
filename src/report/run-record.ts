import { formatModelRef } from '../agent/config.js';
import { subjectNumber, type Trigger } from '../event/trigger.js';
import type { Facts, Rights, Word } from '../event/trust.js';
import type { BufferedPublications } from '../findings/buffered-publications.js';
import type { Coverage, ReviewScope } from '../findings/change/scope.js';
import {
  countFindings,
  countOpen,
  type FindingRecord,
  type ReviewResult,
} from '../findings/post/record.js';
import type { Posted } from '../github/posting/posted.js';
import { AxeError, CancelledError, ProviderError, type Warning } from '../lib/errors.js';
import type { Limit, RunStats } from '../lib/outcome.js';
import { VERSION } from '../lib/product.js';
import type { AgentUsage } from '../loop/reply.js';
import { entryProvenance } from '../memory/run-log.js';
import type { SaveFailure, StoreKind } from '../memory/store.js';
import type { Memory, MemorySaveResult, Plan } from '../run/records.js';
import type { FinishedRun, Outputs, ReportOf } from './run-summary.js';
import { toolsByTurn } from './tools-by-turn.js';

/** The version of the form; a program that reads it need not know a later one. */
export const RUN_RECORD_VERSION = 1;

/** The ways in which a run can end. @internal */
export const RUN_ENDS = [
  'ran',
  'planned',
  'skipped',
  'memory-command',
  'gc',
  'validated',
  'failed',
] as const satisfies readonly FinishedRun['kind'][];

/** The end of a run as plain data without sentences: the last line of its transcript. */
export interface RunRecord {
  readonly version: typeof RUN_RECORD_VERSION;
  readonly program: string;
  readonly end: FinishedRun['kind'];
  readonly conclusion: string;
  /** The reason as a code; left out for a success. */
  readonly reason?: string;
  /** The event; left out if it was not read. */
  readonly event?: EventRecord;
  /** The decisions before the model was asked; left out if there were none. */
  readonly plan?: PlanRecord;
  /** The context of the model; left out if it was given nothing. */
  readonly read?: ReadRecord;
  /** The work of the models; left out if none was asked. */
  readonly work?: WorkRecord;
  /** Findings of a review, and of its pull request; left out if the run knows none. */
  readonly findings?: FindingsRecord;
  /** Publications on GitHub. */
  readonly posted: readonly Posted[];
  /** Calls that were refused. */
  readonly refused: Pick<BufferedPublications, 'refusedFindings' | 'refusals'>;
  /** The result of saving memory; left out if nothing was to be saved. */
  readonly saved?: SavedRecord;
  readonly warnings: readonly Warning['code'][];
}

interface EventRecord {
  /** GitHub's name; `local` for none. */
  readonly name: string;
  readonly action?: string;
  readonly repository?: string;
  /** The issue or pull request. */
  readonly number?: number;
  readonly actor?: string;
}

interface PlanRecord {
  readonly agent: { readonly name: string; readonly source: string };
  readonly model: string;
  /** The word of trust at the end, with what it follows from. */
  readonly trust: { readonly word: Word; readonly facts: Facts; readonly rights: Rights };
  readonly limits: { readonly turns: number; readonly seconds: number };
}

interface ReadRecord {
  readonly scope?: { readonly kind: ReviewScope['kind']; readonly head: string };
  readonly coverage?: Coverage;
  readonly memory?: MemoryRecord;
  /** Paths of the project's files. */
  readonly guidance: readonly string[];
}

interface MemoryRecord {
  readonly store: StoreKind;
  readonly kind: Memory['restored']['kind'];
  readonly location: string;
  readonly loaded: number;
  /** Undefined if nobody counted. */
  readonly total?: number;
  /** The chosen entries, and the terms that each shares with the subject: none for the newest. */
  readonly entries: readonly { readonly id?: string; readonly shares: readonly string[] }[];
  readonly notes?: number;
}

interface WorkRecord
  extends Omit<RunStats, 'calls' | 'toolCalls' | 'budget' | 'modelId' | 'stopReason'> {
  readonly model: string;
  readonly stopReason: string;
  readonly toolCalls: number;
  /** The limit that ended it; left out: none. */
  readonly limit?: Limit;
  /** By agent and model. */
  readonly usage: readonly AgentUsage[];
  /** A line for each turn. */
  readonly tools: readonly string[];
}

interface FindingsRecord {
  readonly head: string;
  readonly open: number;
  /** The number of open findings that no earlier run has said. */
  readonly fresh: number;
  readonly worst: string | null;
  readonly records: readonly FindingRecord[];
  /** Findings that were to have a second look and had none. */
  readonly unverified?: number;
  /** Something was to be posted, and was not. */
  readonly isUnpublished: boolean;
}

interface SavedRecord {
  readonly isSaved: boolean;
  readonly location?: string;
  /** Why nothing was saved; left out: it was. */
  readonly failure?: SaveFailure;
  readonly entries: readonly { readonly id: string; readonly path: string }[];
  readonly notes: number;
}

/** The facts besides the report from which the end of a run is recorded. */
interface RecordOptions {
  readonly trigger: Trigger | undefined;
  /** The outputs, which `fail-on` has decided already. */
  readonly outputs: Pick<Outputs, 'conclusion'>;
  /** The words of `fail-on` that were met. */
  readonly gates: readonly string[];
  readonly warnings: readonly Warning[];
  /** Memory is in another repository, so the record has no more than ids. */
  readonly isHidden: boolean;
}

/** The run has done what it was for: it did not fail, and was not cut. */
export function isWhole({ end, conclusion }: Pick<RunRecord, 'end' | 'conclusion'>): boolean {
  return end === 'ran' && (conclusion === 'success' || conclusion === 'findings');
}

/** The one writer of the record. Its texts by others are not cleaned yet. */
export function recordRun(report: FinishedRun, options: RecordOptions): RunRecord {
  const { trigger, warnings, outputs } = options;
  const { conclusion = 'failure' } = outputs;
  const plan = 'plan' in report ? report.plan : undefined;
  const published = 'published' in report ? report.published : undefined;
  const ran = report.kind === 'ran' ? report : undefined;
  return {
    version: RUN_RECORD_VERSION,
    program: VERSION,
    end: report.kind,
    conclusion,
    reason: conclusion === 'success' ? undefined : reasonOf(report, options.gates),
    event: trigger && eventOf(trigger),
    plan: plan && planOf(plan),
    read: plan && readOf(plan, report, options.isHidden),
    work: ran && workOf(ran, options.isHidden),
    findings: findingsOf(report),
    posted: published?.posts ?? [],
    refused: {
      refusedFindings: ran?.buffered.refusedFindings ?? [],
      refusals: ran?.buffered.refusals ?? [],
    },
    saved: ran?.remembered && savedOf(ran.remembered),
    warnings: [...new Set(warnings.map(({ code }) => code))],
  };
}

/** The cause as a code: what ended the run, else the first gate of `fail-on` that was met. */
function reasonOf(report: FinishedRun, [gate]: readonly string[]): string {
  switch (report.kind) {
    case 'skipped':
      return report.decision.reason;
    case 'failed':
      return codeOfError(report.thrown);
    case 'memory-command':
      return report.result.kind === 'failed' ? report.result.reason : 'failed';
    case 'gc':
      return report.collection.end.kind === 'failed'
        ? codeOfError(report.collection.end.error)
        : report.collection.end.kind;
    case 'validated':
      return 'invalid';
    case 'planned':
      return 'dry-run';
    case 'ran': {
      const { outcome, published } = report;
      if (outcome.kind === 'exhausted') return `limit-${outcome.limit}`;
      if (outcome.kind === 'failed') return codeOfError(outcome.error);
      if (outcome.kind !== 'completed') return outcome.kind;
      return gate ?? (published.failure === undefined ? 'failed' : 'not-published');
    }
  }
}

function codeOfError(error: unknown): string {
  if (error instanceof ProviderError) return `model-${error.category}`;
  if (error instanceof CancelledError) return 'cancelled';
  return error instanceof AxeError ? 'error' : 'bug';
}

function eventOf(trigger: Trigger): EventRecord {
  if (trigger.kind === 'local') return { name: 'local' };
  const { event, action, repository, actor } = trigger;
  return {
    name: event,
    action: action === '' ? undefined : action,
    repository: `${repository.owner}/${repository.name}`,
    number: subjectNumber(trigger),
    actor: actor.login,
  };
}

function planOf({ agent, model, reading, maxTurns, timeoutSeconds }: Plan): PlanRecord {
  const { name, source } = agent;
  return {
    agent: { name, source },
    model: formatModelRef(model),
    trust: { word: reading.word, facts: reading.facts, rights: reading.rights },
    limits: { turns: maxTurns, seconds: timeoutSeconds },
  };
}

function readOf(plan: Plan, report: FinishedRun, isHidden: boolean): ReadRecord {
  const { scope, prompt } = plan;
  const memory = 'memory' in report ? report.memory : undefined;
  return {
    scope: scope && { kind: scope.kind, head: scope.head },
    coverage: report.kind === 'ran' ? report.read.coverage : plan.coverage,
    memory: memory && memoryOf(memory, isHidden),
    guidance: (prompt.guidance ?? []).map(({ path }) => path),
  };
}

function memoryOf({ store, restored, recalled, notes }: Memory, isHidden: boolean): MemoryRecord {
  const { kind, location } = restored;
  const isRestored = restored.kind === 'restored';
  const chosen = recalled?.entries ?? [];
  return {
    store: store.kind,
    kind,
    location,
    loaded: isRestored ? restored.loaded : 0,
    total: isRestored ? restored.total : undefined,
    entries: chosen.map(({ text, shares }) => {
      return { id: entryProvenance(text)?.id, shares: isHidden ? [] : shares };
    }),
    notes: notes?.found.files,
  };
}

function workOf({ outcome, usage }: ReportOf<'ran'>, isHidden: boolean): WorkRecord {
  const { calls, budget: _, modelId: model, ...stats } = outcome.stats;
  const limit = outcome.kind === 'exhausted' ? outcome.limit : undefined;
  return { ...stats, model, limit, usage, tools: toolsByTurn(calls, isHidden) };
}

/** The review that a run made or found; undefined if it knows none. */
export function reviewOf(report: FinishedRun): ReviewResult | undefined {
  const reviewed = report.kind === 'ran' ? report.published : report;
  return 'reviewResult' in reviewed ? reviewed.reviewResult : undefined;
}

function findingsOf(report: FinishedRun): FindingsRecord | undefined {
  const result = reviewOf(report);
  const unverified = report.kind === 'ran' ? report.buffered.unverified : 0;
  return result && recordFindings(result, unverified);
}

/** @internal */
export function recordFindings(result: ReviewResult, unverified: number): FindingsRecord {
  const { head, findings } = result.report;
  const { open, fresh } = countOpen(findings);
  return {
    head,
    open: open.length,
    fresh,
    worst: countFindings(findings).worst,
    records: findings,
    unverified: unverified === 0 ? undefined : unverified,
    isUnpublished: result.isUnpublished,
  };
}

function savedOf({ entries, notes, result }: MemorySaveResult): SavedRecord {
  return {
    isSaved: result.kind === 'saved' && result.isNowhere !== true,
    location: result.kind === 'saved' ? result.location : undefined,
    failure: result.kind === 'failed' ? result.reason : undefined,
    entries: entries.map(({ id, path }) => ({ id, path })),
    notes: notes.length,
  };
}
