import { expect, it } from '@jest/globals';
import { promptOf, text, toolCall } from '../helpers/model-server.js';
import { keeperToml, notesStage } from './notes-scene.js';
import { troubles } from './stage.js';

/** A run on a branch that has a log and notes, and what it asked GitHub for. */
async function run(toml: string) {
  const stage = await notesStage({
    toml,
    branch: {
      'keeper.md': '## 2026-01-01T00:00:00Z\n**Task:** t\n**Result:** r\n\n',
      'MEMORY.md': 'Tabs.\n',
    },
    model(request) {
      const { messages, tools } = promptOf(request);
      const isFirst = messages.length === 1;
      return isFirst && tools.includes('memory_write')
        ? toolCall('memory_write', { target: 'long_term', content: 'No push on Fridays.' })
        : text('Done.');
    },
  });
  const step = await stage.runOn('branch');
  expect(step).toMatchObject({ exitCode: 0, stderr: '', outputs: { 'memory-saved': 'true' } });
  expect(troubles(step)).toEqual([]);
  return { calls: stage.github.requests().map(({ method, path }) => `${method} ${path}`), stage };
}

it('notes are read with the run log, for no request more, and saved with the entry', async () => {
  const without = await run(keeperToml().replace('notes = true', 'notes = false'));
  const { calls, stage } = await run(keeperToml());
  expect(stage.memoryOf('branch')['MEMORY.md']).toBe('Tabs.\nNo push on Fridays.\n');
  expect(stage.model.prompts()[0]?.system).toContain('Tabs.');
  expect(without.calls.length).toBeGreaterThan(1);
  expect(calls).toEqual(without.calls);
});
