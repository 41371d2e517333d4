import { expect, it } from '@jest/globals';
import { promptOf, text, toolCall } from '../helpers/model-server.js';
import { keeperToml, newResults, notesStage } from './notes-scene.js';
import { troubles } from './stage.js';

const FACT = 'Sessions last 12 hours.';

it('a sub-agent finds what its parent has just written, and has no tool that writes', async () => {
  const asked: string[][] = [];
  const found: string[] = [];
  const stage = await notesStage({
    branch: { 'README.md': 'Memory.\n' },
    toml: keeperToml({ subAgents: ['north'] }),
    base: { 'axe/agents/north.toml': keeperToml({ name: 'north' }) },
    model(request) {
      const { system, messages, tools } = promptOf(request);
      const turn = messages.filter((message) => message.startsWith('assistant:')).length;
      if (system.startsWith('You are north.')) {
        asked.push([...tools]);
        found.push(...newResults(request));
        if (turn === 0) return toolCall('memory_search', { query: 'sessions' });
        if (turn === 1) return toolCall('memory_write', { target: 'long_term', content: 'I was here.' });
        return text('Twelve.');
      }
      if (turn === 0) return toolCall('memory_write', { target: 'long_term', content: FACT });
      if (turn === 1) return toolCall('call_agent', { agent: 'north', task: 'How long?' });
      return text('Twelve hours.');
    },
  });
  const step = await stage.runOn('branch');
  expect(step).toMatchObject({ exitCode: 0, stderr: '', outputs: { 'memory-saved': 'true' } });
  expect(troubles(step)).toEqual([]);
  expect(asked).toEqual([1, 2, 3].map(() => ['memory_read', 'memory_search']));
  expect(found).toEqual([
    expect.stringContaining(FACT),
    'Unknown tool: "memory_write". There are these: memory_read, memory_search',
  ]);
  expect(stage.memoryOf('branch')['MEMORY.md']).toBe(`${FACT}\n`);
});
