import type { AgentConfig } from '../../agent/config.js';
import type { Fault } from '../../agent/fault.js';
import type { AgentLoader } from '../../agent/loader.js';
import type { ModelRef } from '../../agent/model-ref.js';
import type { AxeError } from '../../lib/errors.js';
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

export function countFaults(faults: readonly Fault[], severity: Fault['severity']): number {
  return faults.filter((fault) => fault.severity === severity).length;
}

export function allFaults({ agents }: Validation): readonly Fault[] {
  return agents.flatMap(({ faults }) => faults);
}

/** Whether no agent has an error; warnings are none. */
export function isValid(validation: Validation): boolean {
  return countFaults(allFaults(validation), 'error') === 0;
}
