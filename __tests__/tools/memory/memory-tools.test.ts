import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ALL_NOTES_TOOLS } from '../../../src/memory/paths.js';
import { createMemoryTools } from '../../../src/tools/memory/memory-tools.js';
import type { ToolResult } from '../../../src/tools/tool.js';
import { createNotesScene, PROJECT, READ_BYTES, ROOT } from '../../memory/notes/notes-scene.js';

const MARK = '…[memory truncated]';

describe('the tools over notes', () => {
  it('have one order, an effect, and words that they offer', () => {
    const names = ['memory_read', ...ALL_NOTES_TOOLS, 'run_command'];
    const listed = createMemoryTools(createNotesScene().session, names, async (content) => content);
    const about = listed.map(({ name, effect, inputSchema }) => {
      const entries = Object.entries(inputSchema.properties ?? {});
      const words = entries.map(([argument, schema]) => [argument, Object(schema).enum?.join(' ')]);
      return [
        name,
        effect,
        inputSchema.required?.join(' '),
        words.filter(([, offered]) => offered),
      ];
    });
    const targets = 'long_term scratchpad daily note';
    const modes = ['mode', 'append overwrite'];
    expect(about).toEqual([
      ['memory_write', 'memory', 'target content', [['target', targets], modes]],
      ['memory_read', 'read', 'source', [['source', `${targets} run_log list`]]],
      ['memory_search', 'read', 'query', []],
      ['write_memory', 'memory', 'content', [['type', 'long_term daily']]],
    ]);
  });

  it('return a result whatever the arguments', async () => {
    const value = fc.oneof(
      fc.constantFrom('long_term', 'scratchpad', 'daily', 'note', 'list', 'run_log', 'overwrite'),
      fc.string({ unit: 'binary' }),
      fc.jsonValue(),
    );
    const names = 'target source content mode name query old_str new_str type limit';
    const input = fc.dictionary(fc.constantFrom(...names.split(' ')), value);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...ALL_NOTES_TOOLS),
        fc.oneof(input, fc.jsonValue()),
        async (name, sent) => {
          const scene = createNotesScene({ files: { 'MEMORY.md': 'fact\n' } });
          const result = await scene.call(name, sent);
          expect(typeof result.text).toBe('string');
          const paths = scene.session.changes(false).map(({ path }) => path);
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
      expect(scene.session.changes(false)).toEqual([]);
    },
  );

  it('clears what it overwrites with nothing, and keeps the former version', async () => {
    const scene = createNotesScene({ files: { [`${PROJECT}/SCRATCHPAD.md`]: '- [ ] a\n' } });
    const input = { target: 'scratchpad', content: '', mode: 'overwrite' };
    const { text } = await scene.call('memory_write', input);
    expect(text).toBe(`Wrote 0 bytes to ${ROOT}/${PROJECT}/SCRATCHPAD.md`);
    expect((await scene.call('memory_read', { source: 'scratchpad' })).text).toBe('(empty)');
    expect(await scene.text(`${PROJECT}/SCRATCHPAD.bak`)).toBe('- [ ] a\n');
  });

  it('writes the log of today, whatever name is given', async () => {
    const scene = createNotesScene();
    const input = { target: 'daily', content: 'x', name: '../2020-01-01' };
    const { text } = await scene.call('memory_write', input);
    expect(text).toBe(`Wrote 1 bytes to ${ROOT}/${PROJECT}/daily/2026-03-01.md`);
  });

  it('searches no duplicates in other files', async () => {
    const scene = createNotesScene();
    const input = { target: 'scratchpad', content: 'same' };
    await scene.call('memory_write', input);
    await scene.call('memory_write', input);
    const { text } = await scene.call('memory_read', { source: 'scratchpad' });
    expect(text).toBe('same\nsame\n');
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

  it('returns the newest entries of a long run log', async () => {
    const entry = (day: number): string =>
      `## 2026-02-0${day}T00:00:00Z\n**Task:** t\n**Result:** ${'あ'.repeat(3500)}\n\n`;
    const scene = createNotesScene({ files: { 'bot.md': [1, 2, 3, 4].map(entry).join('') } });
    const { text } = await scene.call('memory_read', { source: 'run_log' });
    expect(text).toBe(`${MARK}\n${entry(2)}${entry(3)}${entry(4)}`);
  });

  it('returns the start of one entry that is too long', async () => {
    const scene = createNotesScene({
      files: { 'bot.md': `## 2026-02-01T00:00:00Z\n${'x'.repeat(40_000)}` },
    });
    const { text } = await scene.call('memory_read', { source: 'run_log' });
    expect(text.startsWith('## 2026-02-01T00:00:00Z\nxxx')).toBe(true);
    expect(text.endsWith(`\n${MARK}`)).toBe(true);
  });

  it('never exceeds its limit and the mark of a cut, whatever the content', async () => {
    const text = fc
      .tuple(
        fc.string({ unit: 'grapheme', minLength: 1 }),
        fc.integer({ min: 1, max: 60_000 }),
        fc.string(),
      )
      .map(([part, times, end]) => part.repeat(Math.ceil(times / part.length)) + end);
    const range = fc.record(
      { offset: fc.integer({ min: 1, max: 3 }), limit: fc.integer({ min: 1, max: 5 }) },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(
        text,
        range,
        fc.constantFrom('MEMORY.md', 'bot.md'),
        async (content, lines, path) => {
          const scene = createNotesScene({ files: { [path]: content } });
          const source = path === 'bot.md' ? 'run_log' : 'long_term';
          const result = await scene.call('memory_read', { source, ...lines });
          expect(Buffer.byteLength(result.text)).toBeLessThanOrEqual(
            READ_BYTES + 1 + Buffer.byteLength(MARK),
          );
          expect(result.text.isWellFormed()).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });
});

it('memory_search shows as many files as requested', async () => {
  const names = ['a', 'b', 'c'].map((name) => `${PROJECT}/notes/${name}.md`);
  const scene = createNotesScene({
    files: Object.fromEntries(names.map((name) => [name, 'word\n'])),
  });
  const { text } = await scene.call('memory_search', { query: 'word', limit: 2 });
  expect(text).toContain('across 3 files. Showing top 2 by relevance.');
});

describe('write_memory', () => {
  it.each([undefined, null, 'long_term'])(
    'writes to long-term memory by default: %j',
    async (type) => {
      const scene = createNotesScene();
      const { text } = await scene.call('write_memory', { content: 'x', type });
      expect(JSON.parse(text)).toMatchObject({ success: true, file_path: `${ROOT}/MEMORY.md` });
    },
  );

  it('reports that it cut the content', async () => {
    const files = { 'MEMORY.md': 'x'.repeat(2 ** 20) };
    const scene = createNotesScene({ files, caps: { maxWriteBytes: 4 } });
    const { text } = await scene.call('write_memory', { content: '12345' });
    const warning =
      'File size 1048616 bytes exceeds limit 1048576 bytes. Consider memory maintenance. Content truncated from 5 bytes to 4 byte cap.';
    expect(JSON.parse(text)).toMatchObject({ warning });
  });
});
