import { describe, expect, it } from '@jest/globals';
import { cleanLine, cutToBytes } from '../../../src/lib/text/cut.js';

describe('cutting to bytes', () => {
  it.each([
    ['abc', 3, 'abc', 0],
    ['abc', 2, 'ab', 1],
    ['aé', 2, 'a', 2],
    ['\u{1F600}x', 3, '', 5],
    ['\u{1F600}x', 4, '\u{1F600}', 1],
    ['', 0, '', 0],
  ])('%j to %i', (text, maxBytes, expected, leftOutBytes) => {
    expect(cutToBytes(text, maxBytes)).toEqual({ text: expected, leftOutBytes });
  });
});

describe('a line by another person', () => {
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
  ])('%j becomes %j', (text, expected) => {
    expect(cleanLine(text, 200)).toBe(expected);
  });

  it('is cut at code points', () => {
    expect(cleanLine('\u{1F600}'.repeat(200), 200)).toBe('\u{1F600}'.repeat(200));
    expect(cleanLine('\u{1F600}'.repeat(201), 200)).toBe(`${'\u{1F600}'.repeat(199)}…`);
  });
});
