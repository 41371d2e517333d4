import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { AgentConfig } from './agent/config.js';
import type { ModelRef } from './agent/model-ref.js';
import type { RunEvent } from './loop/events.js';
import type { RunOutcome } from './loop/outcome.js';
import type { Change } from './memory/change.js';
import type { MemoryPlan, Plan } from './plan.js';
import type { TriggerContext } from './prompt/context.js';
import type { Trigger } from './trigger.js';
import type { Permission } from './trust.js';
import type { Warning } from './warning.js';

/** A language model of the provider packages; only `doGenerate` is used (D30, D31). */
export type LanguageModel = LanguageModelV4;

/** Where models come from. */
export interface Models {
  /** Reads the configuration a model needs. Throws a ConfigError if that is broken; keys are not asked for. */
  configure(ref: ModelRef): Promise<void>;
  /** Throws a ProviderError for a missing key, an AxeError for an unknown provider. */
  open(ref: ModelRef): Promise<LanguageModel>;
}

/** An agent with what is known of where it came from. */
export interface LoadedAgent {
  /** The name it was asked for by; names its memory file, whatever the `name` key says (axe-behaviour §1). */
  readonly name: string;
  readonly config: AgentConfig;
  /** File, URL or `built-in`, for people. */
  readonly source: string;
  readonly warnings: readonly Warning[];
}

/** A file that goes into the system prompt. */
export interface ContextFile {
  /** `/`-separated, relative to the workdir. */
  readonly path: string;
  readonly content: string;
}

/** Agents, skills and context files: from disk, or from the base ref by API (D4, D21). */
export interface AgentLibrary {
  /** Throws a ConfigError that lists the agents that exist. */
  loadAgent(name: string): Promise<LoadedAgent>;
  /** The skill's text; `path` as the agent or `--skill` names it. Throws a ConfigError. */
  loadSkill(path: string): Promise<string>;
  /** Files that match, sorted by path in byte order. Throws a ConfigError for a malformed pattern. */
  loadContextFiles(
    patterns: readonly string[],
    workdir: string,
  ): Promise<{ readonly files: readonly ContextFile[]; readonly warnings: readonly Warning[] }>;
}

/** The run log of one agent, to be read. */
export interface ReadRequest {
  /** Place in the memory tree, for example `pr-reviewer.md`. */
  readonly path: string;
  /** Newest entries wanted; 0 means all of them. */
  readonly lastN: number;
  /** Whether the entries must be counted, which reads the whole file (D33). */
  readonly count: boolean;
}

/** What a store holds of a run log. */
export type RestoreResult =
  | {
      readonly kind: 'restored';
      /** The wanted entries, as they stand in the file. */
      readonly text: string;
      /** Entries in `text`. */
      readonly loaded: number;
      /** Entries in the file; undefined unless they were asked for. */
      readonly total: number | undefined;
      /** The text was cut to the most that is ever loaded; `fileBytes` is what the file holds. */
      readonly truncated: { readonly fileBytes: number } | undefined;
      /** Path or URL, for people. */
      readonly location: string;
      /** Told by the store on the way: links refused, files set aside. */
      readonly warnings: readonly Warning[];
    }
  | { readonly kind: 'empty'; readonly location: string; readonly warnings: readonly Warning[] }
  /** It could not be read, which is not the same as being empty: nothing may be appended to it (D14). */
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly remedy?: string;
      readonly location: string;
    };

/** Why a save failed. */
export type SaveFailure = 'denied' | 'unavailable' | 'rate-limited' | 'conflict' | 'timeout' | 'error';

/** What became of a save. */
export type SaveResult =
  | { readonly kind: 'saved'; readonly location: string; readonly attempts: number }
  | {
      readonly kind: 'failed';
      readonly reason: SaveFailure;
      readonly message: string;
      /** The line of YAML or the command that mends it. */
      readonly remedy?: string;
    };

/** Where memory lives between runs (D12, D13). Neither method throws: trouble is a value. */
export interface MemoryStore {
  readonly kind: 'file' | 'cache' | 'repo' | 'none';
  read(request: ReadRequest, signal: AbortSignal): Promise<RestoreResult>;
  write(changes: readonly Change[], signal: AbortSignal): Promise<SaveResult>;
}

/** Listeners of a run. Must not throw. */
export interface Reporter {
  event(event: RunEvent): void;
  warn(warning: Warning): void;
}

