import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  type Citation,
  checkNotes,
  citationsIn,
  formatCitation,
} from '../../src/memory/citations.js';
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

  it('calls nothing outdated for a branch that is not the default one', async () => {
    const release = { ref: 'release', sha: 'b'.repeat(40) };
    const { github, repo, readBase, baseSha } = await open(pullRequest({ base: release }));
    repo.branches.set('release', baseSha);
    github.commit('octocat/hello', { 'src/a.ts': 'zero\n' }, { branch: 'release' });
    const newer = github.commit('octocat/hello', { 'src/a.ts': 'one by one\n' });
    const text = [baseSha, newer].map((commit) => formatCitation(citation('src/a.ts', commit)));
    const base = await readBase(citationsIn(text.join('\n')), noAbort());
    const { counts, gone } = checkNotes(new Map([['MEMORY.md', text.join('\n')]]), base);
    expect(gone).toEqual([]);
    expect(counts).toMatchObject({ elsewhere: 2, gone: 0 });
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

  it('calls nothing outdated on a release branch that came later to the main one', async () => {
    const cwd = tempDir('checkout');
    const repo = makeGitRepo(cwd);
    const first = repo.commit('One', { 'src/a.ts': 'one by one\n' });
    repo.git('checkout', '--quiet', '-b', 'release');
    repo.commit('Release', { 'version.ts': '1\n' });
    repo.git('checkout', '--quiet', 'main');
    const newer = repo.commit('Two', { 'src/a.ts': 'one by one\ntwo by two\n' });
    repo.git('checkout', '--quiet', 'release');
    repo.git('remote', 'add', 'origin', 'https://github.com/octocat/hello.git');
    const readBase = createBaseReader(
      { kind: 'local' },
      { client: undefined, cwd, env: process.env },
    );
    const text = [
      formatCitation(citation('src/a.ts', first)),
      formatCitation({ ...citation('src/a.ts', newer), line: 2, code: 'two by two' }),
    ].join('\n');
    const base = await readBase(citationsIn(text), noAbort());
    const checked = checkNotes(new Map([['MEMORY.md', text]]), base);
    expect(checked.gone).toEqual([]);
    expect(checked.counts).toMatchObject({ same: 1, elsewhere: 1 });
    expect(checked.lines(text).map((line) => line.text)).toEqual(['(src/a.ts:1 "one by one")']);
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

const LINE = 'const limit = checkLimit(user);';

/** The main branch of a repository, and a pull request to it. */
interface PullScene {
  /** Commits to the main branch. */
  push(text: string): void;
  /** Commits to a branch of its own and returns the id. */
  propose(text: string): string;
  /** Ends the pull request; its text is on the main branch unless it was closed. */
  end(how: string, text: string): void;
  open(): ReturnType<typeof createBaseReader>;
}

async function onGitHub(): Promise<PullScene> {
  const { github, repo, client } = await startHello();
  const commit = (text: string, branch = 'main') =>
    github.commit('octocat/hello', { 'src/a.ts': text }, { branch });
  return {
    push: commit,
    propose(text) {
      repo.branches.set('pr', repo.branches.get('main') ?? '');
      return commit(text, 'pr');
    },
    end(how, text) {
      if (how === 'merged') repo.branches.set('main', repo.branches.get('pr') ?? '');
      if (how !== 'closed') commit(text);
      repo.branches.delete('pr');
    },
    open: () =>
      createBaseReader(SCHEDULE, { client, cwd: '/nowhere', env: {}, isOnlyRepository: true }),
  };
}

async function inCheckout(): Promise<PullScene> {
  const cwd = tempDir('checkout');
  const repo = makeGitRepo(cwd);
  const commit = (text: string, message = 'On main') => repo.commit(message, { 'src/a.ts': text });
  return {
    push: commit,
    propose(text) {
      repo.git('checkout', '--quiet', '-b', 'pr');
      const sha = commit(text, 'Add a limit');
      repo.git('checkout', '--quiet', 'main');
      return sha;
    },
    end(how, text) {
      if (how === 'merged') repo.git('merge', '--quiet', '--no-ff', '-s', 'ours', '-m', 'M', 'pr');
      if (how !== 'closed') commit(text, how === 'squashed' ? 'Add a limit (#1)' : 'Add a limit');
      repo.git('branch', '--quiet', '-D', 'pr');
    },
    open: () =>
      createBaseReader(
        { kind: 'local' },
        { client: undefined, cwd, env: process.env, isOnlyRepository: true },
      ),
  };
}

describe.each([
  ['on GitHub', onGitHub],
  ['in a checkout', inCheckout],
])('a fact from a pull request, %s,', (_, start) => {
  /** What a run is told of facts about this line: their places, or why there are none. */
  async function given(scene: PullScene, facts: readonly Citation[]) {
    const base = await scene.open()(facts, noAbort());
    const text = facts.map((fact) => `- ${formatCitation(fact)}`).join('\n');
    const { lines, counts } = checkNotes(new Map([['MEMORY.md', text]]), base);
    const places = lines(text).map((line) => /\((\S+) "/.exec(line.text)?.[1]);
    const missing = Object.entries(counts).filter(([status]) => !/^(?:same|moved)$/.test(status));
    return [...places, ...missing.flatMap(([status, count]) => (count > 0 ? [status] : []))];
  }

  it.each([
    ['merged', ['src/a.ts:3'], ['gone']],
    ['squashed', ['src/a.ts:3'], ['elsewhere']],
    ['rebased', ['src/a.ts:3'], ['elsewhere']],
    ['closed', ['elsewhere'], ['elsewhere']],
  ])(
    'that was %s is given as long as its line is there, also under a former name of the repository',
    async (how, there, deleted) => {
      const scene = await start();
      scene.push('const a = 1;\nconst b = 2;\n');
      const commit = scene.propose(`const a = 1;\n${LINE}\nconst b = 2;\n`);
      scene.push('const zero = 0;\nconst a = 1;\nconst b = 2;\n');
      scene.end(how, `const zero = 0;\nconst a = 1;\n${LINE}\nconst b = 2;\n`);
      const fact = { path: 'src/a.ts', line: 2, code: LINE, repository: 'octocat/former', commit };
      expect(await given(scene, [fact])).toEqual(there);
      scene.push('const zero = 0;\n');
      expect(await given(scene, [fact])).toEqual(deleted);
    },
  );

  it('and 69 others are withheld once their lines are gone', async () => {
    const scene = await start();
    const code = (at: number) => `const value${at} = compute(${at});`;
    const all = Array.from({ length: 70 }, (__, at) => code(at));
    scene.push('const a = 1;\n');
    const facts = all.map((line, at): Citation => {
      const commit = `${at}`.padStart(40, 'a');
      return { path: 'src/a.ts', line: at + 1, code: line, repository: 'octocat/hello', commit };
    });
    expect(await given(scene, facts)).toEqual(['elsewhere']);
    scene.push(`${all.join('\n')}\n`);
    expect(await given(scene, facts)).toHaveLength(70);
  });
});
