import { readdirSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { startModelServer, text } from '../helpers/model-server.js';
import { runMain } from '../helpers/run-action.js';
import { tempDir } from '../helpers/temp.js';
import { countEntries, memoryIn, scheduledStep } from './memory-scene.js';

it('a run appends to the file in the workspace and reads it from there', async () => {
  const workspace = tempDir('workspace');
  const model = await startModelServer([text('The lighthouse has a new lamp.'), text('Nothing is new.')]);
  const inputs = { 'memory-store': 'file' };
  const first = await runMain(scheduledStep({ model }, { workspace, inputs, runId: '1' }));
  const afterFirst = memoryIn(workspace, 'ask.md');
  const second = await runMain(scheduledStep({ model }, { workspace, inputs, runId: '2' }));

  for (const step of [first, second]) {
    expect(step).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
    expect(step.outputs).toMatchObject({ 'memory-saved': 'true' });
    expect(step.log).toContain('Memory: 1 entry added to .axe/memory/ask.md');
  }
  expect(model.prompts()[1]?.system).toContain('**Result:** The lighthouse has a new lamp.');
  expect(afterFirst).toBe(first.outputs['memory-entry']);
  expect(memoryIn(workspace, 'ask.md')).toBe(afterFirst + second.outputs['memory-entry']);
  expect(afterFirst).toMatch(
    /^## \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n\*\*Task:\*\* Say what is new\.\n\*\*Result:\*\* The lighthouse has a new lamp\.\n<!-- axe-action v=1 id=\S+ run=1\/1 job=review event=schedule [^\n]+ -->\n\n$/,
  );
  expect(countEntries(memoryIn(workspace, 'ask.md'))).toBe(2);
  expect(readdirSync(workspace, { recursive: true }).sort()).toEqual([
    '.axe',
    '.axe/memory',
    '.axe/memory/.gitignore',
    '.axe/memory/ask.md',
    '.axe/memory/ask.state.md',
    '.axe/memory/ask.state.md.bak',
  ]);
});
