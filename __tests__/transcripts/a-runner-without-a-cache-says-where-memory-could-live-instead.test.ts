import { expect, it } from '@jest/globals';
import { startModelServer, text } from '../helpers/model-server.js';
import { runMain } from '../helpers/run-action.js';
import { expectNotSavedReported, scheduledStep, titles } from './memory-scene.js';

it('C3 33: a runner without a cache answers, and the warning names a store that works there', async () => {
  const model = await startModelServer([text('It rains.')]);
  const step = await runMain(scheduledStep({ model }));
  const told = expectNotSavedReported(step, 'It rains.');
  expect(told).toContain('there is no Actions cache here');
  expect(told).toContain('`memory-store: branch` with `permissions: contents: write`');
  expect(titles(step)).toEqual(['Memory not saved']);
});
