import { formatModelRef } from '../agent/config.js';
import { subjectNumber, type Trigger } from '../event/trigger.js';
import { readScope } from '../findings/change/scope.js';
import { countFindings, countOpen, type ReviewResult } from '../findings/post/record.js';
import { outcomesAndCostTable } from '../findings/state-facts.js';
import { AxeError, type ErrorText, messageOf, type Warning } from '../lib/errors.js';
import { errorOf, type RunStats } from '../lib/outcome.js';
import { VERSION } from '../lib/product.js';
import { entryProvenance } from '../memory/run-log.js';
import { buildSystemPrompt, withMemory } from '../prompt/prompt.js';
import type { GcResult } from '../run/gc-result.js';
import { formatRefusal } from '../run/memory-commands/command-texts.js';
import type {
  Memory,
  MemorySaveResult,
  Plan,
  PublicationResult,
  RunNotes,
  Validation,
} from '../run/records.js';
import { loadedMemory } from '../run/views/loaded.js';
import type { NoteWrite } from '../runner/action-reporter.js';
import type { FailOn } from '../runner/inputs.js';
import { concludeRun, type FinishedRun, type ReportOf, reviewOf } from './conclusion.js';
import {
  type CommonRecord,
  type CommonTexts,
  type EventRecord,
  type FindingsRecord,
  type GcResultRecord,
  type MemoryRecord,
  type NotesRecord,
  type PlanRecord,
  type PublishedRecord,
  type ReadRecord,
  type RecordOf,
  RUN_RECORD_VERSION,
  type RunRecord,
  type SavedRecord,
  type UsageRecord,
  type WorkRecord,
} from './run-record.js';
import { toolsByTurn } from './tools-by-turn.js';

/** The facts besides the report from which the end of a run is recorded. @internal */
export interface RecordOptions {
  /** Undefined if the run ended before it was read. */
  readonly trigger: Trigger | undefined;
  readonly failOn: FailOn;
  /** Memory is kept in another repository than the run's, to stay there. */
  readonly isHidden: boolean;
  readonly warnings: readonly Warning[];
  /** Writes of notes, oldest first; left out if there are none. */
  readonly noteWrites?: readonly NoteWrite[];
  /** The number of requests to GitHub; left out if nobody counts. */
  readonly requests?: number;
}

/** A record without the parts that all have. */
type End<K extends RunRecord['end']> = Omit<RecordOf<K>, Exclude<keyof CommonRecord, 'text'>>;

/** The one writer of the record. */
export function recordRun(report: FinishedRun, options: RecordOptions): RunRecord {
  const common = commonOf(report, options);
  const { text: texts } = common;
  switch (report.kind) {
    case 'ran':
      return { ...common, ...ranOf(report, options) };
    case 'planned':
      return { ...common, ...plannedOf(report, texts, options.isHidden) };
    case 'skipped': {
      const { message, remedy } = report.decision;
      return { ...common, end: 'skipped', text: { ...texts, message, remedy } };
    }
    case 'memory-command':
      return { ...common, ...commandOf(report, texts) };
    case 'gc':
      return { ...common, ...gcOf(report, texts, options.isHidden) };
    case 'validated':
      return {
        ...common,
        end: 'validated',
        text: { ...texts, validation: plainValidation(report.validation) },
      };
    case 'failed':
      return { ...common, end: 'failed', text: { ...texts, ...textsOfThrown(report.thrown) } };
  }
}

function commonOf(report: FinishedRun, options: RecordOptions): CommonRecord {
  const { trigger, warnings, requests } = options;
  const { met, ...ended } = concludeRun(report, options);
  const { refusedFindings = [], refusals = [] } = report.kind === 'ran' ? report.buffered : {};
  return {
    version: RUN_RECORD_VERSION,
    program: VERSION,
    ...ended,
    event: trigger && eventOf(trigger),
    findings: findingsOf(report),
    posted: 'published' in report ? report.published.posts : [],
    refused: { refusedFindings, refusals },
    warnings: [...new Set(warnings.map(({ code }) => code))],
    requests,
    text: { warnings, gates: met },
  };
}

function eventOf(trigger: Trigger): EventRecord {
  if (trigger.kind === 'local') return { name: 'local' };
  const { event, action, repository, actor } = trigger;
  const { owner, name, isPrivate, defaultBranch } = repository;
  // A payload without its repository, as a schedule's may be, does not say.
  const isPublic = !isPrivate && defaultBranch !== '';
  return {
    name: event,
    action: action === '' ? undefined : action,
    repository: `${owner}/${name}`,
    ...(isPublic && { isPublic }),
    number: subjectNumber(trigger),
    actor: actor.login,
  };
}

function findingsOf(report: FinishedRun): FindingsRecord | undefined {
  const result = reviewOf(report);
  const unverified = report.kind === 'ran' ? report.buffered.unverified : 0;
  return result && recordFindings(result, unverified);
}

