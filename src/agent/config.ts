import type { Price } from '../loop/budget.js';
import type { NotesTool } from '../memory/notes/tool-names.js';
import type { SeverityOverrides } from '../review/severity.js';
import type { Severity } from '../review/terms.js';
import type { API_FORMS, DAILY_CHOICES, Effort, NOTES_SCOPES, ReviewDepth } from './choices.js';
import type { ProviderTables } from './provider-tables.js';

/**
 * An agent as its TOML file describes it, complete with defaults (axe-behaviour §2 and axe's newer keys, D2).
 * Numbers keep axe's meaning of zero: not set.
 */
export interface AgentConfig {
  readonly name: string;
  readonly description: string;
  /** `provider/model`, as written. */
  readonly model: string;
  /** Used byte for byte, never trimmed. */
  readonly systemPrompt: string;
  /** Path of a SKILL.md, as written; empty for none. */
  readonly skill: string;
  /** Glob patterns of context files. */
  readonly files: readonly string[];
  readonly workdir: string;
  readonly tools: readonly string[];
  readonly allowedHosts: readonly string[];
  readonly subAgents: readonly string[];
  readonly subAgentsConfig: SubAgentsConfig;
  readonly mcpServers: readonly McpServerConfig[];
  readonly memory: MemoryConfig;
  readonly params: ModelParams;
  readonly retry: RetryConfig;
  /** Input and output tokens of a run together; 0 means unlimited. */
  readonly budget: { readonly maxTokens: number };
  readonly review: ReviewConfig;
  /** Time limit of a run in seconds; 0 means not set. */
  readonly timeoutSeconds: number;
  /** Accepted for axe's sake; replies are always received whole (D31). */
  readonly stream: boolean;
}

interface SubAgentsConfig {
  /** 0 means not set, which means 3. */
  readonly maxDepth: number;
  /** Unset means yes. */
  readonly parallel: boolean | undefined;
  /** Seconds; 0 means no limit of its own. */
  readonly timeoutSeconds: number;
}

/** `[memory]` (axe-behaviour §2; `provenance` is ours, D8, and so is all of the notes, D10). */
export interface MemoryConfig {
  readonly enabled: boolean;
  readonly path: string;
  /** Entries to load; 0 means all. */
  readonly lastN: number;
  /** Whether the file has the key: without it no more is loaded than fits by default (D52). */
  readonly hasLastN: boolean;
  /** Count from which a warning is shown; 0 means never. */
  readonly maxEntries: number;
  readonly provenance: 'auto' | 'on' | 'off';
  /** Notes next to the run log; without `enabled` there are none. */
  readonly notes: boolean;
  /** Tools over the notes; empty means those of `NOTES_TOOLS`. */
  readonly tools: readonly NotesTool[];
  /** Folder of the notes, on the command line alone; empty for the default. */
  readonly dir: string;
  /** Who shares scratchpad, daily logs and notes. */
  readonly scope: (typeof NOTES_SCOPES)[number];
  /** What the project is known by; empty for the repository, or else the working directory. */
  readonly project: string;
  /** Which two daily logs go into the prompt. */
  readonly daily: (typeof DAILY_CHOICES)[number];
  /** Whether a line that long-term memory has is left out of what is appended to it. */
  readonly dedup: boolean;
  readonly maxInjectBytes: number;
  readonly maxWriteBytes: number;
  /** Most bytes of run log that are loaded; 0 means not set. */
  readonly maxLogBytes: number;
  /** Above this size of a file `write_memory` says that it needs care. */
  readonly warnFileBytes: number;
}

export interface ModelParams {
  /** Undefined when the key is missing, so that 0 can be asked for (axe cannot, axe-behaviour §20.21). */
  readonly temperature: number | undefined;
  /** 0 means the provider's default. */
  readonly maxTokens: number;
  /** Tokens of prompt and answer together that the model takes; left out: as many as is known of it. */
  readonly contextWindow?: number;
  readonly responseFormat: ResponseFormat | undefined;
  /** Left out: as hard as the model does by itself. */
  readonly effort?: Effort;
  /** Left out: as the model is known to take it. */
  readonly api?: (typeof API_FORMS)[number];
  /** For a model without a known price. */
  readonly price?: Price;
  /** What is sent to one provider only, as its package calls it. */
  readonly tables?: ProviderTables;
}

/** `params.response_format`, as a word or as a table with `type` and `schema`. */
export interface ResponseFormat {
  readonly type: 'text' | 'json_object' | 'json_schema';
  /** The JSON schema as written in TOML; only with `json_schema`. */
  readonly schema: Readonly<Record<string, unknown>> | undefined;
}

export interface McpServerConfig {
  readonly name: string;
  readonly transport: 'sse' | 'streamable-http' | 'stdio';
  /** For `sse` and `streamable-http`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For `stdio`. */
  readonly command: string;
  readonly args: readonly string[];
  /** Variables of the program, besides the few that every program gets. */
  readonly env: Readonly<Record<string, string>>;
}

export interface RetryConfig {
  /** Undefined when the key is missing. */
  readonly maxRetries: number | undefined;
  readonly backoff: 'exponential' | 'linear' | 'fixed';
  readonly initialDelayMs: number;
  readonly maxDelayMs: number;
}

/** `[review]`: ours. What an input of the workflow says too, the input decides. */
export interface ReviewConfig {
  /** Undefined when the key is missing. */
  readonly depth: ReviewDepth | undefined;
  /** `provider/model` of the second look; empty for the agent's own. */
  readonly verifyModel: string;
  /** Name of the agent that takes the second look; empty for the built-in one. */
  readonly verifier: string;
  /** Most parts that a change is read in. */
  readonly parts: number;
  readonly partTokens: number;
  /** Undefined when the key is missing. */
  readonly minSeverity: Severity | undefined;
  /** Path of a file of the repository that is added to the system prompt; empty for none. */
  readonly instructions: string;
  readonly severity: SeverityOverrides;
}
