import { CONCLUSIONS } from './outcome.js';

/**
 * Every default of the product. A test compares them with `action.yml` and
 * `docs/reference/limits.md`.
 */

/** The model of built-in agents, of the files that `init` writes, and of all examples. */
export const DEFAULT_MODEL = 'anthropic/claude-sonnet-5-5';

/** The user message if none is given; byte for byte axe's. */
export const DEFAULT_TASK = 'Execute the task described in your instructions.';

/** The time limit of a command-line run, in seconds; axe's. */
export const CLI_TIMEOUT_SECONDS = 120;

export const ACTION_TIMEOUT_MINUTES = 15;

/**
 * The last part of a workflow run's time, after the conversation: it is kept for deciding, saving and
 * reporting.
 */
export const CLOSING_TIME = { share: 0.1, maxMs: 60_000 } as const;

/**
 * A cancelled run goes on for so many milliseconds after each signal. GitHub's runner sends SIGINT,
 * SIGTERM 7.5 s later, and kills after 2.5 s more; what is left is for summary and outputs.
 */
export const CANCELLED_MS = { SIGINT: 8_500, SIGTERM: 1_500 } as const;

/** Tokens of a run in a workflow: input and output of all turns and sub-agents together. */
export const ACTION_MAX_TOKENS = 2_000_000;

/** Maximum turns of one conversation; axe's fixed limit. */
export const MAX_TURNS = 50;

/** Requested output tokens of Anthropic's models without thinking, if the agent sets none. */
export const ANTHROPIC_MAX_TOKENS = 4096;

/** A stored result is cut after this many code points, as in axe. */
export const MAX_RESULT_CODE_POINTS = 1000;

/** A stored task is cut after this many code points, unless it is piped text. */
export const MAX_TASK_CODE_POINTS = 500;

/**
 * Maximum bytes of the run log that are loaded if neither `last_n` nor `max_log_bytes` is set, by a
 * run without a pull request, issue or change. The newest entries are loaded.
 */
export const MAX_LOADED_MEMORY_BYTES = 256 * 1024;

/** Maximum bytes for a run with one of them, for which entries are chosen. */
export const MAX_RECALLED_BYTES = 16 * 1024;

/** The newest part of a longer run log, in which entries are looked for. */
export const MAX_SEARCHED_MEMORY_BYTES = 1024 * 1024;

/** Sizes of notes in bytes; the agent's file can set the first two. */
export const NOTES_LIMITS = {
  /** Maximum size of the notes in the prompt. */
  injectBytes: 32 * 1024,
  /** Maximum size of one write. */
  writeBytes: 64 * 1024,
  /** File size from which `write_memory` warns. */
  warnFileBytes: 1024 * 1024,
} as const;

/** Limits of the notes that the built-in reviewer is given and keeps. */
export const FACTS_LIMITS = {
  /** Maximum size of the notes in the prompt, in bytes, with the tags around them. */
  injectBytes: 4 * 1024,
  /** Maximum facts that one run adds. */
  perRun: 2,
  /** Maximum characters of a fact, without the code that is added to it. */
  characters: 300,
} as const;

export const MAX_AGENT_BYTES = 256 * 1024;

export const MAX_DIFF_TOKENS = 50_000;

/** Maximum bytes of one comment, linked issue or log in the user message. */
export const MAX_REMARK_BYTES = 4 * 1024;

/** Maximum bytes of all comments together, of all linked issues, and of all logs. */
export const MAX_REMARKS_BYTES = 48 * 1024;

/** Maximum bytes of a description (pull request, issue, comment) in the user message. */
export const MAX_DESCRIPTION_BYTES = 32 * 1024;

export const MAX_CONTEXT_FILES = 200;

export const MAX_CONTEXT_BYTES = 512 * 1024;

/** Maximum bytes of all guidance files of a project together. */
export const MAX_GUIDANCE_BYTES = 16 * 1024;

/** Maximum time of a save, with its retries after conflicts, by store, in milliseconds. */
export const SAVE_BUDGET_MS = { branch: 120_000, cache: 120_000, file: 30_000, none: 0 } as const;

