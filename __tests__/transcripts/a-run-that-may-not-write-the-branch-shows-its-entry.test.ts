import { expect, it } from '@jest/globals';
import { branchScene, earlierEntry } from './branch-scene.js';
import { expectNotSavedReported, resultsIn, titles } from './memory-scene.js';
import { expectTranscript, seen } from './stage.js';

const PERMISSION = /Add `contents: write` under `permissions:` of the job/;

it('one warning names the line to add, and the entry is in the summary and the output (C3 48)', async () => {
  const scene = await branchScene({ contents: 'read', branch: { 'ask.md': earlierEntry('Before.') } });
  const refused = await scene.run({ runId: '1' });
  expect(expectNotSavedReported(refused, 'Answer 0.')).toMatch(PERMISSION);
  expect(titles(refused)).toEqual(['Memory not saved']);
  expect(resultsIn(scene.memory())).toEqual(['Before.']);
  expect(scene.cache.entries()).toEqual([]);
  expectTranscript('a-run-that-may-not-write-the-branch-shows-its-entry', seen(refused, scene));

  scene.repo.contents = 'write';
  const saved = await scene.run({ runId: '2' });
  expect(saved).toMatchObject({ annotations: [], outputs: { 'memory-saved': 'true' } });
  expect(resultsIn(scene.memory())).toEqual(['Before.', 'Answer 1.']);
});
