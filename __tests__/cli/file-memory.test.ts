import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseAgent } from '../../src/agent/inspect.js';
import { isOfNotes, openFileMemory } from '../../src/cli/file-memory.js';
import { main } from '../../src/cli/main.js';
import type { NoteChange } from '../../src/memory/change.js';
import { projectSlug } from '../../src/memory/paths.js';
import { formatEntry, formatProvenance } from '../../src/memory/run-log.js';
import { makeGitRepo } from '../helpers/git-repo.js';
import { GITHUB_TOKEN, type GitHubServer, startGitHubServer } from '../helpers/github-server.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { createFakeTerminal } from '../helpers/terminal-fake.js';

const never = new AbortController().signal;

const REPO = 'octocat/hello-world';

function entry(minute: number, id: string): string {
  const timestamp = new Date(Date.UTC(2026, 1, 23, 4, minute));
  const provenance = formatProvenance({ id });
  return formatEntry({ timestamp, task: `task ${minute}`, result: `result ${minute}`, provenance });
}

const [A, B] = [entry(1, 'aaaaaa-1'), entry(2, 'bbbbbb-1')];

const adding = (path: string, text: string): NoteChange => ({
  kind: 'note',
  path,
  edit: { kind: 'append', text, dedup: false },
  backup: false,
  id: path,
});

function open(given: { readonly custom?: string; readonly dir?: string }) {
  const home = tempDir('notes-folder');
  mkdirSync(join(home, 'data'));
  const { config } = parseAgent('name = "bot"\nmodel = "a/b"\n', { name: 'bot', file: 'bot' });
  const { custom: path = '', dir = '' } = given;
  const agent = { name: 'bot', config: { ...config, memory: { ...config.memory, path, dir } } };
  const terminal = createFakeTerminal({ cwd: home, env: { XDG_DATA_HOME: join(home, 'data') } });
  const store = openFileMemory({ agent, path: 'bot.md', project: 'p-1' }, terminal);
  return { home, store };
}

it.each([
  ['in the folder of the run logs', {}, 'data/axe/memory/bot.md', 'data/axe/memory/MEMORY.md'],
  ['in `memory.dir`', { dir: 'own' }, 'data/axe/memory/bot.md', 'own/MEMORY.md'],
  // A `MEMORY.md` next to a file of the user's is the user's.
  [
    'never next to `memory.path`',
    { custom: 'mine/log.txt' },
    'mine/log.txt',
    'data/axe/memory/MEMORY.md',
  ],
])('the notes of this machine are %s', async (_, given, log, notes) => {
  const { home, store } = open(given);
  const entry = { kind: 'append', path: 'bot.md', id: '1', text: '## e\n\n' } as const;
  expect(await store.write([entry, adding('MEMORY.md', 'Tabs.')], never)).toMatchObject({
    kind: 'saved',
  });
  expect(readFileSync(join(home, log), 'utf8')).toBe('## e\n\n');
  expect(readFileSync(join(home, notes), 'utf8')).toBe('Tabs.\n');
  const found = await store.readTree(never, ['bot.md', 'MEMORY.md', 'projects/x/notes/']);
  expect(found.kind === 'tree' && Object.fromEntries(found.tree)).toEqual({
    'bot.md': '## e\n\n',
    'MEMORY.md': 'Tabs.\n',
  });
});

describe('a built-in agent on this machine', () => {
  const AGENT = 'name = "bot"\nmodel = "openai/m"\n[memory]\nenabled = true\n';
  function makeHome() {
    const folder = tempDir('by-repository');
    writeFiles(folder, { 'one/sub/x': '', 'one/axe/agents/bot.toml': AGENT, 'two/x': '' });
    for (const name of ['one', 'two']) makeGitRepo(join(folder, name));
    return folder;
  }
  const command = async (folder: string, cwd: string, ...args: readonly string[]) => {
    const terminal = createFakeTerminal({
      cwd: join(folder, cwd),
      env: { XDG_DATA_HOME: join(folder, 'data'), HOME: folder },
    });
    expect(await main(['memory', ...args], terminal)).toBe(0);
    return terminal.output();
  };

  it('has a memory for each repository, in all of its folders, and says which', async () => {
    const folder = makeHome();
    await command(folder, 'one', 'remember', 'pr-reviewer', 'Money is integer cents.');
    const place = join(folder, 'data/axe/memory', projectSlug(join(folder, 'one')));
    const shown = await command(folder, 'one/sub', 'show', 'pr-reviewer');
    expect(shown).toContain('Money is integer cents.');
    expect(shown).toContain(place);
    expect(readFileSync(join(place, 'pr-reviewer.md'), 'utf8')).toContain('integer cents');
    const other = await command(folder, 'two', 'show', 'pr-reviewer');
    expect(other).toContain('This is the memory of this repository on this machine.');
    expect(await command(folder, '.', 'show', 'pr-reviewer')).toContain(
      'This is the memory of this machine.',
    );
  });

  it('does not change where own agents keep theirs', async () => {
    const folder = makeHome();
    await command(folder, 'one', 'remember', 'bot', 'Money is integer cents.');
    const log = readFileSync(join(folder, 'data/axe/memory/bot.md'), 'utf8');
    expect(log).toContain('integer cents');
  });
});

