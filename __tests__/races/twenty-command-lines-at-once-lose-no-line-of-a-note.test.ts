import { expect, it } from '@jest/globals';
import { promptOf, startModelServer, text } from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { resultsIn } from '../transcripts/memory-scene.js';
import { laptop, placesOf } from '../transcripts/notes-scene.js';
import { noteAndAnswer } from './notes-race.js';

const RUNS = 20;

it('twenty command lines that write notes at once lose no line and no entry', async () => {
  const model = await startModelServer((request) => noteAndAnswer(promptOf(request), text));
  const { env, cwd, memory } = laptop(model.env);
  const numbers = Array.from({ length: RUNS }, (_, index) => index);
  const runs = await Promise.all(
    numbers.map((index) => runCli(['run', 'keeper'], { env, cwd, stdin: `Run ${index}.` })),
  );
  for (const { exitCode, stderr } of runs) expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const files = memory();
  const sorted = (lines: readonly string[]) => [...lines].sort();
  expect(sorted(files['MEMORY.md']?.trimEnd().split('\n') ?? [])).toEqual(
    sorted(numbers.map((n) => `Fact ${n}.`)),
  );
  expect(sorted(files[placesOf(cwd).today]?.trimEnd().split('\n') ?? [])).toEqual(
    sorted(numbers.map((n) => `Done ${n}.`)),
  );
  expect(sorted(resultsIn(files['keeper.md'] ?? ''))).toEqual(sorted(numbers.map((n) => `Answer ${n}.`)));
  const own = ['MEMORY.md', 'keeper.md', placesOf(cwd).today];
  expect(Object.keys(files).sort()).toEqual(own.sort());
});
