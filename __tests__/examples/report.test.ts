import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { startChild } from '../helpers/child.js';
import { gitIn, NOBODY } from '../helpers/git-repo.js';
import { startModelServer, text } from '../helpers/model-server.js';
import { runMain, type StepOptions } from '../helpers/run-action.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { exampleWorkflows, type Step } from '../helpers/workflow-files.js';
import { resultsIn, scheduledStep } from '../transcripts/memory-scene.js';

const LOG = '.axe/memory/reporter.md';
const AGENT = readFileSync(
  join(import.meta.dirname, '../../examples/agents/reporter.toml'),
  'utf8',
);
const EARLIER = '## 2026-02-02T05:17:00Z\n**Task:** Report\n**Result:** Two open TODOs.\n\n';

it('pushes what it remembers, and fails where the push is refused', async () => {
  const remote = join(tempDir('remote'), 'repo.git');
  gitIn(tempDir('cwd'), 'init', '--quiet', '--bare', '--initial-branch=main', remote);
  const person = join(tempDir('clone'), 'repo');
  gitIn(tempDir('cwd'), 'clone', '--quiet', remote, person);
  writeFiles(person, { 'axe/agents/reporter.toml': AGENT, [LOG]: EARLIER });
  gitIn(person, 'add', '--all');
  gitIn(person, 'commit', '--quiet', '--message=Start');
  gitIn(person, 'push', '--quiet', 'origin', 'HEAD:main');
  let answers = 0;
  const model = await startModelServer(() => {
    answers += 1;
    return text(`Report ${answers}.`);
  });
  const [first, second] = ['1', '2'].map((runId) =>
    startJob(remote, scheduledStep({ model }, { runId })),
  );
  const ends: (number | null | undefined)[] = [];
  const example = exampleWorkflows().find(({ name }) => name === 'report.yml');
  const [job] = Object.values(example?.workflow.jobs ?? {});
  for (const step of job?.steps ?? []) {
    ends.push((await first?.(step))?.exitCode);
    ends.push((await second?.(step))?.exitCode);
  }
  expect(ends).toEqual([0, 0, 0, 0, 0, 1]);
  expect(resultsIn(gitIn(remote, 'show', `main:${LOG}`))).toEqual(['Two open TODOs.', 'Report 1.']);
  expect(gitIn(remote, 'ls-tree', '-r', '--name-only', 'main').trim().split('\n')).toEqual([
    '.axe/memory/.gitignore',
    LOG,
    LOG.replace('.md', '.state.md'),
    'axe/agents/reporter.toml',
  ]);
});

/**
 * A job on a runner of its own, with an empty workspace: runs a checkout, this action, or a script.
 * Throws for another action.
 */
function startJob(remote: string, common: StepOptions) {
  const workspace = join(tempDir('job'), 'workspace');
  const path = process.env['PATH'] ?? '';
  const start = (command: string, args: readonly string[], cwd: string, PATH = path) =>
    startChild({ command, args, cwd, env: { PATH, HOME: tempDir('home'), ...NOBODY } }).finished;
  return async ({ uses = '', run: script, with: given = {} }: Step) => {
    if (script !== undefined) {
      // Git needs no login on a disk.
      const tools = tempDir('tools');
      writeFileSync(join(tools, 'gh'), '#!/bin/sh\n', { mode: 0o755 });
      return await start('bash', ['-e', '-c', script], workspace, `${tools}:${path}`);
    }
    if (uses.startsWith('actions/checkout@')) {
      // As that action does it: the newest commit alone, on its branch.
      const words = ['--quiet', '--depth=1', '--branch=main', `file://${remote}`, workspace];
      return await start('git', ['clone', ...words], tempDir('cwd'));
    }
    if (!uses.startsWith('YOUR_ORG/axe-action@')) throw new Error(`nobody can run ${uses} here`);
    const inputs = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, String(value)]),
    );
    return await runMain({
      ...common,
      workspace,
      inputs: { ...common.inputs, ...inputs },
      env: { ...NOBODY, ...common.env },
    });
  };
}
