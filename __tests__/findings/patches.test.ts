import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { patchId, patchIds, pathsOfKnownPatches } from '../../src/findings/change/scope.js';
import { type DiffFile, parseDiff } from '../../src/lib/text/diff.js';
import { type GitRepo, makeGitRepo } from '../helpers/git-repo.js';
import { tempDir } from '../helpers/temp.js';

const ALL = () => false;
const LINES = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);

/** Forty lines, some of them others. */
function lines(changed: Readonly<Record<number, string>> = {}): string {
  return LINES.map((line, index) => `${changed[index + 1] ?? line}\n`).join('');
}

const diffOf = ({ git }: GitRepo, head: string) => git('diff', '-M', `main...${head}`);

/**
 * What git itself says of each file's patch: hunks without line numbers, modes and kind; of what
 * has no hunks also the blobs.
 */
function asGitHasThem(files: readonly DiffFile[]): readonly string[] {
  const commitOf = (index: number) => String(index).padStart(40, '0');
  const input = files.map(({ text }, index) => `commit ${commitOf(index)}\n${text}\n`).join('');
  const ids = execFileSync('git', ['patch-id', '--verbatim'], { input, encoding: 'utf8' }).split(
    '\n',
  );
  return files.map(({ path, status, hunks, text }, index) => {
    const modes = text.match(
      hunks.length === 0 ? /^(?:index|old|new|deleted) .*/gm : /\b1[02]0\d{3}$/gm,
    );
    const id = ids.find((line) => line.endsWith(commitOf(index)))?.split(' ')[0];
    return JSON.stringify([path, status, id, modes]);
  });
}

/** Paths that git takes for the same in both diffs. */
function sameToGit(before: string, after: string): readonly string[] {
  const known = new Set(asGitHasThem(parseDiff(before)));
  const files = parseDiff(after);
  const texts = asGitHasThem(files);
  return files.flatMap(({ path }, index) => (known.has(texts[index] ?? '') ? [path] : []));
}

const FILES = ['far', 'near', 'conflict', 'own', 'moved', 'mode', 'mode-and-line', 'plain'];

/** A branch with a change of every kind, and a base that has gone on. */
function branches(): { readonly repo: GitRepo; readonly before: string } {
  const repo = makeGitRepo(tempDir('patches'));
  const { path, git, commit } = repo;
  const bytes = (name: string, byte: number) =>
    writeFileSync(join(path, name), Buffer.from([0, 1, 2, byte, 0]));
  bytes('a.bin', 3);
  bytes('b.bin', 3);
  const all = (names: readonly string[], text: string) =>
    Object.fromEntries(names.map((name) => [`${name}.ts`, text]));
  commit('base', { ...all(FILES, lines()), 'gone.ts': 'gone\n' });
  git('switch', '--quiet', '--create', 'topic');
  git('mv', 'moved.ts', 'new-place.ts');
  for (const name of ['mode.ts', 'mode-and-line.ts']) chmodSync(join(path, name), 0o755);
  rmSync(join(path, 'gone.ts'));
  bytes('a.bin', 7);
  bytes('b.bin', 7);
  const edited = ['far', 'near', 'conflict', 'own', 'new-place', 'mode-and-line'];
  commit('first', { 'empty.ts': '', ...all(edited, lines({ 20: 'mine' })) });
  commit('second', {
    'added.ts': 'const a = 1;\n',
    'far.ts': lines({ 20: 'mine', 36: 'mine too' }),
  });
  const before = diffOf(repo, 'topic');
  git('switch', '--quiet', 'main');
  commit('the base goes on', {
    'far.ts': `above\n\n${lines({ 5: '' })}`,
    'near.ts': lines({ 22: 'theirs' }),
    'conflict.ts': lines({ 20: 'theirs' }),
    'moved.ts': lines({ 1: 'theirs' }),
    'plain.ts': lines({ 20: 'theirs' }),
  });
  git('switch', '--quiet', 'topic');
  return { repo, before };
}

/**
 * The branch comes onto the new base, with conflicts resolved by hand and one more change by its
 * author.
 */
