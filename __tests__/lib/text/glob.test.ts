import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '../../../src/lib/errors.js';
import { compileGlob, compilePattern, selectPaths } from '../../../src/lib/text/glob.js';

describe('compilePattern', () => {
  it.each([
    // One segment.
    ['*', 'a.md', true],
    ['*', '.hidden', true],
    ['*', 'a/b', false],
    ['*.md', 'README.md', true],
    ['*.md', 'src/a.md', false],
    ['*.MD', 'a.md', false],
    ['?.md', 'a.md', true],
    ['?.md', '🎉.md', true],
    ['?.md', 'ab.md', false],
    ['a*b*c', 'aXbYbZc', true],
    ['a*b*c', 'aXbY', false],
    ['[ab].md', 'a.md', true],
    ['[ab].md', 'c.md', false],
    ['[a-c].md', 'b.md', true],
    ['[^a].md', 'B.md', true],
    ['[^a].md', 'a.md', false],
    ['[!a].md', 'a.md', true],
    ['[!a].md', '!.md', true],
    ['[!a].md', 'b.md', false],
    ['[\\]]', ']', true],
    ['[α-ω]', 'λ', true],
    ['\\[b\\].txt', '[b].txt', true],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['*.{md,go}', 'a.md', false],
    ['*.{md,go}', 'a.{md,go}', true],
    ['!a.md', 'b.md', false],
    ['!a.md', '!a.md', true],
    // Several segments.
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/deep/a.ts', false],
    ['*/*/b.ts', 'src/deep/b.ts', true],
    ['./*.go', 'main.go', true],
    ['.//a/./b.go', 'a/b.go', true],
    ['src/../main.go', 'main.go', true],
    ['/README.md', 'README.md', true],
    ['src/', 'src', true],
    // Out of the workdir, or the workdir itself.
    ['../x', 'x', false],
    ['../x', '../x', false],
    ['src/../../x', 'x', false],
    ['', '', false],
    ['.', '.', false],
    ['..odd', '..odd', true],
    // Any depth.
    ['**', 'a', true],
    ['**', 'a/b/c', true],
    ['**/*.ts', 'inlink.ts', true],
    ['**/*.ts', 'src/deep/c.test.ts', true],
    ['src/**', 'src/a.ts', true],
    ['src/**', 'src/deep/b.ts', true],
    ['src/**', 'src', true],
    ['src/**', 'lib/a.ts', false],
    ['src/**/b.ts', 'src/b.ts', true],
    ['src/**/b.ts', 'src/x/y/b.ts', true],
    ['src/**/b.ts', 'src/x/y/c.ts', false],
    ['src/**/deep/**/*.ts', 'src/deep/b.ts', true],
    ['src/**/deep/**/*.ts', 'src/a/deep/b/c/d.ts', true],
    ['src/**/deep/**/*.ts', 'src/a/b.ts', false],
    ['**.ts', 'a.ts', true],
    ['**.ts', 'src/a.ts', false],
    ['./**/*.ts', 'a.ts', false],
    ['./**/*.ts', 'src/a.ts', false],
    // Left out unless named.
    ['**', '.git/config', false],
    ['**/*', 'a/.git/config', false],
    ['**/*.js', 'node_modules/x/index.js', false],
    ['**/*/*.js', 'node_modules/index.js', false],
    ['*/config', '.git/config', false],
    ['**', '.github/workflows/ci.yml', true],
    ['**', 'src/.gitignore', true],
    ['.git/config', '.git/config', true],
    ['.git/**', '.git/refs/heads/main', true],
    ['node_modules/**', 'node_modules/x/node_modules/y/index.js', true],
    ['**/node_modules/**', 'a/node_modules/x.js', true],
    ['node_modules/**', 'node_modules/.git/config', false],
  ])('%j against %j is %p', (pattern, path, expected) => {
    expect(compilePattern(pattern)(path)).toBe(expected);
  });

  it.each([
    '[x',
    '**/[x',
    '[',
    '[]',
    '[]a]',
    '[a-]',
    '[-]',
    '[^]',
    '[a-',
    'a\\',
    'a\\/b',
    '[\\',
    '../[x',
    'x/[a/b]',
  ])('refuses the malformed %j with axe’s message', (pattern) => {
    expect(() => compilePattern(pattern)).toThrow(ConfigError);
    expect(() => compilePattern(pattern)).toThrow(
      `invalid glob pattern ${JSON.stringify(pattern)}: syntax error in pattern`,
    );
  });

  it('C1 16: has no pattern that takes longer than its length allows', () => {
    const long = 'a'.repeat(5000);
    expect(compilePattern(`${'*a'.repeat(100)}b`)(long)).toBe(false);
    expect(compilePattern(`${'a*'.repeat(100)}b`)(long)).toBe(false);
    expect(compilePattern('(a+)+$')(long)).toBe(false);
    expect(compilePattern('{a,b}'.repeat(1000))(long)).toBe(false);
    const deep = 'a/'.repeat(2000);
    expect(compilePattern(`${'**/'.repeat(200)}b`)(`${deep}c`)).toBe(false);
    expect(compilePattern(`${'**/a/'.repeat(50)}b`)(`${deep}c`)).toBe(false);
    expect(compilePattern(`${'**/'.repeat(200)}b`)(`${deep}b`)).toBe(true);
  });
});

describe('compileGlob', () => {
  it.each([
    ['*.md', 'src', false],
    ['src/*.md', 'src', true],
    ['src/*.md', 'src/deep', false],
    ['src/*.md', 'lib', false],
    ['src/**', 'src', true],
    ['src/**', 'src/deep/er', true],
    ['src/**', 'lib', false],
    ['**/x', 'any/where', true],
    ['**', '.git', false],
    ['**', 'a/node_modules', false],
    ['.git/**', '.git', true],
    ['../x/*', 'x', false],
  ])('returns for %j whether %j is worth opening: %p', (pattern, folder, expected) => {
    expect(compileGlob(pattern).mayContain(folder)).toBe(expected);
  });
});

describe('selectPaths', () => {
  it('returns each path once, in byte order, whatever the order of the patterns', () => {
    const paths = ['src/b.ts', 'a.md', 'B.md', 'src.md', 'src/a.md', '\u{1f389}.md', '\uff5e.md'];
    expect(selectPaths(['src/*', 'a.md', '*.md', 'a.md'], paths)).toEqual([
      'B.md',
      'a.md',
      'src.md',
      'src/a.md',
      'src/b.ts',
      '\uff5e.md',
      '\u{1f389}.md',
    ]);
  });

  it('is empty without patterns', () => {
    expect(selectPaths([], ['a'])).toEqual([]);
  });
});