/** Time and chance come in from outside, so a test can hold them still. */
export interface Clock {
  now(): Date;
  /** Resolves after the time or when the signal aborts, whichever is first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** From 0 to below 1. */
  random(): number;
  /** A new unique id: letters, digits and hyphens, sortable by time. */
  newId(): string;
}

/** A file or folder, as the file system tells it. */
export interface FileStat {
  readonly kind: 'file' | 'directory' | 'link' | 'other';
  readonly bytes: number;
}

/** An open file; positions and lengths in bytes. */
export interface OpenFile {
  readonly bytes: number;
  /** Fewer bytes than asked for only at the end of the file. */
  read(position: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/**
 * The file operations the stores need. Paths are absolute. Errors are rejected as the operating system's, with a
 * `code` and a message in axe's form (`open /x: permission denied`).
 */
export interface Files {
  /** Undefined if nothing is there; links are not followed. */
  stat(path: string): Promise<FileStat | undefined>;
  /** Opens a regular file for reading; undefined if it does not exist. */
  open(path: string, options: { readonly followLinks: boolean }): Promise<OpenFile | undefined>;
  /** One O_APPEND write; creates the file (0644) and its folders (0755). */
  append(path: string, text: string, options: { readonly followLinks: boolean }): Promise<void>;
  /** Writes a whole file through a temporary one and a rename; keeps the old file's mode. */
  replace(path: string, text: string): Promise<void>;
  /** Creates the file with this content if it does not exist; false if it does. */
  createExclusive(path: string, text: string): Promise<boolean>;
  remove(path: string): Promise<void>;
  /** Names in a folder with what they are; empty if the folder does not exist. */
  list(path: string): Promise<readonly { readonly name: string; readonly stat: FileStat }[]>;
}

/** What publishing did, for the summary and for the entry. */
export interface Published {
  /** One computed line that stands before the result in the entry (D9); undefined if nothing was posted. */
  readonly line: string | undefined;
  readonly url: string | undefined;
}

/** Where the answer goes: standard output, or summary and comment. Must not throw: trouble is a warning. */
export interface Publisher {
  publish(plan: Plan, outcome: RunOutcome): Promise<Published>;
}

/** What an account may do in a repository; `unknown` where it could not be asked. */
export type PermissionAnswer =
  | { readonly kind: 'known'; readonly permission: Permission }
  | { readonly kind: 'unknown'; readonly message: string };

/** What GitHub is asked for a trigger; absent on the command line without an event. */
export interface GitHub {
  /** What an account may do here. An error is `unknown`, which is never trusted. */
  permission(login: string, signal: AbortSignal): Promise<PermissionAnswer>;
  /** What belongs into the user message beside the event itself. Throws an AxeError. */
  context(trigger: Trigger, signal: AbortSignal): Promise<TriggerContext>;
}

/**
 * Keeps what a killed run would lose: `pending` is called with the changes before they are saved, `done` after. The
 * action's `post` saves what was left pending.
 */
export interface Journal {
  pending(changes: readonly Change[]): Promise<void>;
  done(): Promise<void>;
}

/** The one deadline of a run: every wait listens to it. */
export interface Deadline {
  /** Aborted when time is up or the run is cancelled, with the error to report as its reason. */
  readonly signal: AbortSignal;
  /** Sets the limit, counted in milliseconds from the start of the run. */
  limit(limitMs: number): void;
}

/** What the outside offers a run: the only container. */
export interface World {
  readonly agents: AgentLibrary;
  /** The pull request's own agents: only looked at, never run (D21). */
  readonly headAgents?: AgentLibrary;
  readonly models: Models;
  /** The store for an agent's memory; trouble in opening it is a store that fails. */
  openMemory(agent: LoadedAgent, memory: MemoryPlan): MemoryStore;
  readonly github?: GitHub;
  readonly publisher: Publisher;
  readonly journal?: Journal;
  readonly reporter: Reporter;
  readonly clock: Clock;
  readonly deadline: Deadline;
  /** Aborted when even saving has to stop; outlives the deadline, so that a run cut by its deadline is still saved. */
  readonly saveSignal: AbortSignal;
  /** Folder that a relative workdir counts from. */
  readonly cwd: string;
  /** Values that must never leave (D11). */
  readonly secrets: readonly string[];
}