/** @internal */
export function recordFindings(
  { agent, report, isUnpublished }: ReviewResult,
  unverified: number,
): FindingsRecord {
  const { head, base, pull, coverage, findings } = report;
  const { open, fresh } = countOpen(findings);
  return {
    agent,
    head,
    base,
    pull,
    coverage,
    open: open.length,
    fresh,
    worst: countFindings(findings).worst,
    records: findings,
    unverified: unverified === 0 ? undefined : unverified,
    isUnpublished,
  };
}

function ranOf(
  report: ReportOf<'ran'>,
  { isHidden, noteWrites = [] }: RecordOptions,
): Omit<RecordOf<'ran'>, keyof CommonRecord> {
  const { plan, memory, read, published, remembered, lost, spend } = report;
  const worth =
    plan.trigger.kind === 'schedule'
      ? outcomesAndCostTable(memory?.facts ?? [], new Date(spend.day))
      : '';
  return {
    end: 'ran',
    plan: planOf(plan),
    read: {
      ...readOf({ ...plan, coverage: read.coverage }),
      memory: memory && memoryOf(memory, { plan, isHidden, worth }),
    },
    work: workOf(report, isHidden),
    published: publishedOf(published),
    saved: remembered && savedOf(remembered, isHidden),
    lost: lost.map((save) => savedOf(save, isHidden)),
    noteWrites,
  };
}

/** Nothing was sent and nothing written, so everything is shown. */
function plannedOf(
  { plan, memory }: ReportOf<'planned'>,
  texts: CommonTexts,
  isHidden: boolean,
): End<'planned'> {
  const shown = isHidden ? undefined : memory;
  const system = withMemory(
    buildSystemPrompt(plan.prompt),
    shown?.text ?? '',
    shown?.notes?.prompt,
  );
  return {
    end: 'planned',
    plan: planOf(plan),
    read: { ...readOf(plan), memory: memory && memoryOf(memory, { plan, isHidden, worth: '' }) },
    text: { ...texts, system, message: plan.task.message },
  };
}

function planOf(plan: Plan): PlanRecord {
  const { agent, model, reading, memory, task } = plan;
  return {
    agent: { name: agent.name, source: agent.source },
    model: formatModelRef(model),
    trust: { word: reading.word, facts: reading.facts, rights: reading.rights },
    limits: { turns: plan.maxTurns, seconds: plan.timeoutSeconds },
    memory: memory && { path: memory.path, isReadOnly: memory.isReadOnly },
    ...(plan.form !== undefined && { isStructured: true }),
    ...(plan.offersCommands === true && { offersCommands: true }),
    text: task.sentence,
  };
}

function readOf({ scope, coverage, prompt }: Plan): ReadRecord {
  return {
    scope: readScope(scope, coverage),
    coverage,
    guidance: (prompt.guidance ?? []).map(({ path }) => path),
  };
}

function memoryOf(
  memory: Memory,
  {
    plan,
    isHidden,
    worth,
  }: { readonly plan: Plan; readonly isHidden: boolean; readonly worth: string },
): MemoryRecord {
  const { restored, recalled, notes } = memory;
  const loaded = loadedMemory(memory, plan.subject, isHidden);
  // If only the end of the file was read, its line numbers are not known.
  const isWholeRead = restored.kind === 'restored' && restored.fileBytes === undefined;
  return {
    ...loaded,
    isHidden,
    entries: (recalled?.entries ?? []).map(({ text, line, shares }) => {
      const { id, on = '' } = entryProvenance(text) ?? {};
      const [heading = ''] = text.slice('## '.length).split(/\r?\n/, 1);
      if (isHidden) return { id, shares: [] };
      return { id, shares, line: isWholeRead ? line : undefined, text: { heading, on } };
    }),
    leftOut: recalled?.leftOut ?? 0,
    notes: notes && notesOf(notes),
    text: {
      ...loaded.text,
      entries: isHidden ? '' : memory.text,
      notes: isHidden ? '' : (notes?.prompt.block.trim() ?? ''),
      gone: isHidden ? [] : (notes?.checked.gone ?? []),
      worth: isHidden ? '' : worth,
    },
  };
}

function notesOf({ found, prompt, checked }: RunNotes): NotesRecord {
  return {
    ...found,
    isGiven: prompt.block.trim() !== '',
    cited: checked.counts,
  };
}

function usageOf({ calls: _, budget: _budget, modelId: model, ...stats }: RunStats): UsageRecord {
  return { ...stats, model };
}

function workOf(
  { outcome, usage, spend, artifacts, buffered }: ReportOf<'ran'>,
  isHidden: boolean,
): WorkRecord {
  const error = errorOf(outcome);
  const hasLimit = Object.values(spend.limits).some((limit) => limit > 0);
  return {
    ...usageOf(outcome.stats),
    outcome: outcome.kind,
    ...('hasFound' in outcome && { hasFound: outcome.hasFound }),
    limit: outcome.kind === 'exhausted' ? outcome.limit : undefined,
    usage,
    spend: hasLimit ? spend : undefined,
    artifacts: artifacts?.folder,
    tools: toolsByTurn(outcome.stats.calls, isHidden),
    text: {
      answer: outcome.kind === 'failed' ? '' : outcome.answer,
      error: error && textOf(error),
      tested: buffered.tested ?? [],
      checks: buffered.checks ?? [],
    },
  };
}

