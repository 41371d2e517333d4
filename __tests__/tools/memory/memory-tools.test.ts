import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ALL_NOTES_TOOLS, READING_NOTES_TOOLS } from '../../../src/memory/notes/place.js';
import { createMemoryTools } from '../../../src/tools/memory/memory-tools.js';
import type { ToolResult } from '../../../src/tools/tool.js';
import { createNotesScene, PROJECT, READ_BYTES, ROOT } from '../../memory/notes/notes-scene.js';

const MARK = '…[memory truncated]';

function toolsOf(names: readonly string[]) {
  return createMemoryTools(createNotesScene().session, names);
}

describe('the tools over notes', () => {
  it('are listed in one order, each once, and none that was not requested', () => {
    const names = ['write_memory', 'memory_read', 'run_command', 'memory_read', 'memory_write'];
    expect(toolsOf(names).map(({ name }) => name)).toEqual(['memory_write', 'memory_read', 'write_memory']);
  });

  it('have the effect of reading or changing memory', () => {
    const reading = toolsOf(ALL_NOTES_TOOLS).filter(({ effect }) => effect === 'read');
    expect(reading.map(({ name }) => name)).toEqual(READING_NOTES_TOOLS);
    const others = toolsOf(ALL_NOTES_TOOLS).filter(({ effect }) => effect !== 'read');
    expect(new Set(others.map(({ effect }) => effect))).toEqual(new Set(['memory']));
  });

  it('list their allowed values', () => {
    const words = toolsOf(ALL_NOTES_TOOLS).map(({ name, inputSchema }) => [
      name,
      Object.entries(inputSchema.properties ?? {}).flatMap(([argument, schema]) =>
        typeof schema === 'object' && schema.enum !== undefined ? [[argument, schema.enum]] : [],
      ),
      inputSchema.required,
    ]);
    const targets = ['long_term', 'scratchpad', 'daily', 'note'];
    expect(words).toEqual([
      [
        'memory_write',
        [
          ['target', targets],
          ['mode', ['append', 'overwrite']],
        ],
        ['target', 'content'],
      ],
      ['memory_read', [['source', [...targets, 'run_log', 'list']]], ['source']],
      ['memory_search', [], ['query']],
      ['write_memory', [['type', ['long_term', 'daily']]], ['content']],
    ]);
  });

  it('return a result whatever the arguments', async () => {
    const value = fc.oneof(
      fc.constantFrom('long_term', 'scratchpad', 'daily', 'note', 'list', 'run_log', 'overwrite'),
      fc.string({ unit: 'binary' }),
      fc.jsonValue(),
    );
    const input = fc.dictionary(
      fc.constantFrom(
        'target',
        'source',
        'content',
        'mode',
        'name',
        'query',
        'old_str',
        'new_str',
        'type',
        'limit',
      ),
      value,
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...ALL_NOTES_TOOLS),
        fc.oneof(input, fc.jsonValue()),
        async (name, sent) => {
          const scene = createNotesScene({ files: { 'MEMORY.md': 'fact\n' } });
          const result = await scene.call(name, sent);
          expect(typeof result.text).toBe('string');
          const paths = scene.session.changes('trusted').map(({ path }) => path);
          expect(result.isError ? paths : []).toEqual([]);
          for (const path of paths)
            expect(path).toMatch(/^(?:MEMORY\.md|projects\/hello-world-3ccd7a60\/.+\.md)$/);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('memory_write', () => {
  it.each(['', ' \n\t ', '\u3000'])(
    'refuses to append only white space: %j (deviation D8)',
    async (content) => {
      const scene = createNotesScene();
      const result = await scene.call('memory_write', { target: 'long_term', content });
      expect(result).toEqual({ text: 'content is empty', isError: true });
      expect(scene.session.changes('trusted')).toEqual([]);
    },
  );

  it('clears what it overwrites with nothing, and keeps the former version', async () => {
    const scene = createNotesScene({ files: { [`${PROJECT}/SCRATCHPAD.md`]: '- [ ] a\n' } });
    const input = { target: 'scratchpad', content: '', mode: 'overwrite' };
    expect((await scene.call('memory_write', input)).text).toBe(
      `Wrote 0 bytes to ${ROOT}/${PROJECT}/SCRATCHPAD.md`,
    );
    expect((await scene.call('memory_read', { source: 'scratchpad' })).text).toBe('(empty)');
    expect(await scene.text(`${PROJECT}/SCRATCHPAD.bak`)).toBe('- [ ] a\n');
  });

  it('writes the log of today, whatever name is given', async () => {
    const scene = createNotesScene();
    const { text } = await scene.call('memory_write', {
      target: 'daily',
      content: 'x',
      name: '../2020-01-01',
    });
    expect(text).toBe(`Wrote 1 bytes to ${ROOT}/${PROJECT}/daily/2026-03-01.md`);
  });

  it('starts a new day at midnight, UTC', async () => {
    const scene = createNotesScene();
    await scene.call('memory_write', { target: 'daily', content: 'late' });
    scene.setTime('2026-03-02T00:00:00Z');
    const { text } = await scene.call('memory_write', { target: 'daily', content: 'early' });
    expect(text).toBe(`Wrote 5 bytes to ${ROOT}/${PROJECT}/daily/2026-03-02.md`);
  });

  it('searches no duplicates if the agent disables it, nor in other files', async () => {
    const without = createNotesScene({ caps: { dedup: false } });
    const scratchpad = createNotesScene();
    for (const [scene, target] of [
      [without, 'long_term'],
      [scratchpad, 'scratchpad'],
    ] as const) {
      await scene.call('memory_write', { target, content: 'same' });
      await scene.call('memory_write', { target, content: 'same' });
      expect((await scene.call('memory_read', { source: target })).text).toBe('same\nsame\n');
    }
  });
});

describe('memory_read', () => {
  const LINES = Array.from({ length: 10 }, (_, index) => `line ${index + 1}`);

  async function read(input: unknown, text = `${LINES.join('\n')}\n`): Promise<ToolResult> {
    return await createNotesScene({ files: { 'MEMORY.md': text } }).call('memory_read', input);
  }

  it.each([
    [{ offset: 9 }, 'line 9\nline 10'],
    [{ limit: 2 }, 'line 1\nline 2'],
    [{ offset: 3, limit: 1 }, 'line 3'],
    [{ offset: 10, limit: 50 }, 'line 10'],
  ])('returns the lines %j', async (range, text) => {
    expect(await read({ source: 'long_term', ...range })).toEqual({ text, isError: false });
  });

  it('reports that there are fewer lines', async () => {
    const result = await read({ source: 'long_term', offset: 11 });
    expect(result).toEqual({ text: 'offset 11 exceeds the 10 lines there are', isError: true });
  });

  it.each([
    ['only white space', ' \n\n', ' \n\n'],
    ['a missing note', '', '(empty)'],
  ])('returns %s unchanged', async (_, text, shown) => {
    expect((await read({ source: 'long_term' }, text)).text).toBe(shown);
  });

  it.each(['2026-02-30', '26-03-01', 'today', '2026-03-01.md'])('refuses %s as a day', async (name) => {
    const result = await read({ source: 'daily', name });
    expect(result).toEqual({ text: 'invalid daily date name (expected YYYY-MM-DD)', isError: true });
  });

  it('returns nothing for a list without items', async () => {
    const scene = createNotesScene();
    expect(await scene.call('memory_read', { source: 'list' })).toEqual({ text: '', isError: false });
  });

  it('returns the newest entries of a long run log', async () => {
    const entry = (day: number): string =>
      `## 2026-02-0${day}T00:00:00Z\n**Task:** t\n**Result:** ${'あ'.repeat(3500)}\n\n`;
    const scene = createNotesScene({ files: { 'bot.md': [1, 2, 3, 4].map(entry).join('') } });
    const { text } = await scene.call('memory_read', { source: 'run_log' });
    expect(text).toBe(`${MARK}\n${entry(2)}${entry(3)}${entry(4)}`);
  });

  it('returns the start of one entry that is too long', async () => {
    const scene = createNotesScene({ files: { 'bot.md': `## 2026-02-01T00:00:00Z\n${'x'.repeat(40_000)}` } });
    const { text } = await scene.call('memory_read', { source: 'run_log' });
    expect(text.startsWith('## 2026-02-01T00:00:00Z\nxxx')).toBe(true);
    expect(text.endsWith(`\n${MARK}`)).toBe(true);
  });

  it('never exceeds its limit and the mark of a cut, whatever the content', async () => {
    const text = fc
      .tuple(fc.string({ unit: 'grapheme', minLength: 1 }), fc.integer({ min: 1, max: 60_000 }), fc.string())
      .map(([part, times, end]) => part.repeat(Math.ceil(times / part.length)) + end);
    const range = fc.record(
      { offset: fc.integer({ min: 1, max: 3 }), limit: fc.integer({ min: 1, max: 5 }) },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(text, range, fc.constantFrom('MEMORY.md', 'bot.md'), async (content, lines, path) => {
        const scene = createNotesScene({ files: { [path]: content } });
        const source = path === 'bot.md' ? 'run_log' : 'long_term';
        const result = await scene.call('memory_read', { source, ...lines });
        expect(Buffer.byteLength(result.text)).toBeLessThanOrEqual(READ_BYTES + 1 + Buffer.byteLength(MARK));
        expect(result.text.isWellFormed()).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

describe('memory_search', () => {
  it('shows as many files as requested', async () => {
    const files = Object.fromEntries(
      ['a', 'b', 'c'].map((name) => [`${PROJECT}/notes/${name}.md`, 'word\n']),
    );
    const scene = createNotesScene({ files });
    const { text } = await scene.call('memory_search', { query: 'word', limit: 2 });
    expect(text).toContain('across 3 files. Showing top 2 by relevance.');
  });

  it('refuses more than twenty', async () => {
    const result = await createNotesScene().call('memory_search', { query: 'word', limit: 21 });
    expect(result.isError).toBe(true);
    expect(result.text).toContain('`limit` must be at most 20, not 21');
  });
});

describe('write_memory', () => {
  it.each([undefined, null, 'long_term'])('writes to long-term memory by default: %j', async (type) => {
    const scene = createNotesScene();
    const { text } = await scene.call('write_memory', { content: 'x', type });
    expect(JSON.parse(text)).toMatchObject({ success: true, file_path: `${ROOT}/MEMORY.md` });
  });

  it('reports that it cut the content', async () => {
    const scene = createNotesScene({ caps: { maxWriteBytes: 4, warnFileBytes: 10 } });
    const { text } = await scene.call('write_memory', { content: '12345' });
    expect(JSON.parse(text)).toMatchObject({
      warning:
        'File size 39 bytes exceeds limit 10 bytes. Consider memory maintenance. Content truncated from 5 bytes to 4 byte cap.',
    });
  });
});
