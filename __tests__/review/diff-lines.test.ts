import { describe, expect, it } from '@jest/globals';
import { codeKey, findFile, isTellingKey, lastCode, readDiffLines } from '../../src/review/diff-lines.js';
import { LINES } from './change.js';

describe('the lines of a diff that can carry a comment', () => {
  it('are those of the hunks in a path in quotes', () => {
    const file = LINES.get('naïve "file".ts');
    expect([[...(file?.LEFT.keys() ?? [])], [...(file?.RIGHT.keys() ?? [])]]).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  it('are those of both parts if a link becomes a file', () => {
    const lines = readDiffLines(
      [
        'diff --git a/bin b/bin',
        'deleted file mode 120000',
        '--- a/bin',
        '+++ /dev/null',
        '@@ -1 +0,0 @@',
        '-tools',
        '\\ No newline at end of file',
        'diff --git a/bin b/bin',
        'new file mode 100644',
        '--- /dev/null',
        '+++ b/bin',
        '@@ -0,0 +1,2 @@',
        '+one',
        '+two',
      ].join('\n'),
    );
    const file = lines.get('bin');
    expect([...(file?.LEFT.keys() ?? []), ...(file?.RIGHT.keys() ?? [])]).toEqual([1, 1, 2]);
    expect(file?.LEFT.get(1)?.hunk).not.toBe(file?.RIGHT.get(1)?.hunk);
  });

  it('are none in a submodule', () => {
    const lines = readDiffLines(
      'diff --git a/lib b/lib\nindex 1..2 160000\n--- a/lib\n+++ b/lib\n@@ -1 +1 @@\n-Subproject commit 1\n+Subproject commit 2\n',
    );
    expect(lines.get('lib')?.RIGHT.size).toBe(0);
  });
});

describe('the file of a path', () => {
  it.each<[string, string | undefined]>([['/src/auth.ts', 'src/auth.ts']])(
    'of %j is %j',
    (path, expected) => {
      expect(findFile(LINES, path)?.path).toBe(expected);
    },
  );
});

describe('a line of code', () => {
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

  it.each<[string, string]>([['@@ -1 +1 @@\r\n+b\r\n\\ No newline at end of file', 'b']])(
    'that a comment is about is the last of its hunk: of %j %j',
    (hunk, code) => {
      expect(lastCode(hunk)).toBe(code);
    },
  );
});
