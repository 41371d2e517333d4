import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type Citation, checkNotes, formatCitation } from '../../src/memory/citations.js';
import { createBaseReader } from '../../src/run/cite.js';
import { startHello } from '../github/hello-fixture.js';
import { makeGitRepo } from '../helpers/git-repo.js';
import { noAbort } from '../helpers/github-client-fake.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { pullRequest, SCHEDULE } from '../helpers/triggers.js';

function citation(path: string, commit: string, repository = 'octocat/hello'): Citation {
  return { path, line: 1, code: 'one by one', repository, commit };
}

describe('the base that notes are held against', () => {
  async function open(trigger: Parameters<typeof createBaseReader>[0]) {
    const hello = await startHello();
    const readBase = createBaseReader(trigger, {
      client: hello.client,
      cwd: '/nowhere',
      env: {},
    });
    const asked = () => hello.github.requests().filter(({ path }) => path === '/graphql').length;
    return { ...hello, readBase, asked };
  }

  it.each([
    ['the branch of a pull request', pullRequest()],
    ['the default branch', SCHEDULE],
  ])('is %s: files in one request, and commits in another', async (_, trigger) => {
    const { github, readBase, asked, baseSha, headSha } = await open(trigger);
    const files = {
      'src/a.ts': 'one by one\ntwo\nfour\n',
      'a.bin': 'a\0b',
      'big.txt': 'x\n'.repeat(300_000),
    };
    const head = github.commit('octocat/hello', files);
    const paths = ['src/a.ts', 'docs/b.md', 'src', 'a.bin', 'big.txt'];
    const notes = [
      ...paths.map((path) => citation(path, baseSha)),
      citation('src/a.ts', headSha),
      citation('src/a.ts', 'e'.repeat(40)),
      citation('elsewhere.ts', baseSha, 'octocat/other'),
    ];
    expect(await readBase(notes, noAbort())).toEqual({
      repository: 'octocat/hello',
      isOnlyRepository: false,
      commit: head,
      renamed: new Map(),
      // Binary files are not read, and neither are those that GitHub cuts.
      files: new Map([
        ['src/a.ts', 'one by one\ntwo\nfour\n'],
        ['docs/b.md', null],
        ['src', null],
      ]),
      history: new Set([head, baseSha]),
    });
    await readBase(notes, noAbort());
    expect(asked()).toBe(2);
  });

  it('is read for 50 files at a time, so that a new fact is looked up after many old ones', async () => {
    const { readBase, asked, baseSha } = await open(SCHEDULE);
    const notes = Array.from({ length: 60 }, (_, index) => citation(`f${index}`, baseSha));
    expect((await readBase(notes, noAbort()))?.files.size).toBe(50);
    expect((await readBase([citation('late', baseSha)], noAbort()))?.files.size).toBe(51);
    expect(asked()).toBe(3);
  });

  it('is not asked for what lies outside of it', async () => {
    const { readBase, asked, baseSha } = await open(SCHEDULE);
    const outside = ['../a', '/etc/passwd', 'a/../../b', 'a\\b', 'a//b', './a', 'a\u0007'];
    expect(
      await readBase(
        outside.map((path) => citation(path, baseSha)),
        noAbort(),
      ),
    ).toBeUndefined();
    expect(asked()).toBe(0);
    await readBase([citation('src/a.ts', baseSha)], noAbort());
    expect(await readBase([citation('../a', baseSha)], noAbort())).toBeUndefined();
  });

  it('answers everybody who asks at once, and looks for a commit though its file was read before', async () => {
    const { github, readBase, asked, baseSha, headSha } = await open(SCHEDULE);
    const head = github.commit('octocat/hello', { 'src/a.ts': 'one\n' });
    const [first, second, third] = await Promise.all(
      [headSha, headSha, baseSha].map((commit) =>
        readBase([citation('src/a.ts', commit)], noAbort()),
      ),
    );
    const files = new Map([['src/a.ts', 'one\n']]);
    expect([first, second]).toMatchObject(Array(2).fill({ files, history: new Set([head]) }));
    expect(third).toMatchObject({ files, history: new Set([head, baseSha]) });
    expect(asked()).toBe(3);
  });

  it('is asked for commits only where a line is not there, the newest facts first', async () => {
    const { github, readBase, asked, baseSha } = await open(SCHEDULE);
    github.commit('octocat/hello', { 'src/a.ts': 'one by one\n' });
    await readBase([citation('src/a.ts', baseSha)], noAbort());
    expect(asked()).toBe(1);
    const many = Array.from({ length: 60 }, (_, index) => citation(`f${index}`, baseSha));
    const base = await readBase(many, noAbort());
    expect(base?.files.has('f59')).toBe(true);
    expect(base?.files.has('f0')).toBe(false);
    expect(base?.history.has(baseSha)).toBe(true);
  });

  it('knows where GitHub says that a file was renamed to, in two requests for each rename', async () => {
    const { github, readBase, baseSha } = await open(SCHEDULE);
    const text = 'one\ntwo\nfour\n';
    github.commit('octocat/hello', { 'src/b.ts': text });
    github.commit('octocat/hello', { 'lib/c.ts': text });
    const base = await readBase([citation('src/a.ts', baseSha)], noAbort());
    const rest = () => github.requests().filter(({ path }) => path.includes('/commits'));
    expect(base?.files.get('src/a.ts')).toBeNull();
    expect([...(base?.renamed ?? [])]).toEqual([['src/a.ts', 'lib/c.ts']]);
    expect(rest()).toHaveLength(4);
  });

  it('is asked again after it could not be read', async () => {
    const { github, readBase, baseSha } = await open(SCHEDULE);
    github.fail({ route: 'POST /graphql', status: 403 });
    await expect(readBase([citation('src/a.ts', baseSha)], noAbort())).rejects.toThrow();
    expect((await readBase([citation('src/a.ts', baseSha)], noAbort()))?.files.size).toBe(1);
  });
});

