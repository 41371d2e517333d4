import type { Environment } from '../../core/environment.js';
/** The runner's process, as far as the action touches it. */
export interface Runner {
  readonly env: Environment;
  /** Folder of the checkout. */
  readonly workspace: string;
  /** Current folder of the process; the runner starts actions in the workspace. */
  readonly cwd: string;
  /** Folder that is emptied after the job. */
  readonly temp: string;
  /** Writes a line to the job log. */
  log(line: string): void;
  /** Sets the step's exit status. */
  fail(): void;
  /** Calls back when the job is cancelled: the runner sends SIGINT, then SIGTERM, then kills. */
  onCancel(cancelled: () => void): void;
}
