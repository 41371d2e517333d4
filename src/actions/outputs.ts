import { hasRemoved } from '../commands/gc/gc-result.js';
import { formatValidation } from '../commands/validate/format-validation.js';
import { isValid } from '../commands/validate/validation.js';
import { ProviderError } from '../core/errors.js';
import { type Conclusion, conclusionOf, markedAnswer } from '../core/outcome.js';
import type { RunReport } from '../run/request.js';
import { formatDiff } from './report/format-memory.js';

/** Names of the action's outputs, as `action.yml` has them; a test holds the two equal (D28). */
export const OUTPUT_NAMES = [
  'conclusion',
  'skip-reason',
  'response',
  'response-file',
  'structured-output',
  'memory-store',
  'memory-saved',
  'memory-save-error',
  'memory-entry',
  'memory-entry-id',
  'memory-diff',
  'memory-loaded',
  'model',
  'turns',
  'input-tokens',
  'output-tokens',
  'cache-read-tokens',
  'cost-usd',
  'denied-tool-calls',
  'duration-ms',
  'comment-url',
] as const;

/** Values of the outputs that a run sets; the others stay empty. */
export type Outputs = Partial<Record<(typeof OUTPUT_NAMES)[number], string>>;

/** The outputs of a run, before redaction; of a memory in another repository they tell no more than an entry's id. */
export function outputsOf(report: RunReport, isHidden: boolean): Outputs {
  switch (report.kind) {
    case 'skipped':
      return { conclusion: 'skipped', 'skip-reason': report.decision.reason, 'memory-saved': 'false' };
    case 'planned':
      return {
        conclusion: 'success',
        'memory-saved': 'false',
        'memory-store': report.memory?.restored.store ?? report.memory?.store.kind ?? 'none',
        'memory-loaded': String(loadedEntries(report)),
      };
    case 'tended':
      return tendedOutputs(report);
    case 'collected':
      return collectedOutputs(report, isHidden);
    case 'validated':
      return {
        conclusion: isValid(report.validation) ? 'success' : 'failure',
        response: formatValidation(report.validation).join('\n'),
        'memory-saved': 'false',
      };
    case 'ran':
      return ranOutputs(report, isHidden);
  }
}

type Tended = Extract<RunReport, { readonly kind: 'tended' }>;

/**
 * Whether a comment asked for what cannot be done, or for another agent's entry: it is answered there if by anybody, and
 * nothing is wrong with the workflow.
 */
export function isMistaken({ askedIn, result }: Tended): boolean {
  return askedIn === 'comment' && result.kind === 'failed' && MISTAKES.has(result.reason);
}

const MISTAKES: ReadonlySet<string> = new Set(['not-found', 'ambiguous', 'refused']);

/** How many problems a look through memory found. */
export function problemsIn({ result }: Tended): number {
  const findings = result.kind === 'done' ? (result.findings ?? []) : [];
  return findings.filter(({ severity }) => severity === 'problem').length;
}

/** What was found to be wrong makes the step red, as it makes the command line fail. */
function tendedOutputs(report: Tended): Outputs {
  const { store, result, published } = report;
  const isFine = result.kind === 'done' && problemsIn(report) === 0;
  return {
    conclusion: isFine ? 'success' : isMistaken(report) ? 'skipped' : 'failure',
    ...(result.kind === 'failed' && isMistaken(report) ? { 'skip-reason': result.reason } : {}),
    response: result.kind === 'done' ? result.text : '',
    'memory-store': store,
    'memory-saved': String(result.changed),
    ...(result.kind === 'failed' && result.reason === 'not-saved'
      ? { 'memory-save-error': result.message }
      : {}),
    ...(published.url === undefined ? {} : { 'comment-url': published.url }),
  };
}

/** The outputs of garbage collection; of a memory in another repository the analysis is not told here (D14). */
function collectedOutputs(
  { store, collection }: Extract<RunReport, { readonly kind: 'collected' }>,
  isHidden: boolean,
): Outputs {
  const { read, analysed, usage, suggestion, removed, end } = collection;
  return {
    conclusion: conclusionOfEnd(end),
    response: isHidden ? '' : (analysed?.text ?? ''),
    'memory-store': (end.kind === 'trimmed' ? end.saved.store : undefined) ?? store,
    'memory-loaded': String(read?.entries ?? 0),
    'memory-saved': String(end.kind === 'trimmed' || (removed !== undefined && hasRemoved(removed))),
    ...(end.kind === 'failed' && analysed !== undefined && analysed.broken === undefined
      ? { 'memory-save-error': end.error.message }
      : {}),
    ...(suggestion?.kind === 'published' ? { 'comment-url': suggestion.url } : {}),
    ...(usage === undefined
      ? {}
      : {
          model: usage.modelId,
          turns: String(usage.turns),
          'input-tokens': String(usage.inputTokens),
          'output-tokens': String(usage.outputTokens),
          'cache-read-tokens': String(usage.cacheReadTokens),
          'duration-ms': String(Math.round(usage.durationMs)),
          ...(usage.costUsd === undefined ? {} : { 'cost-usd': usage.costUsd.toFixed(6) }),
        }),
  };
}

