import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type GitRepo, makeGitRepo } from '../helpers/git-repo.js';
import { machineNode, runCli } from '../helpers/run-cli.js';
import { tempDir } from '../helpers/temp.js';
import { countEntries } from './memory-scene.js';

/** Folders a person may stand in, and what git has to show there. */
const FOLDERS: readonly (readonly [string, () => Place])[] = [
  ['a fresh clone', () => cloned()],
  ['a clone of the last commit only', () => cloned('--depth=1')],
  ['a repository with a single commit', () => standIn(firstCommit(tempDir('repo')))],
  ['a folder without git', () => ({ cwd: tempDir('folder'), shown: undefined, finding: 'src/greeting.ts:' })],
];

interface Place {
  readonly cwd: string;
  /** What `git show HEAD` prints, where there is git. */
  readonly shown: string | undefined;
  /** The place of something in the change that the rules find. */
  readonly finding: string;
}

const NODES = [{ title: `the Node of the tests (${process.version})`, node: process.execPath }, ownNode()];

describe.each(NODES)('the demo on $title', ({ node }) => {
  it.each(FOLDERS)('in %s', async (_, stand) => {
    const { cwd, shown, finding } = stand();
    const [home, temp] = [tempDir('home'), tempDir('temp')];
    const before = everything(cwd);
    const { exitCode, stdout, stderr } = await runCli(['demo'], {
      node,
      cwd,
      env: { HOME: home, TMPDIR: temp },
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });

    const [, first = '', second = '', memory = '', end = ''] = stdout.split(/^── .*$/m);
    const [hunk = ''] = /^@@ .*$/m.exec(shown ?? stdout) ?? [];
    expect(shown === undefined || hunk !== '').toBe(true);
    expect(first).toContain(`first hunk: ${hunk}`);
    expect(first).toContain('without memory');
    expect(second).toContain(`first hunk: ${hunk}`);
    expect(second).toContain(', with memory;');
    for (const run of [first, second]) expect(run).toContain(finding);
    expect(countEntries(memory)).toBe(2);
    expect(end).toContain('The second system prompt held the first entry');

    expect(readdirSync(home)).toEqual([]);
    expect(readdirSync(temp)).toEqual([]);
    expect(everything(cwd)).toEqual(before);
  });
});

const NUMBERED = Array.from({ length: 60 }, (_, index) => `export const n${index} = ${index};`);
const LOGGED = NUMBERED.toSpliced(40, 0, 'console.log(n39);');

function firstCommit(path: string, lines = LOGGED): GitRepo {
  const repo = makeGitRepo(path);
  repo.commit('Begin', { 'src/numbers.ts': `${lines.join('\n')}\n` });
  return repo;
}

function cloned(...flags: string[]): Place {
  const origin = firstCommit(tempDir('origin'), NUMBERED);
  origin.commit('Log the number', { 'src/numbers.ts': `${LOGGED.join('\n')}\n` });
  const path = join(tempDir('clones'), 'clone');
  origin.git('clone', '--quiet', ...flags, `file://${origin.path}`, path);
  return standIn({ ...origin, path, git: (...args) => origin.git('-C', path, ...args) });
}

function standIn(repo: GitRepo): Place {
  return { cwd: repo.path, shown: repo.git('show', 'HEAD'), finding: 'src/numbers.ts:41' };
}

/** Every path of a folder with its size and time of change. */
function everything(folder: string): readonly string[] {
  mkdirSync(folder, { recursive: true });
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => {
      const { size, mtimeMs } = statSync(join(folder, path));
      return `${path} ${size} ${mtimeMs}`;
    })
    .sort();
}

/** The Node of the machine; where it has none that is new enough, the title says so and the tests' own runs again. */
function ownNode(): { readonly title: string; readonly node: string } {
  const node = machineNode();
  if (node === undefined) return instead('the machine has no Node of its own');
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    return instead(`the machine's Node is ${version}, and 20.19 is needed`);
  return { title: `the machine's own Node (${version})`, node };
}

function instead(why: string) {
  return { title: `the Node of the tests again, because ${why}`, node: process.execPath };
}
