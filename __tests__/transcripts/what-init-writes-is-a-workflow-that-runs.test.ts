import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { parse } from 'yaml';
import type { FileTree } from '../helpers/github-state.js';
import { lastScreen, runCli, startOnTerminal } from '../helpers/run-cli.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { inputsOf, ownSteps, type Workflow, workflowErrors } from '../helpers/workflow-files.js';
import { CHANGE } from './review-scene.js';
import { setStage, troubles } from './stage.js';

/** A repository after `init` with these flags. */
async function repositoryAfter(flags: readonly string[]): Promise<FileTree> {
  const cwd = tempDir('repository');
  writeFiles(cwd, { '.git/HEAD': 'ref: refs/heads/main\n' });
  const made = await runCli(['init', ...flags], { cwd });
  expect([made.exitCode, made.stderr]).toEqual([0, '']);
  const paths = readdirSync(cwd, { recursive: true, encoding: 'utf8' }).filter(
    (path) => statSync(join(cwd, path)).isFile() && !path.startsWith('.git/'),
  );
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(cwd, path), 'utf8')]));
}

/** The inputs of the action in a workflow that GitHub's parser takes. */
async function inputsIn(tree: FileTree, name: string): Promise<Readonly<Record<string, string>>> {
  const content = String(tree[`.github/workflows/${name}.yml`]);
  expect(await workflowErrors({ name, content })).toEqual([]);
  const workflow = parse(content) as Workflow;
  const [job] = Object.values(workflow.jobs);
  const [step] = job === undefined ? [] : ownSteps(job);
  return step === undefined ? {} : inputsOf(step, workflow);
}

const NO_KEY = { ANTHROPIC_API_KEY: '' };

it('what `init` writes for reviews reviews a pull request without a key: comments on lines, a summary, and an entry in memory', async () => {
  const base = await repositoryAfter(['--model', 'offline/rules']);
  const inputs = await inputsIn(base, 'axe');
  expect(inputs).toMatchObject({ agent: 'builtin/pr-reviewer', 'trigger-phrase': '/axe' });
  const stage = await setStage({ base, diff: CHANGE });
  const step = await stage.run({ inputs, env: NO_KEY });
  expect([step.exitCode, troubles(step)]).toEqual([0, []]);
  expect(stage.model.requests()).toEqual([]);
  expect(stage.repo.talk.reviewComments.map(({ path, line }) => [path, line])).toEqual([
    ['src/auth.ts', 11],
  ]);
  expect(step.summary).toContain('pr-reviewer');
  expect(step.outputs).toMatchObject({ 'memory-saved': 'true' });
  expect(step.outputs['memory-entry']).toMatch(/\*\*Result:\*\* /);
});

it('what `init` writes for mentions answers a comment', async () => {
  const base = await repositoryAfter(['--example', 'mention']);
  const inputs = await inputsIn(base, 'mention');
  const stage = await setStage({
    base,
    event: {
      name: 'issue_comment',
      action: 'created',
      patch: { 'comment.body': '/axe What is this?' },
    },
  });
  const step = await stage.run({ inputs: { ...inputs, model: 'offline/rules' }, env: NO_KEY });
  expect([step.exitCode, troubles(step)]).toEqual([0, []]);
  expect(step.outputs).toMatchObject({ 'memory-saved': 'true' });
});

it('`init` on a terminal asks which model reviews, and checks what it wrote if that is wanted', async () => {
  const cwd = tempDir('repository');
  writeFiles(cwd, { '.git/HEAD': 'ref: refs/heads/main\n' });
  const child = startOnTerminal(['init', '--uses', 'octo/axe@v1'], { cwd, env: { TERM: 'dumb' } });
  child.write('offline/rules\n\n');
  const { stdout, exitCode } = await child.finished;
  const screen = lastScreen(stdout);
  expect(screen).toContain('The model that reviews (`offline/rules` needs no key) [');
  expect(screen).toContain('Check it now with `axe-action doctor`? (y/n) [y] ');
  expect(screen).toContain('[y] Workflows\n');
  expect(exitCode).toBe(0);
  expect(readFileSync(join(cwd, '.github/workflows/axe.yml'), 'utf8')).toContain(
    'model: offline/rules',
  );
});
