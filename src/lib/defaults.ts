import { CONCLUSIONS } from './outcome.js';

/**
 * Every default of the product. A test holds them equal to `action.yml` and
 * `docs/reference/limits.md`.
 */

/**
 * The model of built-in agents and of what `init` writes, and the example wherever a model has to
 * be named.
 */
export const DEFAULT_MODEL = 'anthropic/claude-sonnet-5-5';

/** The user message when nobody gave one; byte for byte axe's (axe-behaviour §6). */
export const DEFAULT_TASK = 'Execute the task described in your instructions.';

/** Time limit of a command-line run, in seconds (axe-behaviour §4). */
export const CLI_TIMEOUT_SECONDS = 120;

export const ACTION_TIMEOUT_MINUTES = 15;

/**
 * Tokens of a run in a workflow, input and output of all turns and sub-agents together; generous,
 * but not endless.
 */
export const ACTION_MAX_TOKENS = 2_000_000;

/** Most turns of one conversation; axe's fixed limit (axe-behaviour §13). */
export const MAX_TURNS = 50;

/**
 * Output tokens asked of Anthropic when the agent sets none and the model does not think
 * (axe-behaviour §11).
 */
export const ANTHROPIC_MAX_TOKENS = 4096;

/** A stored result is cut after this many code points (axe-behaviour §10; D7b). */
export const MAX_RESULT_CODE_POINTS = 1000;

/** A stored task is cut to so many code points, but for piped text on the command line (D52). */
export const MAX_TASK_CODE_POINTS = 500;

/**
 * Most bytes of run log that are loaded where neither `last_n` nor `max_log_bytes` is set; newest
 * entries win (D52).
 */
export const MAX_LOADED_MEMORY_BYTES = 256 * 1024;

/**
 * What notes may measure where the agent's file says nothing else, in bytes (memory-tools 1.2 and
 * 2.2).
 */
export const NOTES_LIMITS = {
  /** Of the block in the prompt. */
  injectBytes: 32 * 1024,
  /** Of one write. */
  writeBytes: 64 * 1024,
  /** Of a file, from which on `write_memory` asks for care. */
  warnFileBytes: 1024 * 1024,
} as const;

export const MAX_AGENT_BYTES = 256 * 1024;

export const MAX_DIFF_TOKENS = 50_000;

/** Most bytes of one comment, linked issue or log that go into the user message. */
export const MAX_REMARK_BYTES = 4 * 1024;

/** Most bytes of all comments together, and of all linked issues, and of all logs. */
export const MAX_REMARKS_BYTES = 48 * 1024;

/** Most bytes of a description (pull request, issue, comment) that go into the user message. */
export const MAX_DESCRIPTION_BYTES = 32 * 1024;

export const MAX_CONTEXT_FILES = 200;

export const MAX_CONTEXT_BYTES = 512 * 1024;

/** Of the files that a project has for those who work on it, together. */
export const MAX_GUIDANCE_BYTES = 16 * 1024;

/** How long a save may go on against conflicts, by store, in milliseconds (D12). */
export const SAVE_BUDGET_MS = { branch: 120_000, cache: 120_000, file: 30_000, none: 0 } as const;

/** Where memory lies next to code, in a checkout and on a branch that is not memory's own. */
export const COMMITTED_FOLDER = '.axe/memory';

/** How long one thing may take to be published, in milliseconds, waiting included. */
export const PUBLISH_TIMEOUT_MS = 120_000;

/** How long GitHub may say nothing to a request before it is given up, in milliseconds. */
export const GITHUB_SILENCE_MS = 20_000;

/** Longest comment GitHub takes, in characters (REST API, issue comments). */
export const MAX_COMMENT_CHARACTERS = 65_536;

/** Largest job summary of a step, in bytes (workflow commands reference). */
export const MAX_SUMMARY_BYTES = 1024 * 1024;

/** Conclusions that fail the step; `success` and `skipped` never do unless asked for (D27). */
export const DEFAULT_FAIL_ON = CONCLUSIONS.filter((one) => one !== 'success' && one !== 'skipped');

/** Most bytes of one tool result; what is longer loses its middle. */
export const MAX_TOOL_RESULT_BYTES = 64 * 1024;

/**
 * Lines of one page of `read_file` when the model asks for no number; axe's (newer axe,
 * `read_file`).
 */
export const READ_FILE_LINES = 2000;

export const MAX_READ_LINE_BYTES = 8 * 1024;

/** Most bytes `read_file` goes through to find its lines. */
export const MAX_READ_SCAN_BYTES = 64 * 1024 * 1024;

export const MAX_LISTED_ENTRIES = 1000;

/** Most bytes of a file that `write_file` makes or `edit_file` changes. */
export const MAX_WRITTEN_BYTES = 4 * 1024 * 1024;

