import { describe, expect, it } from '@jest/globals';
import { createMemoryFilter } from '../../src/memory/paths.js';

describe('a path of the repository', () => {
  const isMemory = createMemoryFilter(['.axe/memory', 'docs/mem/', '']);

  it.each([
    '.axe/memory',
    '.axe/memory/bot.md',
    '.axe/memory/untrusted/bot.md',
    './.axe//memory/bot.md',
    '.AXE/Memory/bot.md',
    'docs/mem/web/untrusted/bot.md',
  ])('is memory: %s', (path) => expect(isMemory(path)).toBe(true));

  it.each([
    '',
    '.',
    'README.md',
    '.axe/agents/bot.toml',
    'docs/memory.md',
    'docs/mem.md',
    'src/docs/mem/a.md',
  ])('is not memory: %s', (path) => expect(isMemory(path)).toBe(false));
});
