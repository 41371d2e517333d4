import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { startChild } from '../helpers/child.js';
import { startModelServer, text, toolCall } from '../helpers/model-server.js';
import { CLI, runCli } from '../helpers/run-cli.js';
import { dayAgo, keeperToml, laptop, newResults, notesStage } from './notes-scene.js';
import { troubles } from './stage.js';

const TOML = keeperToml({ memory: 'tools = ["write_memory", "memory_write"]\n' });

/** The run writes to the note that is blocked and to another, and answers. */
const REPLIES = [
  toolCall('write_memory', { content: 'Tabs.' }),
  toolCall('memory_write', { target: 'daily', content: 'Looked.' }),
  text('Twelve hours.'),
];

const NOBODY = 65_534;
const AS_NOBODY = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];

function giveAway(folder: string): void {
  chownSync(folder, NOBODY, NOBODY);
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    chownSync(join(folder, name), NOBODY, NOBODY);
}

describe('a linked MEMORY.md', () => {
  it('is left unchanged in a workflow, and the entry and the other note are saved', async () => {
    const stage = await notesStage({ model: REPLIES, toml: TOML });
    const root = join(stage.workspace, '.axe/memory');
    mkdirSync(root, { recursive: true });
    symlinkSync('/etc/hostname', join(root, 'MEMORY.md'));
    const step = await stage.runOn('file');
    expect(step).toMatchObject({
      exitCode: 0,
      stderr: '',
      outputs: { conclusion: 'success', 'memory-saved': 'true' },
    });
    expect(step.outputs).not.toHaveProperty('memory-save-error');
    expect(troubles(step)).toHaveLength(1);
    expect(troubles(step)[0]?.message).toContain('MEMORY.md');
    expect(newResults(stage.model.requests()[1])[0]).toMatch(
      /^Permission denied for tool 'write_memory': `MEMORY\.md` is a symbolic link\. Put /,
    );
    const memory = stage.memoryOf('file');
    expect(memory['keeper.md']).toContain('**Result:** Twelve hours.');
    expect(Object.entries(memory).find(([path]) => path.endsWith(`${dayAgo(0)}.md`))?.[1]).toBe('Looked.\n');
    expect(lstatSync(join(root, 'MEMORY.md')).isSymbolicLink()).toBe(true);
    expect(step.log).toMatch(/^ {2}Note added to: projects\/.*\.md, 7 bytes$/m);
    expect(step.log).toMatch(/^Memory: 1 entry added to \.axe\/memory\/keeper\.md and 1 change to notes$/m);
  });
});

describe('a MEMORY.md that nobody can read', () => {
  it('prevents neither the entry nor the other note on the command line, and both writes are named', async () => {
    const model = await startModelServer(REPLIES);
    const { env, cwd, root } = laptop(model.env, TOML);
    mkdirSync(root, { recursive: true });
    const file = join(root, 'MEMORY.md');
    writeFileSync(file, 'Spaces.\n');
    chmodSync(file, 0);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) for (const folder of [cwd, env['XDG_DATA_HOME'] ?? '']) giveAway(folder);
    const [command = '', ...args] = [
      ...(isRoot ? AS_NOBODY : []),
      process.execPath,
      CLI,
      'run',
      'keeper',
      '-v',
    ];
    const { finished } = startChild({
      command,
      args,
      cwd,
      env: { PATH: process.env['PATH'] ?? '', HOME: cwd, ...env },
    });
    const result = await finished;
    expect(result).toMatchObject({ exitCode: 0, stdout: 'Twelve hours.' });
    expect(result.stderr).toMatch(
      /^Warning: Notes could not be read and are left as they are: open .*MEMORY\.md: permission denied\. Everything else/m,
    );
    expect(result.stderr).not.toContain('failed to save');
    expect(newResults(model.requests()[1])[0]).toMatch(
      /^Tool 'write_memory' execution failed: Storage operation 'append to memory file' failed: open .*MEMORY\.md: permission denied$/,
    );
    expect(readFileSync(join(root, 'keeper.md'), 'utf8')).toContain('**Result:** Twelve hours.');
    expect(result.stderr).toMatch(/^\[memory\] append .*\.md \(7 bytes\)$/m);
    chmodSync(file, 0o600);
    expect(readFileSync(file, 'utf8')).toBe('Spaces.\n');
  });
});

it('the backup of a private note is as private as the note', async () => {
  const model = await startModelServer([
    toolCall('memory_write', { target: 'long_term', content: 'Tabs.', mode: 'overwrite' }),
    text('Done.'),
  ]);
  const { env, cwd, root } = laptop(model.env, keeperToml());
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, 'MEMORY.md'), 'Spaces.\n', { mode: 0o600 });
  expect(await runCli(['run', 'keeper'], { env, cwd, stdin: 'Look.' })).toMatchObject({ exitCode: 0 });
  const modes = readdirSync(root)
    .filter((name) => name.startsWith('MEMORY'))
    .map((name) => [name, statSync(join(root, name)).mode & 0o777]);
  expect(modes).toEqual([
    ['MEMORY.bak', 0o600],
    ['MEMORY.md', 0o600],
  ]);
});
