import { commentableLines } from '../../../src/findings/change/diff-lines.js';
import { linesOfDiff, ShownFiles } from '../../../src/findings/decide/evidence.js';
import { parseDiff } from '../../../src/lib/text/diff.js';

/** Lines around a change, as git shows them. */
const CONTEXT = 3;

interface Numbered {
  readonly row: string;
  /** The number of the line before and after the change, or of the line before it. */
  readonly old: number;
  readonly new: number;
}

/**
 * The diff of a file whose rows have the mark of the diff, with three lines around each change. The
 * file was renamed if its path before is given.
 */
export function diffOf(path: string, rows: readonly string[], before = path): string {
  const numbered: Numbered[] = [];
  for (const row of rows) {
    const last = numbered.at(-1) ?? { old: 0, new: 0 };
    const isOld = !row.startsWith('+');
    const isNew = !row.startsWith('-');
    numbered.push({ row, old: last.old + Number(isOld), new: last.new + Number(isNew) });
  }
  const isNear = numbered.map((_, index) =>
    rows.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some((row) => !/^ /.test(row)),
  );
  const hunks: Numbered[][] = [];
  for (const [index, line] of numbered.entries()) {
    if (isNear[index] !== true) continue;
    if (index === 0 || isNear[index - 1] !== true) hunks.push([]);
    hunks.at(-1)?.push(line);
  }
  const renamed = before === path ? [] : [`rename from ${before}`, `rename to ${path}`];
  const texts = hunks.map((hunk) => {
    const without = (mark: string) => hunk.filter(({ row }) => !row.startsWith(mark));
    const [old, now] = [without('+'), without('-')];
    const head = `@@ -${old[0]?.old ?? 0},${old.length} +${now[0]?.new ?? 0},${now.length} @@`;
    return [head, ...hunk.map(({ row }) => row)].join('\n');
  });
  const header = [`diff --git a/${before} b/${path}`, ...renamed, `--- a/${before}`];
  return [...header, `+++ b/${path}`, ...texts, ''].join('\n');
}

/**
 * A file that is hard to find one's way in: `}` twelve times, `return null;` four times, one line
 * twice with one between them, one twice with 30 between them, a removed block that reads as an
 * added one, and a hunk that ends at the file's end.
 */
export const LEDGER_ROWS: readonly string[] = `
 import { open } from './store.js';
 import { format } from './money.js';
${' '}
 export function find(id) {
   if (id === '') {
     return null;
   }
   const store = open('accounts');
+  audit.write('read', id, store);
   if (store === undefined) {
+    audit.write('read', id, store);
     return null;
   }
   return store.get(id);
 }
${' '}
 export function total(lines, rate) {
   let sum = 0;
   for (const line of lines) {
     sum += line.price * line.count;
   }
   return format(sum * rate);
 }
${' '}
-export function close(id, reason) {
-  const row = find(id);
+export function close(id, reason, by) {
+  const row = find(id);
   if (row === null) {
     return null;
   }
   row.closed = true;
   row.reason = reason;
   return save(row, { force: true });
 }
${' '}
 function save(row, options) {
   if (options.dry) {
     return undefined;
   }
   const store = open('accounts');
   store.put(row.id, row);
   return store.get(row.id);
 }
${' '}
 export function move(from, to, amount) {
   const source = find(from);
   const target = find(to);
-  if (source === null || target === null) {
+  if (source === null) {
     return null;
   }
   source.balance -= amount;
   target.balance += amount;
   audit.write('move', from, to, amount);
   return save(target, { force: false });
 }
${' '}
 export const VERSION = 7;
${' '}
 export function label(row) {
-  return row.name;
+  return row.name ?? row.id;
 }`
  .slice(1)
  .split('\n');

/** With Windows line ends. */
const WIN_ROWS = [' open(first, second);\r', '-b();\r', '+close(first, second);\r', ' done();\r'];

/** An image, a submodule, a file that was only renamed, and one without a line break at its end. */
const WITHOUT_LINES = `diff --git a/logo.png b/logo.png
Binary files a/logo.png and b/logo.png differ
diff --git a/lib b/lib
index 1111111..2222222 160000
--- a/lib
+++ b/lib
@@ -1 +1 @@
-Subproject commit 1111111
+Subproject commit 2222222
diff --git a/before.ts b/moved.ts
similarity index 100%
rename from before.ts
rename to moved.ts
diff --git a/no-end.ts b/no-end.ts
--- a/no-end.ts
+++ b/no-end.ts
@@ -1,2 +1,2 @@
 begin(first, second);
-end(first, second);
\\ No newline at end of file
+end(second, first);
\\ No newline at end of file
`;

export const DIFF = [
  diffOf('src/ledger.ts', LEDGER_ROWS, 'src/book.ts'),
  diffOf('win.ts', WIN_ROWS),
  WITHOUT_LINES,
].join('');
export const LINES = commentableLines(DIFF);

/** The lines of the file after the change. */
export const HEAD = LEDGER_ROWS.filter((row) => !row.startsWith('-')).map((row) => row.slice(1));

/** The number of the line of the file after the change that reads so; the nth of them. */
export function lineOf(text: string, nth = 1): number {
  const numbers = HEAD.flatMap((line, index) => (line.trim() === text ? [index + 1] : []));
  const number = numbers[nth - 1];
  if (number === undefined) throw new Error(`no line ${nth} reads ${text}`);
  return number;
}

/** The lines that a run has shown: the diff, and some of the head. */
export function shownFiles(first?: number, last = first): ShownFiles {
  const shown = new ShownFiles(linesOfDiff(parseDiff(DIFF)));
  if (first !== undefined)
    shown.show([
      {
        path: 'src/ledger.ts',
        side: 'RIGHT',
        firstLine: first,
        lines: HEAD.slice(first - 1, last),
      },
    ]);
  return shown;
}
