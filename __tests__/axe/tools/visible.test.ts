import { describe, expect, it } from '@jest/globals';
import { showHidden } from '../../../src/axe/tools/visible.js';

describe('hidden characters', () => {
  it.each([
    ['tag characters', 'a\u{E0041}b', 'a<U+E0041>b'],
    ['a bidirectional override', 'a\u202Eb', 'a<U+202E>b'],
    ['a zero-width space', 'a\u200Bb', 'a<U+200B>b'],
    ['an escape character', '\x1b[31mred', '<U+001B>[31mred'],
    ['NUL', 'a\0b', 'a<U+0000>b'],
    ['a line separator', 'a\u2028b', 'a<U+2028>b'],
    ['a variation selector of the supplement', 'a\u{E0101}b', 'a<U+E0101>b'],
  ])('are written out: %s', (_, text, shown) => {
    expect(showHidden(text)).toBe(shown);
  });

  it.each([
    ['tabs and newlines', 'a\tb\nc'],
    ['joined emoji', '👩‍💻 ❤️'],
    ['letters', 'naïve ñ 漢字 ہے'],
  ])('leave alone what is seen: %s', (_, text) => {
    expect(showHidden(text)).toBe(text);
  });
});