it.each<[string, (repo: GitRepo) => void]>([
  ['a rebase', ({ git }) => void git('rebase', '--quiet', '--strategy-option=theirs', 'main')],
  [
    'a squash',
    ({ git }) => {
      git('merge', '--quiet', '--strategy-option=ours', 'main');
      git('reset', '--quiet', '--soft', 'main');
      git('commit', '--quiet', '--message=squashed');
    },
  ],
  [
    'a merge of the base',
    ({ git }) => void git('merge', '--quiet', '--strategy-option=ours', 'main'),
  ],
])('files whose patch was reviewed are known after %s, and all others are new', (_, bringOver) => {
  const { repo, before } = branches();
  bringOver(repo);
  const own = lines({ 20: 'mine', 30: 'more' });
  repo.commit('more', { 'own.ts': own, 'later.ts': 'later\n', 'b.bin': '\0\t\0' });
  const after = diffOf(repo, 'topic');
  const known = pathsOfKnownPatches(after, patchIds(before, ALL));
  const paths = parseDiff(after).map(({ path }) => path);
  expect([...known].sort()).toEqual([
    ...['a.bin', 'added.ts', 'empty.ts', 'far.ts', 'gone.ts'],
    ...['mode-and-line.ts', 'mode.ts', 'new-place.ts'],
  ]);
  // The context, a conflict, its author, a new file, other bytes.
  const fresh = paths.filter((path) => !known.has(path)).sort();
  expect(fresh).toEqual(['b.bin', 'conflict.ts', 'later.ts', 'near.ts', 'own.ts']);
  expect([...known].sort()).toEqual(sameToGit(before, after).toSorted());
});

describe('a patch', () => {
  const HUNK = '--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@ f\n a\n-b\n+c\n';
  const of = (header: string, hunk = HUNK) =>
    parseDiff(`diff --git a/a.ts b/a.ts\n${header}\n${hunk}`)[0];
  const idOf = (...parts: Parameters<typeof of>) => patchId(of(...parts) as DiffFile);

  const INDEX = 'index 3f2a1b0..9c4d5e6 100644';
  it.each<[string, string | undefined, boolean]>([
    ['other blobs', idOf('index 1111111..2222222 100644'), true],
    ['other line numbers', idOf(INDEX, HUNK.replace('-1,2 +1,2 @@ f', '-7,2 +9,2 @@ g')), true],
    ['another mode', idOf('index 3f2a1b0..9c4d5e6 100755'), false],
    ['another context', idOf(INDEX, HUNK.replace(' a', ' x')), false],
    ['other spaces', idOf(INDEX, HUNK.replace('+c', '+ c')), false],
    ['no line break at its end', idOf(INDEX, `${HUNK}\\ No newline at end of file\n`), false],
  ])('with %s', (_, id, isSame) => {
    expect(id).toMatch(/^[\w-]{16}$/);
    expect(id === idOf(INDEX)).toBe(isSame);
  });

  it.each([
    ['put together from the files that GitHub lists', of('')],
    ['that GitHub does not show for its size', of('', '')],
    ['of a moved file that GitHub lists', of('rename from b.ts\nrename to a.ts')],
  ])('is not known if it is one %s', (_, file) => {
    expect(patchId(file as DiffFile)).toBeUndefined();
  });

  it('counts only for files that were read, but for binary ones, which nobody can', () => {
    const binary =
      'diff --git a/a.png b/a.png\nindex 3f2a1b0..9c4d5e6 100644\nBinary files a/a.png and b/a.png differ\n';
    const diff = `diff --git a/a.ts b/a.ts\nindex 3f2a1b0..9c4d5e6 100644\n${HUNK}${binary}`;
    const none = patchIds(diff, () => true);
    expect(pathsOfKnownPatches(diff, none)).toEqual(new Set(['a.png']));
    const other = diff.replace('9c4d5e6 100644\nBinary', '9c4d5e7 100644\nBinary');
    expect(pathsOfKnownPatches(other, patchIds(diff, ALL))).toEqual(new Set(['a.ts']));
  });
});
