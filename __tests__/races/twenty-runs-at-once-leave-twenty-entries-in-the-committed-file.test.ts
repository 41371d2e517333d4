import { expect, it } from '@jest/globals';
import { startModelServer, text } from '../helpers/model-server.js';
import { runMain } from '../helpers/run-action.js';
import { tempDir } from '../helpers/temp.js';
import { memoryIn, resultsIn, scheduledStep } from '../transcripts/memory-scene.js';

const RUNS = 20;

it('keeps every entry whole, once', async () => {
  const workspace = tempDir('workspace');
  const model = await startModelServer((_, index) => text(`Answer ${index}.`));
  const inputs = { 'memory-store': 'file' };
  const steps = await Promise.all(
    Array.from({ length: RUNS }, (_, index) =>
      runMain(scheduledStep({ model }, { workspace, inputs, runId: String(index) })),
    ),
  );
  for (const step of steps) {
    expect(step).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
    expect(step.outputs['memory-saved']).toBe('true');
  }
  const memory = memoryIn(workspace, 'ask.md');
  const entries = steps.map(({ outputs }) => outputs['memory-entry'] ?? '');
  expect([...resultsIn(memory)].sort()).toEqual(
    Array.from({ length: RUNS }, (_, index) => `Answer ${index}.`).sort(),
  );
  expect(memory.length).toBe(entries.join('').length);
  for (const entry of entries) expect(memory).toContain(entry);
});
