import { expect, it } from '@jest/globals';
import { runMain, type StepOptions } from '../helpers/run-action.js';
import { BRANCH, branchScene, REPOSITORY } from '../transcripts/branch-scene.js';
import { allRemembering, resultsIn } from '../transcripts/memory-scene.js';
import { troubles } from '../transcripts/stage.js';

const RUNS = 20;

/** Of the twenty the last eight are the jobs of a matrix: one run, one attempt, one name. */
function runOf(index: number): string {
  return String(Math.min(index, RUNS - 8));
}

it('C3 36: twelve runs and a matrix of eight jobs in one run, all at once, create the branch once and lose no entry', async () => {
  const { step: stepOf, github, model, memory } = await branchScene({ validate: true });
  const run = (given: Partial<StepOptions>) => runMain(stepOf(given));
  const steps = await Promise.all(Array.from({ length: RUNS }, (_, index) => run({ runId: runOf(index) })));
  for (const step of steps) {
    expect(step).toMatchObject({ exitCode: 0, stderr: '', outputs: { 'memory-saved': 'true' } });
    expect(troubles(step)).toEqual([]);
  }
  const answers = Array.from({ length: RUNS }, (_, index) => `Answer ${index}.`).sort();
  const line = github.history(REPOSITORY, BRANCH);
  expect(line.map(({ parents }) => parents.length)).toEqual([...Array(RUNS - 1).fill(1), 0]);

  const next = await run({ runId: 'next', workspace: allRemembering(), inputs: { agent: 'ask' } });
  expect(next.outputs['memory-loaded']).toBe(String(RUNS));
  const text = memory();
  answers.push(`Answer ${RUNS}.`);
  answers.sort();
  expect([...resultsIn(text)].sort()).toEqual(answers);
  for (const { outputs } of steps) expect(text).toContain(outputs['memory-entry']);
  expect(github.history(REPOSITORY, BRANCH)).toHaveLength(RUNS + 1);

  const last = await run({ workspace: allRemembering(), inputs: { agent: 'ask' } });
  expect(last.outputs['memory-loaded']).toBe(String(RUNS + 1));
  expect([...resultsIn(model.prompts().at(-1)?.system ?? '')].sort()).toEqual(answers);
});
