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

/** Most bytes of one tool result; what is longer loses its middle. */
export const MAX_TOOL_RESULT_BYTES = 64 * 1024;

/** Lines of one page of `read_file` when the model asks for no number; axe's (newer axe, `read_file`). */
export const READ_FILE_LINES = 2000;

/** Most bytes of one line that `read_file` shows. */
export const MAX_READ_LINE_BYTES = 8 * 1024;

/** Most bytes `read_file` goes through to find its lines. */
export const MAX_READ_SCAN_BYTES = 64 * 1024 * 1024;

/** Most names `list_directory` shows. */
export const MAX_LISTED_ENTRIES = 1000;

/** Most bytes of a file that `write_file` makes or `edit_file` changes. */
export const MAX_WRITTEN_BYTES = 4 * 1024 * 1024;

/** How much one `search_files` looks at and shows; what a file has beyond `fileBytes` is not searched. */
export const SEARCH_LIMITS = {
  entries: 50_000,
  fileBytes: 2 * 1024 * 1024,
  totalBytes: 256 * 1024 * 1024,
  matches: 200,
  timeMs: 20_000,
} as const;

/** How long one `run_command` may run, in milliseconds. */
export const COMMAND_TIMEOUT_MS = 300_000;

/** How long one `url_fetch` or `web_search` may take, redirects included, in milliseconds; axe's. */
export const WEB_TIMEOUT_MS = 15_000;

/** Most bytes of a page that are received. */
export const MAX_PAGE_BYTES = 2 * 1024 * 1024;

/** Tries after a first one that failed for a passing reason; axe makes none unless asked (axe-behaviour §20.15). */
export const DEFAULT_MAX_RETRIES = 2;
