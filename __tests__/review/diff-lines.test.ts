import { describe, expect, it } from '@jest/globals';
import {
  codeKey,
  findFile,
  formatRanges,
  isTellingKey,
  lastCode,
  nearestLine,
  normalizeCode,
  readDiffLines,
} from '../../src/review/diff-lines.js';
import { CHANGE, LINES } from './change.js';

function ranges(path: string, side: 'LEFT' | 'RIGHT'): string {
  const file = LINES.get(path);
  return file === undefined ? 'no such file' : formatRanges(file, side);
}

describe('the lines of a diff that can carry a comment', () => {
  it.each<[string, string, string, string]>([
    ['a changed file with three hunks', 'src/auth.ts', '7-13, 37-43, 48-54', '7-14, 38-43, 48-54'],
    ['a new file', 'fresh.ts', '', '1-2'],
    ['a deleted file', 'gone.ts', '1-3', ''],
    ['a binary file', 'logo.png', '', ''],
    ['a file that was only renamed', 'moved.ts', '', ''],
    ['a file that was renamed and changed', 'src/new-name.ts', '2-8', '2-8'],
    ['a path in quotes', 'naïve "file".ts', '1-2', '1-2'],
    ['a file without a newline at the end', 'no-end.txt', '1-2', '1-3'],
    ['a file with Windows line ends', 'win.ts', '1-2', '1-2'],
  ])('are those of the hunks in %s', (_, path, left, right) => {
    expect([ranges(path, 'LEFT'), ranges(path, 'RIGHT')]).toEqual([left, right]);
  });

  it('hold the text of the line and its number on the other side', () => {
    const file = LINES.get('src/auth.ts');
    expect(file?.RIGHT.get(11)).toEqual({ text: 'return user;', hunk: 0, other: undefined });
    expect(file?.LEFT.get(10)).toEqual({ text: 'line 10;', hunk: 0, other: undefined });
    expect(file?.RIGHT.get(41)).toEqual({ text: 'line 41;', hunk: 1, other: 41 });
    expect(file?.LEFT.get(39)).toEqual({ text: 'line 39;', hunk: 1, other: 40 });
    expect(LINES.get('no-end.txt')?.RIGHT.get(3)?.text).toBe('gamma');
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

  it('are none if there is no diff', () => {
    expect(readDiffLines('').size).toBe(0);
    expect(readDiffLines('Sorry, this diff is taking too long to generate.').size).toBe(0);
  });

  it('are found in a line of 180 KB', () => {
    const long = 'x'.repeat(180 * 1024);
    const lines = readDiffLines(`--- a/min.js\n+++ b/min.js\n@@ -1 +1 @@\n-${long}\n+${long}y\n`);
    expect(lines.get('min.js')?.RIGHT.get(1)?.text.length).toBe(180 * 1024 + 1);
  });
});

describe('the file of a path', () => {
  it.each<[string, string | undefined]>([
    ['src/auth.ts', 'src/auth.ts'],
    ['./src/auth.ts', 'src/auth.ts'],
    ['/src/auth.ts', 'src/auth.ts'],
    ['b/src/auth.ts', 'src/auth.ts'],
    ['src/old-name.ts', 'src/new-name.ts'],
    ['auth.ts', undefined],
    ['SRC/auth.ts', undefined],
    ['../src/auth.ts', undefined],
    ['', undefined],
    ['__proto__', undefined],
  ])('of %j is %j', (path, expected) => {
    expect(findFile(LINES, path)?.path).toBe(expected);
  });
});

describe('the nearest line', () => {
  it.each<[number, number | undefined]>([
    [1, 7],
    [20, 14],
    [26, 14],
    [27, 38],
    [99, 54],
  ])('to line %i is line %j', (line, expected) => {
    const file = LINES.get('src/auth.ts');
    expect(file === undefined ? undefined : nearestLine(file, 'RIGHT', line)).toBe(expected);
  });

  it('is none in a file without lines', () => {
    const file = readDiffLines(CHANGE).get('logo.png');
    expect(file === undefined ? 'missing' : nearestLine(file, 'RIGHT', 1)).toBeUndefined();
  });
});

it('at most twenty ranges are listed', () => {
  const hunks = Array.from({ length: 30 }, (_, n) => `@@ -${n * 10 + 1} +${n * 10 + 1} @@\n-a\n+b`);
  const file = readDiffLines(`--- a/f\n+++ b/f\n${hunks.join('\n')}\n`).get('f');
  expect(file === undefined ? '' : formatRanges(file, 'RIGHT')).toMatch(/^1, 11, .* 191, \.\.\.$/);
});

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
