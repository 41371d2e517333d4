import { chmodSync, chownSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { startChild } from '../helpers/child.js';
import { startModelServer, text, toolCall } from '../helpers/model-server.js';
import { nodeForOthers, openToOthers } from '../helpers/other-users.js';
import { CLI } from '../helpers/run-cli.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { keeperToml, laptop, newResults } from './notes-scene.js';

const FILE = 'axe/memory/ask.md';
const MEMORY = '## 2026-01-02T03:04:05Z\n**Task:** x\n**Result:** Known.\n\n';
const NOBODY = 65_534;
const AS_NOBODY = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];

/** Runs the command line as an ordinary user, to whom the folders belong: to root every file is open. */
async function runAsNobody(
  words: readonly string[],
  folders: readonly string[],
  env: Record<string, string>,
) {
  const isRoot = process.getuid?.() === 0;
  const paths = folders.flatMap((folder) => [
    folder,
    ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  ]);
  if (isRoot) for (const path of paths) chownSync(path, NOBODY, NOBODY);
  const program = isRoot
    ? [...AS_NOBODY, nodeForOthers(), join(openToOthers(dirname(CLI)), basename(CLI))]
    : [process.execPath, CLI];
  const [command = '', ...args] = [...program, 'run', ...words];
  const [cwd = ''] = folders;
  const given = { PATH: process.env['PATH'] ?? '', HOME: cwd, ...env };
  return await startChild({ command, args, cwd, env: given }).finished;
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
    const result = await runAsNobody(['builtin/ask'], [data], { ...model.env, XDG_DATA_HOME: data });

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

it('a MEMORY.md that nobody can read prevents neither the entry nor another note, and both writes are named', async () => {
  const model = await startModelServer([
    toolCall('write_memory', { content: 'Tabs.' }),
    toolCall('memory_write', { target: 'daily', content: 'Looked.' }),
    text('Twelve hours.'),
  ]);
  const toml = keeperToml({ memory: 'tools = ["write_memory", "memory_write"]\n' });
  const { env, cwd, root, memory } = laptop(model.env, toml);
  writeFiles(root, { 'MEMORY.md': 'Spaces.\n' });
  chmodSync(join(root, 'MEMORY.md'), 0);
  const result = await runAsNobody(['keeper', '-v'], [cwd, env.XDG_DATA_HOME], env);
  expect(result).toMatchObject({ exitCode: 0, stdout: 'Twelve hours.' });
  expect(result.stderr).toMatch(
    /^Warning: Notes could not be read and are left as they are: open .*MEMORY\.md: permission denied\. Everything else/m,
  );
  expect(result.stderr).not.toContain('failed to save');
  expect(newResults(model.requests()[1])[0]).toMatch(
    /^Tool 'write_memory' execution failed: Storage operation 'append to memory file' failed: open .*MEMORY\.md: permission denied$/,
  );
  expect(result.stderr).toMatch(/^\[memory\] append .*\.md \(7 bytes\)$/m);
  chmodSync(join(root, 'MEMORY.md'), 0o600);
  expect(memory()).toMatchObject({
    'MEMORY.md': 'Spaces.\n',
    'keeper.md': expect.stringContaining('**Result:** Twelve hours.'),
  });
});
