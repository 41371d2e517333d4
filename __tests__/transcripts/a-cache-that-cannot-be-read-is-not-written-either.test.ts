import { describe, expect, it } from '@jest/globals';
import { startCacheServer } from '../helpers/cache-server.js';
import { startModelServer, text } from '../helpers/model-server.js';
import { runMain } from '../helpers/run-action.js';
import { expectNotSavedReported, resultsIn, scheduledStep, titles } from './memory-scene.js';
import { troubles } from './stage.js';

const READ = 'GetCacheEntryDownloadURL';

describe('C3 38: a cache that cannot be read', () => {
  it.each([
    ['answers 403', { status: 403, body: { code: 'permission_denied', msg: 'cache read denied' } }],
    ['answers 429', { status: 429 }],
    ['answers 401', { status: 401, body: { code: 'unauthenticated', msg: 'token expired' } }],
  ])('%s: nothing is saved over its possible content', async (_, fault) => {
    const cache = await startCacheServer();
    const model = await startModelServer([text('First.'), text('Second.'), text('Third.')]);
    await runMain(scheduledStep({ model, cache }));

    cache.fail({ operation: READ, times: 99, ...fault });
    const before = cache.requests().length;
    const step = await runMain(scheduledStep({ model, cache }));
    expect(expectNotSavedReported(step, 'Second.')).toMatch(
      /it could not be loaded, so nothing was added to it/,
    );
    expect(titles(step)).toEqual(['Memory not saved']);
    expect(step.log).not.toMatch(/Failed to restore|##\[|\[warning\]/);
    const asked = cache
      .requests()
      .slice(before)
      .map(({ path }) => path.split('/').at(-1));
    expect(new Set(asked)).toEqual(new Set([READ]));
    expect(resultsIn(model.prompts()[1]?.system ?? '')).toEqual([]);
    expect(cache.entries()).toHaveLength(1);
  });

  it('because of `cache-mode: none` is not called at all', async () => {
    const cache = await startCacheServer();
    const model = await startModelServer([text('First.')]);
    const step = await runMain(scheduledStep({ model, cache }, { env: { ACTIONS_CACHE_MODE: 'none' } }));
    expect(expectNotSavedReported(step, 'First.')).toContain(
      '`cache-mode: none` does not let this job read the cache',
    );
    expect(cache.requests()).toEqual([]);
  });

  it('works again once it answers', async () => {
    const cache = await startCacheServer();
    const model = await startModelServer([text('First.'), text('Second.'), text('Third.')]);
    await runMain(scheduledStep({ model, cache }));
    cache.fail({ operation: READ, status: 403 });
    await runMain(scheduledStep({ model, cache }));
    const third = await runMain(scheduledStep({ model, cache }));
    expect(troubles(third)).toEqual([]);
    expect(resultsIn(model.prompts()[2]?.system ?? '')).toEqual(['First.']);
  });
});
