import { describe, expect, it } from '@jest/globals';
import { startCacheServer } from '../helpers/cache-server.js';
import { startModelServer, text } from '../helpers/model-server.js';
import { runMain, runPost } from '../helpers/run-action.js';
import { memoryIn, scheduledStep } from './memory-scene.js';

const NOTHING = 'Memory: nothing is left to save.';

describe('the post step after a run that saved', () => {
  it('sends no request to the cache', async () => {
    const cache = await startCacheServer();
    const model = await startModelServer([text('It rains.')]);
    const options = scheduledStep({ model, cache });
    const main = await runMain(options);
    const before = cache.requests().length;
    const post = await runPost(options, main);
    expect(post).toMatchObject({ exitCode: 0, stderr: '', stdout: `${NOTHING}\n`, outputs: {}, summary: '' });
    expect(cache.requests()).toHaveLength(before);
  });

  it('leaves the file unchanged', async () => {
    const model = await startModelServer([text('It rains.')]);
    const options = scheduledStep({ model }, { inputs: { 'memory-store': 'file' } });
    const main = await runMain(options);
    const memory = memoryIn(main.workspace, 'ask.md');
    expect((await runPost(options, main)).stdout).toBe(`${NOTHING}\n`);
    expect(memoryIn(main.workspace, 'ask.md')).toBe(memory);
  });
});
