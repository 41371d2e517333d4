import { expect, it } from '@jest/globals';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { BRANCH, branchScene, NO_CACHE, REPOSITORY } from './branch-scene.js';
import { resultsIn } from './memory-scene.js';

it('`memory-path` gives each job a folder', async () => {
  const { run, github, model, memory } = await branchScene();
  const job = (path: string) =>
    run({ job: 'test', inputs: { 'memory-path': path, prompt: `Look at ${path}.` }, env: NO_CACHE });
  const [one, other] = await Promise.all([job('packages/api'), job('packages/web')]);
  const next = await job('packages/api');

  for (const step of [one, other, next]) {
    expect(step).toMatchObject({ exitCode: 0, stderr: '', outputs: { 'memory-saved': 'true' } });
  }
  const logs = Object.keys(github.files(REPOSITORY, BRANCH)).filter((path) => !path.endsWith('.state.md'));
  expect(logs).toEqual(['packages/api/ask.md', 'packages/web/ask.md']);
  expect(next.outputs['memory-loaded']).toBe('1');
  expect(model.prompts()[2]?.system).toContain('**Task:** Look at packages/api.');
  expect(model.prompts()[2]?.system).not.toContain('packages/web');
  expect(resultsIn(memory('packages/api/ask.md'))).toHaveLength(2);
  expect(resultsIn(memory('packages/web/ask.md'))).toHaveLength(1);
  expect(next.summary).toContain('https://github.com/octo-org/octo-repo/blob/axe-memory/packages/api/ask.md');
});

it('two agents that save at once have a file each on one branch', async () => {
  const { run, memory } = await branchScene();
  const workspace = tempDir('checkout');
  const agents = ['one', 'two'];
  const text = (name: string) =>
    `name = "${name}"\nmodel = "anthropic/claude-sonnet-4-5"\n[memory]\nenabled = true\n`;
  writeFiles(workspace, Object.fromEntries(agents.map((name) => [`axe/agents/${name}.toml`, text(name)])));
  const steps = await Promise.all(
    agents.map((agent) => run({ workspace, inputs: { agent }, env: NO_CACHE })),
  );
  for (const [index, step] of steps.entries()) {
    expect(step).toMatchObject({ exitCode: 0, outputs: { 'memory-saved': 'true' } });
    expect(memory(`${agents[index]}.md`)).toBe(step.outputs['memory-entry']);
  }
});
