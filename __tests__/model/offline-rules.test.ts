import { describe, expect, it } from '@jest/globals';
import { parseDiff } from '../../src/lib/text/diff.js';
import { findInDiff, type RuleId } from '../../src/model/offline-rules.js';

function adding(path: string, lines: readonly string[]): string {
  const header = `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -5,0 +5,${lines.length} @@\n`;
  return `${header}${lines.map((line) => `+${line}\n`).join('')}`;
}

function rulesFor(diff: string): readonly RuleId[] {
  return findInDiff(parseDiff(diff)).map(({ rule }) => rule);
}

/** A test goes with every change, so that only the rule in question speaks. */
function rulesForLine(path: string, line: string): readonly RuleId[] {
  return rulesFor(adding(path, [line]) + adding('x.test.ts', ['x']));
}

/** Lines of a file that were changed, and whether that lost an `await`. */
const AWAITS: readonly (readonly [string, string, boolean])[] = [
  ['await save(a);', 'save(a);', true],
  ['    await save(', '  save(', true],
  ['await save(a);', 'await save(a, b);', false],
  ['await save(a);', 'void save(a);', false],
  ['const saved = await save(a);', 'const saved = save(a);', false],
  ['return await save(a);', 'return save(a);', false],
];

const LINES: readonly (readonly [string, string, RuleId | undefined])[] = [
  ['a.ts', 'console.log(a)', 'debug-output'],
  ['a.ts', '  debugger;', 'debug-output'],
  ['a.ts', 'myconsole.log(a)', undefined],
  ['a.ts', 'console.error(a)', undefined],
  ['a.ts', '// console.log(a)', undefined],
  ['a.ts', 'const debuggerName = 1', undefined],
  ['a.py', 'print(a)', 'debug-output'],
  ['a.py', 'import pdb; pdb.set_trace()', 'debug-output'],
  ['a.py', 'blueprint(a)', undefined],
  ['a.go', 'fmt.Println(a)', 'debug-output'],
  ['a.go', 'fmt.Fprintln(w, a)', undefined],
  ['a.md', 'console.log(a)', undefined],
  ['__tests__/a.ts', 'console.log(a)', undefined],
  ['tests/test_a.py', 'print(a)', undefined],
  ['a_test.go', 'fmt.Println(a)', undefined],
  ['src/latest.ts', 'console.log(a)', 'debug-output'],
  ['a.ts', '// TODO: later', 'todo'],
  ['a.ts', '/* FIXME */', 'todo'],
  ['a.ts', 'const todo = mastodon', undefined],
  ['vendor/a.ts', '// TODO: later', undefined],
  ['a.ts', '<<<<<<< HEAD', 'conflict-marker'],
  ['a.ts', '>>>>>>> feature/x', 'conflict-marker'],
  ['a.md', '=======', undefined],
  ['a.ts', `const key = "AKIA${'ABCD2345'.repeat(2)}"`, 'secret'],
  ['package-lock.json', `"AKIA${'ABCD2345'.repeat(2)}"`, 'secret'],
  ['a.pem', '-----BEGIN RSA PRIVATE KEY-----', 'secret'],
];

describe('findInDiff', () => {
  it.each(AWAITS)('says that `%s` as `%s` lost its await: %s', (before, after, isLost) => {
    const diff = `diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -5,1 +5,1 @@\n-${before}\n+${after}\n`;
    expect(rulesFor(diff + adding('x.test.ts', ['x']))).toEqual(isLost ? ['lost-await'] : []);
  });

  for (const [path, line, rule] of LINES) {
    const name = line.startsWith('const key') || line.startsWith('"AKIA') ? 'a key' : JSON.stringify(line);
    it(`${rule === undefined ? 'lets' : `calls ${rule}:`} ${name} in ${path}${rule === undefined ? ' pass' : ''}`, () => {
      expect(rulesForLine(path, line)).toEqual(rule === undefined ? [] : [rule]);
    });
  }

  it('reports the line number in the new file', () => {
    const [finding] = findInDiff(parseDiff(adding('a.md', ['x', 'y', 'TODO'])));
    expect(finding).toEqual({ rule: 'todo', path: 'a.md', line: 7, message: 'a new TODO' });
  });

  it('looks at added lines only', () => {
    const diff = 'diff --git a/a.md b/a.md\n--- a/a.md\n+++ b/a.md\n@@ -1,2 +1,1 @@\n TODO\n-FIXME\n';
    expect(rulesFor(diff)).toEqual([]);
  });

  it('reports missing tests if only code changes', () => {
    expect(rulesFor(adding('src/a.ts', ['x']))).toEqual(['tests-untouched']);
    expect(rulesFor(adding('docs/a.md', ['x']))).toEqual([]);
    expect(rulesFor(adding('src/a.ts', ['x']) + adding('src/a.spec.ts', ['x']))).toEqual([]);
  });

  it('reports findings by rule, the most severe first', () => {
    const diff = adding('a.ts', ['// TODO', 'console.log()', '<<<<<<< HEAD']);
    expect(rulesFor(diff)).toEqual(['conflict-marker', 'debug-output', 'todo', 'tests-untouched']);
  });
});
