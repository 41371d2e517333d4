import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  commentableLines,
  correctLine,
  findFile,
  isDistinctiveFingerprint,
  lastLineOfHunk,
  lineFingerprint,
  placeFinding,
} from '../../src/findings/change/diff-lines.js';
import type { Finding } from '../../src/findings/finding.js';
import { finding, LINES, placed } from './change.js';

describe('the lines of a diff that can carry a comment', () => {
  it('are those of the hunks in a path in quotes', () => {
    const file = LINES.get('naïve "file".ts');
    for (const side of [file?.LEFT, file?.RIGHT]) expect([...(side?.keys() ?? [])]).toEqual([1, 2]);
  });

  it('are those of both parts if a link becomes a file', () => {
    const lines = commentableLines(
      [
        ...['diff --git a/bin b/bin', 'deleted file mode 120000', '--- a/bin', '+++ /dev/null'],
        ...['@@ -1 +0,0 @@', '-tools', '\\ No newline at end of file'],
        ...['diff --git a/bin b/bin', 'new file mode 100644', '--- /dev/null', '+++ b/bin'],
        ...['@@ -0,0 +1,2 @@', '+one', '+two'],
      ].join('\n'),
    );
    const file = lines.get('bin');
    expect([...(file?.LEFT.keys() ?? []), ...(file?.RIGHT.keys() ?? [])]).toEqual([1, 1, 2]);
    expect(file?.LEFT.get(1)?.hunk).not.toBe(file?.RIGHT.get(1)?.hunk);
  });

  it('are none in a submodule', () => {
    const lines = commentableLines(
      'diff --git a/lib b/lib\nindex 1..2 160000\n--- a/lib\n+++ b/lib\n@@ -1 +1 @@\n-Subproject commit 1\n+Subproject commit 2\n',
    );
    expect(lines.get('lib')?.RIGHT.size).toBe(0);
  });
});

it('a file is found by a path that begins with a slash', () => {
  expect(findFile(LINES, '/src/auth.ts')?.path).toBe('src/auth.ts');
});

it('a file is found by its name as models are shown it', () => {
  const hidden = commentableLines('--- /dev/null\n+++ b/a\u202Eb.ts\n@@ -0,0 +1 @@\n+x\n');
  expect(findFile(hidden, 'a<U+202E>b.ts')?.path).toBe('a\u202Eb.ts');
});

describe('a line of code', () => {
  it.each<[string, boolean]>([
    ['}', false],
    ['return null;', false],
    ['a = a + a + a;', false],
    ['send(to, body);', true],
    ['const größe = 1;', true],
  ])('%j is telling: %j', (code, expected) => {
    expect(isDistinctiveFingerprint(lineFingerprint(code))).toBe(expected);
  });

  it('is known by sixteen digits, whatever its spacing', () => {
    expect(lineFingerprint('  send(to,  body);')).toBe(lineFingerprint('send(to, body);'));
    expect(lineFingerprint('send(to, body);')).toMatch(/^[0-9a-f]{16}$/);
    expect(lineFingerprint('}')).toMatch(/^~[0-9a-f]{16}$/);
    expect([lineFingerprint(' '), isDistinctiveFingerprint('')]).toEqual(['', false]);
  });

  it('that a comment is about is the last of its hunk', () => {
    expect(lastLineOfHunk('@@ -1 +1 @@\r\n+b\r\n\\ No newline at end of file')).toBe('b');
  });
});

