import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { text } from '../helpers/model-server.js';
import { tempDir } from '../helpers/temp.js';
import { BRANCH, NO_CACHE } from './branch-scene.js';
import { REPO, setStage, told } from './stage.js';

it.each([
  ['state, summary and temporary folder', ['GITHUB_STATE', 'GITHUB_STEP_SUMMARY', 'RUNNER_TEMP']],
  ['outputs', ['GITHUB_OUTPUT']],
])('a run that cannot write its %s saves memory, and warns of each', async (_, names) => {
  const stage = await setStage({ model: [text('It rains.')] });
  const folder = tempDir('full');
  writeFileSync(join(folder, 'file'), '');
  const full = Object.fromEntries(
    names.map((name) => [name, name === 'RUNNER_TEMP' ? join(folder, 'file') : folder]),
  );
  const run = await stage.run({ env: { ...NO_CACHE, ...full } });
  expect(run.exitCode).toBe(0);
  const warned = told(run).flatMap((line) => /^warning: `(\w+)` of the runner/.exec(line)?.[1] ?? []);
  expect(warned.sort()).toEqual(names);
  expect(stage.github.history(REPO, BRANCH)).toHaveLength(1);
  if (!names.includes('GITHUB_OUTPUT'))
    expect(run.outputs).toMatchObject({ conclusion: 'success', 'memory-saved': 'true', 'response-file': '' });
});
