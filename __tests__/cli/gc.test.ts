import { existsSync, lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { formatEntry } from '../../src/axe/memory/run-log.js';
import { main } from '../../src/cli/main.js';
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

let home: string;
let folder: string;

beforeEach(() => {
  home = tempDir('home');
  folder = join(home, '.local/share/axe/memory/offline');
  writeFiles(home, { '.config/axe/agents/bot.toml': BOT });
});

async function gc(...words: readonly string[]) {
  const terminal = createFakeTerminal({ env: { HOME: home }, cwd: home });
  const exitCode = await main(['gc', ...words], terminal);
  return { exitCode, output: terminal.output(), talk: terminal.talk() };
}

describe('gc on the command line', () => {
  it('removes old daily logs where there is no run log, and says so', async () => {
    writeFiles(folder, { [DAY]: 'old\n' });
    expect(await gc('bot')).toMatchObject({
      exitCode: 0,
      output: 'No memory entries for agent "bot".\nRemoved: 1 daily logs older than retention_days.\n',
    });
    expect(existsSync(join(folder, DAY))).toBe(false);
    expect(await gc('bot')).toMatchObject({ output: 'No memory entries for agent "bot". Nothing to do.\n' });
  });

  it('leaves a link in the place of the run log as it is, with what it leads to', async () => {
    const real = join(home, 'dotfiles/bot.md');
    writeFiles(home, { 'dotfiles/bot.md': LOG });
    writeFiles(folder, { [DAY]: 'old\n' });
    const place = join(folder, 'bot.md');
    symlinkSync(real, place);
    const { exitCode, output, talk } = await gc('bot');
    expect([exitCode, output]).toEqual([1, 'Agent: bot\nEntries: 2\n']);
    expect(talk).toContain(`${place} is a symbolic link, so it is not rewritten`);
    expect(talk).toContain('name the file in `path` of `[memory]`. With `--dry-run` gc only analyses.');
    expect(lstatSync(place).isSymbolicLink()).toBe(true);
    expect([readFileSync(real, 'utf8'), existsSync(join(folder, DAY))]).toEqual([LOG, true]);
  });
});
