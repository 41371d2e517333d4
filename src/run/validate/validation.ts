import type { AgentConfig } from '../../agent/config.js';
import type { Fault } from '../../agent/fault.js';
import type { AgentLoader } from '../../agent/loader.js';
import type { ModelRef } from '../../agent/model-ref.js';
import { type AxeError, shownFile, sourcePosition } from '../../lib/errors.js';
import { count } from '../../lib/text/number.js';
import type { JsonSchema } from '../../loop/structured.js';

export interface ValidationRequest {
  /** Empty for all there are. Their sub-agents are looked at too. */
  readonly names: readonly string[];
  /** The input `output-schema`; empty for none. */
  readonly outputSchema: string;
  /** Whether a folder of agents was named, which is the first that is searched then. */
  readonly isFolderNamed: boolean;
}

/** What agents are held against. Nothing of it asks a model, needs a key or touches memory. */
export interface ValidationDependencies {
  readonly agents: Pick<AgentLoader, 'folders' | 'listFiles' | 'openAgent' | 'loadSkill' | 'countFiles'>;
  /** Half a sentence for people: whose files these are. */
  readonly where: string;
  /** Why a run with this environment could not open a model, if so; a key is not asked for. */
  modelProblem(ref: ModelRef): AxeError | undefined;
  /** When it is aborted, nothing more is looked for. */
  readonly signal?: AbortSignal | undefined;
  /** Refuses an invalid JSON schema, and makes no program of it. Throws a ConfigError. */
  checkSchema(schema: JsonSchema, origin: string): Promise<void>;
}

export interface CheckedAgent {
  readonly name: string;
  readonly file: string;
  /** Undefined where it could not be read, or has values of a wrong type. */
  readonly config: AgentConfig | undefined;
  /** In the order of the file. */
  readonly faults: readonly Fault[];
}

/** What a look at the agents has found. */
export interface Validation {
  /** Half a sentence for people: whose files were looked at. */
  readonly where: string;
  /** In byte order of their files. */
  readonly agents: readonly CheckedAgent[];
}

function countFaults(faults: readonly Fault[], severity: Fault['severity']): number {
  return faults.filter((fault) => fault.severity === severity).length;
}

export function allFaults({ agents }: Validation): readonly Fault[] {
  return agents.flatMap(({ faults }) => faults);
}

/** Whether no agent has an error; warnings are none. */
export function isValid(validation: Validation): boolean {
  return countFaults(allFaults(validation), 'error') === 0;
}

/** Faults that are listed; the rest is counted. Files are anybody's, and an output holds a megabyte. */
const MAX_LISTED = 200;

/** All that was found, a line each with its remedy below, and how many agents that were. */
export function formatValidation(validation: Validation): readonly string[] {
  const { agents } = validation;
  const faults = allFaults(validation);
  const left = faults.length - MAX_LISTED;
  return [
    ...agents.filter(({ faults: own }) => own.length === 0).map(({ file }) => `${shownFile(file)}: valid`),
    ...faults.slice(0, MAX_LISTED).flatMap((fault) => formatFault(fault)),
    ...(left > 0 ? [`and ${left} more`] : []),
    '',
    `${count(agents.length, 'agent')}: ${formatCounts(faults) || 'valid'}`,
  ];
}

/** `axe/agents/a.toml:3:1: error: …`, as editors and compilers write it. */
export function formatFault(
  { at, severity, message, remedy }: Fault,
  shown: { readonly severity: boolean } = { severity: true },
): readonly string[] {
  const [first = '', ...others] = `${message}${remedy === '' ? '' : `\n${remedy}`}`.split('\n');
  const place = sourcePosition({ ...at, file: shownFile(at.file) });
  return [`${place}: ${shown.severity ? `${severity}: ` : ''}${first}`, ...others.map((line) => `  ${line}`)];
}

/** The same for programs: one line of JSON; what is not known is null. */
export function formatValidationJson(validation: Validation): string {
  const agents = validation.agents.map(({ name, file, faults }) => ({
    name,
    file,
    valid: countFaults(faults, 'error') === 0,
    faults: faults.map(({ severity, message, remedy, at }) => ({
      severity,
      message,
      remedy: remedy === '' ? null : remedy,
      file: at.file,
      line: at.line ?? null,
      column: at.column ?? null,
    })),
  }));
  return JSON.stringify({ valid: isValid(validation), agents });
}

/** `2 errors, 1 warning`, or `valid`. */
export function formatVerdict({ faults }: CheckedAgent): string {
  return formatCounts(faults) || 'valid';
}

function formatCounts(faults: readonly Fault[]): string {
  const counts = (['error', 'warning'] as const).map((severity) => ({
    severity,
    number: countFaults(faults, severity),
  }));
  return counts.flatMap(({ severity, number }) => (number === 0 ? [] : [count(number, severity)])).join(', ');
}
