import type { Clock } from '../../axe/ports.js';
import type { Trigger } from '../../axe/trigger.js';
import type { GitHubClient } from '../../github/client/client.js';
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
