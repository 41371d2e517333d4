/** How an MCP server is reached. */
export const TRANSPORTS = ['sse', 'streamable-http', 'stdio'] as const;

/** How waits between tries grow; the first is the default. */
export const BACKOFFS = ['exponential', 'linear', 'fixed'] as const;

/** What `params.response_format` may ask for. */
export const RESPONSE_TYPES = ['text', 'json_object', 'json_schema'] as const;

/** Whether entries name the run they come from; the first is the default. */
export const PROVENANCE = ['auto', 'on', 'off'] as const;

/** Who shares the scratchpad, daily logs and notes; the first is the default. */
export const NOTES_SCOPES = ['project', 'shared'] as const;

/** Which daily logs go into the prompt; the first is the default. */
export const DAILY_CHOICES = ['calendar', 'recent'] as const;

/** How hard a model thinks, from least to most. */
export const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

export type Effort = (typeof EFFORTS)[number];

/** The forms of OpenAI's interface, which others speak too. */
export const API_FORMS = ['responses', 'chat'] as const;

/** Whose packages `[params]` may hold raw options for; `compatible` is for OpenRouter, Ollama and endpoints like them. */
export const PROVIDER_TABLES = ['anthropic', 'openai', 'google', 'bedrock', 'compatible'] as const;

export type ProviderTable = (typeof PROVIDER_TABLES)[number];

export const REVIEW_DEPTHS = ['quick', 'standard'] as const;

export type ReviewDepth = (typeof REVIEW_DEPTHS)[number];

export function chosen<const T extends string>(choices: readonly T[], word: string): T | undefined {
  return choices.find((choice) => choice === word);
}