type End = Extract<RunReport, { readonly kind: 'collected' }>['collection']['end'];

function conclusionOfEnd(end: End): Conclusion {
  if (end.kind !== 'failed') return 'success';
  if (end.error instanceof ProviderError && end.error.category === 'timeout') return 'timeout';
  return end.error.exitCode === 4 ? 'budget-exceeded' : 'failure';
}

type Ran = Extract<RunReport, { kind: 'ran' }>;

function ranOutputs(report: Ran, isHidden: boolean): Outputs {
  const { outcome, published } = report;
  const { stats } = outcome;
  return {
    conclusion: conclusionOf(outcome),
    response: markedAnswer(outcome),
    ...structuredOutput(report),
    ...memoryOutputs(report, isHidden),
    model: stats.modelId,
    turns: String(stats.turns),
    'input-tokens': String(stats.inputTokens),
    'output-tokens': String(stats.outputTokens),
    'cache-read-tokens': String(stats.cacheReadTokens),
    ...(stats.costUsd === undefined ? {} : { 'cost-usd': stats.costUsd.toFixed(6) }),
    'denied-tool-calls': String(stats.calls.filter(({ isDenied }) => isDenied).length),
    'duration-ms': String(Math.round(stats.durationMs)),
    ...(published.url === undefined ? {} : { 'comment-url': published.url }),
  };
}

/** The answer once more where it is JSON that was checked: an output of its own is safe to hand to `fromJSON`. */
function structuredOutput({ plan, outcome }: Ran): Outputs {
  if (plan.form === undefined || outcome.kind !== 'completed') return {};
  return { 'structured-output': outcome.answer };
}

function memoryOutputs(report: Ran, isHidden: boolean): Outputs {
  const { plan, memory, remembered } = report;
  const loaded: Outputs = { 'memory-loaded': String(loadedEntries(report)) };
  if (memory === undefined) return { ...loaded, 'memory-store': 'none', 'memory-saved': 'false' };
  if (remembered.kind === 'nothing')
    return { ...loaded, 'memory-store': memory.restored.store ?? memory.store.kind, 'memory-saved': 'false' };
  const { result, entries } = remembered;
  const unsaved = result.kind === 'saved' ? (result.unsaved ?? []) : [];
  const isKept = result.kind === 'saved' && memory.store.kind !== 'none';
  const isSaved = isKept && unsaved.length === 0;
  const store = result.kind === 'saved' ? result.store : result.kept?.store;
  return {
    ...loaded,
    'memory-store': store ?? memory.store.kind,
    'memory-saved': String(isSaved),
    ...(remembered.kind === 'entry' ? { 'memory-entry-id': remembered.id } : {}),
    ...(isHidden || remembered.kind === 'notes'
      ? {}
      : { 'memory-entry': entries.map(({ text }) => text).join('') }),
    ...(isKept && !isHidden
      ? { 'memory-diff': formatDiff(memory, remembered, plan.memory?.readPaths ?? []) }
      : {}),
    ...(result.kind === 'failed' ? { 'memory-save-error': result.message } : {}),
    ...(unsaved.length === 0
      ? {}
      : { 'memory-save-error': unsaved.map(({ path, message }) => `${path}: ${message}`).join('; ') }),
  };
}

function loadedEntries({ memory }: Ran | Extract<RunReport, { kind: 'planned' }>): number {
  return memory?.restored.kind === 'restored' ? memory.restored.loaded : 0;
}

/** What decides whether a step fails. */
export interface FailInputs {
  readonly failOn: readonly Conclusion[];
  readonly memory: { readonly isRequired: boolean };
}

/** Whether the step turns red: by the conclusion, or because memory had to be saved and was not. */
export function failsStep(outputs: Outputs, inputs: FailInputs): boolean {
  if (inputs.failOn.some((conclusion) => conclusion === outputs.conclusion)) return true;
  return lacksMemory(outputs, inputs);
}

/** Whether memory had to be saved and was not. */
export function lacksMemory(outputs: Outputs, { memory }: Pick<FailInputs, 'memory'>): boolean {
  const wasToSave = outputs['memory-entry-id'] !== undefined || outputs['memory-save-error'] !== undefined;
  return memory.isRequired && wasToSave && outputs['memory-saved'] !== 'true';
}
