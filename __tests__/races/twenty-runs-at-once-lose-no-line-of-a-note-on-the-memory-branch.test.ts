import { expect, it } from '@jest/globals';
import { promptOf, text } from '../helpers/model-server.js';
import { runMain } from '../helpers/run-action.js';
import { BRANCH, nameOf } from '../transcripts/memory-command-scene.js';
import { resultsIn } from '../transcripts/memory-scene.js';
import { notesStage, placesOf } from '../transcripts/notes-scene.js';
import { troubles } from '../transcripts/stage.js';
import { noteAndAnswer } from './notes-race.js';

const RUNS = 20;

it('twenty runs at once lose no line of a note and no entry, and each makes one commit', async () => {
  const stage = await notesStage({ model: (request) => noteAndAnswer(promptOf(request), text) });
  const numbers = Array.from({ length: RUNS }, (_, index) => index);
  const steps = await Promise.all(
    numbers.map((index) =>
      runMain(stage.stepOn('branch', { runId: String(index), inputs: { prompt: `Run ${index}.` } })),
    ),
  );
  for (const step of steps) {
    expect(step).toMatchObject({ exitCode: 0, stderr: '', outputs: { 'memory-saved': 'true' } });
    expect(troubles(step)).toEqual([]);
  }
  const files = stage.memoryOf('branch');
  const sorted = (lines: readonly string[]) => [...lines].sort();
  const linesOf = (path: string) => files[path]?.trimEnd().split('\n') ?? [];
  expect(sorted(linesOf('MEMORY.md'))).toEqual(sorted(numbers.map((n) => `Fact ${n}.`)));
  expect(sorted(linesOf(placesOf(nameOf(stage)).today))).toEqual(sorted(numbers.map((n) => `Done ${n}.`)));
  expect(sorted(resultsIn(files['keeper.md'] ?? ''))).toEqual(sorted(numbers.map((n) => `Answer ${n}.`)));
  expect(Object.keys(files).filter((path) => path.endsWith('.bak'))).toEqual([]);
  expect(stage.github.history(nameOf(stage), BRANCH)).toHaveLength(RUNS);
});
