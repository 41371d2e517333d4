import { expect, it } from '@jest/globals';
import { markdownFaults } from './markdown-faults.js';

it.each([
  ['code that has no end', 'a\n```js\nb\n', ['the code that begins in line 2 has no end']],
  [
    'code that is closed by something shorter',
    '````\n```\n',
    ['the code that begins in line 1 has no end'],
  ],
  ['details that have no end', '<details><summary>x</summary>\n', ['<details> has no end']],
  ['details that end twice', '</details>\n', ['</details> in line 1 ends nothing']],
  ['a comment that has no end', 'x <!-- y\n', ['the comment in line 1 has no end']],
  [
    'a row with a bar too many',
    '| a |\n| - |\n| b | c |\n',
    ['line 3 has 2 of 1 cells: | b | c |'],
  ],
  ['a row that is torn', '| a |\n| - |\n| b\nc |\n', ['line 4 tears a table: c |']],
])('the markdown check finds %s', (_, markdown, faults) =>
  expect(markdownFaults(markdown)).toEqual(faults),
);

it('the markdown check finds nothing in correctly shown text', () => {
  const table = '| a | b |\n| --- | ---: |\n| `x \\| y` | \\<details> |\n';
  const code = '```md\n<details>\n| a |\n```\n~~~\n```\n~~~\n';
  const details = '<details><summary>`<details>`</summary>\n\nx <!-- y -->\n\n</details>\n';
  expect(markdownFaults([table, code, details].join('\n'))).toEqual([]);
});
