import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { ChildResult } from '../helpers/child.js';
import { GITHUB_TOKEN } from '../helpers/github-server.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir } from '../helpers/temp.js';
import {
  asking,
  BRANCH,
  forgottenOnBranch,
  idOf,
  idsOnBranch,
  nameOf,
  onBranch,
  onSchedule,
  rememberOnBranch,
  review,
} from './memory-command-scene.js';
import { resultsIn } from './memory-scene.js';
import { expectTranscript, type Stage, setStage, steady } from './stage.js';

const AUTH = review(3, {
  id: '01kgk41',
  task: 'Review pull request #41: Fix auth',
  result: 'Ask `octocat`.',
});
const DOOR = review(4, { id: '01kgnp2', task: 'Review pull request #42', result: 'Close the door.' });
const TABS = review(5, {
  id: '01kgr83',
  task: 'Answer issue #7: Tabs or spaces',
  result: 'They ask for tabs.',
  event: 'issues',
  trust: 'untrusted',
});

/** A repository with a memory on its branch. */
async function withMemory(): Promise<Stage> {
  const stage = await setStage({ event: { name: 'workflow_dispatch' } });
  rememberOnBranch(stage, { 'reviewer.md': AUTH + DOOR, 'untrusted/reviewer.md': TABS });
  return stage;
}

/** The command line on a laptop that has no checkout and no agent. */
function onLaptop(stage: Stage, words: readonly string[], cwd = tempDir('laptop')): Promise<ChildResult> {
  const [command = '', ...rest] = words;
  return runCli(['memory', command, 'reviewer', '--repo', nameOf(stage), ...rest], {
    cwd,
    env: { ...stage.github.env, GITHUB_TOKEN },
  });
}

const COMMANDS: readonly (readonly string[])[] = [
  ['show'],
  ['show', '01kgk41'],
  ['search', 'auth'],
  ['verify'],
  ['forget', '01kgk41'],
  ['edit', '01kgnp2', '--text', 'Close both doors.'],
  ['promote', '01kgr83'],
  ['remember', 'We never use floats for money'],
  ['verify'],
  ['forget', '01kgzz9'],
];

it('the command line prints and does the same as `mode: memory` in a workflow', async () => {
  const stage = await withMemory();
  const told: string[] = [];
  for (const words of COMMANDS) {
    const { exitCode, stdout, stderr } = await onLaptop(stage, words);
    told.push(`$ axe-action memory ${words.join(' ')}\n${stdout}${stderr}[${exitCode}]\n`);
  }
  expectTranscript('the-laptop-tends-the-memory-of-a-workflow', steady(told.join('\n')));
  expect(idsOnBranch(stage)).toEqual([
    expect.stringMatching(/^0[0-9a-z]{25}$/),
    `p-${idOf('01kgr83')}`,
    expect.stringMatching(/^0[0-9a-z]{25}$/),
  ]);
  expect(forgottenOnBranch(stage)).toEqual(['01kgk41', '01kgnp2', '01kgr83'].map(idOf));

  await stage.run(onSchedule(stage));
  expect(resultsIn(stage.model.prompts()[0]?.system ?? '')).toEqual([
    'Close both doors.',
    'They ask for tabs.',
    'We never use floats for money',
  ]);
  // Both ways lead to one memory, and read it alike.
  const [here, there] = [await onLaptop(stage, ['show']), await stage.run(asking('show'))];
  expect(there.outputs['response']).toBe(here.stdout.trimEnd());
});

it('--purge leaves one commit in the history, and reports what GitHub still keeps', async () => {
  const stage = await withMemory();
  await onLaptop(stage, ['remember', 'We never use floats for money']);
  const before = stage.github.history(nameOf(stage), BRANCH);
  expect(before).toHaveLength(2);

  const { exitCode, stdout, stderr } = await onLaptop(stage, ['forget', '01kgk41', '--purge']);
  expect([exitCode, stderr]).toEqual([0, '']);
  expectTranscript('the-laptop-purges-the-memory-of-a-workflow', steady(stdout));
  const after = stage.github.history(nameOf(stage), BRANCH);
  expect(after).toHaveLength(1);
  expect(before.map(({ sha }) => sha)).not.toContain(after[0]?.sha);
  expect(onBranch(stage)).not.toContain('Fix auth');
  expect(idsOnBranch(stage)).toHaveLength(2);
  expect(onBranch(stage, 'untrusted/reviewer.md')).toBe(TABS);

  // What runs remember goes on top of it.
  await stage.run(onSchedule(stage));
  expect(resultsIn(stage.model.prompts()[0]?.system ?? '')).toEqual([
    'Close the door.',
    'We never use floats for money',
  ]);
  expect(stage.github.history(nameOf(stage), BRANCH)).toHaveLength(2);
});

it('a branch that holds more than memory is not rewritten', async () => {
  const stage = await withMemory();
  stage.github.commit(nameOf(stage), {
    'axe/agents/reviewer.toml': 'name = "reviewer"\n',
    '.axe/memory/reviewer.md': AUTH + DOOR,
  });
  const commits = stage.github.history(nameOf(stage)).length;
  const { exitCode, stdout, stderr } = await onLaptop(stage, [
    'forget',
    '01kgk41',
    '--purge',
    '--branch',
    stage.repo.defaultBranch,
    '--path',
    '.axe/memory',
  ]);
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(
    /^Forgotten in [\s\S]*\n\nOlder versions could not be dropped: .* holds other things than memory/,
  );
  expect(stage.github.history(nameOf(stage))).toHaveLength(commits + 1);
  expect(stage.github.files(nameOf(stage))['.axe/memory/reviewer.md']).toBe(DOOR);
});

it('memory can be moved to another repository, where forgotten entries stay forgotten', async () => {
  const stage = await withMemory();
  const cwd = tempDir('laptop');
  await onLaptop(stage, ['export', '--out', 'kept.md'], cwd);
  expect(readFileSync(join(cwd, 'kept.md'), 'utf8')).toBe(AUTH + DOOR);
  await onLaptop(stage, ['forget', '01kgk41'], cwd);
  const brought = await onLaptop(stage, ['import', 'kept.md'], cwd);
  expect(brought.stdout).toMatch(/^Imported 0 entries; 1 was there already; 1 was forgotten and stays so\./);
  expect(idsOnBranch(stage)).toEqual([idOf('01kgnp2')]);
});

it('a missing token and missing permissions are named', async () => {
  const stage = await withMemory();
  const words = ['memory', 'forget', 'reviewer', '01kgk41', '--repo', nameOf(stage)];
  const none = await runCli(words, { env: stage.github.env });
  expect(none).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining('GITHUB_TOKEN') });
  stage.repo.contents = 'read';
  const denied = await onLaptop(stage, ['forget', '01kgk41']);
  expect(denied).toMatchObject({ exitCode: 1, stdout: '' });
  expect(denied.stderr).toMatch(/the memory could not be changed: /);
  const cache = await runCli(['memory', 'show', 'reviewer', '--cache']);
  expect(cache.stderr).toMatch(/the Actions cache can only be reached inside a job\n.*`mode: memory`/);
  expect(stage.github.history(nameOf(stage), BRANCH)).toHaveLength(1);
});
