import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { startChild } from '../helpers/child.js';
import { type GitRepo, makeGitRepo, NOBODY } from '../helpers/git-repo.js';
import { tempDir, writeFiles } from '../helpers/temp.js';

const ROOT = join(import.meta.dirname, '../..');

function runScript(
  name: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
) {
  return startChild({
    command: process.execPath,
    args: [join(ROOT, 'scripts', name), ...args],
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd, ...NOBODY, ...env },
  }).finished;
}

describe('the notes of a release', () => {
  const CHANGELOG = `# Changelog

## Unreleased

- Later.

## 1.2.3 - 2026-02-03

A first line
that goes on.

### Added

- One item, see
  \`code\` and [a page](docs/page.md).
- Another ([away](https://example.com/x)):
  \`\`\`text
  kept
  as it is
  \`\`\`

## 1.2.2 - 2026-01-02

- Earlier.
`;

  function project(version: string, changelog = CHANGELOG, built = version): string {
    const folder = tempDir('release');
    writeFiles(folder, {
      'package.json': JSON.stringify({ version }),
      'src/lib/product.ts': `export const VERSION = '${built}';\n`,
      'CHANGELOG.md': changelog,
    });
    return folder;
  }

  it('are the section of its version, with one line for each paragraph and whole links', async () => {
    const { exitCode, stdout } = await runScript('release-notes.js', ['v1.2.3'], project('1.2.3'), {
      GITHUB_REPOSITORY: 'octocat/axe-action',
    });
    expect(exitCode).toBe(0);
    expect(stdout).toBe(`A first line that goes on.

### Added

- One item, see \`code\` and [a page](https://github.com/octocat/axe-action/blob/v1.2.3/docs/page.md).
- Another ([away](https://example.com/x)):
  \`\`\`text
  kept
  as it is
  \`\`\`
`);
  });

  const empty = '## 1.2.3 - 2026-01-01\n\n## 1.2.2 - x\n';

  it.each<[string, string, Parameters<typeof project>, string]>([
    ['a tag that is not a version', 'v1.2', ['1.2.3'], '"v1.2" is not a version tag'],
    ['another version in package.json', 'v1.2.3', ['1.2.4'], 'package.json has version 1.2.4'],
    [
      'another version in the code',
      'v1.2.3',
      ['1.2.3', CHANGELOG, '1.2.2'],
      'product.ts has version 1.2.2',
    ],
    ['no section', 'v1.3.0', ['1.3.0'], 'no section "## 1.3.0 - <date>"'],
    ['no date', 'v1.2.3', ['1.2.3', '## 1.2.3 - soon\n\n- One.\n'], 'has no date'],
    ['an empty section', 'v1.2.3', ['1.2.3', empty], 'is empty'],
  ])('are refused for %s', async (_, tag, given, message) => {
    const { exitCode, stdout, stderr } = await runScript(
      'release-notes.js',
      [tag],
      project(...given),
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('exist for the current version of the repository', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      version: string;
    };
    const { exitCode, stdout } = await runScript('release-notes.js', [`v${version}`], ROOT);
    expect(exitCode).toBe(0);
    // GitHub takes no longer text.
    expect(stdout.length).toBeLessThan(125_000);
  });
});

describe('the tags of a series', () => {
  /** A clone, and the bare repository that it pushes to. */
  function clone(): { readonly repo: GitRepo; readonly remote: GitRepo } {
    const remote = makeGitRepo(tempDir('remote'));
    remote.git('config', 'core.bare', 'true');
    const repo = makeGitRepo(tempDir('clone'));
    repo.git('remote', 'add', 'origin', remote.path);
    return { repo, remote };
  }

  /** Commits, tags and pushes a version. Returns its commit. */
  function release(repo: GitRepo, tag: string, ...how: readonly string[]): string {
    const sha = repo.commit(tag, { 'version.txt': tag });
    repo.git('tag', ...how, tag);
    repo.git('push', '--quiet', 'origin', tag);
    return sha;
  }

  const tagsOf = (remote: GitRepo) => {
    const tags = remote
      .git('for-each-ref', '--format=%(refname:short) %(objectname)', 'refs/tags')
      .trim();
    return Object.fromEntries(tags.split('\n').map((line) => line.split(' ')));
  };

  const moveTags = (repo: GitRepo, ...args: readonly string[]) =>
    runScript('move-tags.js', args, repo.path);

  it('are created by the first release, and follow the next ones, annotated ones too', async () => {
    const { repo, remote } = clone();
    const first = release(repo, 'v1.0.0');
    expect(await moveTags(repo, 'v1.0.0')).toMatchObject({ exitCode: 0 });
    expect(tagsOf(remote)).toEqual({ v1: first, 'v1.0': first, 'v1.0.0': first });

    const second = release(repo, 'v1.1.0', '--annotate', '--message=v1.1.0');
    const { exitCode, stdout } = await moveTags(repo, 'v1.1.0');
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: `v1 moves to v1.1.0 (${second.slice(0, 7)})\nv1.1 moves to v1.1.0 (${second.slice(0, 7)})\n`,
    });
    expect(tagsOf(remote)).toMatchObject({ v1: second, 'v1.0': first, 'v1.1': second });
  });

  it('stay with the newest: v1.0.10 is newer than v1.0.9, and a fix for v1.0 leaves v1 alone', async () => {
    const { repo, remote } = clone();
    release(repo, 'v1.0.9');
    const newest = release(repo, 'v1.1.0');
    await moveTags(repo, 'v1.1.0');
    const fix = release(repo, 'v1.0.10');
    const { stdout } = await moveTags(repo, 'v1.0.10');
    expect(stdout).toContain('v1 stays: v1.1.0 is newer than v1.0.10\n');
    expect(tagsOf(remote)).toMatchObject({ v1: newest, 'v1.0': fix, 'v1.1': newest });
    expect((await moveTags(repo, 'v1.0.9')).stdout).toContain(
      'v1.0 stays: v1.0.10 is newer than v1.0.9\n',
    );
    expect(tagsOf(remote)).toMatchObject({ 'v1.0': fix });
  });

  it.each([
    ['v1', 'is not a version tag'],
    ['v1.0.0-rc.1', 'is not a version tag'],
    ['v9.9.9', 'the remote has no tag v9.9.9'],
  ])('are refused for %s', async (tag, message) => {
    const { repo, remote } = clone();
    release(repo, 'v1.0.0');
    const { exitCode, stderr } = await moveTags(repo, tag);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(message);
    expect(Object.keys(tagsOf(remote))).toEqual(['v1.0.0']);
  });
});
