import { describe, expect, it } from '@jest/globals';
import { separator } from '../../src/memory/run-log.js';

describe('the separator before an entry', () => {
  it.each([
    ['', ''],
    ['done\n', ''],
    ['done\r\n', ''],
    ['cut off', '\n'],
    ['cut off\r', '\n'],
  ])('after %j is %j', (text, between) => {
    expect(separator(text)).toBe(between);
  });
});
