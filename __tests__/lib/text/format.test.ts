import { describe, expect, it } from '@jest/globals';
import {
  cleanLine,
  foldedDetails,
  formatInteger,
  formatStepDuration,
  formatUsd,
  inlineCode,
} from '../../../src/lib/text/format.js';
import { sanitize } from '../../../src/safety/sanitize.js';

it.each([
  [0, '0'],
  [999, '999'],
  [999.6, '1,000'],
  [24_730, '24,730'],
  [1_200_000, '1,200,000'],
  [-1_234.5, '-1,234'],
  [-0.4, '0'],
])('the digits of %d are grouped', (number, text) => {
  expect(formatInteger(number)).toBe(text);
});

it.each([
  [0, '0 ms'],
  [12.4, '12 ms'],
  [4_230, '4.2 s'],
])('tells a step of %d ms as a person would', (ms, text) => {
  expect(formatStepDuration(ms)).toBe(text);
});

it.each([
  ['nothing', 0, '$0.00'],
  ['cents', 0.2, '$0.20'],
  ['less than cents', 0.0012, '$0.0012'],
  ['parts of cents', 0.405, '$0.405'],
  ['what sums of binary fractions leave', 0.5 - 0.405, '$0.095'],
  ['millionths', 0.000_001, '$0.000001'],
  ['dollars', 12, '$12.00'],
  ['dollars and parts of cents', 12.345, '$12.35'],
])('an amount of %s is written', (_, amount, text) => {
  expect(formatUsd(amount)).toBe(text);
});

describe('markdown', () => {
  it.each([
    ['octocat/hello@axe-memory:bot.md', '`octocat/hello@axe-memory:bot.md`'],
    ['nowhere (`memory-store: none`)', "`nowhere ('memory-store: none')`"],
    ['``', "`''`"],
  ])('shows %j as code', (place, shown) => {
    expect(inlineCode(place)).toBe(shown);
    expect(sanitize(shown, 'summary', [])).toBe(shown);
  });

  it('folds a part, and keeps it folded after sanitizing', () => {
    expect(foldedDetails('More', 'Text.')).toBe(
      '<details><summary>More</summary>\n\nText.\n\n</details>',
    );
    expect(sanitize(`A\n\n${foldedDetails('More', 'Text.')}\n\nB`, 'summary', [])).toBe(
      'A\n\n<details>\n<summary>More</summary>\n\nText.\n\n</details>\n\nB',
    );
  });
});

it.each([
  ['Fix auth', 'Fix auth'],
  ['  Fix\r\nauth\u2028now\u0085\t ', 'Fix auth now'],
  ['a\u001b[31mb\u0000c', 'ab c'],
  ['i\u200Bn\u2060v\u00ADi\uFEFFs', 'invis'],
  ['\u202Eright to left', 'right to left'],
  ['tag\u{E0041}\u{E0042}s', 'tags'],
  ['sel\uFE0Fec\u{E0100}tor', 'selector'],
  ['blank\u3164letter', 'blankletter'],
  ['lone \uD800 half', 'lone half'],
  ['日本語 é \u{1F600}', '日本語 é \u{1F600}'],
  ['\n\u200B\n', ''],
])('a line by another person %j becomes %j', (text, expected) => {
  expect(cleanLine(text, 200)).toBe(expected);
});

it('a line by another person is cut at code points', () => {
  expect(cleanLine('\u{1F600}'.repeat(200), 200)).toBe('\u{1F600}'.repeat(200));
  expect(cleanLine('\u{1F600}'.repeat(201), 200)).toBe(`${'\u{1F600}'.repeat(199)}…`);
});