it('the notes of this machine are kept from blocking other saves if their folder cannot be used (D54)', async () => {
  const { home, store } = open({ dir: 'own' });
  writeFiles(home, { own: 'no folder' });
  const entry = { kind: 'append', path: 'bot.md', id: '1', text: '## e\n\n' } as const;
  const result = await store.write([entry, adding('MEMORY.md', 'Tabs.')], never);
  expect(result).toMatchObject({
    kind: 'saved',
    unsaved: [{ path: 'MEMORY.md', message: expect.stringContaining('not a directory') }],
  });
  expect(readFileSync(join(home, 'data/axe/memory/bot.md'), 'utf8')).toBe('## e\n\n');
});

it('the notes of this machine are read from one place only', async () => {
  const { home, store } = open({ dir: 'own' });
  writeFiles(home, {
    'data/axe/memory/MEMORY.md': 'no\n',
    'own/MEMORY.md': 'mine\n',
    'own/bot.md': 'x',
  });
  const all = await store.readTree(never);
  expect(all.kind === 'tree' && Object.fromEntries(all.tree)).toEqual({ 'MEMORY.md': 'mine\n' });
  expect(all.location).toBe(join(home, 'own'));
});

it.each([
  ['below the top of a checkout', 'repo/.axe/bot.md', true],
  ['at its top', 'repo/bot.md', false],
  ['outside of one', 'mine/bot.md', false],
])(
  'the copies of a log at `memory.path` %s are kept from commits: %s, %s',
  async (_, custom, isIgnored) => {
    const { home, store } = open({ custom });
    mkdirSync(join(home, 'repo/.git'), { recursive: true });
    writeFiles(home, { 'repo/.git/HEAD': 'ref: refs/heads/main\n', [custom]: A + B });
    const ignoreFile = join(home, custom, '../.gitignore');
    const entry = { kind: 'append', path: 'bot.md', id: '1', text: '## e\n\n' } as const;
    await store.write([entry], never);
    expect(existsSync(ignoreFile)).toBe(false);
    const rewrite = (text: string) => text.replace(A, '');
    await store.write([{ kind: 'rewrite', path: 'bot.md', rewrite }], never);
    expect(existsSync(join(home, `${custom}.bak`))).toBe(true);
    expect(existsSync(ignoreFile)).toBe(isIgnored);
  },
);

it.each([
  ['MEMORY.md', true],
  ['MEMORY.bak', true],
  ['MEMORY.md.bak', true],
  ['MEMORY.state.md', true],
  ['apart/MEMORY.md', true],
  ['projects/x/daily/', true],
  ['projects/x/notes/', true],
  ['projects/x/SCRATCHPAD.md', true],
  ['2026-03-01.md', true],
  ['bot.md', false],
  ['bot.md.bak', false],
  ['bot.state.md', false],
])('the files that belong to notes: %s: %s', (path, expected) => {
  expect(isOfNotes(path)).toBe(expected);
});

async function memory(github: GitHubServer, ...words: readonly string[]) {
  const home = tempDir('home');
  const env = { ...github.env, GH_TOKEN: GITHUB_TOKEN, HOME: home };
  const terminal = createFakeTerminal({ env, cwd: home });
  const [name = '', ...rest] = words;
  const exitCode = await main(['memory', name, ...rest, '--repo', REPO], terminal);
  return { exitCode, output: terminal.output(), talk: terminal.talk() };
}

