import { expect, it } from '@jest/globals';
import { startCacheServer } from '../helpers/cache-server.js';
import { startModelServer, text } from '../helpers/model-server.js';
import { runMain } from '../helpers/run-action.js';
import { resultsIn, scheduledStep } from './memory-scene.js';
import { troubles } from './stage.js';

it('both entries are kept and no warning is shown', async () => {
  const cache = await startCacheServer();
  const model = await startModelServer([text('The winner.'), text('The loser.'), text('Somebody later.')]);
  await runMain(scheduledStep({ model, cache }));
  const [winner] = cache.entries();
  if (winner?.archive === undefined) throw new Error('nothing was saved');
  const { key, version, scope, archive } = winner;
  cache.evict(() => true);

  // The winner finishes between the loser's look and its save.
  cache.onRequest(({ path }) => {
    const isSave = path.endsWith('CreateCacheEntry');
    if (isSave && cache.entries().length === 0) cache.addEntry({ key, version, scope, archive });
  });
  const loser = await runMain(scheduledStep({ model, cache }));
  expect(loser).toMatchObject({ exitCode: 0, stderr: '' });
  expect(troubles(loser)).toEqual([]);
  expect(loser.outputs).toMatchObject({ 'memory-saved': 'true', 'memory-loaded': '0' });
  expect(loser.log).not.toContain('another job');

  await runMain(scheduledStep({ model, cache }));
  expect(resultsIn(model.prompts().at(-1)?.system ?? '')).toEqual(['The winner.', 'The loser.']);
  expect(cache.entries().map((entry) => entry.key)).toEqual([
    'axe-memory/v1/trunk/default/0000000001.',
    'axe-memory/v1/trunk/default/0000000002.',
    'axe-memory/v1/trunk/default/0000000003.',
  ]);
});

it('what a run has read is saved again if the cache is evicted while the model thinks', async () => {
  const cache = await startCacheServer();
  const model = await startModelServer([text('First.'), text('Second.'), text('Later.')]);
  await runMain(scheduledStep({ model, cache }));
  model.onRequest(() => cache.evict(() => true));
  const second = await runMain(scheduledStep({ model, cache }));
  expect(second).toMatchObject({ exitCode: 0, outputs: { 'memory-saved': 'true', 'memory-loaded': '1' } });
  expect(troubles(second)).toEqual([]);
  await runMain(scheduledStep({ model, cache }));
  expect(resultsIn(model.prompts().at(-1)?.system ?? '')).toEqual(['First.', 'Second.']);
});
