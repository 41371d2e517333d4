import type { ReadOnlyCause } from '../../core/event/read-only-token.js';

/** A folder for one run. */
export interface RunFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** What models of `copilot` need of the outside, beyond what every provider does. */
export interface CopilotPorts {
  /** The job's own token, or that of the command line's environment; empty for none. */
  readonly token: string;
  /** Why that token cannot have `copilot-requests: write`; undefined if the workflow decides. */
  readonly readOnly: ReadOnlyCause | undefined;
  /** Environment of a program: paths, proxies and certificates, no secret. */
  readonly childEnv: Readonly<Record<string, string>>;
  /** Whether a path is in the checkout of a workflow; false on somebody's own machine. */
  isInWorkspace(path: string): Promise<boolean>;
  /** An empty folder that no other account can read. */
  createFolder(): Promise<RunFolder>;
  /** A fresh UUID. */
  newId(): string;
}
