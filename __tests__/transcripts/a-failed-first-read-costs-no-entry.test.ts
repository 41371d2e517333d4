import { describe, expect, it } from '@jest/globals';
import { type CacheFault, startCacheServer } from '../helpers/cache-server.js';
import type { FaultAnswer } from '../helpers/github-faults.js';
import { startModelServer, text } from '../helpers/model-server.js';
import { runMainHere } from '../helpers/run-main.js';
import {
  BRANCH,
  type BranchScene,
  branchScene,
  earlierEntry,
  NO_CACHE,
  REPOSITORY,
} from './branch-scene.js';
import { allRemembering, resultsIn, scheduledStep, titles } from './memory-scene.js';

describe('on the branch, a first read that fails with', () => {
  const refused = (type: string, message: string) => ({
    status: 200,
    body: { data: { repository: null }, errors: [{ type, path: ['repository'], message }] },
  });
  const FAULTS: readonly [string, FaultAnswer][] = [
    ['401', { status: 401, body: { message: 'Bad credentials' } }],
    ['403', { status: 403, body: { message: 'Resource not accessible by integration' } }],
    ['404', { status: 404, body: { message: 'Not Found' } }],
    ['409', { status: 409, body: { message: 'Conflict' } }],
    ['422', { status: 422, body: { message: 'Validation Failed' } }],
    ['a repository that is not found', refused('NOT_FOUND', 'Could not resolve to a Repository.')],
  ];

  it.each(FAULTS)('%s: the entry is saved once, below the older ones', async (_, fault) => {
    const scene = await branchScene({ branch: { 'ask.md': earlierEntry('Before.') } });
    scene.github.fail({ ...fault, route: 'POST /graphql', contains: 'qualifiedName' });
    const step = await scene.run({ env: NO_CACHE });
    expect(step.outputs).toMatchObject({ conclusion: 'success', 'memory-saved': 'true' });
    expect(titles(step)).toEqual(['Memory not loaded']);
    expect(resultsIn(scene.memory())).toEqual(['Before.', 'Answer 0.']);
  });
});

it('on the branch, a first read that is not the newest any more loses no entry of either run', async () => {
  const scene: BranchScene = await branchScene({
    branch: { 'ask.md': earlierEntry('Before.') },
    model() {
      const between = earlierEntry('Before.') + earlierEntry('Meanwhile.', 'b');
      scene.github.commit(REPOSITORY, { 'ask.md': between }, { branch: BRANCH });
      return text('Answer.');
    },
  });
  const step = await scene.run({ env: NO_CACHE });
  expect(step.outputs).toMatchObject({ conclusion: 'success', 'memory-saved': 'true' });
  expect(titles(step)).toEqual([]);
  expect(resultsIn(scene.memory())).toEqual(['Before.', 'Meanwhile.', 'Answer.']);
});

const ARCHIVE = { operation: 'Download' } as const;

describe('in the cache, a first read that fails with', () => {
  const FAULTS: readonly [string, Partial<CacheFault> & Pick<CacheFault, 'status'>][] = [
    ['401', { status: 401 }],
    ['403', { status: 403, body: { code: 'permission_denied', msg: 'cache read denied' } }],
    ['409', { status: 409 }],
    ['an answer that is not JSON', { status: 200, body: 'not json' }],
    ['no answer, as the connection is closed', { status: 'disconnect' }],
    ['401 of the archive', { ...ARCHIVE, status: 401 }],
    ['403 of the archive', { ...ARCHIVE, status: 403 }],
    ['409 of the archive', { ...ARCHIVE, status: 409 }],
    ['a page in place of the archive', { ...ARCHIVE, status: 200, body: '<html>Welcome</html>' }],
  ];

  it.each(FAULTS)('%s: the entry is saved once, below the older ones', async (_, fault) => {
    const cache = await startCacheServer();
    const model = await startModelServer(['One.', 'Two.', 'Three.'].map((word) => text(word)));
    const workspace = allRemembering();
    const run = () => runMainHere(scheduledStep({ model, cache }, { workspace }));
    await run();
    cache.fail({ operation: 'GetCacheEntryDownloadURL', ...fault });
    const step = await run();
    expect(step.outputs).toMatchObject({ conclusion: 'success', 'memory-saved': 'true' });
    expect(titles(step)).toEqual(['Memory not loaded']);
    await run();
    expect(resultsIn(model.prompts().at(-1)?.system ?? '')).toEqual(['One.', 'Two.']);
  });
});
