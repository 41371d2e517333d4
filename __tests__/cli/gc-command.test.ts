// linux-only: keeps its agents in ~/.config, which is another folder on macOS
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { main } from '../../src/cli/main.js';
import { formatEntry } from '../../src/memory/run-log.js';
import { type ModelReply, startModelServer, text } from '../helpers/model-server.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { createFakeTerminal } from '../helpers/terminal-fake.js';

const BOT = `name = "bot"
model = "offline/rules"
[memory]
enabled = true
last_n = 1
`;
const LOG = [0, 1]
  .map((minute) =>
    formatEntry({ timestamp: new Date(Date.UTC(2026, 1, 23, 4, minute)), task: 't', result: 'r' }),
  )
  .join('');
const LATER = formatEntry({ timestamp: new Date(Date.UTC(2026, 1, 24)), task: 't', result: 'r' });

let home: string;
let folder: string;

/** The same agent with a model that has to be asked. */
const ASKING = BOT.replace('offline/rules', 'anthropic/claude-sonnet-4-5');

beforeEach(() => {
  home = tempDir('home');
  folder = join(home, '.local/share/axe/memory');
  writeFiles(home, { '.config/axe/agents/bot.toml': ASKING });
});

/** Garbage collection where the model gives these answers. */
async function answered(words: readonly string[], ...replies: readonly ModelReply[]) {
  const server = await startModelServer(replies);
  return await gc(words, server.env);
}

async function gc(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const terminal = createFakeTerminal({ env: { HOME: home, ...env }, cwd: home });
  const exitCode = await main(['gc', ...words], terminal);
  return { exitCode, output: terminal.output(), talk: terminal.talk() };
}

describe('gc on the command line', () => {
  it.each([
    [
      'is whole',
      'stop',
      40,
      0,
      /^Used: 1 question, 1,200 input and 40 output tokens, \$0\.004\d*\.\n$/,
    ],
    [
      'is cut off',
      'length',
      4096,
      1,
      /^Used: 1 question, 1,200 input and 4,096 output tokens, \$0\.0[67]\d*\.\nthe analysis was cut off, so nothing was trimmed\n {2}Run it again.*\n$/,
    ],
  ])(
    'reports the usage of an analysis that %s',
    async (_what, ...[finishReason, outputTokens, status, told]) => {
      const usage = { inputTokens: 1200, outputTokens };
      const server = await startModelServer([
        { kind: 'text', text: 'Found it.', usage, finishReason },
      ]);
      writeFiles(folder, { 'bot.md': LOG });
      const { exitCode, talk, output } = await gc(['bot', '--stats'], server.env);
      expect(exitCode).toBe(status);
      expect(output).toContain('--- Analysis ---\nFound it.\n');
      expect(talk).toMatch(told);
    },
  );

  it('reads the memory of runs with the same model', async () => {
    writeFiles(folder, { 'bot.md': LOG, 'offline/bot.md': LATER });
    expect(await gc(['bot', '--model', 'offline/rules'])).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining('Entries: 1\n'),
    });
    expect(readFileSync(join(folder, 'bot.md'), 'utf8')).toBe(LOG);
  });

  it('counts as a run does, so that a trim ends the run’s warning', async () => {
    const toml = ASKING.replace('last_n = 1', 'last_n = 2\nmax_entries = 3');
    writeFiles(home, { '.config/axe/agents/bot.toml': toml });
    const equal = LATER.repeat(3);
    writeFiles(folder, { 'bot.md': `Mine.\n\n## Facts\n- a\n\n${equal}` });
    const { output } = await answered(['bot'], text('Found it.'));
    expect(output).toMatch(/^Agent: bot\nEntries: 4\n/);
    expect(output).toMatch(/\nTrimmed: 2 entries removed, 2 entries kept\.\n$/);
    expect(readFileSync(join(folder, 'bot.md'), 'utf8')).toBe(`Mine.\n\n${LATER.repeat(2)}`);
    expect(readFileSync(join(folder, 'bot.md.bak'), 'utf8')).toBe(`## Facts\n- a\n\n${LATER}`);
  });

  it('finds agents by their files with `--all`, as `run` and memory do, whatever their names are', async () => {
    const agents = '.config/axe/agents';
    writeFiles(home, {
      [`${agents}/file.toml`]: ASKING.replace('name = "bot"', 'name = "inside"'),
      [`${agents}/inside.toml`]: ASKING.replace('name = "bot"', 'name = "file"'),
    });
    writeFiles(folder, { 'file.md': LOG, 'inside.md': `${LOG}${LATER}` });
    const { exitCode, output, talk } = await answered(
      ['--all'],
      text('Found it.'),
      text('Found it.'),
    );
    expect([exitCode, talk]).toEqual([0, '']);
    expect(output.match(/^=== .*|^Agent: .*|^Entries: .*|^No memory .*|^Trimmed: .*/gm)).toEqual([
      '=== GC: bot ===',
      'No memory entries for agent "bot". Nothing to do.',
      '=== GC: file ===',
      'Agent: file',
      'Entries: 2',
      'Trimmed: 1 entries removed, 1 entries kept.',
      '=== GC: inside ===',
      'Agent: inside',
      'Entries: 3',
      'Trimmed: 2 entries removed, 1 entries kept.',
    ]);
  });

  it('knows built-in agents by their name and by that of their memory, and with `--all` those that have run', async () => {
    writeFiles(folder, { 'ask.md': LOG, 'offline/ask.md': LOG });
    for (const name of ['ask', 'builtin/ask'])
      expect((await gc([name, '--model', 'offline/rules'])).output).toContain(
        `Agent: builtin/ask\nEntries: 2\n`,
      );
    const { output, exitCode } = await gc(['--all', '--model', 'offline/rules']);
    expect(output.match(/^=== GC: .*$/gm)).toEqual(['=== GC: bot ===', '=== GC: builtin/ask ===']);
    expect(exitCode).toBe(0);
  });

  it('skips a broken agent file with `--all`, and reports its line', async () => {
    writeFiles(home, { '.config/axe/agents/broken.toml': 'name = "broken"\nmodel = \n' });
    const { exitCode, talk } = await gc(['--all']);
    expect(exitCode).toBe(0);
    expect(talk).toMatch(
      /^Warning: \S+broken\.toml is left out: failed to parse agent config "broken": .*\n {2}at \S+broken\.toml:2:\d+\n/,
    );
  });

  it('trims the file behind a link, to which runs append, and leaves the link', async () => {
    const real = join(home, 'dotfiles/bot.md');
    writeFiles(home, { 'dotfiles/bot.md': LOG });
    mkdirSync(folder, { recursive: true });
    const place = join(folder, 'bot.md');
    symlinkSync(real, place);
    const { exitCode, output, talk } = await answered(['bot'], text('Found it.'));
    expect([exitCode, talk]).toEqual([0, '']);
    expect(output).toMatch(/Trimmed: 1 entries removed, 1 entries kept\.\n$/);
    expect(lstatSync(place).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, 'utf8') + readFileSync(`${place}.bak`, 'utf8')).toHaveLength(
      LOG.length,
    );
    expect(readdirSync(join(home, 'dotfiles'))).toEqual(['bot.md']);
  });
});
