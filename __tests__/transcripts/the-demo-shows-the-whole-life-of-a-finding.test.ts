import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { startChild } from '../helpers/child.js';
import { makeGitRepo } from '../helpers/git-repo.js';
import { machineNode, runCli } from '../helpers/run-cli.js';
import { tempDir } from '../helpers/temp.js';
import { expectTranscript, steady } from './stage.js';

const NODES = [
  { title: `the Node of the tests (${process.version})`, node: process.execPath },
  ownNode(),
];

describe.each(NODES)('the demo on $title', ({ node }) => {
  it('reads and writes nothing of the folder that it is started in', async () => {
    const cwd = tempDir('folder');
    const [home, temp] = [tempDir('home'), tempDir('temp')];
    const before = everything(cwd);
    const { exitCode, stdout, stderr } = await runCli(['demo'], {
      node,
      cwd,
      env: { HOME: home, TMPDIR: temp },
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expectTranscript('the-demo-shows-the-whole-life-of-a-finding', steady(stdout));
    expect(readdirSync(home)).toEqual([]);
    expect(readdirSync(temp)).toEqual([]);
    expect(everything(cwd)).toEqual(before);
  });
});

const ROOT = join(import.meta.dirname, '../..');

it('the demo runs from the committed files', async () => {
  const checkout = tempDir('checkout');
  for (const part of ['package.json', 'dist'])
    cpSync(join(ROOT, part), join(checkout, part), { recursive: true });
  const repo = makeGitRepo(checkout);
  repo.commit('Begin', { 'a.ts': 'export {};\n' });

  const { exitCode, stdout } = await startChild({
    command: 'npm',
    args: ['run', 'demo'],
    cwd: checkout,
    env: { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, HOME: tempDir('home') },
  }).finished;
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/── Commit 3 of 3 · [0-9a-f]{7} · /);
  expect(stdout).toContain('That was the whole life of a finding');
  expect(existsSync(join(checkout, 'node_modules'))).toBe(false);
  expect(repo.git('status', '--porcelain')).toBe('');
});

/** Every path of a folder with its size and time of change. */
function everything(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => {
      const { size, mtimeMs } = statSync(join(folder, path));
      return `${path} ${size} ${mtimeMs}`;
    })
    .sort();
}

/**
 * The Node of the machine; where it has none that is new enough, the title says so and the tests'
 * own runs again.
 */
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
