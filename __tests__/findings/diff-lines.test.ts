import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  commentableLines,
  findFile,
  isDistinctiveFingerprint,
  lastLineOfHunk,
  lineFingerprint,
  placeOnLines,
} from '../../src/findings/change/diff-lines.js';
import type { Finding } from '../../src/findings/finding.js';
import { LINES, placed } from './change.js';

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

it('a file is found among 20,000', () => {
  const many = Array.from({ length: 20_000 }, (_, index) => `f${index}.ts`);
  const diff = many.map((path) => `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-old\n+${path}\n`);
  const lines = commentableLines(diff.join(''));
  expect(findFile(lines, './f19999.ts')?.RIGHT.get(1)?.text).toBe('f19999.ts');
  expect(findFile(lines, 'f20000.ts')).toBeUndefined();
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

describe('the comment on a finding', () => {
  it.each<[string, Partial<Finding>, object]>([
    ['on an added line is there', { line: 10 }, { line: 10 }],
    ['on an unchanged line of the diff is there', { line: 13 }, { line: 13 }],
    ['on a range within a hunk keeps it', { startLine: 8, line: 11 }, { startLine: 8, line: 11 }],
    ['on a range of one line has no range', { startLine: 11, line: 11 }, { line: 11 }],
    [
      'on a range over two hunks keeps the last part',
      { startLine: 12, line: 40 },
      { startLine: 38, line: 40, isExact: false },
    ],
    [
      'on a range that ends behind the hunk keeps what is shown',
      { startLine: 13, line: 30 },
      { startLine: 13, line: 14, isExact: false },
    ],
    [
      'on a range on the left with a removed line is there',
      { startLine: 38, line: 41, side: 'LEFT' },
      { startLine: 38, line: 41, side: 'LEFT' },
    ],
    ['on a quoted path is found', { path: 'naïve "file".ts', line: 2 }, { line: 2 }],
  ])('%s', (_, wanted, expected) => {
    expect(placed(wanted).placement).toEqual({
      kind: 'line',
      path: wanted.path ?? 'src/auth.ts',
      side: 'RIGHT',
      isExact: true,
      ...expected,
    });
  });

  it.each<[string, Partial<Finding>, string]>([
    ['a path that only looks like one', { path: 'src/auth.ts ' }, 'outside'],
    ['a file that was only renamed', { path: 'moved.ts' }, 'no-lines'],
    ['a line between two hunks', { line: 20 }, 'outside'],
    ['a line far behind the end', { line: 999_999 }, 'outside'],
  ])('on %s is the text of the review', (_, wanted, reason) => {
    expect(placed(wanted).placement).toEqual({ kind: 'body', reason });
  });

  it('is on lines of the finding that are in one hunk of the diff', () => {
    const side = fc.constantFrom('LEFT', 'RIGHT');
    const path = fc.constantFrom(...LINES.keys(), 'elsewhere.ts');
    const line = fc.oneof(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 1 }));
    const startLine = fc.option(line, { nil: undefined });
    fc.assert(
      fc.property(fc.record({ path, side, line, startLine }), (named) => {
        const { startLine: start = named.line } = named;
        const placement = placeOnLines(named, LINES);
        if (placement.kind === 'body') return;
        const first = placement.startLine ?? placement.line;
        expect(first).toBeGreaterThanOrEqual(start);
        expect(placement.line).toBeLessThanOrEqual(named.line);
        expect(placement.startLine === undefined || first < placement.line).toBe(true);
        const lines = LINES.get(placement.path)?.[placement.side];
        const hunk = lines?.get(placement.line)?.hunk;
        expect(hunk).toBeDefined();
        for (let at = first; at < placement.line; at += 1) expect(lines?.get(at)?.hunk).toBe(hunk);
      }),
      { numRuns: 500 },
    );
  });
});
