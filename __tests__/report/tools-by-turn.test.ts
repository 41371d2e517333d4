import { describe, expect, it } from '@jest/globals';
import { countCalls, formatToolsByTurn } from '../../src/report/run.js';
import { called } from '../helpers/reports.js';

const toAgent = (input: unknown, isDenied = false) => called('call_agent', { input, isDenied });

describe('what a run called', () => {
  it('is counted by sub-agent where it was one', () => {
    const calls = [toAgent({ agent: 'linter' }), toAgent({ agent: 'tester' }), toAgent({ agent: 'linter' })];
    expect(countCalls(calls).map(({ name, calls: times }) => [name, times])).toEqual([
      ['call_agent → linter', 2],
      ['call_agent → tester', 1],
    ]);
  });

  it.each([
    [undefined, 'call_agent'],
    [{ agent: 7 }, 'call_agent'],
    [{ agent: 'a\nb' }, 'call_agent → a b'],
  ])('has a name where a sub-agent was called by %j', (input, name) => {
    expect(countCalls([toAgent(input)])).toMatchObject([{ name }]);
  });

  it.each([
    ['', '(no name)'],
    ['\u200B\u0007', '(no name)'],
    ['x'.repeat(65), `${'x'.repeat(63)}…`],
    ['__proto__', '__proto__'],
  ])('shows a tool that the model calls %j in one short line', (tool, name) => {
    expect(countCalls([called(tool)])).toMatchObject([{ name, calls: 1, errors: 0, isDenied: false }]);
  });
});

describe('the tools by turn', () => {
  it('are a folded line for each turn, with what the calls were about, errors, and what was not offered', () => {
    const calls = [
      called('read_file', { input: { path: 'src/a.ts' } }),
      called('read_file', { input: { path: 'src/a.ts', offset: 9 } }),
      called('read_file', { input: { path: 'src/b.ts' }, isError: true }),
      called('fly', { turn: 3, isError: true, isDenied: true }),
      toAgent({ agent: 'linter', task: 'Lint it.' }),
    ];
    expect(
      formatToolsByTurn(calls, false),
    ).toBe(`<details><summary>Tools by turn: 5 calls in 2 turns</summary>

- Turn 1: \`read_file\` × 3 (\`src/a.ts\`, \`src/b.ts\`, 1 error), \`call_agent → linter\`
- Turn 3: \`fly\` (not offered)

</details>`);
  });

  it('do not say what calls were about where memory is to stay in another repository (D14)', () => {
    const calls = [called('edit_note', { input: { path: 'projects/secret.md' } })];
    expect(formatToolsByTurn(calls, true)).toContain('\n- Turn 1: `edit_note`\n');
  });

  it('stay short, whatever a model calls', () => {
    const wild = [
      ...Array.from({ length: 90 }, (_, turn) => called('a', { turn })),
      ...Array.from({ length: 90 }, (_, index) => called(`</details>\`\n\n# t${index}`, { turn: 1 })),
      ...Array.from({ length: 90 }, (_, index) =>
        called('b', { turn: 2, input: { path: `${index}${'x'.repeat(500)}` } }),
      ),
    ];
    const lines = formatToolsByTurn(wild, false).split('\n');
    expect(lines).toHaveLength(55);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(1000);
    expect(lines[3]).toMatch(/^- Turn 1: `a`, `<\/details>' # t0`, .*, and 71 more$/);
    expect(lines[4]).toMatch(/^- Turn 2: `a`, `b` × 90 \(`0x+…`, (?:`\dx+…`, ){4}…\)$/);
    expect(lines.at(-3)).toBe('- and 40 more turns');
  });
});