describe('the place of a finding', () => {
  it.each<[string, Partial<Finding>, object]>([
    ['on an added line stays there', { line: 10 }, { line: 10 }],
    [
      'on the left of an unchanged line goes to its right',
      { line: 39, side: 'LEFT' },
      { line: 40 },
    ],
    ['on a range within a hunk keeps it', { startLine: 8, line: 11 }, { startLine: 8, line: 11 }],
    [
      'on a range written backwards is put right',
      { startLine: 11, line: 8 },
      { startLine: 8, line: 11 },
    ],
    [
      'on a range of one line has no range',
      { startLine: 11, line: 11 },
      { line: 11, startLine: undefined },
    ],
    [
      'on a range over two hunks keeps the last part',
      { startLine: 12, line: 40 },
      { startLine: 38, line: 40, isExact: false },
    ],
    [
      'on a range that ends behind the hunk keeps what is shown',
      { startLine: 13, line: 30 },
      { startLine: 13, line: 14, about: 30, isExact: false },
    ],
    [
      'on a range on the left of unchanged lines goes to their right',
      { startLine: 37, line: 39, side: 'LEFT' },
      { startLine: 38, line: 40 },
    ],
    [
      'on a range on the left with a removed line stays',
      { startLine: 38, line: 41, side: 'LEFT' },
      { startLine: 38, line: 41, side: 'LEFT' },
    ],
    ['ten lines below a hunk moves up', { line: 24 }, { line: 14, about: 24, isExact: false }],
    [
      'on a range above a hunk moves to it',
      { startLine: 1, line: 3 },
      { line: 7, about: 3, isExact: false },
    ],
    [
      'on the left of a new file is on the right',
      { path: 'fresh.ts', side: 'LEFT', line: 2 },
      { line: 2 },
    ],
    [
      'right of a deleted file is on the left',
      { path: 'gone.ts', line: 2 },
      { line: 2, side: 'LEFT' },
    ],
    ['on a quoted path is found', { path: 'naïve "file".ts', line: 2 }, { line: 2 }],
  ])('%s', (_, wanted, expected) => {
    expect(placed(wanted).placement).toEqual({
      kind: 'line',
      path: wanted.path ?? 'src/auth.ts',
      side: 'RIGHT',
      startLine: undefined,
      about: undefined,
      isExact: true,
      ...expected,
    });
  });

  it.each<[string, Partial<Finding>, string]>([
    ['a path that only looks like one', { path: 'src/auth.ts ' }, 'unknown-file'],
    ['a file that was only renamed', { path: 'moved.ts' }, 'no-lines'],
    ['a line far behind the end', { line: 999_999 }, 'too-far'],
  ])('on %s is the text of the review', (_, wanted, reason) => {
    expect(placed(wanted).placement).toEqual({ kind: 'body', reason });
  });

  it('keeps the code of the original line, not of the one it had to move to', () => {
    expect(placed({ line: 20, code: 'line 20;' }).finding.code).toBe('line 20;');
    expect(placed({ line: 20 }).finding.code).toBeUndefined();
    expect(placed({ line: 14 }).finding.code).toBe('line 13;');
  });

  it('uses the newest name of its file', () => {
    expect(placed({ path: 'src/old-name.ts', line: 5 }).finding.path).toBe('src/new-name.ts');
    expect(placed({ path: 'b/src/auth.ts' }).finding.path).toBe('src/auth.ts');
  });

  it('is never one that cannot hold a comment', () => {
    const side = fc.constantFrom('LEFT', 'RIGHT');
    const path = fc.constantFrom(...LINES.keys(), 'src/old-name.ts', './win.ts', 'elsewhere.ts');
    const line = fc.oneof(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 1 }));
    const startLine = fc.option(line, { nil: undefined });
    fc.assert(
      fc.property(fc.record({ path, side, line, startLine }), ({ startLine: start, ...parts }) => {
        const wanted = finding({ ...parts, ...(start === undefined ? {} : { startLine: start }) });
        const { placement } = placeFinding(wanted, LINES);
        if (placement.kind === 'body') return;
        const lines = LINES.get(placement.path)?.[placement.side];
        const end = lines?.get(placement.line);
        expect(end).toBeDefined();
        const first = placement.startLine ?? placement.line;
        expect(placement.startLine === undefined || first < placement.line).toBe(true);
        for (let at = first; at < placement.line; at += 1)
          expect(lines?.get(at)?.hunk).toBe(end?.hunk);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a finding that quotes its line', () => {
  it.each<[string, Partial<Finding>, Partial<Finding>]>([
    [
      'keeps its range in the file',
      { line: 20, startLine: 1, code: 'line 8;' },
      { line: 8, startLine: 1 },
    ],
    ['stays outside with code that is nowhere', { line: 30, code: 'line 29;' }, { line: 30 }],
    [
      'stays in a file that is not in the diff',
      { path: 'x.ts', line: 13, code: 'a' },
      { line: 13 },
    ],
  ])('%s', (_, wanted, expected) => {
    const given = finding(wanted);
    expect(correctLine(given, LINES)).toEqual({ ...given, ...expected });
  });

  it('moves to the nearest line with that code', () => {
    const code = ['a', 'same();', 'b', 'c', 'd', 'same();', 'e'].map((one) => `+${one}\n`).join('');
    const lines = commentableLines(`--- /dev/null\n+++ b/f.ts\n@@ -0,0 +1,7 @@\n${code}`);
    const given = finding({ path: 'f.ts', line: 5, code: 'same();' });
    expect(correctLine(given, lines)).toEqual({ ...given, line: 6 });
  });

  it.each([
    ["log.info('⚠️ saved', id);", "log.info('⚠ saved', id);"],
    ["const key = '***' + wrap(30);", "const key = '***' + wrap(30);"],
    ['  key: ***', '+  key: ***'],
    ['say("<system>");', 'say("&lt;system>");'],
  ])('finds %s by what a model is shown of it', (code, shown) => {
    const lines = commentableLines(
      `--- /dev/null\n+++ b/f.ts\n@@ -0,0 +1,2 @@\n+  key: 5\n+${code}\n`,
    );
    expect(correctLine(finding({ path: 'f.ts', line: 1, code: shown }), lines)).toMatchObject({
      line: 2,
    });
  });
});
