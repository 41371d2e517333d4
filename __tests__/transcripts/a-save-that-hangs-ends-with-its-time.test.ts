import { describe, expect, it } from '@jest/globals';
import { startCacheServer } from '../helpers/cache-server.js';
import { jumpEnv } from '../helpers/jump.js';
import type { Peer, RecordedRequest } from '../helpers/loopback.js';
import { startModelServer, text } from '../helpers/model-server.js';
import { type RunningStep, type StepOptions, type StepResult, startStep } from '../helpers/run-action.js';
import { branchScene, earlierEntry, NO_CACHE } from './branch-scene.js';
import { expectNotSavedReported, resultsIn, scheduledStep } from './memory-scene.js';
import { troubles } from './stage.js';

interface Hanging {
  readonly peer: Peer;
  /** Whether a request is one that nobody answers. */
  readonly hangs: (request: RecordedRequest) => boolean;
  /** From then on time jumps twice a second. */
  readonly goesOn?: boolean;
}

/** Lets the time of a step jump whenever it waits for a request that nobody answers. */
async function runThrough(
  start: () => RunningStep,
  { peer, hangs, goesOn = false }: Hanging,
): Promise<{ readonly step: StepResult; readonly hung: number }> {
  const running = start();
  let hung = 0;
  let isOver = false;
  let ticking: NodeJS.Timeout | undefined;
  peer.onRequest((request) => {
    if (isOver || !hangs(request)) return;
    hung += 1;
    if (goesOn) ticking ??= setInterval(() => running.kill('SIGUSR2'), 500);
    else running.kill('SIGUSR2');
  });
  const step = await running.finished.finally(() => clearInterval(ticking));
  isOver = true;
  return { step, hung };
}

function postAfter(main: StepResult, options: StepOptions): () => RunningStep {
  return () => startStep('post', { ...options, workspace: main.workspace, state: main.state });
}

it('a commit that GitHub does not answer takes no longer than its time limit, in the post step either', async () => {
  const scene = await branchScene({ branch: { 'ask.md': earlierEntry('Before.') } });
  scene.github.fail({
    route: 'POST /graphql',
    contains: 'createCommitOnBranch',
    status: 'stall',
    times: 99,
  });
  const peer = scene.github;
  const hangs = ({ bytes }: RecordedRequest) => bytes.includes('createCommitOnBranch');
  const options = scene.step({ env: { ...NO_CACHE, ...jumpEnv(46_000) } });
  const main = await runThrough(() => startStep('main', options), { peer, hangs });
  const told = expectNotSavedReported(main.step, 'Answer 0.');
  expect(told).toMatch(/: there was no answer in time; gave up after 3 attempts in 1\d\d s\. \S/);
  expect(main.hung).toBe(3);

  const post = await runThrough(postAfter(main.step, options), { peer, hangs });
  expect(post.step).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
  expect(post.step.log).toMatch(/^Memory: still not saved: .*\b\d attempts in 1\d\d s\b/m);
  expect(post.hung).toBe(3);
  expect(resultsIn(scene.memory())).toEqual(['Before.']);
});

describe('the cache save', () => {
  it('is abandoned if an upload hangs', async () => {
    const cache = await startCacheServer();
    const model = await startModelServer([text('It rains.')]);
    cache.fail({ operation: 'upload', status: 'stall', times: 99 });
    const hangs = ({ method }: RecordedRequest) => method === 'PUT';
    const options = scheduledStep({ model, cache }, { env: jumpEnv(61_000) });
    const main = await runThrough(() => startStep('main', options), { peer: cache, hangs });
    expect(expectNotSavedReported(main.step, 'It rains.')).toMatch(/no usable answer in 60 s/);
    expect(main.hung).toBe(1);

    const slowly = { ...options, env: { ...options.env, ...jumpEnv(5_000) } };
    const post = await runThrough(postAfter(main.step, slowly), {
      peer: cache,
      hangs: ({ path }) => path.endsWith('CreateCacheEntry'),
      goesOn: true,
    });
    expect(post.step).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
    expect(post.step.log).toMatch(/^Memory: still not saved: /m);
  });

  it('says that it waits for others, and passes over the reservation of a stopped runner', async () => {
    const cache = await startCacheServer();
    const model = await startModelServer([text('It rains.')]);
    cache.reserve('axe-memory/v1/trunk/default/0000000001.');
    const options = scheduledStep({ model, cache }, { env: jumpEnv(5_000) });
    const { step } = await runThrough(() => startStep('main', options), {
      peer: cache,
      hangs: ({ path }) => path.endsWith('CreateCacheEntry'),
      goesOn: true,
    });
    expect(step).toMatchObject({ exitCode: 0, outputs: { 'memory-saved': 'true' } });
    expect(troubles(step)).toEqual([]);
    expect(step.log).toMatch(/^Memory: other runs are saving too; the next attempt to save is in \d+ s\.$/m);
    expect(cache.entries().map(({ key }) => key)).toEqual(['axe-memory/v1/trunk/default/0000000002.']);
  });
});
