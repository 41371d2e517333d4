/**
 * Every default of the product. A test holds them equal to `action.yml` and the README tables.
 */

/** The user message when nobody gave one; byte for byte axe's (axe-behaviour §6). */
export const DEFAULT_TASK = 'Execute the task described in your instructions.';

/** Time limit of a command-line run, in seconds (axe-behaviour §4). */
export const CLI_TIMEOUT_SECONDS = 120;

/** Time limit of a run in a workflow, in minutes. */
export const ACTION_TIMEOUT_MINUTES = 15;

/** Most turns of one conversation; axe's fixed limit (axe-behaviour §13). */
export const MAX_TURNS = 50;

/** Output tokens asked of Anthropic when the agent sets none (axe-behaviour §11). */
export const ANTHROPIC_MAX_TOKENS = 4096;

/** A stored result is cut after this many code points (source document 000, decision 5; D7b). */
export const MAX_RESULT_CODE_POINTS = 1000;

/** Most bytes of run log that go into a prompt, however large the file; newest entries win (D33). */
export const MAX_LOADED_MEMORY_BYTES = 256 * 1024;

/** Largest agent file that is parsed, in bytes. */
export const MAX_AGENT_BYTES = 256 * 1024;

/** Most bytes of a diff that go into the user message. */
export const MAX_DIFF_BYTES = 200 * 1024;

/** Most bytes of a description (pull request, issue, comment) that go into the user message. */
export const MAX_DESCRIPTION_BYTES = 32 * 1024;

/** Most context files that go into a prompt. */
export const MAX_CONTEXT_FILES = 200;

/** Most bytes of context files together that go into a prompt. */
export const MAX_CONTEXT_BYTES = 512 * 1024;

/** How long a save may go on against conflicts, by store, in milliseconds (D12). */
export const SAVE_BUDGET_MS = { repo: 90_000, cache: 180_000, file: 30_000 } as const;

/** Longest comment GitHub takes, in characters (REST API, issue comments). */
export const MAX_COMMENT_CHARACTERS = 65_536;

/** Largest job summary of a step, in bytes (workflow commands reference). */
export const MAX_SUMMARY_BYTES = 1024 * 1024;

/** Conclusions that fail the step; `success` and `skipped` never do unless asked for (D27). */
export const DEFAULT_FAIL_ON = ['failure', 'timeout', 'budget-exceeded', 'max-turns', 'refused'] as const;
