import type { Warning } from '../lib/warning.js';
import type { ContextFile } from '../prompt/context-files.js';
import type { AgentConfig } from './config.js';

export interface AgentPlace {
  /** What it is asked for by: the name of its file. */
  readonly name: string;
  /** For people and annotations; relative to the repository or the current folder where it lies in there. */
  readonly file: string;
}

export interface AgentText extends AgentPlace {
  readonly text: string;
  /** File, URL or `built-in`, for people; no two agents have the same. */
  readonly source: string;
  /** The text of a skill that this agent names. Throws a ConfigError. */
  loadSkill(path: string): Promise<string>;
}

/** What reads agent files: of folders on disk, or of a commit by API. */
export interface SourceText {
  /** Half a sentence for people: whose files these are. */
  readonly where: string;
  /** The folders that are searched, in their order. */
  readonly folders: readonly string[];
  /** Of agents with one name the one that is loaded; without the built-in ones. */
  list(): Promise<readonly AgentPlace[]>;
  /** By name, or by a path that ends in `.toml`; built-in ones too. Throws a ConfigError. */
  read(name: string): Promise<AgentText>;
  /** A skill that no agent names. Throws a ConfigError. */
  loadSkill(path: string): Promise<string>;
  /**
   * How many files match a pattern of `files`; undefined where that cannot be told. Throws a ConfigError for a malformed
   * pattern and for a workdir that is none.
   */
  countPaths(pattern: string, workdir: string): Promise<number | undefined>;
}

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

/** Agents, skills and context files: from disk, or from the base ref by API (D4, D21). */
export interface AgentLibrary {
  /** Throws a ConfigError that lists the agents that exist. */
  loadAgent(name: string): Promise<LoadedAgent>;
  /**
   * The skill's text; `path` as the agent or `--skill` names it. It is the one nearest to the agent, which this library
   * has loaded; without an agent, to any. Throws a ConfigError.
   */
  loadSkill(path: string, agent?: LoadedAgent): Promise<string>;
  /** Files that match, sorted by path in byte order, where the agent is from. Throws a ConfigError for a malformed pattern. */
  loadContextFiles(
    patterns: readonly string[],
    workdir: string,
    agent?: LoadedAgent,
  ): Promise<{ readonly files: readonly ContextFile[]; readonly warnings: readonly Warning[] }>;
}
