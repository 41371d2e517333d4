import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { filesBelow } from './notes-scene.js';
import { expectTranscript, seen, setStage } from './stage.js';

it('a dry run shows prompt and memory, calls no model, and leaves GitHub, cache and disk unchanged', async () => {
  const stage = await setStage();
  await stage.run();
  const [comments, entries, asked] = [
    structuredClone(stage.repo.comments),
    stage.cache.entries().length,
    stage.github.calls().length,
  ];

  const step = await stage.run({ inputs: { 'dry-run': 'true' }, env: { ANTHROPIC_API_KEY: '' } });
  expect(step).toMatchObject({ exitCode: 0, annotations: [], state: {} });
  expect(stage.model.requests()).toHaveLength(1);
  expect(stage.repo.comments).toEqual(comments);
  expect(stage.cache.entries()).toHaveLength(entries);
  const calls = stage.github.calls().slice(asked);
  const kinds = new Set(calls.filter((call) => !call.startsWith('GET')));
  expect([...kinds]).toEqual(['POST /graphql repository']);
  expect(readdirSync(step.workspace)).toEqual([]);
  expect(filesBelow(join(step.workspace, '../temp'))).toEqual({});
  const repo = { ...stage.repo, comments: [] };
  expectTranscript('a-dry-run-sends-nothing-and-writes-nothing', seen(step, { repo }));
});
