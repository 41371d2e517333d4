import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { startModelServer } from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { writeFiles } from '../helpers/temp.js';
import { blockOf, laptop, notesStage } from './notes-scene.js';

const BLOCK = blockOf({ 'Long-term memory (MEMORY.md)': 'Tabs, not spaces.' });

it('a dry run shows notes and writes none on the command line', async () => {
  const model = await startModelServer([]);
  const { env, cwd, root, memory } = laptop(model.env);
  const empty = await runCli(['run', 'keeper', '--dry-run'], { env, cwd });
  expect(empty).toMatchObject({ exitCode: 0, stderr: '' });
  expect(empty.stdout).toContain('\n--- Notes ---\n(none)\n');
  expect(empty.stdout).not.toContain('<memory');
  expect(memory()).toEqual({});

  writeFiles(root, { 'keeper.md': '' });
  writeFileSync(join(root, 'MEMORY.md'), 'Tabs, not spaces.\n');
  const full = await runCli(['run', 'keeper', '--dry-run'], { env, cwd });
  expect(full.stdout).toContain(`\n--- Notes ---\n${BLOCK}\n`);
  // It is in the system prompt as well.
  expect(full.stdout.split(BLOCK)).toHaveLength(3);
  expect(memory()).toEqual({ 'keeper.md': '', 'MEMORY.md': 'Tabs, not spaces.\n' });
});

it('a dry run shows notes and writes none in a workflow', async () => {
  const stage = await notesStage({ model: [], branch: { 'MEMORY.md': 'Tabs, not spaces.\n' } });
  const step = await stage.runOn('branch', { inputs: { 'dry-run': 'true' } });
  expect(step).toMatchObject({ exitCode: 0, stderr: '', outputs: { 'memory-saved': 'false' } });
  expect(step.summary).toContain('Tabs, not spaces.');
  expect(stage.memoryOf('branch')).toEqual({ 'MEMORY.md': 'Tabs, not spaces.\n' });
});
