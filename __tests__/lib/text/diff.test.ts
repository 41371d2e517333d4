import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatPatch, numberDiff, parseDiff, parseNumbered } from '../../../src/lib/text/diff.js';
import { tempDir, writeFiles } from '../../helpers/temp.js';

/** A diff that adds lines to one file. */
function adding(path: string, lines: readonly string[]): string {
  return [
    `diff --git a/${path} b/${path}`,
    'index 1111111..2222222 100644',
    `--- a/${path}`,
    `+++ b/${path}`,
    `@@ -1,1 +1,${lines.length + 1} @@`,
    ' first',
    ...lines.map((line) => `+${line}`),
    '',
  ].join('\n');
}

function pathsOf(diff: string): readonly string[] {
  return parseDiff(diff).map(({ path }) => path);
}

describe('parseDiff', () => {
  it('reads hunks and numbers their lines', () => {
    const diff = `diff --git a/src/a.ts b/src/a.ts
index 1111111..2222222 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -10,3 +10,4 @@ function a() {
 one
-two
+deux
+trois
 four
@@ -40 +41,0 @@
-gone
`;
    const [file, ...others] = parseDiff(diff);
    expect(others).toEqual([]);
    expect(file).toMatchObject({
      path: 'src/a.ts',
      previousPath: undefined,
      status: 'modified',
      content: 'text',
      additions: 2,
      deletions: 2,
      header: diff.split('\n').slice(0, 4).join('\n'),
      text: diff.trimEnd(),
    });
    expect(file?.hunks).toEqual([
      {
        text: diff.split('\n').slice(4, 10).join('\n'),
        oldStart: 10,
        oldLines: 3,
        newStart: 10,
        newLines: 4,
        lines: [
          { kind: 'context', oldLine: 10, newLine: 10, text: 'one' },
          { kind: 'removed', oldLine: 11, text: 'two' },
          { kind: 'added', newLine: 11, text: 'deux' },
          { kind: 'added', newLine: 12, text: 'trois' },
          { kind: 'context', oldLine: 12, newLine: 13, text: 'four' },
        ],
      },
      {
        text: '@@ -40 +41,0 @@\n-gone',
        oldStart: 40,
        oldLines: 1,
        newStart: 41,
        newLines: 0,
        lines: [{ kind: 'removed', oldLine: 40, text: 'gone' }],
      },
    ]);
  });

  it('treats no content as a header', () => {
    const diff = `diff --git a/x.sql b/x.sql
--- a/x.sql
+++ b/x.sql
@@ -1,4 +1,5 @@
--- a/evil.ts
+++ b/evil.ts
+@@ -1 +1 @@
+diff --git a/evil b/evil
 diff --git a/evil2 b/evil2
 rename from evil
-GIT binary patch
@@ -20 +21 @@
-a
+b
diff --git a/y.ts b/y.ts
--- a/y.ts
+++ b/y.ts
@@ -1 +1 @@
-a
+b`;
    const files = parseDiff(diff);
    expect(files.map(({ path, additions, deletions }) => ({ path, additions, deletions }))).toEqual(
      [
        { path: 'x.sql', additions: 4, deletions: 3 },
        { path: 'y.ts', additions: 1, deletions: 1 },
      ],
    );
  });

  it('continues with the next file if a hunk was cut short', () => {
    const diff = `${adding('a.ts', ['x', 'y']).replace('+1,3 @@', '+1,9 @@')}${adding('b.ts', ['z'])}`;
    expect(pathsOf(diff)).toEqual(['a.ts', 'b.ts']);
  });

  it('recognizes the mark of a missing final newline', () => {
    const diff = [
      ...['diff --git a/a b/a', '--- a/a', '+++ b/a', '@@ -1 +1 @@'],
      ...['-a', '\\ No newline at end of file', '+b', '\\ No newline at end of file'],
      ...['diff --git a/c b/c', '--- a/c', '+++ b/c', '@@ -1 +1 @@', '-a', '+b'],
    ].join('\n');
    expect(
      parseDiff(diff).map(({ path, additions, deletions }) => [path, additions, deletions]),
    ).toEqual([
      ['a', 1, 1],
      ['c', 1, 1],
    ]);
  });

  /** A change of one line. */
  const HUNK = ['@@ -1 +1 @@', '-a', '+b'];

  it.each<[string, readonly string[], object]>([
    [
      'an added file',
      [
        'diff --git a/n b/n',
        'new file mode 100644',
        '--- /dev/null',
        '+++ b/n',
        '@@ -0,0 +1 @@',
        '+a',
      ],
      { path: 'n', status: 'added', additions: 1 },
    ],
    [
      'an empty added file',
      ['diff --git a/e b/e', 'new file mode 100644', 'index 0000000..e69de29'],
      { path: 'e', status: 'added', additions: 0 },
    ],
    [
      'a deleted file',
      [
        'diff --git a/d b/d',
        'deleted file mode 100644',
        '--- a/d',
        '+++ /dev/null',
        '@@ -1 +0,0 @@',
        '-a',
      ],
      { path: 'd', status: 'deleted', deletions: 1 },
    ],
    [
      'a pure rename',
      [
        'diff --git a/a b.txt b/c d.txt',
        'similarity index 100%',
        'rename from a b.txt',
        'rename to c d.txt',
      ],
      { path: 'c d.txt', previousPath: 'a b.txt', status: 'renamed' },
    ],
    [
      'a rename between folders that look like prefixes',
      ['diff --git a/a/b.txt b/b/a/c.txt', 'rename from a/b.txt', 'rename to b/a/c.txt'],
      { path: 'b/a/c.txt', previousPath: 'a/b.txt', status: 'renamed' },
    ],
    [
      'a rename with changes',
      ['diff --git a/o b/n', 'rename from o', 'rename to n', '--- a/o', '+++ b/n', ...HUNK],
      { path: 'n', previousPath: 'o', status: 'renamed', additions: 1 },
    ],
    [
      'a copy',
      ['diff --git a/o b/n', 'similarity index 100%', 'copy from o', 'copy to n'],
      { path: 'n', previousPath: 'o', status: 'copied' },
    ],
    [
      'a change of mode, with the prefix in the name',
      ['diff --git a/x b/y.txt b/x b/y.txt', 'old mode 100644', 'new mode 100755'],
      { path: 'x b/y.txt', status: 'modified', additions: 0 },
    ],
    [
      'a quoted path',
      ['diff --git "a/\\303\\244 \\"q\\"\\t.txt" "b/\\303\\244 \\"q\\"\\t.txt"', 'new mode 100755'],
      { path: 'ä "q"\t.txt' },
    ],
    [
      'quoted paths of a change',
      ['--- "a/\\360\\237\\231\\202"', '+++ "b/\\360\\237\\231\\202"', ...HUNK],
      { path: '🙂', additions: 1 },
    ],
    [
      'a rename to a quoted path',
      ['diff --git a/plain "b/\\303\\244"', 'rename from plain', 'rename to "\\303\\244"'],
      { path: 'ä', previousPath: 'plain', status: 'renamed' },
    ],
    [
      'a path with spaces, a time in it and a tab behind it',
      [
        '--- a/log 2020-01-01 10:00:00 +0000.txt\t',
        '+++ b/log 2020-01-01 10:00:00 +0000.txt\t',
        ...HUNK,
      ],
      { path: 'log 2020-01-01 10:00:00 +0000.txt' },
    ],
    [
      'a path that begins with marks',
      ['diff --git a/--x b/--x', '--- a/--x', '+++ b/--x', '@@ -0,0 +1,1 @@', '+-- a'],
      { path: '--x', additions: 1 },
    ],
    [
      'a binary file',
      [
        'diff --git a/x.png b/x.png',
        'index 1..2 100644',
        'Binary files a/x.png and b/x.png differ',
      ],
      { path: 'x.png', content: 'binary' },
    ],
    [
      'a binary patch',
      [
        'diff --git a/x b/x',
        'GIT binary patch',
        'literal 3',
        'Kcmb<z',
        '',
        'literal 0',
        'HcmV?d00001',
      ],
      { path: 'x', content: 'binary' },
    ],
    [
      'a submodule',
      ['diff --git a/lib b/lib', 'index 1..2 160000', '--- a/lib', '+++ b/lib', ...HUNK],
      { path: 'lib', content: 'submodule' },
    ],
    [
      'a diff without git, with times',
      ['--- old/a.txt\t2020-01-01 10:00:00', '+++ new/a.txt\t2020-01-02 10:00:00', ...HUNK],
      { path: 'new/a.txt', status: 'modified', additions: 1 },
    ],
  ])('reads %s', (_, lines, expected) => {
    const files = parseDiff(`${lines.join('\n')}\n`);
    expect(files).toHaveLength(1);
    expect(files[0]).toMatchObject(expected);
  });

  it('reads a diff whose own lines end in CRLF', () => {
    const lines = ['diff --git a/o b/n', 'rename from o', 'rename to n', '--- a/o', '+++ b/n'];
    const diff = [...lines, ...HUNK, '\\ No newline at end of file', ''].join('\r\n');
    const [file, ...others] = parseDiff(diff);
    expect(others).toEqual([]);
    expect(file).toMatchObject({ path: 'n', previousPath: 'o', additions: 1, deletions: 1 });
    expect(file?.hunks[0]?.lines).toMatchObject([{ text: 'a\r' }, { text: 'b\r' }]);
  });

  it('distinguishes two files of a diff without git', () => {
    const diff = ['--- a.txt', '+++ a.txt', ...HUNK, '--- b.txt', '+++ b.txt', ...HUNK];
    expect(pathsOf(diff.join('\n'))).toEqual(['a.txt', 'b.txt']);
  });

  it('finds no files in other text', () => {
    expect(parseDiff('')).toEqual([]);
    expect(parseDiff('Hello\n+++ b/x\n@@ -1 +1 @@\n--- x\n')).toEqual([]);
  });

  it('counts every added line of any content', () => {
    const marks = [
      '--- a/x',
      '+++ b/x',
      '@@ -1 +1 @@',
      'diff --git a/x b/x',
      '',
      ' ',
      '\\ No newline',
    ];
    const line = fc.oneof(
      fc.constantFrom(...marks, '-', '+', '\r'),
      fc.string({ maxLength: 10 }).map((text) => text.replaceAll('\n', '')),
    );
    const lines = fc.array(line, { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(lines, lines, (a, b) => {
        const files = parseDiff(adding('a', a) + adding('b', b));
        expect(files.map(({ path }) => path)).toEqual(['a', 'b']);
        const added = files.map(({ hunks }) =>
          hunks.flatMap(({ lines }) =>
            lines.flatMap((one) => (one.kind === 'added' ? [one.text] : [])),
          ),
        );
        expect(added).toEqual([a, b]);
      }),
    );
  });

  it('is fast for long headers made to slow it down', () => {
    for (const unit of ['a/ ', ' b/', '"', '\\1', ' ']) {
      expect(parseDiff(`diff --git ${unit.repeat(300_000)}`)).toHaveLength(1);
    }
  });
});

const bytes = (text: string | undefined) =>
  text === undefined ? undefined : new TextEncoder().encode(text);

it('a patch shows each changed stretch with three lines around it', () => {
  const old = Array.from({ length: 30 }, (_, at) => `line ${at + 1}\n`);
  const now = old.with(4, 'five\n').toSpliced(24, 1);
  expect(
    formatPatch('a.txt', bytes(old.join('')), bytes(now.join(''))),
  ).toBe(`diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -2,7 +2,7 @@
 line 2
 line 3
 line 4
-line 5
+five
 line 6
 line 7
 line 8
@@ -22,7 +22,6 @@
 line 22
 line 23
 line 24
-line 25
 line 26
 line 27
 line 28
`);
});

it('what `git apply` makes of a patch is the changed file, to the byte', () => {
  const line = fc.constantFrom(
    'a',
    'b',
    'c',
    'd\r',
    '',
    ' ',
    '+',
    '-',
    '\\',
    '`',
    '@@ -1 +1 @@',
    'é\u2028',
  );
  const text = fc
    .tuple(fc.array(line, { maxLength: 20 }), fc.boolean())
    .map(([lines, isEnded]) => lines.join('\n') + (isEnded ? '\n' : ''));
  const file = fc.option(text, { nil: undefined });
  fc.assert(
    fc.property(file, file, (before, after) => {
      fc.pre(before !== after);
      const folder = tempDir('patch');
      if (before !== undefined) writeFiles(folder, { 'src/a b.txt': before });
      const input = formatPatch('src/a b.txt', bytes(before), bytes(after));
      const env = { PATH: process.env['PATH'], GIT_CEILING_DIRECTORIES: join(folder, '..') };
      execFileSync('git', ['apply', '--whitespace=nowarn'], { cwd: folder, input, env });
      const path = join(folder, 'src/a b.txt');
      expect(existsSync(path) ? readFileSync(path, 'utf8') : undefined).toBe(after);
    }),
    { numRuns: 40 },
  );
});

describe('a diff with the numbers of its lines', () => {
  const HEADER = 'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n';

  it.each<[string, string, string]>([
    [
      'added, unchanged and removed lines',
      '@@ -9,3 +9,3 @@ f() {\n one\n-two\n+deux\n three\n',
      '@@ -9,3 +9,3 @@ f() {\n 9: one\n-two\n+10: deux\n 11: three\n',
    ],
    [
      'hunks, each from its own beginning',
      '@@ -1 +1,2 @@\n a\n+b\n@@ -40 +41 @@\n-c\n+d\n',
      '@@ -1 +1,2 @@\n 1: a\n+2: b\n@@ -40 +41 @@\n-c\n+41: d\n',
    ],
    ['a hunk that only removes', '@@ -3 +2,0 @@\n-gone\n', '@@ -3 +2,0 @@\n-gone\n'],
    [
      'the note on a missing newline',
      '@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n',
      '@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+1: b\n\\ No newline at end of file\n',
    ],
    ['lines that end in CRLF', '@@ -1 +1 @@\n-a\r\n+b\r\n', '@@ -1 +1 @@\n-a\r\n+1: b\r\n'],
    [
      'an empty line without its space',
      '@@ -1,2 +1,2 @@\n\n-a\n+b\n',
      '@@ -1,2 +1,2 @@\n 1: \n-a\n+2: b\n',
    ],
    [
      'lines that look like headers',
      '@@ -1 +1 @@\n--- a\n+++ b\n',
      '@@ -1 +1 @@\n--- a\n+1: ++ b\n',
    ],
    [
      'lines that begin with numbers',
      '@@ -1 +1 @@\n-1: a\n+1: b\n',
      '@@ -1 +1 @@\n-1: a\n+1: 1: b\n',
    ],
    [
      'a hunk that was cut',
      '@@ -1,9 +1,9 @@\n a\n[cut here]\n',
      '@@ -1,9 +1,9 @@\n 1: a\n[cut here]\n',
    ],
    ['no newline at its end', '@@ -1 +1 @@\n-a\n+b', '@@ -1 +1 @@\n-a\n+1: b'],
    [
      'no lines',
      'Binary files a/a.ts and b/a.ts differ\n',
      'Binary files a/a.ts and b/a.ts differ\n',
    ],
  ])('has those of the new version: %s', (_, hunks, numbered) => {
    const before = 'From 1234567\nSubject: it\n\n';
    expect(numberDiff(`${HEADER}${hunks}`)).toBe(`${HEADER}${numbered}`);
    expect(numberDiff(`${before}${HEADER}${hunks}`)).toBe(`${before}${HEADER}${numbered}`);
  });

  it('leaves any other text as it is', () => {
    expect(numberDiff('+12 apples\n@@ -1 +1 @@\n')).toBe('+12 apples\n@@ -1 +1 @@\n');
  });

  it('is read as the same files, hunks and lines', () => {
    const line = fc.constantFrom(
      '',
      'code',
      '1: code',
      '++ b',
      '-- a',
      '\\ No',
      '@@ -1 +1 @@',
      'é\r',
    );
    const lines = fc.array(line, { maxLength: 8 }).map((all) => Buffer.from(all.join('\n')));
    fc.assert(
      fc.property(fc.array(fc.tuple(lines, lines), { maxLength: 3 }), (files) => {
        const diff = files.map((pair, index) => formatPatch(`${index}.ts`, ...pair)).join('');
        const numbered = numberDiff(diff);
        const linesOf = (all: ReturnType<typeof parseDiff>) =>
          all.map(({ path, header, hunks }) => [path, header, hunks.map((hunk) => hunk.lines)]);
        expect(linesOf(parseNumbered(numbered))).toEqual(linesOf(parseDiff(diff)));
        expect(
          parseDiff(numbered)
            .map(({ text }) => text)
            .join('\n'),
        ).toBe(numbered.replace(/\n$/, ''));
      }),
    );
  });

  it('is read as it is where numbers were no part of it', () => {
    const diff = `${HEADER}@@ -1,2 +1,2 @@\n-a\n+1: b\n c\n`;
    expect(parseNumbered(diff)).toEqual(parseDiff(diff));
  });
});