describe('the base on somebody’s own machine', () => {
  it('is HEAD, without a look at the working tree', async () => {
    const cwd = tempDir('checkout');
    const repo = makeGitRepo(cwd);
    const first = repo.commit('One', { 'src/a.ts': 'one\r\n', 'old.ts': 'x' });
    repo.git('checkout', '--quiet', '-b', 'side');
    const side = repo.commit('Side', { 'side.ts': 's' });
    repo.git('checkout', '--quiet', 'main');
    repo.git('rm', '--quiet', 'old.ts');
    const head = repo.commit('Two', { 'b.ts': 'b' });
    repo.git('remote', 'add', 'origin', 'https://github.com/octocat/hello.git');
    writeFiles(cwd, { 'src/a.ts': 'a stranger’s\n' });
    const readBase = createBaseReader(
      { kind: 'local' },
      { client: undefined, cwd, env: process.env },
    );
    const notes = [
      ...['src/a.ts', 'old.ts', 'src'].map((path) => citation(path, first)),
      citation('b.ts', side),
    ];
    expect(await readBase([...notes, citation('b.ts', '-'.repeat(40))], noAbort())).toEqual({
      repository: 'octocat/hello',
      isOnlyRepository: false,
      commit: head,
      renamed: new Map(),
      files: new Map([
        ['src/a.ts', 'one\r\n'],
        ['old.ts', null],
        ['src', null],
        ['b.ts', 'b'],
      ]),
      history: new Set([head, first]),
    });
  });

  it('knows where a file is after two renames, and that one was deleted', async () => {
    const cwd = tempDir('checkout');
    const repo = makeGitRepo(cwd);
    const text = 'one by one\ntwo by two\nthree by three\n';
    const first = repo.commit('One', {
      'a.ts': text,
      'gone.ts': 'x\n',
      'odd name ü.ts': `${text}odd\n`,
    });
    repo.git('mv', 'a.ts', 'b.ts');
    repo.git('mv', 'odd name ü.ts', 'c.ts');
    repo.git('rm', '--quiet', 'gone.ts');
    repo.git('commit', '--quiet', '-m', 'Two');
    repo.git('mv', 'b.ts', 'src.ts');
    repo.git('commit', '--quiet', '-m', 'Three');
    repo.git('remote', 'add', 'origin', 'https://github.com/octocat/hello.git');
    const readBase = createBaseReader(
      { kind: 'local' },
      { client: undefined, cwd, env: process.env },
    );
    const notes = ['a.ts', 'gone.ts', 'odd name ü.ts'].map((path) => citation(path, first));
    const base = await readBase(notes, noAbort());
    expect([...(base?.renamed ?? [])].toSorted()).toEqual([
      ['a.ts', 'src.ts'],
      ['odd name ü.ts', 'c.ts'],
    ]);
    expect(base?.files.get('src.ts')).toBe(text);
    expect(base?.history.has(first)).toBe(true);
  });

  it('has text of files alone: not of a submodule, a link, a binary or what is outside of it', async () => {
    const cwd = tempDir('checkout');
    const repo = makeGitRepo(cwd);
    const large = `one by one\n${'x'.repeat(99)}\n`.repeat(100_000);
    symlinkSync('one by one', join(cwd, 'link'));
    symlinkSync('a.ts', join(cwd, 'followed'));
    const sha = repo.commit('One', { 'a.ts': 'one by one\n', 'a.bin': 'one by one\0', large });
    repo.git('update-index', '--add', '--cacheinfo', `160000,${sha},module`);
    repo.git('commit', '--quiet', '-m', 'Two');
    const readBase = createBaseReader(
      { kind: 'local' },
      { client: undefined, cwd, env: process.env, isOnlyRepository: true },
    );
    const links = ['link', 'followed'];
    const inNone = ['module', 'module/a.ts', 'a.ts/b'];
    const paths = ['a.ts', 'a.bin', 'large', ...links, ...inNone, '../a.ts'];
    const notes = paths.map((path) => citation(path, sha));
    const base = await readBase(notes, noAbort());
    const text = notes.map((note) => `- ${note.path}: ${formatCitation(note)}`).join('\n');
    const checked = checkNotes(new Map([['MEMORY.md', text]]), base);
    expect(checked.lines(text).map((line) => line.text)).toEqual([
      '- a.ts: (a.ts:1 "one by one")',
      '- large: (large:1 "one by one")',
      '- ../a.ts: (../a.ts:1 "one by one") (not checked)',
    ]);
  });

  it('is nothing without a checkout', async () => {
    const readBase = createBaseReader(
      { kind: 'local' },
      { client: undefined, cwd: tempDir('folder'), env: process.env },
    );
    expect(await readBase([citation('a.ts', 'a'.repeat(40))], noAbort())).toBeUndefined();
  });
});
