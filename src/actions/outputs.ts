import { type Conclusion, conclusionOf } from '../axe/loop/outcome.js';
import type { RunReport } from '../pipeline/request.js';

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

/** The outputs of a run, before redaction. */
export function outputsOf(report: RunReport): Outputs {
  switch (report.kind) {
    case 'skipped':
      return { conclusion: 'skipped', 'skip-reason': report.decision.reason, 'memory-saved': 'false' };
    case 'planned':
      return {
        conclusion: 'success',
        'memory-saved': 'false',
        'memory-store': report.memory?.store.kind ?? 'none',
        'memory-loaded': String(loadedEntries(report)),
      };
    case 'ran':
      return ranOutputs(report);
  }
}

type Ran = Extract<RunReport, { kind: 'ran' }>;

function ranOutputs(report: Ran): Outputs {
  const { outcome, published } = report;
  const { stats } = outcome;
  return {
    conclusion: conclusionOf(outcome),
    response: outcome.kind === 'failed' ? '' : outcome.answer,
    ...structuredOutput(report),
    ...memoryOutputs(report),
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

function memoryOutputs(report: Ran): Outputs {
  const { memory, remembered } = report;
  const common: Outputs = {
    'memory-store': memory?.store.kind ?? 'none',
    'memory-loaded': String(loadedEntries(report)),
  };
  if (remembered.kind === 'nothing') return { ...common, 'memory-saved': 'false' };
  const { result, text, id } = remembered;
  const saved = result.kind === 'saved' && memory?.store.kind !== 'none';
  return {
    ...common,
    'memory-saved': String(saved),
    'memory-entry': text,
    'memory-entry-id': id,
    ...(saved ? { 'memory-diff': asAddition(text) } : {}),
    ...(result.kind === 'failed' ? { 'memory-save-error': result.message } : {}),
  };
}

function loadedEntries({ memory }: Ran | Extract<RunReport, { kind: 'planned' }>): number {
  return memory?.restored.kind === 'restored' ? memory.restored.loaded : 0;
}

function asAddition(entry: string): string {
  return entry
    .trimEnd()
    .split('\n')
    .map((line) => `+ ${line}`)
    .join('\n');
}

/** Whether the step turns red: by the conclusion, or because memory had to be saved and was not. */
export function failsStep(
  outputs: Outputs,
  { failOn, memoryRequired }: { readonly failOn: readonly Conclusion[]; readonly memoryRequired: boolean },
): boolean {
  if (failOn.some((conclusion) => conclusion === outputs.conclusion)) return true;
  return memoryRequired && outputs['memory-entry'] !== undefined && outputs['memory-saved'] !== 'true';
}
