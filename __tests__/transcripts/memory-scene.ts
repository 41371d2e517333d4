import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { CacheServer, CacheToken } from '../helpers/cache-server.js';
import { GITHUB_TOKEN, type GitHubServer } from '../helpers/github-server.js';
import { type ModelScript, type ModelServer, startModelServer } from '../helpers/model-server.js';
import type { StepOptions, StepResult } from '../helpers/run-action.js';
import { runMainHere } from '../helpers/run-main.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { payloadField, schedulePayload, withWorld } from '../helpers/webhooks.js';

/** A scheduled run of `builtin/ask` that needs a model and nothing else of the outside. */
export function scheduledStep(
  { model, cache, token }: { model: ModelServer; cache?: CacheServer; token?: CacheToken },
  given: Partial<StepOptions> = {},
): StepOptions {
  const payload = schedulePayload('0 6 * * 1');
  const ref = `refs/heads/${payloadField(withWorld(payload), 'repository.default_branch')}`;
  return {
    event: { name: 'schedule', payload },
    ...given,
    inputs: {
      agent: 'builtin/ask',
      prompt: 'Say what is new.',
      'github-token': '',
      'memory-store': 'cache',
      ...given.inputs,
    },
    env: { ...model.env, ...cache?.env({ ref, readableRefs: [ref], ...token }), ...given.env },
  };
}

/** Runs the same, in this process, in a workspace with these files, and keeps its memory in one. */
export async function runInWorkspace(
  files: Readonly<Record<string, string | Uint8Array>>,
  replies: ModelScript,
  inputs: Readonly<Record<string, string>> = {},
) {
  const [workspace, model] = [tempDir('workspace'), await startModelServer(replies)];
  writeFiles(workspace, files);
  const given = { workspace, inputs: { 'memory-store': 'file', ...inputs } };
  const again = () => runMainHere(scheduledStep({ model }, given));
  return { workspace, model, step: await again(), again };
}

/** The variables that lead the command line to the same GitHub. */
export function gitHubEnv(github: GitHubServer): Record<string, string> {
  return { ...github.env, GITHUB_TOKEN };
}

/** A checkout with an agent `ask` that is given all that `builtin/ask` ever remembered. */
export function allRemembering(): string {
  const workspace = tempDir('checkout');
  const lines = [
    'name = "ask"',
    'model = "anthropic/claude-sonnet-4-5"',
    '[memory]',
    'enabled = true',
    '',
  ];
  writeFiles(workspace, { 'axe/agents/ask.toml': lines.join('\n') });
  return workspace;
}

/** A run log file in a workspace. */
export function memoryIn(workspace: string, file: string): string {
  return readFileSync(join(workspace, '.axe/memory', file), 'utf8');
}

/** How many entries a text holds. */
export function countEntries(text: string): number {
  return [...text.matchAll(/^## \d{4}-\d{2}-\d{2}T/gm)].length;
}

/** The stored results of a text, in its order. */
export function resultsIn(text: string): readonly string[] {
  return [...text.matchAll(/^\*\*Result:\*\* (.*)$/gm)].map(([, result = '']) => result);
}

/** Everything the runner was told by workflow commands that people see. */
export function titles(step: StepResult): readonly (string | undefined)[] {
  return step.annotations.map(({ title }) => title);
}

/**
 * A run that answered, and whose entry was not saved but is where people find it; exactly one
 * annotation says so.
 */
export function expectNotSavedReported(step: StepResult, answer: string): string {
  expect({
    exitCode: step.exitCode,
    stderr: step.stderr,
    conclusion: step.outputs['conclusion'],
  }).toEqual({
    exitCode: 0,
    stderr: '',
    conclusion: 'success',
  });
  expect(step.outputs['memory-saved']).toBe('false');
  expect(step.outputs['memory-entry']).toContain(`**Result:** ${answer}`);
  expect(step.outputs['memory-save-error']).toMatch(/\S/);
  expect(step.summary).toContain(`**Result:** ${answer}`);
  expect(step.summary).toContain('**Not saved:**');
  expect(step.annotations.map(({ level }) => level)).not.toContain('error');
  const told = step.annotations.filter(({ title }) => title === 'Memory not saved');
  expect(told).toHaveLength(1);
  return told[0]?.message ?? '';
}
