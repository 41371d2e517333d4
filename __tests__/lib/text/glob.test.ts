import { expect, it } from '@jest/globals';
import { ConfigError } from '../../../src/lib/errors.js';
import { compileGlob, compileShellGlob, selectPaths } from '../../../src/lib/text/glob.js';

it.each<[string, readonly string[], readonly string[]]>([
  // One segment.
  ['*', ['a.md', '.hidden'], ['a/b']],
  ['*.md', ['README.md'], ['src/a.md']],
  ['*.MD', [], ['a.md']],
  ['?.md', ['a.md', '🎉.md'], ['ab.md']],
  ['a*b*c', ['aXbYbZc'], ['aXbY']],
  ['[ab].md', ['a.md'], ['c.md']],
  ['[a-c].md', ['b.md'], []],
  ['[^a].md', ['B.md'], ['a.md']],
  ['[!a].md', ['a.md', '!.md'], ['b.md']],
  ['[\\]]', [']'], []],
  ['[α-ω]', ['λ'], []],
  ['\\[b\\].txt', ['[b].txt'], []],
  ['\\*', ['*'], ['a']],
  ['*.{md,go}', ['a.{md,go}'], ['a.md']],
  ['!a.md', ['!a.md'], ['b.md']],
  // Several segments.
  ['src/*.ts', ['src/a.ts'], ['src/deep/a.ts']],
  ['*/*/b.ts', ['src/deep/b.ts'], []],
  ['./*.go', ['main.go'], []],
  ['.//a/./b.go', ['a/b.go'], []],
  ['src/../main.go', ['main.go'], []],
  ['/README.md', ['README.md'], []],
  ['src/', ['src'], []],
  // Out of the workdir, or the workdir itself.
  ['../x', [], ['x', '../x']],
  ['src/../../x', [], ['x']],
  ['', [], ['']],
  ['.', [], ['.']],
  ['..odd', ['..odd'], []],
  // Any depth.
  ['**', ['a', 'a/b/c', '.github/workflows/ci.yml', 'src/.gitignore'], ['.git/config']],
  ['**/*.ts', ['inlink.ts', 'src/deep/c.test.ts'], []],
  ['src/**', ['src/a.ts', 'src/deep/b.ts', 'src'], ['lib/a.ts']],
  ['src/**/b.ts', ['src/b.ts', 'src/x/y/b.ts'], ['src/x/y/c.ts']],
  ['src/**/deep/**/*.ts', ['src/deep/b.ts', 'src/a/deep/b/c/d.ts'], ['src/a/b.ts']],
  ['**.ts', ['a.ts'], ['src/a.ts']],
  ['./**/*.ts', [], ['a.ts', 'src/a.ts']],
  // Left out unless named.
  ['**/*', [], ['a/.git/config']],
  ['**/*.js', [], ['node_modules/x/index.js']],
  ['**/*/*.js', [], ['node_modules/index.js']],
  ['*/config', [], ['.git/config']],
  ['.git/config', ['.git/config'], []],
  ['.git/**', ['.git/refs/heads/main'], []],
  ['node_modules/**', ['node_modules/x/node_modules/y/index.js'], ['node_modules/.git/config']],
  ['**/node_modules/**', ['a/node_modules/x.js'], []],
])('a pattern %j matches %j, and not %j', (pattern, matching, others) => {
  const paths = [...matching, ...others];
  expect(paths.filter(compileGlob(pattern).matches)).toEqual(matching);
});

it.each<[string, readonly string[], readonly string[]]>([
  ['**', ['a', 'a/b.c'], ['.a', 'a/.b', '.a/b', 'a/.b/c', '..a']],
  ['*', ['a'], ['.a']],
  ['?a', ['ba'], ['.a']],
  ['[.a]b', ['ab'], ['.b']],
  ['[^x]b', ['ab'], ['.b']],
  ['.*', ['.a', '..a'], ['a']],
  ['\\.a', ['.a'], ['a']],
  ['.a/**', ['.a', '.a/b', '.a/b/c'], ['.a/.b', '.a/b/.c']],
  ['src/**/.a', ['src/.a', 'src/b/.a'], ['src/.b/.a', '.a']],
  ['**/.a/*', ['.a/b', 'c/.a/b'], ['.a/.b', '.c/.a/b']],
  ['a.b', ['a.b'], ['.a.b']],
])('a pattern of a shell %j matches %j, and not %j', (pattern, matching, others) => {
  const { matches } = compileShellGlob(pattern, (name) => name.startsWith('.'));
  expect([...matching, ...others].filter(matches)).toEqual(matching);
});

const MALFORMED = '[x **/[x [ [] []a] [a-] [-] [^] [a- a\\ a\\/b [\\ ../[x x/[a/b]';

it.each(MALFORMED.split(' '))(
  'a pattern refuses the malformed %j with axe’s message',
  (pattern) => {
    expect(() => compileGlob(pattern)).toThrow(ConfigError);
    expect(() => compileGlob(pattern)).toThrow(
      `invalid glob pattern ${JSON.stringify(pattern)}: syntax error in pattern`,
    );
  },
);

it('C1 16: no pattern takes longer than its length allows', () => {
  const long = 'a'.repeat(5000);
  for (const pattern of [
    `${'*a'.repeat(100)}b`,
    `${'a*'.repeat(100)}b`,
    '(a+)+$',
    '{a,b}'.repeat(1000),
  ])
    expect(compileGlob(pattern).matches(long)).toBe(false);
  const deep = 'a/'.repeat(2000);
  expect(compileGlob(`${'**/'.repeat(200)}b`).matches(`${deep}c`)).toBe(false);
  expect(compileGlob(`${'**/a/'.repeat(50)}b`).matches(`${deep}c`)).toBe(false);
  expect(compileGlob(`${'**/'.repeat(200)}b`).matches(`${deep}b`)).toBe(true);
});

it.each([
  ['*.md', [], ['src']],
  ['src/*.md', ['src'], ['src/deep', 'lib']],
  ['src/**', ['src', 'src/deep/er'], ['lib']],
  ['**/x', ['any/where'], []],
  ['**', [], ['.git', 'a/node_modules']],
  ['.git/**', ['.git'], []],
  ['../x/*', [], ['x']],
])('for %j the folders %j are worth opening, and %j are not', (pattern, worth, others) => {
  expect([...worth, ...others].filter((folder) => compileGlob(pattern).mayContain(folder))).toEqual(
    worth,
  );
});

it('selected paths come once each, in byte order, whatever the order of the patterns', () => {
  const paths = ['src/b.ts', 'a.md', 'B.md', 'src.md', 'src/a.md', '\u{1f389}.md', '\uff5e.md'];
  const sorted = ['B.md', 'a.md', 'src.md', 'src/a.md', 'src/b.ts', '\uff5e.md', '\u{1f389}.md'];
  expect(selectPaths(['src/*', 'a.md', '*.md', 'a.md'], paths)).toEqual(sorted);
});
