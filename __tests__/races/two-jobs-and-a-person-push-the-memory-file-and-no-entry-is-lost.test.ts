import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { parseLog } from '../../src/core/memory/units.js';
import { startModelServer, text } from '../helpers/model-server.js';
import { exampleSteps, gitIn, type Job, startJob, stepsInPage } from '../helpers/run-steps.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import type { Step } from '../helpers/workflow-files.js';
import { resultsIn, scheduledStep } from '../transcripts/memory-scene.js';

const LOG = '.axe/memory/reporter.md';
const AGENT = readFileSync(join(import.meta.dirname, '../../examples/agents/reporter.toml'), 'utf8');
const EARLIER = '## 2026-02-02T05:17:00Z\n**Task:** Report\n**Result:** Two open TODOs.\n\n';

/** A bare repository with an agent and what it said last week. */
function makeRemote(): string {
  const remote = join(tempDir('remote'), 'repo.git');
  gitIn(tempDir('cwd'), 'init', '--quiet', '--bare', '--initial-branch=main', remote);
  const clone = cloneOf(remote);
  writeFiles(clone, { 'axe/agents/reporter.toml': AGENT, [LOG]: EARLIER, 'src/a.ts': '// TODO\n' });
  commitAll(clone, 'Start');
  return remote;
}

function cloneOf(remote: string): string {
  const clone = join(tempDir('clone'), 'repo');
  gitIn(tempDir('cwd'), 'clone', '--quiet', remote, clone);
  return clone;
}

function commitAll(clone: string, message: string): void {
  gitIn(clone, 'add', '--all');
  gitIn(clone, 'commit', '--quiet', `--message=${message}`);
  gitIn(clone, 'push', '--quiet', 'origin', 'HEAD:main');
}

const WORKFLOWS: readonly (readonly [string, readonly Step[]])[] = [
  ['examples/workflows/report.yml', exampleSteps('report.yml')],
  ['the steps in docs/memory.md', stepsInPage('docs/memory.md', 'memory-store: file')],
];

it.each(WORKFLOWS)('%s: two jobs and a person push without a lost entry', async (_, steps) => {
  const remote = makeRemote();
  let answers = 0;
  const model = await startModelServer(() => {
    answers += 1;
    return text(`Report ${answers}.`);
  });
  const jobs = ['1', '2'].map(
    (runId): Job => startJob({ remote, step: scheduledStep({ model }, { runId }) }),
  );
  const both = async (step: Step) => {
    const ends = await Promise.all(jobs.map((job) => job.run(step)));
    for (const end of ends)
      expect([step, end.exitCode, end.stdout, end.stderr]).toEqual([step, 0, end.stdout, '']);
  };
  for (const step of steps.slice(0, -1)) await both(step);

  // Meanwhile a person corrects an entry and the code.
  const person = cloneOf(remote);
  writeFiles(person, { [LOG]: EARLIER.replace('Two open', 'Three open'), 'src/a.ts': '// done\n' });
  commitAll(person, 'Three of them');
  for (const step of steps.slice(-1)) await both(step);

  const file = gitIn(remote, 'show', `main:${LOG}`);
  expect([...resultsIn(file)].sort()).toEqual(['Report 1.', 'Report 2.', 'Three open TODOs.']);
  expect(file).not.toContain('<<<<<<<');
  expect(gitIn(remote, 'show', 'main:src/a.ts')).toBe('// done\n');
  expect(gitIn(remote, 'ls-tree', '-r', '--name-only', 'main').trim().split('\n')).toEqual([
    '.axe/memory/.gitignore',
    LOG,
    LOG.replace('.md', '.state.md'),
    'axe/agents/reporter.toml',
    'src/a.ts',
  ]);
});

it('an entry that one job forgets stays forgotten, even if another one pushes what it had read before', async () => {
  const remote = makeRemote();
  const model = await startModelServer(() => text('Report 1.'));
  const [forgetting = noJob(), reporting = noJob()] = ['1', '2'].map((runId) =>
    startJob({ remote, step: scheduledStep({ model }, { runId }) }),
  );
  const [checkout = {}, report = {}, push = {}] = exampleSteps('report.yml');
  for (const job of [forgetting, reporting]) await job.run(checkout);
  const id = parseLog(EARLIER).units[0]?.id ?? '';
  const forget = {
    mode: 'memory',
    'memory-command': `forget ${id}`,
    agent: 'reporter',
    'memory-store': 'file',
  };
  expect(await forgetting.run({ ...report, with: forget })).toMatchObject({ exitCode: 0 });
  expect(await reporting.run(report)).toMatchObject({ exitCode: 0 });
  expect(existsSync(join(forgetting.workspace, `${LOG}.bak`))).toBe(true);
  for (const job of [forgetting, reporting]) expect(await job.run(push)).toMatchObject({ exitCode: 0 });

  expect(resultsIn(gitIn(remote, 'show', `main:${LOG}`))).toEqual(['Report 1.']);
  expect(gitIn(remote, 'show', 'main:.axe/memory/reporter.state.md')).toContain(`- forgotten ${id} `);
  expect(gitIn(remote, 'ls-tree', '-r', '--name-only', 'main')).not.toContain('.bak');
  expect(gitIn(remote, 'log', '--format=%s', '-2', 'main')).toBe(
    'Update memory of reporter (schedule) [skip ci]\n'.repeat(2),
  );
});

function noJob(): Job {
  throw new Error('there is no such job');
}
