import type { GitHubClient } from '../../adapters/github/client/client.js';
import type { Clock } from '../../core/clock.js';
import type { Trigger } from '../../core/event/trigger.js';
import type { MemoryInputs } from '../inputs/memory-inputs.js';

/** What the store of a workflow run is opened with. */
export interface ActionMemoryOptions {
  readonly inputs: MemoryInputs;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly trigger: Trigger;
  readonly workspace: string;
  /** Current folder of the process. */
  readonly cwd: string;
  /** With the `github-token`. */
  readonly client: GitHubClient | undefined;
  /** With the `memory-token`, or else the same. */
  readonly memoryClient: GitHubClient | undefined;
  readonly clock: Clock;
  /** Writes a line for whoever waits meanwhile. */
  readonly log?: (line: string) => void;
}