function publishedOf(published: PublicationResult): PublishedRecord {
  const { url, pullRequestUrl, checkUrl, unplacedCommit, failure } = published;
  const { counts, unposted, refused, change } = published;
  return {
    url,
    pullRequestUrl,
    checkUrl,
    unplacedCommit,
    ...(failure !== undefined && { isFailed: true }),
    text: { counts, unposted, refused, change },
  };
}

function savedOf({ entries, notes, result }: MemorySaveResult, isHidden: boolean): SavedRecord {
  const saved = result.kind === 'saved' ? result : undefined;
  const unsaved = saved?.unsaved ?? [];
  const blocked = new Set(unsaved.map(({ path }) => path));
  return {
    isSaved: saved !== undefined && saved.isNowhere !== true,
    isNowhere: saved?.isNowhere,
    location: saved?.location,
    url: saved?.url,
    prefix: saved?.prefix,
    onlyFor: saved?.onlyFor,
    failure: result.kind === 'failed' ? result.reason : undefined,
    entries: entries.map(({ id, path, text }) => ({
      id,
      path,
      text: isHidden ? undefined : text,
    })),
    notes: notes.map(({ path, edit }) => {
      const change = { kind: edit.kind, isSaved: saved !== undefined && !blocked.has(path) };
      if (isHidden) return change;
      return { ...change, path, text: edit.kind === 'delete' ? undefined : edit.text };
    }),
    unsaved: unsaved.map(({ path, message, remedy }) => ({
      path: isHidden ? 'a note' : path,
      text: { message, remedy },
    })),
    text: {
      failure: result.kind === 'failed' ? textOf(result) : undefined,
      notices: saved?.notices ?? [],
    },
  };
}

function commandOf(
  { agent, command, result, published }: ReportOf<'memory-command'>,
  texts: CommonTexts,
): End<'memory-command'> {
  const shared = {
    end: 'memory-command',
    agent,
    isChanged: result.changed,
    published: publishedOf(published),
  } as const;
  if (result.kind === 'done') return { ...shared, text: { ...texts, command, reply: result.text } };
  const { reason, message } = result;
  const words = { command, reply: formatRefusal(result), refusal: message };
  return { ...shared, refusal: reason, text: { ...texts, ...words } };
}

function gcOf(
  { agent, collection }: ReportOf<'gc'>,
  texts: CommonTexts,
  isHidden: boolean,
): End<'gc'> {
  const { end, counted, suggestion, isTrimming, usage, analysis } = collection;
  const shown: Partial<GcResult> = isHidden ? {} : collection;
  return {
    end: 'gc',
    agent,
    entries: counted?.entries,
    result: gcResultOf(end),
    isTrimming,
    suggestion: suggestion && suggestionOf(suggestion),
    work: usage && usageOf(usage),
    unread: analysis?.unread,
    isHidden,
    text: {
      ...texts,
      analysis: shown.analysis?.text ?? '',
      gone: shown.gone ?? [],
      worth: shown.worth ?? '',
      days: [...(shown.counted?.days ?? [])],
      words: shown.counted?.words ?? 0,
      error: end.kind === 'failed' ? textOf(end.error) : undefined,
    },
  };
}

function gcResultOf(end: GcResult['end']): GcResultRecord {
  switch (end.kind) {
    case 'failed':
      return { kind: 'failed' };
    case 'trimmed':
      return { kind: 'trimmed', removed: end.removed, kept: end.kept };
    case 'dry-run': {
      if (end.plan?.kind !== 'trim') return { kind: 'dry-run', plan: end.plan };
      const { removed, kept } = end.plan;
      return { kind: 'dry-run', plan: { kind: 'trim', removed, kept } };
    }
    default:
      return end;
  }
}

function suggestionOf(
  suggestion: NonNullable<GcResult['suggestion']>,
): NonNullable<RecordOf<'gc'>['suggestion']> {
  const { kind } = suggestion;
  return {
    kind,
    url: 'url' in suggestion ? suggestion.url : undefined,
    isCreated: kind === 'published' ? suggestion.created : undefined,
    text: kind === 'failed' ? suggestion.message : undefined,
  };
}

/** Agents without what their files hold. */
function plainValidation(validation: Validation): Validation {
  const agents = validation.agents.map(({ name, file, faults }) => {
    return { name, file, faults, config: undefined };
  });
  return { ...validation, agents };
}

function textsOfThrown(thrown: unknown): {
  readonly error: ErrorText;
  readonly stack?: string;
} {
  if (thrown instanceof AxeError) return { error: textOf(thrown) };
  const message = messageOf(thrown);
  const stack = thrown instanceof Error ? (thrown.stack ?? message) : message;
  return { error: { message }, stack };
}

function textOf({ message, remedy, at }: ErrorText): ErrorText {
  return { message, remedy, at };
}
