import { expect, it } from '@jest/globals';
import { startCacheServer } from '../helpers/cache-server.js';
import { startModelServer, text } from '../helpers/model-server.js';
import { runMain } from '../helpers/run-action.js';
import { pullRequestScene, resultsIn, scheduledStep } from './memory-scene.js';
import { troubles } from './stage.js';

const TRUNK = 'refs/heads/master';
const PULL = 'refs/pull/2/merge';
const OTHER_PULL = 'refs/pull/3/merge';

it('C3 41: a pull request begins with the cache of the default branch, and nobody else sees what it saved', async () => {
  const cache = await startCacheServer();
  const model = await startModelServer((_, index) => text(`Answer ${index}.`));
  const { step } = await pullRequestScene({ model });
  const inputs = { agent: 'builtin/pr-reviewer' };
  const onTrunk = () => runMain(scheduledStep({ model, cache, token: { ref: TRUNK } }, { inputs }));
  const onPull = (ref: string) =>
    runMain(
      step({
        ref,
        env: cache.env({ ref, readableRefs: [TRUNK] }),
        inputs: { comment: 'never', 'memory-store': 'cache' },
      }),
    );

  const steps = [
    await onTrunk(),
    await onPull(PULL),
    await onPull(PULL),
    await onPull(OTHER_PULL),
    await onTrunk(),
  ];
  for (const one of steps) {
    expect(one).toMatchObject({ exitCode: 0, stderr: '', outputs: { 'memory-saved': 'true' } });
    expect(troubles(one)).toEqual([]);
  }
  expect(model.prompts().map(({ system }) => resultsIn(system))).toEqual([
    [],
    ['Answer 0.'],
    ['Answer 0.', 'Answer 1.'],
    ['Answer 0.'],
    ['Answer 0.'],
  ]);
  expect(cache.entries().map(({ scope, key }) => [scope, key])).toEqual([
    [TRUNK, 'axe-memory/v1/trunk/default/0000000001.'],
    [PULL, 'axe-memory/v1/pr-2/default/0000000001.'],
    [PULL, 'axe-memory/v1/pr-2/default/0000000002.'],
    [OTHER_PULL, 'axe-memory/v1/pr-3/default/0000000001.'],
    [TRUNK, 'axe-memory/v1/trunk/default/0000000002.'],
  ]);
});
