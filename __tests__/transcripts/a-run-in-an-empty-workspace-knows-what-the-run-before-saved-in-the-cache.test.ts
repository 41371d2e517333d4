import { readdirSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { startCacheServer } from '../helpers/cache-server.js';
import { startModelServer, text } from '../helpers/model-server.js';
import { runMain } from '../helpers/run-action.js';
import { countEntries, scheduledStep } from './memory-scene.js';
import { told } from './stage.js';

it('the second run receives the entry of the first', async () => {
  const cache = await startCacheServer();
  const model = await startModelServer([text('The lighthouse has a new lamp.'), text('Nothing is new.')]);
  const first = await runMain(scheduledStep({ model, cache }, { runId: '1' }));
  const second = await runMain(scheduledStep({ model, cache }, { runId: '2' }));

  const [before, after] = model.prompts();
  expect(before?.system).not.toContain('## Memory');
  expect(after?.system).toContain('**Task:** Say what is new.\n**Result:** The lighthouse has a new lamp.');
  expect(countEntries(after?.system ?? '')).toBe(1);
  expect(after?.system).not.toContain('<!--');

  for (const step of [first, second]) {
    expect(step).toMatchObject({ exitCode: 0, stderr: '' });
    // Its maintainer is informed once; from then on it is a line of the summary.
    expect(told(step)).toEqual(
      step === first
        ? [expect.stringMatching(/^notice: .* 7 days, so a schedule .* loses its memory\. .*keeps it/)]
        : [],
    );
    expect(step.summary).toMatch(
      /7 days, so a schedule .* loses its memory\. .*`memory-store: branch` keeps it/,
    );
    expect(step.outputs).toMatchObject({
      conclusion: 'success',
      'memory-saved': 'true',
    });
    expect(readdirSync(step.workspace)).toEqual([]);
  }
  expect(first.outputs['memory-loaded']).toBe('0');
  expect(second.outputs['memory-loaded']).toBe('1');
  expect(second.outputs['memory-entry']).toContain('run=2/1 ');
  expect(first.outputs['memory-entry-id']).not.toBe(second.outputs['memory-entry-id']);
  expect(cache.entries().map(({ key, finalized }) => [key, finalized])).toEqual([
    ['axe-memory/v1/trunk/default/0000000001.', true],
    ['axe-memory/v1/trunk/default/0000000002.', true],
  ]);
});
