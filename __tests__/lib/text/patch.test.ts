import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatPatch } from '../../../src/lib/text/diff.js';
import { tempDir, writeFiles } from '../../helpers/temp.js';

const bytes = (text: string | undefined) => (text === undefined ? undefined : new TextEncoder().encode(text));

it('a patch shows each changed stretch with three lines around it', () => {
  const old = Array.from({ length: 30 }, (_, at) => `line ${at + 1}\n`);
  const now = old.with(4, 'five\n').toSpliced(24, 1);
  expect(formatPatch('a.txt', bytes(old.join('')), bytes(now.join('')))).toBe(`diff --git a/a.txt b/a.txt
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
  const line = fc.constantFrom('a', 'b', 'c', 'd\r', '', ' ', '+', '-', '\\', '`', '@@ -1 +1 @@', 'é\u2028');
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
