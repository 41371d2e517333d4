import { describe, expect, it } from '@jest/globals';
import { type ModelReply, text } from '../helpers/model-server.js';
import { nameOf } from './memory-command-scene.js';
import { dayAgo, keeperToml, newResults, notesStage, placesOf } from './notes-scene.js';
import { troubles } from './stage.js';

const LIMIT = 1_048_576;
const TIME = /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

type Input = Readonly<Record<string, unknown>>;

/** A run that writes all of this, some of it in each turn. */
function writing(...inputs: readonly Input[]): readonly ModelReply[] {
  const turns = Array.from({ length: Math.ceil(inputs.length / PER_TURN) }, (_, turn): ModelReply => {
    const some = inputs.slice(turn * PER_TURN, (turn + 1) * PER_TURN);
    return { kind: 'tools', calls: some.map((input) => ({ name: 'write_memory', input })) };
  });
  return [...turns, text('Kept.')];
}

const PER_TURN = 50;

const TOML = keeperToml({ memory: 'tools = ["write_memory"]\n' });

/** What the tool said, parsed where it is a confirmation. */
function answersOf(results: readonly string[]): readonly unknown[] {
  return results.map((result) => (result.startsWith('{') ? (JSON.parse(result) as unknown) : result));
}

describe('`write_memory`', () => {
  it('adds dated entries and daily notes, and refuses empty content', async () => {
    const stage = await notesStage({
      toml: TOML,
      model: writing(
        { content: 'Uses pnpm' },
        { content: 'Moved to pnpm', type: 'daily' },
        { content: 'Moved back', type: 'daily' },
        { content: '  \n' },
        {},
        { content: 'x', type: 'weekly' },
      ),
    });
    const step = await stage.runOn('branch');
    expect(step).toMatchObject({ exitCode: 0, stderr: '', outputs: { 'memory-saved': 'true' } });
    expect(stage.model.prompts()[0]?.tools).toEqual(['write_memory']);
    const { today } = placesOf(nameOf(stage));
    const done = (message: string, path: string) => ({
      success: true,
      message,
      file_path: expect.stringMatching(new RegExp(`${path.replaceAll('.', '\\.')}$`)),
      timestamp: expect.stringMatching(TIME),
    });
    const invalid = (what: string) => `Invalid arguments for tool 'write_memory': ${what}`;
    expect(answersOf(newResults(stage.model.requests()[1]))).toEqual([
      done('Memory updated', 'MEMORY.md'),
      done('Daily note created', today),
      done('Daily note created', today),
      invalid('Content cannot be empty'),
      invalid("Missing required parameter 'content'"),
      invalid("Invalid memory type: 'weekly'. Must be 'long_term' or 'daily'"),
    ]);
    const files = stage.memoryOf('branch');
    expect(files['MEMORY.md']).toMatch(/^## 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC\n\nUses pnpm\n\n---\n\n$/);
    expect(files[today]?.replaceAll(/\d\d:\d\d:\d\d/g, '<hour>')).toBe(
      `# Daily Note - ${dayAgo(0)}\n\n## <hour> UTC\n\nMoved to pnpm\n\n---\n\n## <hour> UTC\n\nMoved back\n\n---\n\n`,
    );
    expect(step.summary.match(/\| append \| `[^`]*` \| \d+ \|/g)).toHaveLength(3);
  });

  it('writes and warns if the file is larger than it should be', async () => {
    const stage = await notesStage({
      toml: TOML,
      branch: { 'MEMORY.md': `${'x'.repeat(LIMIT)}\n` },
      model: writing({ content: 'One more' }),
    });
    const step = await stage.runOn('branch');
    expect(step).toMatchObject({ exitCode: 0, outputs: { 'memory-saved': 'true' } });
    const file = stage.memoryOf('branch')['MEMORY.md'] ?? '';
    expect(file).toContain('One more');
    expect(answersOf(newResults(stage.model.requests()[1]))).toEqual([
      expect.objectContaining({
        success: true,
        message: 'Memory updated (warning: file size approaching limit)',
        warning: `File size ${Buffer.byteLength(file)} bytes exceeds limit ${LIMIT} bytes. Consider memory maintenance.`,
      }),
    ]);
    const told = troubles(step)
      .map(({ message }) => message)
      .join('\n');
    expect(told).toMatch(/MEMORY\.md' exceeds size limit: \d+ bytes \(limit: 1048576 bytes\)/);
  });

  it('shows the last hundred of many writes in the summary, and keeps all', async () => {
    const inputs = Array.from({ length: 150 }, (_, index) => ({ content: `Content ${index}` }));
    const stage = await notesStage({ toml: TOML, model: writing(...inputs) });
    const step = await stage.runOn('branch');
    expect(step).toMatchObject({ exitCode: 0, stderr: '' });
    expect(step.summary.match(/\| append \|/g)).toHaveLength(100);
    const kept = [...(stage.memoryOf('branch')['MEMORY.md'] ?? '').matchAll(/^Content (\d+)$/gm)];
    expect(kept.map(([, index]) => Number(index))).toEqual(inputs.map((_, index) => index));
  });
});
