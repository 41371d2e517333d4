import { describe, expect, it } from '@jest/globals';
import { main } from '../../src/cli/main.js';
import { formatEntry, formatProvenance } from '../../src/memory/run-log.js';
import { GITHUB_TOKEN, type GitHubServer, startGitHubServer } from '../helpers/github-server.js';
import { tempDir } from '../helpers/temp.js';
import { createFakeTerminal } from '../helpers/terminal-fake.js';

const REPO = 'octocat/hello-world';

function entry(minute: number, id: string): string {
  const timestamp = new Date(Date.UTC(2026, 1, 23, 4, minute));
  const provenance = formatProvenance({ id });
  return formatEntry({ timestamp, task: `task ${minute}`, result: `result ${minute}`, provenance });
}

const [A, B] = [entry(1, 'aaaaaa-1'), entry(2, 'bbbbbb-1')];

async function memory(github: GitHubServer, ...words: readonly string[]) {
  const home = tempDir('home');
  const env = { ...github.env, GH_TOKEN: GITHUB_TOKEN, HOME: home };
  const terminal = createFakeTerminal({ env, cwd: home });
  const [name = '', ...rest] = words;
  const exitCode = await main(['memory', name, ...rest, '--repo', REPO], terminal);
  return { exitCode, output: terminal.output(), talk: terminal.talk() };
}

describe('memory on a branch of a repository, from a laptop', () => {
  it('is seen, corrected and removed, and with --purge its history too', async () => {
    const github = await startGitHubServer();
    github.addRepo(REPO, { contents: 'write' });
    github.commit(REPO, { 'README.md': '# Hello\n' });
    github.commit(REPO, { 'bot.md': A }, { branch: 'axe-memory' });
    github.commit(REPO, { 'bot.md': A + B }, { branch: 'axe-memory' });

    expect(await memory(github, 'show', 'bot')).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(/^2 entries \(\d+ bytes\) of `bot\.md` in .*axe-memory/),
    });
    expect(await memory(github, 'remember', 'bot', 'by', 'hand')).toMatchObject({ exitCode: 0 });
    expect(await memory(github, 'forget', 'bot', 'aaaaaa', '--purge')).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining('The branch was rewritten without its history.'),
    });

    const files = github.files(REPO, 'axe-memory');
    expect(Object.keys(files).sort()).toEqual(['bot.md']);
    expect(files['bot.md']).toMatch(
      /^## [^\n]*\n\*\*Task:\*\* task 2\n\*\*Result:\*\* result 2\n[\s\S]*\*\*Result:\*\* by hand\n<!--/,
    );
    expect(files['bot.md']).not.toContain('task 1');
    expect(github.history(REPO, 'axe-memory')).toHaveLength(1);
  });

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

  it.each([
    ['main', ['--branch', 'main'], {}, 'main', /and only `axe-memory` is memory's alone/],
    ['the default branch', [], {}, 'axe-memory', /which is the default branch/],
    ['a branch with code', [], { 'src/a.ts': '1' }, 'main', /which holds more than memory: `src\/a\.ts`/],
  ])('%s is never rewritten', async (_, flags, more, defaultBranch, why) => {
    const github = await startGitHubServer();
    github.addRepo(REPO, { contents: 'write', defaultBranch });
    github.commit(REPO, { 'README.md': '# Hello\n', '.axe/memory/bot.md': A + B }, { branch: 'main' });
    github.commit(REPO, { 'bot.md': A + B, ...more }, { branch: 'axe-memory' });
    const purged = await memory(github, 'forget', 'bot', 'aaaaaa-1', '--purge', ...flags);
    expect(purged).toMatchObject({ exitCode: 1, output: '', talk: expect.stringMatching(why) });
    expect(purged.talk).toMatch(/^`--purge` would rewrite `/);
    for (const branch of ['main', 'axe-memory']) expect(github.history(REPO, branch)).toHaveLength(1);
    expect(github.files(REPO, 'main')['.axe/memory/bot.md']).toBe(A + B);
    const kept = await memory(github, 'forget', 'bot', 'aaaaaa-1', ...flags);
    expect(kept).toMatchObject({ exitCode: 0, output: expect.stringMatching(/^Forgot `aaaaaa-1` in /) });
  });
});
