import { describe, expect, it } from '@jest/globals';
import { parseAgent } from '../../src/agent/inspect.js';
import { notesToolsOf } from '../../src/memory/notes/place.js';
import { makeNotesPrompt } from '../../src/prompt/system.js';

function memory(lines: string) {
  const text = `name = "v"\nmodel = "a/m"\n[memory]\nenabled = true\nnotes = true\n${lines}`;
  return parseAgent(text, { name: 'v', file: 'v.toml' }).config.memory;
}

const PARTS = {
  files: new Map([
    ['MEMORY.md', 'a'.repeat(500)],
    ['2026-01-05.md', 'planned'],
  ]),
  places: { folder: '', slug: '' } as const,
  today: '2026-03-01',
  tools: notesToolsOf([]),
};

describe('the notes part of a prompt', () => {
  it('follows the agent’s file', () => {
    const usual = makeNotesPrompt({ ...PARTS, memory: memory('') });
    expect(usual.prompt.block).toContain('a'.repeat(500));
    expect(usual.prompt.block).not.toContain('planned');
    expect(usual.warnings).toEqual([]);
    const other = makeNotesPrompt({ ...PARTS, memory: memory('daily = "recent"\nmax_inject_bytes = 200\n') });
    expect(other.prompt.block).toMatch(/aaa\n…\[memory truncated\]\n\n## Daily log 2026-01-05\nplanned\n/);
    expect(other.warnings).toMatchObject([{ code: 'memory-truncated' }]);
  });

  it('mentions the tools that the agent lists, or the three usual ones without a list', () => {
    const spoken = (lines: string) =>
      makeNotesPrompt({ ...PARTS, memory: memory(lines), tools: notesToolsOf(memory(lines).tools) }).prompt
        .toolsPrompt;
    expect(spoken('')).toContain('- `memory_write`');
    expect(spoken('')).not.toContain('- `write_memory`');
    expect(spoken('tools = ["write_memory"]')).not.toContain('- `memory_write`');
    expect(spoken('tools = ["write_memory"]')).toContain('- `write_memory`');
  });
});