/** The folder of memory that is committed next to code, in a checkout or on a shared branch. */
export const COMMITTED_FOLDER = '.axe/memory';

/** Maximum time to publish one thing, in milliseconds, including waits. */
export const PUBLISH_TIMEOUT_MS = 120_000;

/** A request to GitHub fails after this many milliseconds without an answer. */
export const GITHUB_SILENCE_MS = 20_000;

/** GitHub's maximum length of a comment, in characters (REST API, issue comments). */
export const MAX_COMMENT_CHARACTERS = 65_536;

/** GitHub's maximum size of a step's job summary, in bytes (workflow commands reference). */
export const MAX_SUMMARY_BYTES = 1024 * 1024;

/** Conclusions that fail the step; `success` and `skipped` only do if an input says so. */
export const DEFAULT_FAIL_ON = CONCLUSIONS.filter(
  (conclusion) => conclusion !== 'success' && conclusion !== 'skipped',
);

/** Maximum bytes of one tool result; a longer one loses its middle. */
export const MAX_TOOL_RESULT_BYTES = 64 * 1024;

/** Lines that `read_file` shows if the model gives no number, as in newer versions of axe. */
export const READ_FILE_LINES = 2000;

export const MAX_READ_LINE_BYTES = 8 * 1024;

/** Maximum bytes that `read_file` scans to find its lines. */
export const MAX_READ_SCAN_BYTES = 64 * 1024 * 1024;

export const MAX_LISTED_ENTRIES = 1000;

/** Maximum bytes of a file that `write_file` writes or `edit_file` changes. */
export const MAX_WRITTEN_BYTES = 4 * 1024 * 1024;

/** Limits of one `search_files` call; only the first `fileBytes` of each file are searched. */
export const SEARCH_LIMITS = { fileBytes: 2 * 1024 * 1024, matches: 200, timeMs: 20_000 } as const;

export const COMMAND_TIMEOUT_MS = 300_000;

/** Time limit of one `url_fetch` or `web_search`, with redirects, in milliseconds; axe's. */
export const WEB_TIMEOUT_MS = 15_000;

export const MAX_PAGE_BYTES = 2 * 1024 * 1024;

export const MAX_REPLY_BYTES = 32 * 1024 * 1024;

/** After a first keep-alive, a model request fails if this many milliseconds bring no data. */
export const MODEL_SILENCE_MS = 120_000;

/** A provider can send nothing but signs of life for this long; then the request is stuck. */
export const MODEL_WORDLESS_MS = 600_000;

/** Maximum bytes of an answer: sanitizing more takes too long, and an output cannot hold more. */
export const MAX_ANSWER_BYTES = 1024 * 1024;

/** Retries after a temporary failure; axe does not retry by default. */
export const DEFAULT_MAX_RETRIES = 2;

export const MAX_PARALLEL_CALLS = 8;

export const MAX_ARGUMENT_DEPTH = 128;

/** Maximum tool calls of one turn; the others are refused, and the model is informed. */
export const MAX_CALLS_PER_TURN = 64;

/** An equal call is run at most this often before something changes; then it only gets a notice. */
export const MAX_SAME_CALLS = 2;

/** This repetition ends the conversation, if none of those since the last run of a call was run. */
export const LAST_SAME_CALL = 10;

/** Levels of sub-agents below the first agent if `max_depth` is not set; axe's. */
export const DEFAULT_MAX_DEPTH = 3;

/** Time limit for an MCP server to start, and again to list its tools, in milliseconds. */
export const MCP_START_TIMEOUT_MS = 30_000;

export const MCP_CALL_TIMEOUT_MS = 120_000;

/** The context window of an unknown model, in tokens of input and output together. */
export const CONTEXT_WINDOW_TOKENS = 128_000;

/** The smallest window in which a review has room: prompt, tools, a small diff and an answer. */
export const LEAST_REVIEW_TOKENS = 8192;

