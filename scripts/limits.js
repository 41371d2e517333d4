// How the values of src/lib/defaults.ts that people meet are shown; `scripts/docs.js` makes a page
// of it.

const KIB = 1024;

const count = (value) => value.toLocaleString('en');
const bytes = (value) => {
  if (value >= KIB * KIB) return `${count(value / KIB / KIB)} MiB`;
  return value >= KIB ? `${count(value / KIB)} KiB` : `${count(value)} bytes`;
};
const tokens = (value) => `${count(value)} tokens`;
const characters = (value) => `${count(value)} characters`;
const ms = (value) => (value < 1000 ? `${count(value)} ms` : `${count(value / 1000)} s`);
const percent = (value) => `${value * 100} %`;

/** What is limited, the export, and how its value is written. */
export const LIMITS = [
  ['Same tool calls in a row that end a run', 'LAST_SAME_CALL', count],
  [
    'The model is informed that little is left',
    'LIMIT_NOTICE',
    ({ turns, share, seconds }) =>
      `${turns} turns, ${seconds} s, or ${percent(share)} of a budget spent`,
  ],
  ['Context window of an unknown model', 'CONTEXT_WINDOW_TOKENS', tokens],
  ['Context files', 'MAX_CONTEXT_FILES', count],
  ['Context files together', 'MAX_CONTEXT_BYTES', bytes],
  ['`AGENTS.md` and files like it, together', 'MAX_GUIDANCE_BYTES', bytes],
  ['Result of an entry', 'MAX_RESULT_CODE_POINTS', characters],
  ['Task of an entry', 'MAX_TASK_CODE_POINTS', characters],
  ['Loaded run log without `last_n` and `max_log_bytes`', 'MAX_RECALLED_BYTES', bytes],
  ['The same for a run without a change or issue', 'MAX_LOADED_MEMORY_BYTES', bytes],
  ['Newest part of a run log searched for related entries', 'MAX_SEARCHED_MEMORY_BYTES', bytes],
  ['Time of a save on the branch', 'SAVE_BUDGET_MS.branch', ms],
  ['Checks in `.axe/checks.md`', 'CHECK_LIMITS.checks', count],
  ['Text of a check', 'CHECK_LIMITS.textCharacters', characters],
  ['The file of checks, of which the beginning is read', 'CHECK_LIMITS.bytes', bytes],
  ['Second check: findings of a run', 'VERIFICATION.findings', count],
  ['One tool result', 'MAX_TOOL_RESULT_BYTES', bytes],
  ['`read_file`: lines of one page', 'READ_FILE_LINES', count],
  ['`write_file`, `edit_file`: size of a file', 'MAX_WRITTEN_BYTES', bytes],
  ['`search_files`: results', 'SEARCH_LIMITS.matches', count],
  ['`run_command`: time', 'COMMAND_TIMEOUT_MS', ms],
  ['`url_fetch`, `web_search`: time', 'WEB_TIMEOUT_MS', ms],
  ['`url_fetch`: size of a page', 'MAX_PAGE_BYTES', bytes],
  ['`github_file`: size of a file', 'MAX_GITHUB_FILE_BYTES', bytes],
  ['MCP server: start, and list of tools', 'MCP_START_TIMEOUT_MS', ms],
  ['MCP server: one call', 'MCP_CALL_TIMEOUT_MS', ms],
];