/**
 * How much one `search_files` looks at and shows; what a file has beyond `fileBytes` is not
 * searched.
 */
export const SEARCH_LIMITS = { fileBytes: 2 * 1024 * 1024, matches: 200, timeMs: 20_000 } as const;

export const COMMAND_TIMEOUT_MS = 300_000;

/**
 * How long one `url_fetch` or `web_search` may take, redirects included, in milliseconds; axe's.
 */
export const WEB_TIMEOUT_MS = 15_000;

export const MAX_PAGE_BYTES = 2 * 1024 * 1024;

export const MAX_REPLY_BYTES = 32 * 1024 * 1024;

/** How long a model's provider that sends signs of life may send nothing, in milliseconds. */
export const MODEL_SILENCE_MS = 120_000;

/**
 * Most bytes of an answer that are kept: cleaning more would outlast the run. An output holds no
 * more either.
 */
export const MAX_ANSWER_BYTES = 1024 * 1024;

/**
 * Tries after a first one that failed for a passing reason; axe makes none unless asked
 * (axe-behaviour §20.15).
 */
export const DEFAULT_MAX_RETRIES = 2;

export const MAX_PARALLEL_CALLS = 8;

export const MAX_ARGUMENT_DEPTH = 128;

/** Tool calls of one turn that are run; the rest is refused with a word to the model. */
export const MAX_CALLS_PER_TURN = 64;

/** So often in a row the same call is run; each further one is answered with a word … */
export const MAX_SAME_CALLS = 2;

/** … and this one ends the conversation. */
export const LAST_SAME_CALL = 10;

/** Levels of sub-agents below the first agent where `max_depth` is not set (axe-behaviour §2). */
export const DEFAULT_MAX_DEPTH = 3;

/** How long an MCP server may take to start and to list its tools, each, in milliseconds. */
export const MCP_START_TIMEOUT_MS = 30_000;

export const MCP_CALL_TIMEOUT_MS = 120_000;

/** The window of a model nothing is known of, in tokens of input and output together. */
export const CONTEXT_WINDOW_TOKENS = 128_000;

/** How a long conversation is shortened. Shares are of the window without its reserve. */
export const COMPACTION = {
  /** Above this share it is shortened. */
  startShare: 0.8,
  /**
   * Old tool results are left out until no more than this share is used. Each time costs the
   * provider's cache of all that comes after, so it is done deeply and seldom …
   */
  targetShare: 0.2,
  /** … and if more than this share is left, turns go as well. */
  enoughShare: 0.7,
  /** So many newest turns stay whole … */
  keptTurns: 4,
  /** … unless they take more than this share; the newest one always stays. */
  keptShare: 0.2,
  /**
   * Down to this share the newest results lose their middle, where nothing else is left to leave
   * out.
   */
  trimmedShare: 0.4,
  /** Kept free for the next reply when the agent asks for no number of output tokens. */
  reserveTokens: 8192,
} as const;

/**
 * The model is told that little is left of a run from here on: turns and seconds left, share of a
 * budget spent.
 */
export const LIMIT_NOTICE = { turns: 3, share: 0.8, seconds: 60 } as const;

/**
 * How deep a JSON answer and its schema may be nested, and how long the check of an answer may
 * take.
 */
export const STRUCTURED_LIMITS = { depth: 128, checkMs: 2000 } as const;

/**
 * Pull requests, besides the run's own, whose answers to earlier findings a run reads: those where
 * it found something last.
 */
export const MAX_LEARNED_PULLS = 5;

/** Accounts whose permission is asked for, to know whether their answer counts. */
export const MAX_ANSWERERS = 20;

/** Most bytes of notes that `memory_read` and `memory_search` show (memory-tools 4.4). */
export const MAX_SHOWN_NOTES_BYTES = 32 * 1024;

export const MAX_GITHUB_FILE_BYTES = 1024 * 1024;

/**
 * How a review is read where it is read more than once; `most…` is the largest value that an
 * agent's file may say.
 */
export const REVIEW_PASSES = {
  /** Parts of a change that does not fit, and how many are read at the same time. */
  parts: 6,
  mostParts: 12,
  atOnce: 3,
  /** Tokens of the diff in one part: models find less the more they are shown. */
  partTokens: 22_000,
  mostPartTokens: 200_000,
} as const;

/**
 * The second look at findings: turns of one verifier, verifiers at work at the same time, and
 * findings of a run that have one.
 */
export const VERIFICATION = { turns: 6, atOnce: 3, findings: 40 } as const;

/**
 * Garbage collection: what its questions ask for, of models that do not think, and how long each
 * may take; axe's figures (axe-behaviour §19).
 */
export const GC = { outputTokens: 4096, temperature: 0.3, questionSeconds: 120 } as const;
