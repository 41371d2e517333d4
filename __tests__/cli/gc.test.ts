import { existsSync, lstatSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { formatEntry } from '../../src/axe/memory/run-log.js';
import { main } from '../../src/cli/main.js';
import { startModelServer } from '../helpers/model-server.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { createFakeTerminal } from '../helpers/terminal-fake.js';

const BOT = `name = "bot"
model = "offline/rules"
[memory]
enabled = true
last_n = 1
notes = true
scope = "agent"
retention_days = 30
`;
const DAY = 'projects/agent-bot/daily/2001-01-01.md';
const LOG = [0, 1]
  .map((minute) =>
    formatEntry({ timestamp: new Date(Date.UTC(2026, 1, 23, 4, minute)), task: 't', result: 'r' }),
  )
  .join('');
const LATER = formatEntry({ timestamp: new Date(Date.UTC(2026, 1, 24)), task: 't', result: 'r' });

let home: string;
let folder: string;

beforeEach(() => {
  home = tempDir('home');
  folder = join(home, '.local/share/axe/memory/offline');
  writeFiles(home, { '.config/axe/agents/bot.toml': BOT });
});

async function gc(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const terminal = createFakeTerminal({ env: { HOME: home, ...env }, cwd: home });
  const exitCode = await main(['gc', ...words], terminal);
  return { exitCode, output: terminal.output(), talk: terminal.talk() };
}

describe('gc on the command line', () => {
  it('removes old daily logs where there is no run log, and says so', async () => {
    writeFiles(folder, { [DAY]: 'old\n' });
    expect(await gc(['bot'])).toMatchObject({
      exitCode: 0,
      output: 'No memory entries for agent "bot".\nRemoved: 1 daily log older than retention_days.\n',
    });
    expect(existsSync(join(folder, DAY))).toBe(false);
    expect(await gc(['bot'])).toMatchObject({
      output: 'No memory entries for agent "bot". Nothing to do.\n',
    });
  });

  it.each([
    ['is whole', 'stop', 40, 0, /^Used: 1 question, 1200 input and 40 output tokens, \$0\.004\d*\.\n$/],
    [
      'is cut off',
      'length',
      4096,
      1,
      /^the analysis was cut off, so nothing was trimmed\n {2}Run it again.*\n {2}Used: 1 question, 1200 input and 4096 output tokens, \$0\.0[67]\d*\.\n$/,
    ],
  ])('tells what an analysis took that %s', async (_what, finishReason, outputTokens, status, told) => {
    const usage = { inputTokens: 1200, outputTokens };
    const server = await startModelServer([{ kind: 'text', text: 'Found it.', usage, finishReason }]);
    const toml = BOT.replace('offline/rules', 'anthropic/claude-sonnet-4-5');
    writeFiles(home, { '.config/axe/agents/bot.toml': toml });
    writeFiles(join(folder, '..'), { 'bot.md': LOG });
    const { exitCode, talk } = await gc(['bot', '--stats'], server.env);
    expect(exitCode).toBe(status);
    expect(talk).toMatch(told);
  });

  it('knows agents by their files with `--all`, as `run` and memory do, whatever their names are', async () => {
    const agents = '.config/axe/agents';
    writeFiles(home, {
      [`${agents}/file.toml`]: BOT.replace('name = "bot"', 'name = "inside"'),
      [`${agents}/inside.toml`]: BOT.replace('name = "bot"', 'name = "file"'),
    });
    writeFiles(folder, { 'file.md': LOG, 'inside.md': `${LOG}${LATER}` });
    const { exitCode, output, talk } = await gc(['--all']);
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

  it('leaves out with `--all` an agent file that is broken, and says at which line', async () => {
    writeFiles(home, { '.config/axe/agents/broken.toml': 'name = "broken"\nmodel = \n' });
    const { exitCode, talk } = await gc(['--all']);
    expect(exitCode).toBe(0);
    expect(talk).toMatch(
      /^Warning: \S+broken\.toml is left out: failed to parse agent config "broken": .*\n {2}at \S+broken\.toml:2:\d+\n/,
    );
  });

  it('lets entries of the untrusted lane go by their age, and refuses a link in its place', async () => {
    const toml = BOT.replace('last_n = 1', 'last_n = 5\nmax_age_days = 3650');
    writeFiles(home, { '.config/axe/agents/bot.toml': toml });
    const untrusted = join(folder, '../untrusted/offline/bot.md');
    const old = formatEntry({ timestamp: new Date(Date.UTC(2001, 0, 1)), task: 'old', result: 'r' });
    writeFiles(folder, { 'bot.md': LOG, '../untrusted/offline/bot.md': old + LOG });
    expect(await gc(['bot', '--dry-run'])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(untrusted, 'utf8')).toBe(old + LOG);
    expect(await gc(['bot'])).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(
        /within limit \(5\)\.\nRemoved: 1 entry of the untrusted lane older than max_age_days\.\n$/,
      ),
    });
    expect([readFileSync(untrusted, 'utf8'), readFileSync(`${untrusted}.bak`, 'utf8')]).toEqual([LOG, old]);
    const real = join(home, 'real.md');
    renameSync(untrusted, real);
    symlinkSync(real, untrusted);
    const { exitCode, talk } = await gc(['bot']);
    expect([exitCode, talk]).toEqual([1, expect.stringContaining(`${untrusted} is a symbolic link`)]);
  });

  it('leaves a link in the place of the run log as it is, with what it leads to', async () => {
    const real = join(home, 'dotfiles/bot.md');
    writeFiles(home, { 'dotfiles/bot.md': LOG });
    writeFiles(folder, { [DAY]: 'old\n' });
    const place = join(folder, 'bot.md');
    symlinkSync(real, place);
    const { exitCode, output, talk } = await gc(['bot']);
    expect([exitCode, output]).toEqual([1, 'Agent: bot\nEntries: 2\n']);
    expect(talk).toContain(`${place} is a symbolic link, so it is not rewritten`);
    expect(talk).toContain('name the file in `path` of `[memory]`. With `--dry-run` gc only analyses.');
    expect(lstatSync(place).isSymbolicLink()).toBe(true);
    expect([readFileSync(real, 'utf8'), existsSync(join(folder, DAY))]).toEqual([LOG, true]);
  });
});
