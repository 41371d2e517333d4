import { describe, expect, it } from '@jest/globals';
import { isSecretPath, isWriteProtected, parsePath } from '../../../../src/core/tools/files/path-rules.js';

describe('C7 87: a path', () => {
  it.each([
    ['.', []],
    ['a/b.txt', ['a', 'b.txt']],
    ['./a//b/./c/', ['a', 'b', 'c']],
    ['%2e%2e/secret', ['%2e%2e', 'secret']],
    ['..config', ['..config']],
    ['a b/ü.md', ['a b', 'ü.md']],
  ])('%p is split; nothing in it is decoded', (path, segments) => {
    expect(parsePath(path)).toEqual({ kind: 'parsed', segments });
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
  ])('%p is refused', (path, reason) => {
    expect(parsePath(path)).toEqual({ kind: 'refused', reason: expect.stringContaining(reason) });
  });
});

describe('C7 86: credentials', () => {
  it.each([
    '.git',
    '.git/config',
    'sub/.git/hooks/pre-commit',
    '.GIT/config',
    '.Git./config',
    '.git /config',
    '.g\u200Cit/config',
    '.ｇｉｔ/config',
    'GIT~1/config',
    '.ssh/id_ed25519',
    '.gnupg/secring.gpg',
    '.netrc',
    '_netrc',
    '.git-credentials',
    '.npmrc',
    'packages/a/.npmrc',
    '.pypirc',
    '.env',
    '.env.local',
    '.env.production.local',
    '.docker/config.json',
    '.docker/contexts/meta/x.json',
    '.env.test',
    '.env.production',
    '.env-staging',
    '.envrc',
    '.cargo/credentials.toml',
    '.m2/settings.xml',
    '.yarnrc',
    '.yarnrc.yml',
    'deploy/id_rsa',
    'id_ed25519_sk',
    'certs/server.pem',
    'certs/store.p12',
    '.vault-token',
    '.kube/cache/token',
    '.aws/credentials',
    '.kube/config',
    '.config/gh/hosts.yml',
    'gha-creds-0123456789abcdef.json',
    'git-credentials-1.config',
    '_temp/_runner_file_commands/set_env_1',
  ])('are recognized in %p', (path) => {
    expect(isSecretPath(path.split('/'))).toBe(true);
  });

  it.each([
    '.gitignore',
    '.github/workflows/ci.yml',
    'git/config',
    'src/id_map.ts',
    'id_ed25519.pub',
    'docs/pem.md',
    '.envoy.yaml',
    '.cargo/config.toml',
    '.aws/task-definition.json',
    '.env.example',
    '.env.sample',
    'docs/ssh.md',
    'creds.json',
    'src/env.ts',
  ])('are not recognized in %p', (path) => {
    expect(isSecretPath(path.split('/'))).toBe(false);
  });
});

describe('C7 90: the protected paths', () => {
  it.each([
    '.github/workflows/x.yml',
    '.GitHub/Workflows/x.yml',
    'sub/.github/workflows/x.yml',
    '.github/actions/build/action.yml',
    '.github/ISSUE_TEMPLATE/bug.md',
    '.github',
    'action.yml',
    'tools/build/Action.YAML',
    'axe/agents/pr-reviewer.toml',
    'axe/skills/review/SKILL.md',
    '.axe/agents/x.toml',
  ])('include %p', (path) => {
    expect(isWriteProtected(path.split('/'))).toBe(true);
  });

  it.each(['src/action.yml.ts', 'workflows/x.yml', 'src/axe/parse.ts', 'agents/x.toml'])(
    'do not include %p',
    (path) => {
      expect(isWriteProtected(path.split('/'))).toBe(false);
    },
  );
});
