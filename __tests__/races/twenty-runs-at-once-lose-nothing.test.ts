// slow
import { describe, expect, it } from '@jest/globals';
import { startCacheServer } from '../helpers/cache-server.js';
import { type ModelReply, promptOf, startModelServer, text } from '../helpers/model-server.js';
import { runMain, type StepResult } from '../helpers/run-action.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir } from '../helpers/temp.js';
import { BRANCH, branchScene, REPOSITORY } from '../transcripts/branch-scene.js';
import { nameOf } from '../transcripts/memory-command-scene.js';
import { allRemembering, memoryIn, resultsIn, scheduledStep } from '../transcripts/memory-scene.js';
import { laptop, type Memory, notesStage, placesOf } from '../transcripts/notes-scene.js';
import { troubles } from '../transcripts/stage.js';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const NUMBERS = numbers(20);
/** Enough to meet where fifty savers in one process lose nothing (many-savers-at-once-…). */
const FEW = numbers(8);
const sorted = (lines: readonly string[]) => [...lines].sort();
const answers = (count: number) => sorted(Array.from({ length: count }, (_, n) => `Answer ${n}.`));

/** The last of them are the jobs of a matrix: one run, one attempt, one name. */
const runOf = (index: number, jobs = 8, runs = NUMBERS) =>
  String(Math.min(index, runs.length - jobs));

/** Steps at once, none of which reports trouble. */
async function atOnce(
  runs: readonly number[],
  step: (index: number) => Promise<StepResult>,
): Promise<readonly StepResult[]> {
  const steps = await Promise.all(runs.map(step));
  for (const one of steps) {
    expect(one).toMatchObject({ exitCode: 0, stderr: '', outputs: { 'memory-saved': 'true' } });
    expect(troubles(one)).toEqual([]);
  }
  return steps;
}

describe('C3 36: twelve runs and a matrix of eight jobs in one run, all at once,', () => {
  it('create the branch once and lose no entry', async () => {
    const { step, github, model, memory } = await branchScene({ validate: true });
    const steps = await atOnce(NUMBERS, (index) => runMain(step({ runId: runOf(index) })));
    expect(sorted(resultsIn(memory()))).toEqual(answers(NUMBERS.length));
    for (const { outputs } of steps) expect(memory()).toContain(outputs['memory-entry']);
    const parents = github.history(REPOSITORY, BRANCH).map((commit) => commit.parents.length);
    expect(parents).toEqual([...Array(NUMBERS.length - 1).fill(1), 0]);
    const next = await runMain(step({ workspace: allRemembering(), inputs: { agent: 'ask' } }));
    expect(next.outputs['memory-loaded']).toBe(String(NUMBERS.length));
    expect(sorted(resultsIn(model.prompts().at(-1)?.system ?? ''))).toEqual(
      answers(NUMBERS.length),
    );
  });

  it('lose no entry in the cache', async () => {
    const cache = await startCacheServer();
    const model = await startModelServer((_, index) => text(`Answer ${index}.`));
    await atOnce(NUMBERS, (index) =>
      runMain(scheduledStep({ model, cache }, { runId: runOf(index) })),
    );
    const given = { workspace: allRemembering(), inputs: { agent: 'ask' } };
    const next = await runMain(scheduledStep({ model, cache }, given));
    expect(next.outputs['memory-loaded']).toBe(String(NUMBERS.length));
    expect(sorted(resultsIn(model.prompts().at(-1)?.system ?? ''))).toEqual(
      answers(NUMBERS.length),
    );
  });
});

it('C3 36: five runs and a matrix of three jobs at once keep every entry whole, once, in the committed file', async () => {
  const workspace = tempDir('workspace');
  const model = await startModelServer((_, index) => text(`Answer ${index}.`));
  const inputs = { 'memory-store': 'file' };
  const steps = await atOnce(FEW, (index) =>
    runMain(scheduledStep({ model }, { workspace, inputs, runId: runOf(index, 3, FEW) })),
  );
  const memory = memoryIn(workspace, 'ask.md');
  const entries = steps.map(({ outputs }) => outputs['memory-entry'] ?? '');
  expect(sorted(resultsIn(memory))).toEqual(answers(FEW.length));
  expect(memory.length).toBe(entries.join('').length);
  for (const entry of entries) expect(memory).toContain(entry);
});

describe('runs that write notes at once lose no line and no entry', () => {
  /** The model of the n-th run: it writes a fact and a line of the day, and answers. */
  const model = (request: Parameters<typeof promptOf>[0]): ModelReply => {
    const { messages } = promptOf(request);
    const number = /Run (\d+)\./.exec(messages[0] ?? '')?.[1] ?? '';
    if (messages.some((message) => message.startsWith('assistant:')))
      return text(`Answer ${number}.`);
    const calls = [
      { name: 'memory_write', input: { target: 'long_term', content: `Fact ${number}.` } },
      { name: 'memory_write', input: { target: 'daily', content: `Done ${number}.` } },
    ];
    return { kind: 'tools', calls };
  };

  function expectAll(files: Memory, today: string): void {
    const linesOf = (path: string) => sorted(files[path]?.trimEnd().split('\n') ?? []);
    expect(linesOf('MEMORY.md')).toEqual(sorted(FEW.map((n) => `Fact ${n}.`)));
    expect(linesOf(today)).toEqual(sorted(FEW.map((n) => `Done ${n}.`)));
    expect(sorted(resultsIn(files['keeper.md'] ?? ''))).toEqual(answers(FEW.length));
    const own = Object.keys(files).filter((path) => !path.endsWith('.state.md'));
    expect(sorted(own)).toEqual(sorted(['MEMORY.md', 'keeper.md', today]));
  }

  it('on the branch, with one commit each', async () => {
    const stage = await notesStage({ model });
    await atOnce(FEW, (index) =>
      runMain(
        stage.stepOn('branch', { runId: String(index), inputs: { prompt: `Run ${index}.` } }),
      ),
    );
    expectAll(stage.memoryOf('branch'), placesOf(nameOf(stage)).today);
    expect(stage.github.history(nameOf(stage), BRANCH)).toHaveLength(FEW.length);
  });

  it('on the command line', async () => {
    const { env, cwd, memory } = laptop((await startModelServer(model)).env);
    const runs = await Promise.all(
      FEW.map((index) => runCli(['run', 'keeper'], { env, cwd, stdin: `Run ${index}.` })),
    );
    for (const { exitCode, stderr } of runs)
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expectAll(memory(), placesOf(cwd).today);
  });
});
