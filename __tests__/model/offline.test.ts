import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import { parseDiff } from '../../src/lib/text/diff.js';
import { createOfflineModel, findInDiff, type RuleId } from '../../src/model/offline.js';
import { FENCE_NOTICE, fence } from '../../src/safety/fence.js';
import { sanitize } from '../../src/safety/sanitize.js';

function options(message: string, system = ''): LanguageModelV4CallOptions {
  return {
    prompt: [
      ...(system === '' ? [] : [{ role: 'system' as const, content: system }]),
      { role: 'user', content: [{ type: 'text', text: message }] },
    ],
  };
}

async function answer(message: string, system = ''): Promise<string> {
  const { content } = await createOfflineModel().doGenerate(options(message, system));
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** A diff that adds lines to a file. */
function adding(path: string, lines: readonly string[], start = 1): string {
  return [
    `diff --git a/${path} b/${path}`,
    `--- a/${path}`,
    `+++ b/${path}`,
    `@@ -${start},0 +${start},${lines.length} @@`,
    ...lines.map((line) => `+${line}`),
    '',
  ].join('\n');
}

function pullRequest(diff: string): string {
  return [
    'Review pull request #7: A change',
    FENCE_NOTICE,
    fence('Title: A change', { source: 'description of pull request #7', markdown: true }),
    fence(diff, { source: 'diff of pull request #7' }),
  ].join('\n\n');
}

describe('createOfflineModel', () => {
  it('uses no tokens, by its own account', async () => {
    const { usage } = await createOfflineModel().doGenerate(options('Hello'));
    expect(usage).toMatchObject({ inputTokens: { total: 0 }, outputTokens: { total: 0 } });
  });

  it('states at once what it is, and when nothing was found', async () => {
    const text = await answer(pullRequest(adding('README.md', ['Hello'])));
    expect(text).toMatch(/^\*\*No model wrote this\.\*\* It is what `offline\/rules` found/);
    expect(text).toContain(
      'None of the rules found anything. That is not a judgement of the change.',
    );
  });

  it('reviews a diff that it finds in a fence', async () => {
    const diff =
      adding('src/a.ts', ['const a = 1;', '// TODO: later', 'console.log(a);'], 10) +
      adding('a.test.ts', ['x']);
    const text = await answer(pullRequest(diff));
    expect(await answer(pullRequest(diff))).toBe(text);
    expect(text).toContain('Looked at 2 files (+4 −0).');
    expect(text).toContain('- `src/a.ts:12`: debug output (`console.log`) outside of tests');
    expect(text).toContain('- `src/a.ts:11`: a new TODO');
  });

  it('reviews a diff that is piped as the task', async () => {
    const text = await answer(adding('src/a.py', ['breakpoint()']));
    expect(text).toContain('- `src/a.py:1`: debug output (`breakpoint`) outside of tests');
  });

  it('states how many files did not fit', async () => {
    const text = await answer(
      `${pullRequest(adding('a.test.ts', ['x']))}\n\n${fence('modified a.ts +1 -0\nmodified b.ts +2 -0', { source: 'files not shown' })}`,
    );
    expect(text).toContain('2 files of the change could not be read, or only in part.');
  });

  it('never repeats a secret that it finds', async () => {
    const token = `ghp_${'aB3'.repeat(12)}`;
    const text = await answer(pullRequest(adding('a.env', [`TOKEN=${token}`])));
    expect(text).toContain('- `a.env:1`: this looks like a GitHub token; if it is real, revoke it');
    expect(text).not.toContain('aB3');
  });

  it('escapes every path', async () => {
    const text = await answer(pullRequest(adding('a`@octocat`\u202Eb.ts', ['debugger;'])));
    expect(text).toContain("- `a'@octocat'<U+202E>b.ts:1`: debug output");
    expect(sanitize(text, 'comment', [])).toBe(text);
  });

  it('states what it can do if there is no diff', async () => {
    expect(await answer('Write a haiku')).toContain('They can review a diff, and none was sent.');
  });
});

function rulesFor(diff: string): readonly RuleId[] {
  return findInDiff(parseDiff(diff)).map(({ rule }) => rule);
}

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
  /** Lines of a file that were changed, and whether that lost an `await`. */
  it.each([
    ['await save(a);', 'save(a);', true],
    ['    await save(', '  save(', true],
    ['await save(a);', 'await save(a, b);', false],
    ['await save(a);', 'void save(a);', false],
    ['const saved = await save(a);', 'const saved = save(a);', false],
    ['return await save(a);', 'return save(a);', false],
  ])('says that `%s` as `%s` lost its await: %s', (before, after, isLost) => {
    const diff = `diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -5,1 +5,1 @@\n-${before}\n+${after}\n`;
    expect(rulesFor(diff + adding('x.test.ts', ['x']))).toEqual(isLost ? ['lost-await'] : []);
  });

  for (const [path, line, rule] of LINES) {
    const name =
      line.startsWith('const key') || line.startsWith('"AKIA') ? 'a key' : JSON.stringify(line);
    it(`${rule === undefined ? 'lets' : `calls ${rule}:`} ${name} in ${path}${rule === undefined ? ' pass' : ''}`, () => {
      // A test goes with every change, so that only the rule in question speaks.
      const rules = rulesFor(adding(path, [line]) + adding('x.test.ts', ['x']));
      expect(rules).toEqual(rule === undefined ? [] : [rule]);
    });
  }

  it('reports the line number in the new file', () => {
    const [finding] = findInDiff(parseDiff(adding('a.md', ['x', 'y', 'TODO'], 5)));
    expect(finding).toEqual({ rule: 'todo', path: 'a.md', line: 7, message: 'a new TODO' });
  });

  it('looks at added lines only', () => {
    const diff =
      'diff --git a/a.md b/a.md\n--- a/a.md\n+++ b/a.md\n@@ -1,2 +1,1 @@\n TODO\n-FIXME\n';
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
