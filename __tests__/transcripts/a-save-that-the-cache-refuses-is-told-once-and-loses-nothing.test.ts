import { describe, expect, it } from '@jest/globals';
import type { CacheFault } from '../helpers/cache-answers.js';
import { type CacheToken, startCacheServer } from '../helpers/cache-server.js';
import { startModelServer, text } from '../helpers/model-server.js';
import { runMain } from '../helpers/run-action.js';
import { expectNotSavedReported, resultsIn, scheduledStep, titles } from './memory-scene.js';

interface Refusal {
  readonly token?: CacheToken;
  readonly env?: Readonly<Record<string, string>>;
  readonly fault?: CacheFault;
  readonly told: RegExp;
  /** What the log says before the run has cost anything. */
  readonly first?: RegExp;
}

const ALWAYS = 99;
const REFUSALS: readonly (readonly [string, Refusal])[] = [
  [
    'C3 34: a run whose token can only read the cache',
    {
      token: { mayWrite: false },
      told: /^(?!.*issue_comment).*`schedule`: cache write denied.*`cache-mode: write`.*`memory-store: .*`/s,
    },
  ],
  [
    'C3 35: a run with `cache-mode: read`',
    {
      env: { ACTIONS_CACHE_MODE: 'read' },
      told: /`cache-mode: read` does not let this job write/,
      first:
        /^Memory: `cache-mode: read` does not let this job write.*; the entry of this run will be in the job summary\. .*`cache-mode: write`/m,
    },
  ],
  [
    'C3 39: a run that meets the rate limit',
    {
      fault: { operation: 'CreateCacheEntry', status: 429, headers: { 'retry-after': '600' }, times: ALWAYS },
      told: /rate limit/,
    },
  ],
  [
    'C3 39: a run whose service says no',
    {
      fault: {
        operation: 'CreateCacheEntry',
        status: 200,
        body: { ok: false, message: 'cache storage quota has been exceeded' },
        times: ALWAYS,
      },
      told: /cache storage quota has been exceeded\. Delete entries that are not needed/,
    },
  ],
  [
    'C3 39: a run whose storage rejects the upload',
    {
      fault: {
        operation: 'upload',
        status: 403,
        body: '<Error><Code>AuthenticationFailed</Code></Error>',
        times: ALWAYS,
      },
      told: /\S/,
    },
  ],
  [
    'C3 39: a run whose upload is never finalized',
    {
      fault: {
        operation: 'FinalizeCacheEntryUpload',
        status: 200,
        body: { ok: false, message: 'not today' },
        times: ALWAYS,
      },
      told: /not today/,
    },
  ],
];

describe('a run whose entry is refused', () => {
  it('fails the step if `fail-on` lists memory', async () => {
    const cache = await startCacheServer();
    const model = await startModelServer([text('It rains.')]);
    const step = await runMain(
      scheduledStep({ model, cache, token: { mayWrite: false } }, { inputs: { 'fail-on': 'memory' } }),
    );
    expect(step.exitCode).toBe(1);
    expect(step.outputs).toMatchObject({ conclusion: 'success', 'memory-saved': 'false' });
    expect(titles(step)).toEqual(['Memory not saved']);
    expect(step.annotations).toMatchObject([
      { level: 'error', message: expect.stringContaining('because `fail-on` lists `memory`') },
    ]);
  });
});

it.each(REFUSALS)(
  '%s passes, reports it once, and shows the entry',
  async (_, { token, env, fault, told, first = /^/ }) => {
    const cache = await startCacheServer();
    const model = await startModelServer([text('It was fine before.'), text('It rains.'), text('Seen.')]);
    await runMain(scheduledStep({ model, cache }));
    if (fault !== undefined) cache.fail(fault);
    const step = await runMain(
      scheduledStep({ model, cache, ...(token && { token }) }, { ...(env && { env }) }),
    );
    expect(expectNotSavedReported(step, 'It rains.')).toMatch(told);
    expect(titles(step)).toEqual(['Memory not saved']);
    expect(step.log).not.toMatch(/\[(?:warning|error)\]|##\[|Failed to save|Cache /);
    expect(step.log).toMatch(first);
    expect(step.outputs['memory-loaded']).toBe('1');
    expect(resultsIn(model.prompts().at(-1)?.system ?? '')).toEqual(['It was fine before.']);
    expect(cache.entries().filter(({ finalized }) => finalized)).toHaveLength(1);
  },
);
