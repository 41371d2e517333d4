import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { startModelServer, text } from '../helpers/model-server.js';
import { exampleSteps, gitIn, startJob } from '../helpers/run-steps.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { resultsIn, scheduledStep } from '../transcripts/memory-scene.js';

const LOG = '.axe/memory/reporter.md';
const AGENT = readFileSync(join(import.meta.dirname, '../../examples/agents/reporter.toml'), 'utf8');
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
    startJob({ remote, step: scheduledStep({ model }, { runId }) }),
  );
  const ends: (number | null | undefined)[] = [];
  for (const step of exampleSteps('report.yml')) {
    ends.push((await first?.run(step))?.exitCode);
    ends.push((await second?.run(step))?.exitCode);
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
