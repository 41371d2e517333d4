import { expect, it } from '@jest/globals';
import { isSecretPath, isWriteProtected, parsePath } from '../../src/safety/path-rules.js';
import { CREDENTIAL_FILES, HARMLESS_FILES } from '../helpers/credential-files.js';

it.each([
  ['.', []],
  ['a/b.txt', ['a', 'b.txt']],
  ['./a//b/./c/', ['a', 'b', 'c']],
  ['%2e%2e/secret', ['%2e%2e', 'secret']],
  ['..config', ['..config']],
  ['a b/ü.md', ['a b', 'ü.md']],
])('C7 87: a path %p is split; nothing in it is decoded', (path, segments) => {
  expect(parsePath(path)).toEqual({ segments });
});

it.each([
  ['', 'required'],
  ['  ', 'required'],
  ['..', '`..`'],
  ['a/../../b', '`..`'],
  ['a/../b', '`..`'],
  ['.. /b', '`..`'],
  ['.../b', '`..`'],
  ['/etc/passwd', 'outside'],
  ['//server/share', 'outside'],
  ['C:/Windows', '`:`'],
  ['c:relative', '`:`'],
  ['file.txt:stream', '`:`'],
  ['C:\\Windows', 'backslash'],
  ['..\\secret', 'backslash'],
  ['\\\\server\\share', 'backslash'],
  ['\\\\?\\C:\\x', 'backslash'],
  ['a\0.txt', 'control'],
  ['a\nb', 'control'],
  ['a/'.repeat(3000), 'too long'],
])('C7 87: a path %p is refused', (path, reason) => {
  expect(parsePath(path)).toMatchObject({ refusal: expect.stringContaining(reason) });
});

it.each([
  ...CREDENTIAL_FILES,
  '.git',
  '.GIT/config',
  '.Git./config',
  '.git /config',
  '.g\u200Cit/config',
  '.ｇｉｔ/config',
  'GIT~1/config',
  'TLS.KEY',
])('C7 86: credentials are recognized in %p', (path) => {
  expect(isSecretPath(path.split('/'))).toBe(true);
});

it.each(HARMLESS_FILES)('C7 86: credentials are not recognized in %p', (path) => {
  expect(isSecretPath(path.split('/'))).toBe(false);
});

it.each(
  `.github/workflows/x.yml .GitHub/Workflows/x.yml sub/.github/workflows/x.yml
    .github/actions/build/action.yml .github/ISSUE_TEMPLATE/bug.md .github action.yml
    tools/build/Action.YAML axe/agents/pr-reviewer.toml axe/skills/review/SKILL.md
    .axe/agents/x.toml`.split(/\s+/),
)('C7 90: the protected paths include %p', (path) => {
  expect(isWriteProtected(path.split('/'))).toBe(true);
});

it.each(['src/action.yml.ts', 'workflows/x.yml', 'src/axe/parse.ts', 'agents/x.toml'])(
  'C7 90: the protected paths do not include %p',
  (path) => {
    expect(isWriteProtected(path.split('/'))).toBe(false);
  },
);
