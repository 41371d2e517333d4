import { expect, it } from '@jest/globals';
import { ownPart } from '../../src/review/own-part.js';

function file(path: string, ...hunks: readonly string[]): string {
  return `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n${hunks.join('')}`;
}

/** A hunk of one added line between two others. */
function hunk(line: number, text = 'new'): string {
  return `@@ -${line - 1},2 +${line - 1},3 @@\n before\n+${text}\n after\n`;
}

it('hunks are kept that touch lines the pull request changes', () => {
  const pull = file('a.ts', hunk(10), hunk(50));
  expect(ownPart(file('a.ts', hunk(10), hunk(30, 'theirs')), pull)).toBe(file('a.ts', hunk(10)));
});

it('files are left out that the pull request does not change', () => {
  const pull = file('a.ts', hunk(10));
  expect(ownPart(file('b.ts', hunk(10)) + file('a.ts', hunk(10)), pull)).toBe(file('a.ts', hunk(10)));
  expect(ownPart(file('b.ts', hunk(10)), pull)).toBe('');
});

it('lines are kept that the pull request removes', () => {
  const removal = '@@ -9,3 +9,2 @@\n before\n-old\n after\n';
  expect(ownPart(file('a.ts', removal, hunk(80)), file('a.ts', removal))).toBe(file('a.ts', removal));
});

it('a deleted file and one without hunks are kept', () => {
  const gone =
    'diff --git a/gone.ts b/gone.ts\ndeleted file mode 100644\n--- a/gone.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n';
  const logo = 'diff --git a/logo.png b/logo.png\nBinary files a/logo.png and b/logo.png differ\n';
  expect(ownPart(gone + logo, gone + logo)).toBe(gone + logo);
});

it('a file is kept whole if GitHub shows nothing of it in the pull request’s own diff', () => {
  const large = file('large.ts', hunk(10), hunk(50));
  expect(ownPart(large, 'diff --git a/large.ts b/large.ts\n')).toBe(large);
});
