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
  readonly budget: BudgetConfig;
  /** Time limit of a run in seconds; 0 means not set. */
  readonly timeoutSeconds: number;
  /** Accepted for axe's sake; replies are always received whole (D31). */
  readonly stream: boolean;
}

/** `[sub_agents_config]`. */
export interface SubAgentsConfig {
  /** 0 means not set, which means 3. */
  readonly maxDepth: number;
  /** Unset means yes. */
  readonly parallel: boolean | undefined;
  /** Seconds; 0 means no limit of its own. */
  readonly timeoutSeconds: number;
}

/** `[memory]` (source document 000, requirement 2.1; `provenance` is ours, D8). */
export interface MemoryConfig {
  readonly enabled: boolean;
  readonly path: string;
  /** Entries to load; 0 means all. */
  readonly lastN: number;
  /** Count from which a warning is shown; 0 means never. */
  readonly maxEntries: number;
  readonly provenance: 'auto' | 'on' | 'off';
}

/** `[params]`. */
export interface ModelParams {
  /** Undefined when the key is missing, so that 0 can be asked for (axe cannot, axe-behaviour §20.21). */
  readonly temperature: number | undefined;
  /** 0 means the provider's default. */
  readonly maxTokens: number;
  readonly responseFormat: ResponseFormat | undefined;
}

/** `params.response_format`, as a word or as a table with `type` and `schema`. */
export interface ResponseFormat {
  readonly type: 'text' | 'json_object' | 'json_schema';
  /** The JSON schema as written in TOML; only with `json_schema`. */
  readonly schema: Readonly<Record<string, unknown>> | undefined;
}

/** One `[[mcp_servers]]` table. */
export interface McpServerConfig {
  readonly name: string;
  readonly transport: 'sse' | 'streamable-http' | 'stdio';
  /** For `sse` and `streamable-http`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For `stdio`. */
  readonly command: string;
  readonly args: readonly string[];
}

/** `[retry]`. */
export interface RetryConfig {
  /** Undefined when the key is missing. */
  readonly maxRetries: number | undefined;
  readonly backoff: 'exponential' | 'linear' | 'fixed';
  readonly initialDelayMs: number;
  readonly maxDelayMs: number;
}

/** `[budget]`. */
export interface BudgetConfig {
  /** Input and output tokens of a run together; 0 means unlimited. */
  readonly maxTokens: number;
}
