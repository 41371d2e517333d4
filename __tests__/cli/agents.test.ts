import { join } from 'node:path';
import { beforeEach, expect, it } from '@jest/globals';
import { runCommandLine } from '../../src/cli/main.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { createFakeTerminal } from '../helpers/terminal-fake.js';

let cwd: string;
let home: string;

beforeEach(() => {
  cwd = tempDir('cwd');
  home = tempDir('home');
});

/** Runs `agents` in `cwd`. */
async function agents(...words: readonly string[]) {
  const terminal = createFakeTerminal({ env: { XDG_CONFIG_HOME: home, EDITOR: 'true' }, cwd });
  const exitCode = await runCommandLine(['agents', ...words], terminal);
  return { exitCode, output: terminal.output(), talk: terminal.talk() };
}

const agent = (name: string, more = '') =>
  `name = "${name}"\nmodel = "ollama/llama3"\nsystem_prompt = "Help."\n${more}`;

it('agents list --json has agents with their files and problems, and the built-in ones', async () => {
  writeFiles(cwd, {
    'axe/agents/a.toml': agent('a', 'description = "of axe"\n'),
    'axe/agents/b.toml': 'model = "x/y"\n',
  });
  const { output, talk } = await agents('list', '--json');
  expect(talk).toBe('');
  expect(JSON.parse(output)).toEqual([
    { name: 'a', description: 'of axe', file: 'axe/agents/a.toml', builtIn: false, error: null },
    {
      name: 'b',
      description: '',
      file: 'axe/agents/b.toml',
      builtIn: false,
      error: {
        message: 'agent config missing required field: name',
        remedy: expect.stringContaining('Add a line'),
        file: 'axe/agents/b.toml',
        line: 1,
      },
    },
    expect.objectContaining({ name: 'builtin/pr-reviewer', file: null, builtIn: true }),
    ...['triage', 'ask', 'fix'].map((name) => expect.objectContaining({ name: `builtin/${name}` })),
  ]);
});

it('agents init resolves a relative folder from the current folder', async () => {
  const { output } = await agents('init', 'helper', '--agents-dir', 'mine');
  expect(output).toBe(`${join(cwd, 'mine', 'helper.toml')}\n`);
  expect((await agents('list', '--agents-dir', 'mine')).output).toMatch(/^helper\nbuiltin\//);
});

it.each<[string, object]>([
  ['show bot', { at: { file: 'axe/agents/bot.toml', line: 2 } }],
  [
    'show bto',
    { message: 'agent config not found: bto', remedy: expect.stringContaining('`bot`') },
  ],
  ['init ../evil', { message: 'invalid agent name "../evil"', remedy: expect.any(String) }],
  ['edit builtin/ask', { message: 'agent "builtin/ask" is built in and has no file' }],
  ['edit nobody', { message: 'agent config not found: nobody' }],
])('agents %s ends with status 1 (axe-behaviour §12)', async (line, error) => {
  writeFiles(cwd, { 'axe/agents/bot.toml': 'name = "bot"\nmodel = 7\n' });
  await expect(agents(...line.split(' '))).rejects.toMatchObject({ exitCode: 1, ...error });
});

it('agents validate checks the named agents, and exits with 0 if there are only warnings', async () => {
  writeFiles(cwd, {
    'axe/agents/good.toml': agent('good', 'sub_agents = ["helper"]\n'),
    'axe/agents/helper.toml': agent('good', 'x = 1\n'),
    'axe/agents/bad.toml': 'name = \n',
  });
  const { exitCode, output } = await agents('validate', 'good');
  expect(exitCode).toBe(0);
  expect(output).toContain('2 agents: 1 warning');
  expect((await agents('validate', 'good', 'bad')).exitCode).toBe(2);
  await expect(agents('validate', 'nobody')).rejects.toMatchObject({ exitCode: 2 });
});

it('agents validate reports about a model what a run with this environment and config.toml would report', async () => {
  writeFiles(cwd, {
    'axe/agents/own.toml': 'name = "own"\nmodel = "lab/llama-3"\nsystem_prompt = "Help."\n',
  });
  const { exitCode, output } = await agents('validate');
  expect(exitCode).toBe(2);
  expect(output).toContain('axe/agents/own.toml:2:1: error: unsupported provider "lab": ');
  expect(output).toContain(
    '  For an OpenAI-compatible endpoint set its address in `AXE_LAB_BASE_URL`.',
  );
  writeFiles(home, {
    'axe/config.toml': '[providers.lab]\nbase_url = "https://lab.example/v1"\n',
  });
  expect((await agents('validate')).exitCode).toBe(0);
  writeFiles(home, { 'axe/config.toml': '[providers.lab]\nbase_url = "lab"\n' });
  expect((await agents('validate')).output).toContain('error: invalid base URL for provider "lab"');
});
