import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { runCommandLine } from '../../src/cli/main.js';
import { AxeError } from '../../src/lib/errors.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { createFakeTerminal } from '../helpers/terminal-fake.js';

const NAME = 'name = "bot"\n';
const MODEL = 'model = "anthropic/claude-sonnet-5-5"\n';
const PROMPT = 'system_prompt = "Review."\n';
const GOOD = `${NAME}${MODEL}${PROMPT}`;
const SUBMITS = 'tools = ["add_review_comment", "submit_review"]\n';

/** `agents validate bot` for an agent with this text: its exit status, and what it prints. */
async function validate(toml: string, name = 'bot') {
  const cwd = tempDir('cwd');
  writeFiles(cwd, { 'axe/agents/bot.toml': toml, 'docs/rules.md': '# Rules\n' });
  const terminal = createFakeTerminal({ env: { HOME: tempDir('home') }, cwd });
  try {
    const status = await runCommandLine(['agents', 'validate', name], terminal);
    return { status, output: terminal.output() };
  } catch (thrown) {
    if (!(thrown instanceof AxeError)) throw thrown;
    return { status: thrown.exitCode, output: `error: ${thrown.message}\n${thrown.remedy}` };
  }
}

/** A name, the file, the level that decides, and words of the line with its remedy. */
type Row = readonly [string, string, 'error' | 'warning' | 'note', string | RegExp];

const NO_INSTRUCTIONS: readonly Row[] = [
  ['no instructions at all', NAME + MODEL, 'error', 'Say in `system_prompt` what it should do'],
  ['a blank prompt', `${NAME}${MODEL}system_prompt = "  "\n`, 'error', 'no instructions'],
  [
    'only tools',
    `${NAME}${MODEL}tools = ["read_file"]\n`,
    'error',
    'neither `system_prompt` nor `skill` nor `files`',
  ],
  ['`prompt`', `${NAME}${MODEL}prompt = "Review."\n`, 'error', 'Did you mean `system_prompt`?'],
  [
    '`instructions`',
    `${NAME}${MODEL}instructions = "Review."\n`,
    'error',
    'Did you mean `system_prompt`?',
  ],
  ['`system`', `${NAME}${MODEL}system = "Review."\n`, 'error', 'Did you mean `system_prompt`?'],
];

const FILES: readonly Row[] = [
  [
    'review instructions that are not there',
    `${GOOD}[review]\ninstructions = "docs/rule.md"\n`,
    'error',
    'bot.toml:5:1: error: the file "docs/rule.md" of `instructions` is not there',
  ],
  [
    'a line break in the path of its skill',
    `${GOOD}skill = "C:\\new"\n`,
    'error',
    "Write `'C:\\new'`",
  ],
  [
    'a line break in `files`',
    `${GOOD}files = ["C:\\new\\rules.md"]\n`,
    'warning',
    "Write `'C:\\new\\rules.md'`",
  ],
  [
    'a tabulator in `workdir`',
    `${GOOD}workdir = "C:\\team"\n`,
    'warning',
    "Write `'C:\\team'`, in single quotes",
  ],
  [
    'a line break in the path of memory',
    `${GOOD}[memory]\nenabled = true\npath = "C:\\notes.md"\n`,
    'warning',
    "Write `'C:\\notes.md'`",
  ],
  ['an escape that there is not', `${GOOD}skill = "C:\\Users"\n`, 'error', "`'C:\\new'`"],
];

