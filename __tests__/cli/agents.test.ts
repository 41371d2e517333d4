import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
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
async function agents(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const terminal = createFakeTerminal({ env: { XDG_CONFIG_HOME: home, ...env }, cwd });
  const exitCode = await runCommandLine(['agents', ...words], terminal);
  return { exitCode, output: terminal.output(), talk: terminal.talk() };
}

function agent(name: string, more = ''): string {
  return `name = "${name}"\nmodel = "ollama/llama3"\n${more}`;
}

describe('--json', () => {
  it('lists agents with their files and problems, and the built-in ones', async () => {
    writeFiles(cwd, {
      'axe/agents/a.toml': agent('a', 'description = "of axe"\n'),
      'axe/agents/b.toml': 'model = "x/y"\n',
    });
    const { output, talk } = await agents(['list', '--json']);
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
      expect.objectContaining({ name: 'builtin/triage' }),
      expect.objectContaining({ name: 'builtin/ask' }),
      expect.objectContaining({ name: 'builtin/fix' }),
    ]);
  });
});

describe('agents show', () => {
  it('keeps place and remedy of a problem in an agent, exit status 1 for every problem (axe-behaviour §12)', async () => {
    writeFiles(cwd, { 'axe/agents/bot.toml': 'name = "bot"\nmodel = 7\n' });
    await expect(agents(['show', 'bot'])).rejects.toMatchObject({
      exitCode: 1,
      at: { file: 'axe/agents/bot.toml', line: 2 },
    });
    await expect(agents(['show', 'bto'])).rejects.toMatchObject({
      exitCode: 1,
      message: 'agent config not found: bto',
      remedy: expect.stringContaining('`bot`'),
    });
  });
});

describe('agents init', () => {
  it('resolves a relative folder from the current folder', async () => {
    const { output } = await agents(['init', 'helper', '--agents-dir', 'mine']);
    expect(output).toBe(`${join(cwd, 'mine', 'helper.toml')}\n`);
    expect((await agents(['list', '--agents-dir', 'mine'])).output).toMatch(/^helper\nbuiltin\//);
  });

  it.each([
    ['../evil', 'invalid agent name "../evil"'],
    ['', 'invalid agent name ""'],
    ['memory', 'agent name "memory" is reserved'],
  ])('refuses the name %j', async (name, message) => {
    await expect(agents(['init', name])).rejects.toMatchObject({
      message,
      exitCode: 1,
      remedy: expect.any(String),
    });
  });

  it('reports a folder that it cannot write to', async () => {
    writeFiles(cwd, { mine: 'a file' });
    await expect(agents(['init', 'bot', '--agents-dir', join(cwd, 'mine')])).rejects.toMatchObject({
      name: 'AxeError',
      exitCode: 1,
    });
  });
});

describe('agents edit', () => {
  it('refuses an agent without a file', async () => {
    await expect(agents(['edit', 'builtin/ask'], { EDITOR: 'true' })).rejects.toMatchObject({
      message: 'agent "builtin/ask" is built in and has no file',
      exitCode: 1,
    });
    await expect(agents(['edit', 'nobody'], { EDITOR: 'true' })).rejects.toMatchObject({
      message: 'agent config not found: nobody',
      exitCode: 1,
    });
  });
});
