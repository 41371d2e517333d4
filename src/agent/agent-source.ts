import type { Warning } from '../lib/errors.js';
import type { AgentConfig } from './config.js';
import type { ContextFile } from './context-files.js';

/** The result of reading a path; `reason` continues the sentence `failed to read …: `. */
export type FoundFile =
  /** `path` has all links resolved. */
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
 * Reads agents, skills and context files from folders on disk, or from a commit through the API.
 */
export interface AgentReader {
  /** Listing is free on this machine, but a name can match a file whose name differs in case. */
  readonly isLocal: boolean;
  /** A path for {@link read}. Throws a ConfigError if it is known that it cannot be read. */
  resolve(path: string, folder?: string): string;
  /** The path for people, unique for each file: with repository and ref. */
  show(path: string): string;
  /** The path for annotations: relative to the repository or the current folder if it is inside. */
  file(path: string): string;
  /** A part of a sentence for people. */
  describeFolders(folders: readonly string[]): string;
  /**
   * If `folder` is given, the file must be inside of it or of the current folder. Rejects for
   * errors that are not the file's.
   */
  read(
    path: string,
    limit: { readonly maxBytes: number; readonly folder?: string },
  ): Promise<FoundFile>;
  /** The names in a folder, in byte order; empty if the folder does not exist. */
  list(folder: string): Promise<readonly string[]>;
  /** The files that match. Throws a ConfigError for a malformed pattern or a missing workdir. */
  find(patterns: readonly string[], workdir: string): Promise<ContextFiles>;
  /** The existing ones of these files, by their paths in the repository. */
  texts(paths: readonly string[]): Promise<readonly ContextFile[]>;
  /** The number of matching files; undefined if it cannot be known. Throws as `find` does. */
  count(pattern: string, workdir: string): Promise<number | undefined>;
}

export interface AgentPlace {
  readonly reader: AgentReader;
  /** Folders with agents, in the order in which they are searched. */
  readonly folders: readonly string[];
  /** axe's configuration folder, the last one for skills; only on the command line. */
  readonly configDir?: string;
  /** `owner/name` of another repository; not set for the run's own and for this machine. */
  readonly repository?: string;
}

/** The place of an agent, and the folder above the agent's, in which its skill is. */
export interface AgentHome {
  readonly place: AgentPlace;
  readonly parent: string;
}

export interface LoadedAgent {
  /** The requested name. As in axe it names the memory file, whatever the `name` key says. */
  readonly name: string;
  readonly config: AgentConfig;
  /** File, URL or `built-in`, for people. */
  readonly source: string;
  /** Not set for built-in agents. */
  readonly home?: AgentHome;
  readonly warnings: readonly Warning[];
  /** Warnings that apply in workflows only. */
  readonly workflowWarnings?: readonly Warning[];
}

/** Loads agents, skills and context files from disk, or from the base ref through the API. */
export interface AgentLibrary {
  /** Throws a ConfigError that lists the agents that exist. */
  loadAgent(name: string): Promise<LoadedAgent>;
  /**
   * The text of a skill. It is searched next to the agent that names it, then in the configuration
   * folder; one that no agent names (`--skill`), next to all agents. Throws a ConfigError.
   */
  loadSkill(path: string, agent?: Pick<LoadedAgent, 'home'>): Promise<string>;
  /** The files that match in the agent's place. Throws a ConfigError for a malformed pattern. */
  loadContextFiles(
    patterns: readonly string[],
    workdir: string,
    agent?: LoadedAgent,
  ): Promise<ContextFiles>;
  /**
   * The existing ones of these files, from the place of the agent's context files. A path that ends
   * in `/` is a folder: its files, without links.
   */
  loadGuidance(paths: readonly string[], agent: LoadedAgent): Promise<readonly ContextFile[]>;
}
