import type { Warning } from '../lib/errors.js';
import type { AgentConfig } from './config.js';
import type { ContextFile } from './context-files.js';

/** What stands at a path; `reason` is half a sentence behind `failed to read …: `. */
export type FoundFile =
  /** `path` is where it really lies, whatever link leads there. */
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly bytes: Uint8Array;
      readonly isMemory: boolean;
    }
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly reason: string };

interface ContextFiles {
  /** Sorted by path in byte order. */
  readonly files: readonly ContextFile[];
  readonly warnings: readonly Warning[];
}

/**
 * What agents, skills and context files are read with: from folders on disk, or from a commit by
 * API.
 */
export interface AgentReader {
  /**
   * On this machine listing costs nothing, and a name can find a file whose name differs in case.
   */
  readonly isLocal: boolean;
  /**
   * A path as {@link read} takes it. Throws a ConfigError for one that cannot be read from here, if
   * that is known.
   */
  resolve(path: string, folder?: string): string;
  /** With repository and ref, for people; no two files have the same. */
  show(path: string): string;
  /** For annotations: relative to the repository or the current folder where it lies in there. */
  file(path: string): string;
  /** Half a sentence for people. */
  where(folders: readonly string[]): string;
  /**
   * A file must not lie outside of `folder` and the current one, if `folder` is given. Rejects for
   * trouble that is not the file's.
   */
  read(
    path: string,
    limit: { readonly maxBytes: number; readonly folder?: string },
  ): Promise<FoundFile>;
  /** Names of what a folder holds, in byte order; none if there is no such folder. */
  list(folder: string): Promise<readonly string[]>;
  /**
   * Files that match. Throws a ConfigError for a malformed pattern, and for a workdir that is none.
   */
  find(patterns: readonly string[], workdir: string): Promise<ContextFiles>;
  /** Texts of those of these files, by their paths in the repository, that are there. */
  texts(paths: readonly string[]): Promise<readonly ContextFile[]>;
  /** How many match a pattern; undefined where that cannot be told. Throws as `find` does. */
  count(pattern: string, workdir: string): Promise<number | undefined>;
}

export interface AgentPlace {
  readonly reader: AgentReader;
  /** Folders with agents, in the order they are searched (D4). */
  readonly folders: readonly string[];
  /** axe's configuration folder, which skills are looked for in last; only on the command line. */
  readonly configDir?: string;
  /** `owner/name` of another repository; left out for the run's own and for this machine. */
  readonly repository?: string;
}

/** Where an agent's file is: its skill is looked for in the folder above the agent's. */
export interface AgentHome {
  readonly place: AgentPlace;
  readonly parent: string;
}

export interface LoadedAgent {
  /**
   * The name it was asked for by; names its memory file, whatever the `name` key says
   * (axe-behaviour §1).
   */
  readonly name: string;
  readonly config: AgentConfig;
  /** File, URL or `built-in`, for people. */
  readonly source: string;
  /** Left out for built-in ones. */
  readonly home?: AgentHome;
  readonly warnings: readonly Warning[];
  /** What of it only a workflow cannot use; left out: nothing. */
  readonly workflowWarnings?: readonly Warning[];
}

/** Agents, skills and context files: from disk, or from the base ref by API (D4, D21). */
export interface AgentLibrary {
  /** Throws a ConfigError that lists the agents that exist. */
  loadAgent(name: string): Promise<LoadedAgent>;
  /**
   * The skill's text: next to the agent that names it, then in the configuration folder. One that
   * no agent names (`--skill`) is looked for next to all of them. Throws a ConfigError.
   */
  loadSkill(path: string, agent?: Pick<LoadedAgent, 'home'>): Promise<string>;
  /** Files that match, where the agent is from. Throws a ConfigError for a malformed pattern. */
  loadContextFiles(
    patterns: readonly string[],
    workdir: string,
    agent?: LoadedAgent,
  ): Promise<ContextFiles>;
  /**
   * Those of these files that are there, where the agent's context files are from; rejects as
   * reading does.
   */
  loadGuidance(paths: readonly string[], agent: LoadedAgent): Promise<readonly ContextFile[]>;
}
