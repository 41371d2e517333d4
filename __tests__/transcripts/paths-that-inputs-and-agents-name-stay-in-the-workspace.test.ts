import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { text, toolCall } from '../helpers/model-server.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { schedulePayload } from '../helpers/webhooks.js';
import { runWatched } from '../hostile/watched-run.js';
import { setStage } from './stage.js';
import { agentToml, checkout, resultsOf } from './tool-scene.js';

const CANARY = 'canary-4711-outside';
const SCHEDULE = { event: { name: 'schedule', payload: schedulePayload('0 6 * * 1') } };
const PLAIN = agentToml({ memory: true });

/** A checkout beside a folder that is none of its business, with links that lead there. */
function workspaceAlongside(files: Readonly<Record<string, string>>): string {
  const outside = tempDir('outside');
  writeFiles(outside, {
    'secret.md': CANARY,
    'agents/worker.toml': PLAIN.replace('You are worker.', CANARY),
    'skills/s/SKILL.md': CANARY,
  });
  const workspace = checkout({ 'README.md': '# Hello\n', ...files });
  symlinkSync(join(outside, 'secret.md'), join(workspace, 'linked.md'));
  symlinkSync('/proc/self/environ', join(workspace, 'env.md'));
  symlinkSync(outside, join(workspace, 'away'));
  return workspace;
}

const IN_REPO = { 'axe/agents/worker.toml': PLAIN };
const withLine = (line: string) => ({
  'axe/agents/worker.toml': PLAIN.replace('system_prompt', `${line}\nsystem_prompt`),
});

it.each<[string, Readonly<Record<string, string>>, Readonly<Record<string, string>>]>([
  ['`agents-dir` by a link', { 'agents-dir': 'away/agents' }, {}],
  ['`agents-dir` by `..`', { 'agents-dir': '../agents' }, IN_REPO],
  ['`agent` by a link', { agent: 'away/agents/worker.toml' }, {}],
  ['a skill by a link', {}, withLine('skill = "../away/skills/s/SKILL.md"')],
  ['a skill by an absolute path', {}, withLine('skill = "/etc/hostname"')],
  ['`workdir` by `..`', {}, withLine('workdir = ".."')],
  ['`workdir` by an absolute path', {}, withLine('workdir = "/etc"')],
  ['`workdir` by a link', {}, withLine('workdir = "away"')],
])('the step ends before a model is called: %s', async (_, inputs, files) => {
  const stage = await setStage({ ...SCHEDULE, base: {}, model: [text('Hello.')] });
  const workspace = workspaceAlongside(files);
  const step = await runWatched(stage, {
    workspace,
    inputs: { agent: 'worker', 'memory-store': 'file', ...inputs },
  });
  expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
  expect(stage.model.prompts()).toEqual([]);
  expect(step.annotations).toContainEqual(
    expect.objectContaining({ level: 'error', message: expect.stringContaining(' leads out of ') }),
  );
  expect(`${step.log}${step.summary}${JSON.stringify(step.outputs)}`).not.toContain(CANARY);
});

it('a linked folder gives no file to patterns of context files and to file tools', async () => {
  const toml = agentToml({ tools: ['read_file', 'list_directory', 'write_file'] });
  const files = { 'axe/agents/worker.toml': toml.replace('tools =', 'files = ["**/*.md"]\ntools =') };
  const stage = await setStage({
    ...SCHEDULE,
    base: {},
    model: [
      toolCall('read_file', { path: 'linked.md' }),
      toolCall('list_directory', { path: 'away' }),
      toolCall('write_file', { path: 'away/new.md', content: 'x' }),
      text('Hello.'),
    ],
  });
  const step = await runWatched(stage, {
    workspace: workspaceAlongside(files),
    inputs: { agent: 'worker', 'tools-allowed': 'write' },
  });
  expect(step.exitCode).toBe(0);
  const prompts = stage.model.prompts();
  expect(JSON.stringify(prompts)).not.toContain(CANARY);
  for (const result of resultsOf(prompts.at(-1)))
    expect(result).toContain('leads out of the working directory');
});
