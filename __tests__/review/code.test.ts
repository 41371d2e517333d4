import { describe, expect, it } from '@jest/globals';
import { codeKey, isTellingKey, lastCode, normalizeCode } from '../../src/review/code.js';

describe('a line of code', () => {
  it.each<[string, string]>([
    ['\t\ta(b,  c);  \r', 'a(b, c);'],
    ['a(b, c);', 'a(b, c);'],
    ['  ', ''],
  ])('%j is compared as %j', (code, expected) => {
    expect(normalizeCode(code)).toBe(expected);
  });

  it.each<[string, boolean]>([
    ['}', false],
    ['return null;', false],
    ['a = a + a + a;', false],
    ['send(to, body);', true],
    ['const größe = 1;', true],
  ])('%j is telling: %j', (code, expected) => {
    expect(isTellingKey(codeKey(code))).toBe(expected);
  });

  it('is known by sixteen digits, whatever its spacing', () => {
    expect(codeKey('  send(to,  body);')).toBe(codeKey('send(to, body);'));
    expect(codeKey('send(to, body);')).toMatch(/^[0-9a-f]{16}$/);
    expect(codeKey('}')).toMatch(/^~[0-9a-f]{16}$/);
    expect([codeKey(' '), isTellingKey('')]).toEqual(['', false]);
  });

  it.each<[string, string]>([
    ['@@ -1 +1 @@\n-a\n+  b  c', '  b  c'],
    ['@@ -1 +1 @@\r\n+b\r\n\\ No newline at end of file', 'b'],
    ['', ''],
  ])('that a comment is about is the last of its hunk: of %j %j', (hunk, code) => {
    expect(lastCode(hunk)).toBe(code);
  });
});
