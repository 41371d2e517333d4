import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { readInputs } from '../../src/actions/inputs/inputs.js';
import { readPush, runPushMode } from '../../src/actions/run-mode.js';
import type { Runner } from '../../src/actions/runner/runner.js';
import type { Trigger } from '../../src/core/event/trigger.js';
import { entryText, idsIn } from '../adapters/stores/entries.js';
import { createFakeDependencies } from '../helpers/dependencies-fake.js';
import { gitIn, NOBODY } from '../helpers/run-steps.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { comment, pullRequest, SCHEDULE } from '../helpers/triggers.js';

const [A, B] = [entryText('a', 'A.', 1), entryText('b', 'B.', 2)];
const LOG = '.axe/memory/bot.md';

let remote: string;
let workspace: string;

/** A checkout of a pull request: a commit that is on no branch. */
beforeEach(() => {
  remote = join(tempDir('remote'), 'repo.git');
  workspace = join(tempDir('job'), 'workspace');
  const cwd = tempDir('cwd');
  gitIn(cwd, 'init', '--quiet', '--bare', '--initial-branch=main', remote);
  gitIn(cwd, 'clone', '--quiet', remote, workspace);
  writeFiles(workspace, { [LOG]: A, 'src/a.ts': '1\n' });
  gitIn(workspace, 'add', '--all');
  gitIn(workspace, 'commit', '--quiet', '--message=Start');
  gitIn(workspace, 'push', '--quiet', 'origin', 'HEAD:main');
  writeFiles(workspace, { [LOG]: `# Of the pull request\n\n${A}`, 'src/a.ts': '2\n' });
  gitIn(workspace, 'commit', '--quiet', '--all', '--message=Head');
  gitIn(workspace, 'checkout', '--quiet', '--detach');
});

async function push(
  command: string,
  { trigger = pullRequest(), given = {} }: { trigger?: Trigger; given?: Record<string, string> } = {},
) {
  const inputs = readInputs({
    INPUT_MODE: 'memory',
    'INPUT_MEMORY-COMMAND': command,
    ...Object.fromEntries(
      Object.entries(given).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
    ),
  });
  const parsed = readPush(inputs);
  if (parsed === undefined) throw new Error('it is no push');
  const env = {
    PATH: process.env['PATH'],
    HOME: tempDir('home'),
    ...NOBODY,
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'octocat/hello',
    GITHUB_RUN_ID: '7',
  };
  const runner: Runner = {
    env,
    workspace,
    cwd: workspace,
    temp: '',
    log: () => {},
    fail: () => {},
    onCancel: () => {},
  };
  return await runPushMode(parsed, { inputs, trigger, runner }, createFakeDependencies());
}

describe('`memory-command: push`', () => {
  it('pushes what the runs of the job wrote to the base branch, and nothing of the pull request', async () => {
    writeFiles(workspace, { [LOG]: `# Of the pull request\n\n${A}${B}` });
    const report = await push('push');
    expect(report).toMatchObject({
      kind: 'memory-command',
      store: 'file',
      command: 'push',
      result: { kind: 'done', changed: true },
    });
    const pushed = gitIn(remote, 'show', `main:${LOG}`);
    expect(idsIn(pushed)).toEqual(['a', 'b']);
    expect(pushed).not.toContain('Of the pull request');
    expect(gitIn(remote, 'show', 'main:src/a.ts')).toBe('1\n');
    expect(gitIn(remote, 'log', '-1', '--format=%an <%ae>%n%B', 'main').trim()).toBe(
      [
        'github-actions[bot] <41898282+github-actions[bot]@users.noreply.github.com>',
        'Update memory of bot (pull_request 42) [skip ci]',
        '',
        'Run: https://github.com/octocat/hello/actions/runs/7',
      ].join('\n'),
    );
  });

  it('after a comment on a pull request pushes to the default branch, or to the branch that is named', async () => {
    writeFiles(workspace, { [LOG]: A + B });
    await push('push', { trigger: comment({ on: 'pull_request' }) });
    expect(idsIn(gitIn(remote, 'show', `main:${LOG}`))).toEqual(['a', 'b']);
    gitIn(remote, 'branch', 'memory', 'main~1');
    await push('push --branch memory');
    expect(idsIn(gitIn(remote, 'show', `memory:${LOG}`))).toEqual(['a', 'b']);
  });

  it('needs a branch if only a commit is checked out and the event names none', async () => {
    await expect(push('push', { trigger: SCHEDULE })).rejects.toMatchObject({
      message: 'no branch is checked out, only a commit',
      remedy: expect.stringContaining('push --branch main'),
    });
  });

  it('has nothing to do without a memory or in a dry run', async () => {
    writeFiles(workspace, { [LOG]: A + B });
    expect(await push('push', { given: { 'memory-path': 'notes' } })).toMatchObject({
      result: { text: 'Nothing to push: `notes` has no changes.', changed: false },
    });
    expect(await push('push', { given: { 'dry-run': 'true' } })).toMatchObject({
      result: { text: 'Dry run: nothing was pushed.', changed: false },
    });
    expect(idsIn(gitIn(remote, 'show', `main:${LOG}`))).toEqual(['a']);
  });

  it('with a typing mistake shows the correct form', async () => {
    await expect(push('push main')).rejects.toMatchObject({
      name: 'ConfigError',
      message: 'the input `memory-command`: `push main` is not understood',
      remedy: 'Usage: `push [--branch <name>]`.',
    });
  });
});