const KEYS: readonly Row[] = [
  [
    'findings and no end of a review',
    `${GOOD}tools = ["add_review_comment"]\n`,
    'warning',
    'Add `submit_review` to `tools`',
  ],
  ['`temperature` at the top', `${GOOD}temperature = 0.3\n`, 'warning', 'belongs in `[params]`'],
  ['`max_tokens` at the top', `${GOOD}max_tokens = 9\n`, 'warning', 'belongs in `[params]`'],
  ['`effort` at the top', `${GOOD}effort = "high"\n`, 'warning', 'belongs in `[params]`'],
  ['`last_n` at the top', `${GOOD}last_n = 3\n`, 'warning', 'belongs in `[memory]`'],
  ['`api_key` at the top', `${GOOD}api_key = "x"\n`, 'error', 'a key is a secret'],
  ['`api_key` in a table', `${GOOD}[params]\napi_key = "x"\n`, 'error', 'a key is a secret'],
  [
    '`api-key` of a server',
    `${GOOD}[[mcp_servers]]\nname = "a"\ntransport = "stdio"\ncommand = "x"\napi-key = "x"\n`,
    'error',
    'a key is a secret',
  ],
  ['a hot model', `${GOOD}[params]\ntemperature = 3\n`, 'error', 'models take 0 to 2'],
  ['a cold model', `${GOOD}[params]\ntemperature = -0.1\n`, 'error', 'models take 0 to 2'],
  [
    'another name than its file',
    GOOD.replace('"bot"', '"robot"'),
    'note',
    '`name` is "robot", and the agent is started as "bot"',
  ],
  [
    'a model that its provider does not have',
    GOOD.replace('sonnet-5-5', 'sonet-5-5'),
    'note',
    'Did you mean `claude-sonnet-5-5`?',
  ],
  [
    'a second look by such a model',
    `${GOOD}[review]\nverify_model = "google/gemini-2.5-prro"\n`,
    'note',
    'Did you mean `gemini-2.5-pro`?',
  ],
  [
    'a command',
    `${GOOD}tools = ["run_command"]\n`,
    'note',
    'Write `tools-allowed: run_command` there',
  ],
  [
    'tools that write and search the web',
    `${GOOD}tools = ["read_file", "write_file", "web_search"]\n`,
    'note',
    'Write `tools-allowed: write_file, web_search` there',
  ],
];

const TABLES: readonly Row[] = [
  [
    '`memory = true`',
    `${GOOD}memory = true\n`,
    'error',
    'Write `[memory]` on a line of its own, and `enabled = true` below it',
  ],
  ['`params = "fast"`', `${GOOD}params = "fast"\n`, 'error', 'Write `[params]` on a line of its'],
  [
    '`[mcp_servers]`',
    `${GOOD}[mcp_servers]\nname = "a"\n`,
    'error',
    'Write `[[mcp_servers]]`, once for each server',
  ],
  [
    'its prompt below a table',
    `${NAME}${MODEL}[memory]\nenabled = true\n${PROMPT}`,
    'error',
    '`system_prompt` belongs above the first `[table]`',
  ],
  [
    'its model below a table',
    `${NAME}${PROMPT}[memory]\n${MODEL}`,
    'error',
    /missing required field: model\n {2}`model` belongs above/,
  ],
  [
    'its tools below `[memory]`',
    `${GOOD}[memory]\nenabled = true\n${SUBMITS}`,
    'error',
    "For the agent's own tools: `tools` belongs above the first `[table]`",
  ],
  ['a key twice', `${GOOD}${MODEL}`, 'error', 'written twice, in line 2 and in line 4'],
  [
    'a key twice in a table',
    `${GOOD}[memory]\nenabled = true\nlast_n = 1\nenabled = false\n`,
    'error',
    'in line 5 and in line 7',
  ],
  [
    'a table twice',
    `${GOOD}[memory]\nenabled = true\n\n[memory]\nlast_n = 1\n`,
    'error',
    'in line 4 and in line 7',
  ],
  [
    'a key that is a table too',
    `${GOOD}memory.enabled = true\n[memory]\nlast_n = 1\n`,
    'error',
    'in line 4 and in line 5',
  ],
];

