import { expect, it } from '@jest/globals';
import type { ToolCallRecord } from '../../src/lib/outcome.js';
import { formatToolsByTurn } from '../../src/report/run.js';
import { called } from '../helpers/reports.js';

const read = (path: string, patch: Partial<ToolCallRecord> = {}) =>
  called('read_file', { input: { path }, ...patch });
const ask = (input: unknown) => called('call_agent', { input });
const many = Array.from({ length: 7 }, (_, index) => read(`${index}${'x'.repeat(500)}`));

it.each<[string, readonly ToolCallRecord[], string]>([
  [
    'what they were about, and errors',
    [read('a.ts'), read('a.ts'), read('b.ts', { isError: true })],
    '`read_file` × 3 (`a.ts`, `b.ts`, 1 error)',
  ],
  ['what was not offered', [called('fly', { isError: true, isDenied: true })], '`fly` (not offered)'],
  [
    'sub-agents, each by itself',
    [ask({ agent: 'linter' }), ask({ agent: 'tester' }), ask({ agent: 'linter' })],
    '`call_agent → linter` × 2, `call_agent → tester`',
  ],
  ['a sub-agent without a name', [ask(undefined), ask({ agent: 7 })], '`call_agent` × 2'],
  [
    'names in one short line',
    [ask({ agent: 'a\nb' }), called('x'.repeat(65))],
    `\`call_agent → a b\`, \`${'x'.repeat(63)}…\``,
  ],
  ['names that cannot be seen', [called(''), called('\u200B\u0007')], '`(no name)` × 2'],
  ['names that are markdown', [called('</details>`\n\n# t')], "`</details>' # t`"],
  ['names of objects', [called('__proto__')], '`__proto__`'],
])('the tools by turn show %s', (_, calls, line) => {
  expect(formatToolsByTurn(calls, false)).toContain(`\n- Turn 1: ${line}\n`);
});

it('the tools by turn are folded, a line for each turn', () => {
  expect(formatToolsByTurn([read('a.ts'), called('fly', { turn: 3 })], false)).toBe(
    '<details><summary>Tools by turn: 2 calls in 2 turns</summary>\n\n- Turn 1: `read_file` (`a.ts`)\n- Turn 3: `fly`\n\n</details>',
  );
  expect(formatToolsByTurn(many, false)).toMatch(/`read_file` × 7 \((?:`\dx+…`, ){5}…\)/);
});

it('the tools by turn do not say what calls were about if memory is in another repository (D14)', () => {
  const calls = [called('edit_note', { input: { path: 'projects/secret.md' } })];
  expect(formatToolsByTurn(calls, true)).toContain('\n- Turn 1: `edit_note`\n');
});
