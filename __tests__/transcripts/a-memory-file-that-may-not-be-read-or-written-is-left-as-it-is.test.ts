import { chmodSync, chownSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { startChild } from '../helpers/child.js';
import { startModelServer, text } from '../helpers/model-server.js';
import { nodeForOthers, openToOthers } from '../helpers/other-users.js';
import { CLI } from '../helpers/run-cli.js';
import { tempDir, writeFiles } from '../helpers/temp.js';

const FILE = 'axe/memory/ask.md';
const MEMORY = '## 2026-01-02T03:04:05Z\n**Task:** x\n**Result:** Known.\n\n';
const NOBODY = 65_534;
const AS_NOBODY = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];

/** Runs the command line as an ordinary user: to root every file is open. */
async function runInFolder(data: string, env: Readonly<Record<string, string>>) {
  const isRoot = process.getuid?.() === 0;
  if (isRoot)
    for (const path of ['.', 'axe', 'axe/memory', FILE]) chownSync(join(data, path), NOBODY, NOBODY);
  const program = isRoot
    ? [...AS_NOBODY, nodeForOthers(), join(openToOthers(dirname(CLI)), basename(CLI))]
    : [process.execPath, CLI];
  const words = [...program, 'run', 'builtin/ask'];
  const [command = '', ...args] = words;
  const { finished } = startChild({
    command,
    args,
    cwd: data,
    env: { PATH: process.env['PATH'] ?? '', HOME: data, XDG_DATA_HOME: data, ...env },
  });
  return await finished;
}

describe('C2 30: a memory file', () => {
  it.each([
    ['nobody can read or write', 0o000],
    ['can only be read', 0o444],
  ])('that %s stays unchanged', async (_, mode) => {
    const data = tempDir('data');
    writeFiles(data, { [FILE]: MEMORY });
    chmodSync(join(data, FILE), mode);
    const model = await startModelServer([text('It rains.')]);
    const result = await runInFolder(data, model.env);

    expect(result).toMatchObject({ exitCode: 0, stdout: 'It rains.' });
    const isReadable = mode !== 0;
    expect(model.prompts()[0]?.system.includes('**Result:** Known.')).toBe(isReadable);
    const warnings = result.stderr.trimEnd().split('\n');
    expect(
      warnings.filter((line) => line.startsWith('Warning: failed to load memory for "builtin/ask": ')),
    ).toHaveLength(isReadable ? 0 : 1);
    expect(
      warnings.filter((line) => line.startsWith('Warning: failed to save memory for "builtin/ask": ')),
    ).toHaveLength(1);
    expect(result.stderr).toContain('permission denied');
    chmodSync(join(data, FILE), 0o644);
    expect(readFileSync(join(data, FILE), 'utf8')).toBe(MEMORY);
  });
});
