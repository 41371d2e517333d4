import { describe, expect, it } from '@jest/globals';
import { separator } from '../../../src/core/memory/separator.js';

describe('between a text and an entry', () => {
  it.each([
    ['', ''],
    ['done\n', ''],
    ['done\r\n', ''],
    ['cut off', '\n'],
    ['cut off\r', '\n'],
  ])('stands, after %j, %j', (text, between) => {
    expect(separator(text)).toBe(between);
  });
});
