import { describe, expect, it } from '@jest/globals';
import { startCacheServer } from '../helpers/cache-server.js';
import { startModelServer, text } from '../helpers/model-server.js';
import { runMain, runPost, startStep } from '../helpers/run-action.js';
import { scheduledStep, titles } from './memory-scene.js';

describe('the post step after a run that reported a failed save', () => {
  it('saves if it is possible now', async () => {
    const cache = await startCacheServer();
    const model = await startModelServer([text('It rains.')]);
    const options = scheduledStep({ model, cache });
    cache.fail({ operation: 'CreateCacheEntry', status: 429, headers: { 'retry-after': '600' } });
    const main = await runMain(options);
    expect(main.outputs['memory-saved']).toBe('false');

    const post = await runPost(options, main);
    expect(post).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
    expect(post.log).toContain('Memory: saved to cache axe-memory/v1/trunk/default/0000000001');
    expect(cache.entries()).toHaveLength(1);
  });

  it.each([
    ['the cache still refuses', { mayWrite: false }],
    ['there is no cache at all', undefined],
  ])('only logs a line if %s', async (_, token) => {
    const cache = await startCacheServer();
    const model = await startModelServer([text('It rains.')]);
    const options = scheduledStep(token === undefined ? { model } : { model, cache, token });
    const main = await runMain(options);
    expect(titles(main)).toEqual(['Memory not saved']);

    const post = await runPost(options, main);
    expect(post).toMatchObject({ exitCode: 0, stderr: '', annotations: [], summary: '' });
    expect(post.log).toMatch(/^Memory: still not saved: \S/);
  });
});

describe('the post step after a run that was killed before it could report anything', () => {
  it('warns once and shows the entry if it cannot save it either', async () => {
    const cache = await startCacheServer();
    const model = await startModelServer([text('It rains.')]);
    const options = scheduledStep({ model, cache, token: { mayWrite: false } });
    const running = startStep('main', options);
    cache.onRequest(({ path }) => {
      if (path.endsWith('CreateCacheEntry')) running.kill('SIGKILL');
    });
    const main = await running.finished;
    expect(main).toMatchObject({ signal: 'SIGKILL', summary: '' });

    const post = await runPost(options, main);
    expect(post).toMatchObject({ exitCode: 0, stderr: '' });
    expect(titles(post)).toEqual(['Memory not saved']);
    expect(post.annotations[0]?.message).toContain('cache write denied');
    expect(post.summary).toContain('**Result:** It rains.');
    expect(post.summary).not.toContain('<!--');
  });
});