describe('memory on a branch of a repository, from a laptop', () => {
  it('is not created by reading, but by remembering', async () => {
    const github = await startGitHubServer();
    github.addRepo(REPO, { contents: 'write' });
    github.commit(REPO, { 'README.md': '# Hello\n' });
    expect(await memory(github, 'show', 'bot')).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(/^No entries/),
    });
    expect(github.history(REPO, 'axe-memory')).toEqual([]);
    expect(await memory(github, 'remember', 'bot', 'first')).toMatchObject({ exitCode: 0 });
    expect(github.history(REPO, 'axe-memory')).toHaveLength(1);
  });

  it('shows the facts that a review of a file is given, as the default branch has their lines', async () => {
    const github = await startGitHubServer();
    github.addRepo(REPO, { contents: 'write' });
    const code = {
      'src/auth.ts': 'first line\nif (!token) return\n',
      'src/b.ts': 'const two = 2\n',
    };
    const sha = github.commit(REPO, code);
    const fact = (path: string, line: string) =>
      `- Fact of ${path} (${path}:1 ${JSON.stringify(line)}) <!-- ${REPO}@${sha} -->\n`;
    const filler = Array.from({ length: 60 }, (_, at) => `- Filler ${at} ${'x'.repeat(80)}\n`);
    const facts = [
      ...filler,
      fact('src/auth.ts', 'if (!token) return'),
      fact('src/auth.ts', 'no such line'),
      fact('src/b.ts', 'const two = 2'),
    ];
    const files = { 'pr-reviewer.md': B, 'MEMORY.md': facts.join('') };
    github.commit(REPO, files, { branch: 'axe-memory' });

    const show = ['show', 'pr-reviewer', '--for', 'src/auth.ts'];
    const { output, talk } = await memory(github, ...show);
    expect(talk).toBe('');
    const [, block = ''] =
      /What the model is given from notes:\n\n([\s\S]*?)<\/memory>/.exec(output) ?? [];
    expect(Buffer.byteLength(block)).toBeLessThanOrEqual(4096);
    expect(block).toMatch(/^- Fact of src\/auth\.ts \(src\/auth\.ts:2 "if \(!token\) return"\)$/m);
    expect(block).not.toContain('no such line');
    expect(output).toMatch(/^Notes: 1 file in octocat\/hello-world@axe-memory\.$/m);
    expect(output).toMatch(/^Lines that notes rest on: 1 as noted, 1 moved, 1 gone\.$/m);
    expect(output).toContain(
      'No longer true:\n\n- MEMORY.md, line 62: - Fact of src/auth.ts (src/auth.ts:1 "no such line")',
    );
  });

  it('forgets with --purge an entry that gc has trimmed', async () => {
    const github = await startGitHubServer();
    github.addRepo(REPO, { contents: 'write' });
    github.commit(REPO, { 'README.md': '# Hello\n' });
    const files = { 'bot.md': B, 'bot.md.bak': A, '.gitignore': '*.bak\n' };
    github.commit(REPO, files, { branch: 'axe-memory' });
    expect(await memory(github, 'forget', 'bot', 'aaaaaa', '--purge')).toMatchObject({
      exitCode: 0,
    });
    expect(JSON.stringify(github.files(REPO, 'axe-memory'))).not.toContain('aaaaaa');
  });

  it.each<[string, string[], Record<string, string>, string, RegExp]>([
    ['main', ['--branch', 'main'], {}, 'main', /and only `axe-memory` is memory's alone/],
    ['the default branch', [], {}, 'axe-memory', /which is the default branch/],
    [
      'a branch with code',
      [],
      { 'src/a.ts': '1' },
      'main',
      /which holds more than memory: `src\/a\.ts`/,
    ],
  ])('%s is never rewritten', async (_, ...[flags, more, defaultBranch, why]) => {
    const github = await startGitHubServer();
    github.addRepo(REPO, { contents: 'write', defaultBranch });
    github.commit(
      REPO,
      { 'README.md': '# Hello\n', '.axe/memory/bot.md': A + B },
      { branch: 'main' },
    );
    github.commit(REPO, { 'bot.md': A + B, ...more }, { branch: 'axe-memory' });
    const purged = await memory(github, 'forget', 'bot', 'aaaaaa-1', '--purge', ...flags);
    expect(purged).toMatchObject({ exitCode: 1, output: '', talk: expect.stringMatching(why) });
    expect(purged.talk).toMatch(/^`--purge` would rewrite `/);
    for (const branch of ['main', 'axe-memory'])
      expect(github.history(REPO, branch)).toHaveLength(1);
    expect(github.files(REPO, 'main')['.axe/memory/bot.md']).toBe(A + B);
    const kept = await memory(github, 'forget', 'bot', 'aaaaaa-1', ...flags);
    expect(kept).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(/^Forgot `aaaaaa-1` in /),
    });
  });
});
