import { expect, it } from '@jest/globals';
import { readDiffLines } from '../../src/review/diff-lines.js';
import { type CommentedLine, isLineRemoved } from '../../src/review/earlier.js';

const LINES = readDiffLines(
  'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1,3 +1,3 @@\n function f() {\n-  old();\n+  fresh();\n }\n' +
    'diff --git a/large.ts b/large.ts\n',
);
const LINE: CommentedLine = {
  path: 'a.ts',
  side: 'RIGHT',
  isOutdated: true,
  hunk: '@@ -1,2 +1,3 @@\n function f() {\n+  settled();',
};

it.each<[string, Partial<CommentedLine>, boolean]>([
  ['was removed from its file', {}, true],
  ['was removed with its file', { path: 'b.ts' }, true],
  ['was removed, whatever the end of the file', { hunk: `${LINE.hunk}\n\\ No newline at end of file` }, true],
  ['is found by GitHub', { isOutdated: false }, false],
  [
    'was moved to another path together with its file',
    { path: 'b.ts', hunk: '@@ -9 +9 @@\n+ fresh();' },
    false,
  ],
  ['says nothing, and its file was removed', { path: 'b.ts', hunk: '@@ -9 +9 @@\n+ }' }, true],
  ['was only moved', { hunk: '@@ -9 +9 @@\n+ fresh();' }, false],
  ['was removed, and is on the other side', { side: 'LEFT', hunk: '@@ -9 +9 @@\n-\told();' }, false],
  ['is in a file of which GitHub shows nothing', { path: 'large.ts' }, false],
  ['says nothing', { hunk: '@@ -9 +9 @@\n+' }, false],
])('an earlier finding on a line %s', (_, line, gone) => {
  expect(isLineRemoved({ ...LINE, ...line }, LINES)).toBe(gone);
});
