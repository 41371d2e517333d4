import { expect, it } from '@jest/globals';
import { branchScene, earlierEntry } from './branch-scene.js';
import { expectNotSavedReported, resultsIn, titles } from './memory-scene.js';
import { expectTranscript, seen, steady, told } from './stage.js';

const PERMISSION = /Add `contents: write` under `permissions:` of the job/;

it('one warning names the line to add if the branch was requested, and the entry is merged once (C3 48)', async () => {
  const scene = await branchScene({ contents: 'read', branch: { 'ask.md': earlierEntry('Before.') } });
  const kept = await scene.run({ runId: '1' });
  expect(expectNotSavedReported(kept, 'Answer 0.')).toMatch(PERMISSION);
  expect(titles(kept)).toEqual(['Memory not saved']);
  expect(kept.summary).toContain('The entry is kept in `cache axe-memory/v1/trunk/default/0000000001`');
  expect(resultsIn(scene.memory())).toEqual(['Before.']);
  expectTranscript('a-run-that-may-not-write-the-branch-keeps-its-entry-for-one-that-may', seen(kept, scene));

  scene.repo.contents = 'write';
  const saved = await scene.run({ runId: '2' });
  expect(saved).toMatchObject({
    annotations: [],
    outputs: { 'memory-saved': 'true' },
  });
  expect(resultsIn(scene.memory())).toEqual(['Before.', 'Answer 0.', 'Answer 1.']);
  expect(scene.memory()).toContain(kept.outputs['memory-entry']);

  await scene.run({ runId: '3' });
  expect(resultsIn(scene.memory())).toEqual(['Before.', 'Answer 0.', 'Answer 1.', 'Answer 2.']);
  expect(resultsIn(scene.model.prompts()[2]?.system ?? '')).toEqual(['Before.', 'Answer 0.', 'Answer 1.']);
  expect(scene.cache.entries()).toHaveLength(1);
});

it('the entry goes to the cache like any other if no store was requested, and the summary reports it', async () => {
  const scene = await branchScene({ contents: 'read', branch: { 'ask.md': earlierEntry('Before.') } });
  const auto = { inputs: { 'memory-store': 'auto' } };
  const first = await scene.run({ ...auto, runId: '1' });
  expect(first).toMatchObject({ exitCode: 0, annotations: [], outputs: { 'memory-saved': 'true' } });
  const remarks = first.summary.split('\n').filter((line) => line.startsWith('- '));
  expect(remarks).toEqual([expect.stringMatching(PERMISSION)]);

  // Both are read as one memory, in the order of time.
  const second = await scene.run({ ...auto, runId: '2' });
  expect(resultsIn(scene.model.prompts()[1]?.system ?? '')).toEqual(['Before.', 'Answer 0.']);
  expect(steady(second.summary)).toContain(
    '2 entries loaded from the memory branch [`octo-org/octo-repo@axe-memory:ask.md`](https://github.com/octo-org/octo-repo/blob/axe-memory/ask.md) and `cache axe-memory/v1/trunk/default/0000000001`',
  );

  scene.repo.contents = 'write';
  const third = await scene.run({ ...auto, runId: '3' });
  expect(told(third)).toEqual([]);
  expect(third.outputs).toMatchObject({ 'memory-loaded': '3' });
  expect(resultsIn(scene.memory())).toEqual(['Before.', 'Answer 0.', 'Answer 1.', 'Answer 2.']);
  expect(scene.cache.entries()).toHaveLength(2);
});
