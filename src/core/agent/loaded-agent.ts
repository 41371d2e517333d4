import type { Warning } from '../warning.js';
import type { AgentConfig } from './config.js';

/** An agent with what is known of where it came from. */
export interface LoadedAgent {
  /** The name it was asked for by; names its memory file, whatever the `name` key says (axe-behaviour §1). */
  readonly name: string;
  readonly config: AgentConfig;
  /** File, URL or `built-in`, for people. */
  readonly source: string;
  /** `owner/name` of another repository that it comes from; left out for the run's own, this machine and built-in ones. */
  readonly repository?: string;
  readonly warnings: readonly Warning[];
  /** What of it only a workflow cannot use; left out: nothing. */
  readonly workflowWarnings?: readonly Warning[];
}
