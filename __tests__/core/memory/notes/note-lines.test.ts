import { describe, expect, it } from '@jest/globals';
import { holdsLines, linesOf } from '../../../../src/core/memory/notes/note-lines.js';

describe('lines of a text', () => {
  it.each([
    ['', []],
    ['A', ['A']],
    ['A\r\nB\n', ['A', 'B']],
    ['A\n\n', ['A', '']],
  ])('of %j are %j', (text, lines) => {
    expect(linesOf(text)).toEqual(lines);
  });

  it.each([
    ['A\nB\nC\n', 'B\nC', true],
    ['A\nB\nC\n', '\nB\n', true],
    ['A\nB', 'B\n', true],
    ['A\r\nB\r\n', 'A', true],
    ['  A  \n', 'A', true],
    ['anything', ' \n', true],
    ['', '', true],
    ['', 'A', false],
    ['No A\n', 'A', false],
    ['A!\n', 'A', false],
    ['No A\nA\n', 'A', true],
    ['A\nC\nB\n', 'A\nB', false],
  ])('%j holds %j: %s', (text, lines, isHeld) => {
    expect(holdsLines(text, lines)).toBe(isHeld);
  });
});
