import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { snippetsOf } from '../helpers/documents.js';
import { text } from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir } from '../helpers/temp.js';
import type { Workflow } from '../helpers/workflow-files.js';
import { CHANGE, calls, submit, TIMING, withSecondLook } from './review-scene.js';
import { REPO, setStage } from './stage.js';

const [yaml = '', toml = ''] = ['yaml', 'toml'].map(
  (language) => snippetsOf(['README.md']).find((one) => one.language === language)?.code,
);
const WORKFLOW: Workflow = parse(yaml);
const [STEP] = Object.values(WORKFLOW.jobs)[0]?.steps ?? [];
const MODEL = [calls(TIMING, submit('One finding.')), text('One finding.')];

it('the quick start of the README reviews a pull request and remembers it on the branch', async () => {
  const stage = await setStage({ base: { 'README.md': '# Hello\n' }, diff: CHANGE, model: MODEL });
  const step = await stage.run({ inputs: { agent: String(STEP?.with?.['agent']) } });
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success' } });
  expect(stage.repo.talk.reviews).toHaveLength(1);
  expect(Object.keys(stage.github.files(REPO, 'axe-memory'))).toContain('pr-reviewer.md');
});

it('the agent of the README reviews in the built action, with its own text as instructions, and remembers', async () => {
  const stage = await setStage({
    base: { 'axe/agents/billing.toml': toml },
    diff: CHANGE,
    model: withSecondLook(MODEL),
  });
  const step = await stage.run({ inputs: { agent: 'billing' } });
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success' } });
  // The branch is new, which is a notice; a mistake would be a warning.
  expect(step.annotations.map(({ level }) => level)).toEqual(['notice']);
  expect(stage.model.requests()[0]?.bytes.toString()).toContain('Money is never a float.');
  expect(stage.repo.talk.reviews).toHaveLength(1);
  expect(stage.github.files(REPO, 'axe-memory')['billing.md']).toMatch(/^## /m);
});

it('the agent of the README has no problems for the built command line', async () => {
  const cwd = tempDir('readme');
  mkdirSync(join(cwd, 'axe/agents'), { recursive: true });
  writeFileSync(join(cwd, 'axe/agents/billing.toml'), toml);
  const { exitCode, stderr } = await runCli(['agents', 'validate', 'billing'], { cwd });
  expect([exitCode, stderr]).toEqual([0, '']);
});
