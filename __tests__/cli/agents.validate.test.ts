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

async function validate(...words: readonly string[]) {
  const terminal = createFakeTerminal({ env: { XDG_CONFIG_HOME: home }, cwd });
  const exitCode = await runCommandLine(['agents', 'validate', ...words], terminal);
  return { exitCode, output: terminal.output(), talk: terminal.talk() };
}

const GOOD = 'name = "good"\nmodel = "ollama/llama3"\n';

it('validation checks the named agents, and exits with 0 if there are only warnings', async () => {
  writeFiles(cwd, {
    'axe/agents/good.toml': `${GOOD}sub_agents = ["helper"]\n`,
    'axe/agents/helper.toml': `${GOOD}x = 1\n`,
    'axe/agents/bad.toml': 'name = \n',
  });
  const { exitCode, output } = await validate('good');
  expect(exitCode).toBe(0);
  expect(output).toContain('2 agents: 1 warning');
  expect((await validate('good', 'bad')).exitCode).toBe(2);
});

it('validation reports about a model what a run with this environment and config.toml would report', async () => {
  writeFiles(cwd, { 'axe/agents/own.toml': 'name = "own"\nmodel = "groq/llama-3"\n' });
  const { exitCode, output } = await validate();
  expect(exitCode).toBe(2);
  expect(output).toContain('axe/agents/own.toml:2:1: error: unsupported provider "groq": ');
  expect(output).toContain('  For an OpenAI-compatible endpoint set its address in `AXE_GROQ_BASE_URL`.');
  writeFiles(home, { 'axe/config.toml': '[providers.groq]\nbase_url = "https://groq.example/v1"\n' });
  expect((await validate()).exitCode).toBe(0);
  writeFiles(home, { 'axe/config.toml': '[providers.groq]\nbase_url = "groq"\n' });
  expect((await validate()).output).toContain('error: invalid base URL for provider "groq"');
});

it.each([
  [[], 'there are no agents in'],
  [['nobody'], 'agent config not found: nobody'],
])('validation ends with 2 if there is nothing to check: %j', async (words, message) => {
  await expect(validate(...words)).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringContaining(message),
  });
});
