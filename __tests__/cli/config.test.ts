import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { runCommandLine } from '../../src/cli/main.js';
import { parseProvidersConfig } from '../../src/model/settings.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { createFakeTerminal } from '../helpers/terminal-fake.js';

/** Runs `config` on a machine whose configuration is in `folder`. */
async function config(folder: string, ...words: string[]) {
  const terminal = createFakeTerminal({ env: { XDG_CONFIG_HOME: folder } });
  const exitCode = await runCommandLine(['config', ...words], terminal);
  return { exitCode, output: terminal.output(), talk: terminal.talk() };
}

describe('config', () => {
  it('path reports what is missing if there is no home folder, exit status as for configuration', async () => {
    await expect(runCommandLine(['config', 'path'], createFakeTerminal())).rejects.toMatchObject({
      name: 'ConfigError',
      message: expect.stringMatching(/^unable to determine config directory: /),
    });
  });

  it('init creates files that this program can read, with nothing set in them', async () => {
    const folder = tempDir('config');
    expect(await config(folder, 'init')).toEqual({ exitCode: 0, output: `${folder}/axe\n`, talk: '' });
    const file = join(folder, 'axe', 'config.toml');
    const toml = readFileSync(file, 'utf8');
    expect(parseProvidersConfig(toml, file)).toEqual({});
    const filledIn = toml.replace(/^# (?=\[|\w+ = )/gm, '').replaceAll('api_key = ""', 'api_key = "k"');
    expect(Object.keys(parseProvidersConfig(filledIn, file))).toEqual(['anthropic', 'openai', 'ollama']);
    expect(readFileSync(join(folder, 'axe/skills/sample/SKILL.md'), 'utf8')).toMatch(/^# Sample skill\n/);
    expect(readdirSync(join(folder, 'axe/agents'))).toEqual([]);
  });

  it('init reports a folder that it cannot create', async () => {
    const folder = tempDir('config');
    writeFiles(folder, { axe: 'a file' });
    await expect(config(folder, 'init')).rejects.toMatchObject({
      name: 'AxeError',
      message: expect.stringContaining(join(folder, 'axe')),
      exitCode: 1,
    });
  });
});