const WRITING: readonly Row[] = [
  ['curly quotes', `name = “bot”\n${MODEL}${PROMPT}`, 'error', 'write straight ones'],
  ['curly quotes in a list', `${GOOD}tools = [“read_file”]\n`, 'error', 'write straight ones'],
  ['`True`', `${GOOD}[memory]\nenabled = True\n`, 'error', 'Write `true`, in small letters'],
  ['`no`', `${GOOD}[memory]\nenabled = no # yet\n`, 'error', 'Write `false`, in small letters'],
  ['`None`', `${GOOD}skill = None\n`, 'error', 'leave the key out'],
  ['YAML', 'name: bot\nmodel: x\n', 'error', 'This looks like YAML'],
  ['JSON', '{\n  "name": "bot"\n}\n', 'error', 'This looks like JSON'],
  ['a decimal comma', `${GOOD}[params]\ntemperature = 0,3\n`, 'error', 'Write a decimal point'],
];

const NAMES: readonly Row[] = [
  ['`Read`', `${GOOD}tools = ["Read"]\n`, 'error', 'Did you mean `read_file`?'],
  ['`Bash`', `${GOOD}tools = ["Bash"]\n`, 'error', 'Did you mean `run_command`?'],
  ['`Edit`', `${GOOD}tools = ["Edit"]\n`, 'error', 'Did you mean `edit_file`?'],
  ['`Grep`', `${GOOD}tools = ["Grep"]\n`, 'error', 'Did you mean `search_files`?'],
  [
    '`gemini/`',
    `${NAME}${PROMPT}model = "gemini/gemini-2.5-pro"\n`,
    'error',
    'Did you mean `google`?',
  ],
  [
    'a misspelt agent to ask',
    `${GOOD}sub_agents = ["pr-reviewr"]\n`,
    'error',
    'Did you mean `builtin/pr-reviewer`?',
  ],
];

const ROWS = [...NO_INSTRUCTIONS, ...FILES, ...KEYS, ...TABLES, ...WRITING, ...NAMES];

it.each(ROWS)('an agent with %s is reported with a remedy', async (_, toml, level, words) => {
  const { status, output } = await validate(toml);
  expect(status).toBe(level === 'error' ? 2 : 0);
  expect(output).toMatch(new RegExp(`^axe/agents/bot\\.toml:\\d+:\\d+: ${level}: `, 'm'));
  if (typeof words === 'string') expect(output).toContain(words);
  else expect(output).toMatch(words);
  expect(output).toMatch(
    level === 'note' ? /1 agent: valid$/m : new RegExp(`1 agent: \\d ${level}`),
  );
});

it.each([
  ['pr-reviewr', 'Did you mean `builtin/pr-reviewer`?'],
  ['bot.toml', 'Did you mean `bot`?'],
  ['bto', 'Did you mean `bot`?'],
])('no agent %s: the remedy names the one that is meant', async (name, words) => {
  const { status, output } = await validate(GOOD, name);
  expect([status, output]).toEqual([2, expect.stringContaining(words)]);
});

it('an agent without mistakes gets no line, nor does one that asks no model and needs no prompt', async () => {
  const offline = `${NAME}model = "offline/rules"\n`;
  for (const toml of [GOOD, GOOD + SUBMITS, offline, `${GOOD}[params]\ntemperature = 2\n`])
    expect((await validate(toml)).output).toBe('axe/agents/bot.toml: valid\n\n1 agent: valid\n');
});

it('the agents of the examples get notes at most', async () => {
  const cwd = tempDir('cwd');
  const agents = readdirSync('examples/agents');
  writeFiles(cwd, { 'CHANGELOG.md': '', 'docs/a.md': '' });
  for (const file of agents)
    writeFiles(cwd, { [`axe/agents/${file}`]: readFileSync(`examples/agents/${file}`, 'utf8') });
  for (const skill of readdirSync('examples/skills')) {
    const path = `skills/${skill}/SKILL.md`;
    writeFiles(cwd, { [`axe/${path}`]: readFileSync(`examples/${path}`, 'utf8') });
  }
  const terminal = createFakeTerminal({ env: { HOME: tempDir('home') }, cwd });
  expect(await runCommandLine(['agents', 'validate'], terminal)).toBe(0);
  const lines = terminal.output().split('\n');
  expect(lines.filter((line) => /: (?:error|warning): /.test(line))).toEqual([]);
  expect(terminal.output()).toContain(`${agents.length} agents: valid`);
});
