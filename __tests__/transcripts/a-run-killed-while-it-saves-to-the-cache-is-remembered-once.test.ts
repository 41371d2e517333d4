import { describe, expect, it } from '@jest/globals';
import { startCacheServer } from '../helpers/cache-server.js';
import { startModelServer, text } from '../helpers/model-server.js';
import { runMain, runPost, startStep } from '../helpers/run-action.js';
import { resultsIn, scheduledStep } from './memory-scene.js';

describe('C3 54: a run that is killed while it saves to the cache', () => {
  it.each([
    // The reservation never came through: post saves.
    ['before the cache reserved its place', 'CreateCacheEntry', 'disconnect' as const],
    // The entry is there, only nobody heard of it: post finds it by its id.
    ['after the cache took its entry', 'FinalizeCacheEntryUpload', undefined],
  ])('%s leaves exactly one entry', async (_, call, fault) => {
    const cache = await startCacheServer();
    const model = await startModelServer([text('It rains.'), text('Somebody later.')]);
    const options = scheduledStep({ model, cache });
    if (fault !== undefined) cache.fail({ operation: 'CreateCacheEntry', status: fault });
    const running = startStep('main', options);
    let isKilled = false;
    cache.onRequest(({ path }) => {
      if (isKilled || !path.endsWith(call)) return;
      isKilled = true;
      running.kill('SIGKILL');
    });
    const main = await running.finished;
    expect(main).toMatchObject({ exitCode: null, signal: 'SIGKILL' });

    const post = await runPost(options, main);
    expect(post).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
    expect(post.log).toMatch(/^Memory: saved to cache axe-memory\/v1\/trunk\/default\/000000000[12] what/);
    await runPost(options, main);
    // Others may have passed over a version that was being saved, so a new one follows it.
    expect(cache.entries().every(({ finalized }) => finalized)).toBe(true);

    await runMain(scheduledStep({ model, cache }));
    expect(resultsIn(model.prompts()[1]?.system ?? '')).toEqual(['It rains.']);
  });
});
