import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { startModelServer, text } from '../helpers/model-server.js';
import { runMain } from '../helpers/run-action.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { resultsIn, scheduledStep } from './memory-scene.js';

const AGENT = 'name = "reporter"\nmodel = "anthropic/claude-sonnet-4-5"\n\n[memory]\nenabled = true\n';

it('C2 23: the action and the command line read and continue the same memory file', async () => {
  const workspace = tempDir('workspace');
  writeFiles(workspace, { 'axe/agents/reporter.toml': AGENT });
  const model = await startModelServer((_, index) => text(`Answer ${index}.`));
  const inAction = () =>
    runMain(
      scheduledStep(
        { model },
        {
          workspace,
          inputs: { agent: 'reporter', 'memory-store': 'file', 'memory-path': 'data/axe/memory' },
        },
      ),
    );
  const inTerminal = () =>
    runCli(['run', 'reporter'], {
      cwd: workspace,
      env: { ...model.env, XDG_DATA_HOME: join(workspace, 'data') },
    });

  const first = await inAction();
  expect(await inTerminal()).toMatchObject({ exitCode: 0, stdout: 'Answer 1.', stderr: '' });
  const third = await inAction();
  expect(await inTerminal()).toMatchObject({ exitCode: 0, stdout: 'Answer 3.', stderr: '' });

  expect([first.annotations, third.annotations]).toEqual([[], []]);
  const prompts = model.prompts().map(({ system }) => system);
  expect(prompts.map(resultsIn)).toEqual([
    [],
    ['Answer 0.'],
    ['Answer 0.', 'Answer 1.'],
    ['Answer 0.', 'Answer 1.', 'Answer 2.'],
  ]);
  // Where an entry comes from is for people; the model is not shown it, wherever it runs.
  expect(prompts.join('')).not.toContain('<!--');
  const memory = readFileSync(join(workspace, 'data/axe/memory/reporter.md'), 'utf8');
  expect(resultsIn(memory)).toEqual(['Answer 0.', 'Answer 1.', 'Answer 2.', 'Answer 3.']);
  expect([...memory.matchAll(/<!-- axe-action v=1 /g)]).toHaveLength(2);
});