/** Limits for shortening a long conversation. Shares are of the window without its reserve. */
export const COMPACTION = {
  /** Above this share the conversation is shortened. */
  startShare: 0.8,
  /**
   * Old tool results are removed until only this share is used. Each time invalidates the
   * provider's cache of all later messages, so much is removed at once and seldom.
   */
  targetShare: 0.2,
  /** If the conversation still uses more than this share, whole turns are removed too. */
  enoughShare: 0.7,
  /** The newest turns that are not shortened, within `keptShare`. */
  keptTurns: 4,
  /** Maximum share of the newest turns; the last one always stays. */
  keptShare: 0.2,
  /** If nothing else can be removed, the newest results are shortened to this share. */
  trimmedShare: 0.4,
  /** Reserved for the next reply if the agent sets no number of output tokens. */
  reserveTokens: 8192,
} as const;

/** The model gets a notice when this little is left: turns, seconds, or share of a budget used. */
export const LIMIT_NOTICE = { turns: 3, share: 0.8, seconds: 60 } as const;

/**
 * Maximum nesting of a JSON answer and its schema, size of a schema with its patterns and
 * references, and the time limit for validating an answer.
 */
export const STRUCTURED_LIMITS = {
  depth: 128,
  schemaBytes: 64 * 1024,
  patterns: 200,
  references: 500,
  checkMs: 2000,
} as const;

/** A run reads the answers to its latest findings on this many other pull requests. */
export const MAX_LEARNED_PULLS = 5;

/** Maximum accounts whose permission is checked, since only some people's answers count. */
export const MAX_ANSWERERS = 20;

/** Maximum bytes of notes that `memory_read` and `memory_search` show. */
export const MAX_SHOWN_NOTES_BYTES = 32 * 1024;

export const MAX_GITHUB_FILE_BYTES = 1024 * 1024;

/** Limits of a commit's archive: each file, all of it packed and unpacked, and the text kept. */
export const ARCHIVE_LIMITS = {
  fileBytes: MAX_GITHUB_FILE_BYTES,
  packedBytes: 64 * 1024 * 1024,
  unpackedBytes: 1024 * 1024 * 1024,
  textBytes: 256 * 1024 * 1024,
  timeMs: 120_000,
} as const;

/** Maximum files that one search of a commit reads one by one: 100 requests for 25 files each. */
export const MAX_SEARCHED_ALONE = 2500;

/** Reviews in several passes; `most…` is the maximum that an agent's file can set. */
export const REVIEW_PASSES = {
  /** Parts of a change that does not fit; `atOnce` of them are read at the same time. */
  parts: 6,
  mostParts: 12,
  atOnce: 3,
  /** Tokens of the diff in one part: models find less the more they are shown. */
  partTokens: 22_000,
  mostPartTokens: 200_000,
} as const;

/** Limits for verifying findings: turns of a verifier, parallel verifiers, findings of a run. */
export const VERIFICATION = { turns: 6, atOnce: 3, findings: 40 } as const;

/** Limits of a project's checks; of the file, its first bytes are read. */
export const CHECK_LIMITS = {
  checks: 20,
  nameCharacters: 80,
  textCharacters: 600,
  bytes: 16 * 1024,
} as const;

/** The conversation that answers checks in words: its turns, and the name of its diff. */
export const CHECKS = { turns: 8, source: 'diff of the pull request' } as const;

/** Limits of a demonstration; times in milliseconds. */
export const DEMONSTRATION = {
  /** One run of the test. */
  runMs: 120_000,
  outputBytes: 64 * 1024,
  /** The end of its output, for models and people. */
  outputLines: 40,
  lineCharacters: 300,
  /** All runs for one finding, and for all findings of a review. */
  findingMs: 300_000,
  reviewMs: 600_000,
  /** No more than the first four runs once they have taken this long. */
  quickMs: 30_000,
  runs: { least: 4, most: 10 },
  /** Calls of the tool for one finding. */
  attempts: 2,
  /** Additional turns of a verifier. */
  turns: 6,
  /** Findings with a test on one pull request. */
  ofPull: 5,
} as const;

/** Garbage collection's requests to models without thinking, and their time limit; axe's values. */
export const GC = { outputTokens: 4096, temperature: 0.3, questionSeconds: 120 } as const;
