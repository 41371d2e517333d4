import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { FileTree } from '../helpers/github-state.js';
import type { StepResult } from '../helpers/run-action.js';
import { tempDir } from '../helpers/temp.js';
import { loadWebhook } from '../helpers/webhooks.js';
import { workflowsIn } from '../helpers/workflow-files.js';
import { REPO, setStage } from './stage.js';

const ROOT = join(import.meta.dirname, '../..');
const FILES = [
  'axe/agents/reviewer.toml',
  'axe/skills/review/SKILL.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
];

/** The steps of a job that use the action of this repository, with their inputs. */
function ownSteps(workflow: string, job: string) {
  const file = workflowsIn('.github/workflows').find(({ name }) => name === workflow);
  const steps = file?.workflow.jobs[job]?.steps?.filter(({ uses }) => uses === './') ?? [];
  return steps.map(({ id, if: condition, with: given = {} }) => ({
    id,
    isForPushes: condition === "github.event_name == 'push'",
    inputs: Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)])),
  }));
}

function baseFiles(): FileTree {
  return Object.fromEntries(FILES.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
}

/** A checkout of this repository, as far as its agents need it. */
function checkout(): string {
  const workspace = join(tempDir('job'), 'workspace');
  for (const path of FILES) cpSync(join(ROOT, path), join(workspace, path));
  return workspace;
}

it('CI reviews, validates and collects with the action itself, and calls no model for it', async () => {
  const stage = await setStage({ base: baseFiles() });
  const push = { name: 'push', payload: loadWebhook('push') };
  const workspace = checkout();
  const results: Record<string, StepResult> = {};
  for (const { id = '', inputs, isForPushes } of ownSteps('ci.yml', 'self')) {
    results[id] = await stage.run({
      workspace,
      inputs: { agent: '', ...inputs },
      ...(isForPushes ? { event: push, repository: REPO } : {}),
    });
  }
  expect(Object.keys(results)).toEqual(['review', 'validate', 'gc']);
  for (const { exitCode, outputs } of Object.values(results)) {
    expect({ exitCode, conclusion: outputs['conclusion'] }).toEqual({ exitCode: 0, conclusion: 'success' });
  }
  expect(results['review']?.outputs).toMatchObject({ 'memory-saved': 'true' });
  expect([stage.model.requests(), stage.repo.comments, stage.repo.talk.reviews]).toEqual([[], [], []]);
});

it('the review of pull requests posts what the project’s agent finds, also without a key', async () => {
  const [step] = ownSteps('review.yml', 'review');
  expect(step?.inputs['model']).toContain("'offline/rules'");
  const stage = await setStage({
    event: { name: 'pull_request_target', payload: loadWebhook('pull_request', 'opened') },
    base: baseFiles(),
  });
  const { exitCode, outputs } = await stage.run({
    workspace: checkout(),
    inputs: { ...step?.inputs, model: 'offline/rules' },
  });
  expect({ exitCode, outputs }).toMatchObject({
    exitCode: 0,
    outputs: { conclusion: 'success', 'memory-saved': 'true' },
  });
  expect(stage.repo.talk.reviews).toHaveLength(1);
});
