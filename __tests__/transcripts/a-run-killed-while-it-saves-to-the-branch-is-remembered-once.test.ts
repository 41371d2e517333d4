import { describe, expect, it } from '@jest/globals';
import { text } from '../helpers/model-server.js';
import { runPost, type StepResult, startStep } from '../helpers/run-action.js';
import { type BranchScene, branchScene, earlierEntry, NO_CACHE } from './branch-scene.js';
import { resultsIn } from './memory-scene.js';

const COMMIT = 'createCommitOnBranch';

type Death = 'SIGINT' | 'SIGTERM' | 'SIGKILL';

/** Runs main, sends the signal at a request, and says how it ended. */
async function killed(
  { github, model, step }: BranchScene,
  { signal, at }: { readonly signal: Death; readonly at: 'thinking' | 'commit' },
): Promise<StepResult> {
  const running = startStep('main', step({ env: NO_CACHE }));
  let isKilled = false;
  const kill = () => {
    if (!isKilled) running.kill(signal);
    isKilled = true;
  };
  if (at === 'thinking') model.onRequest(kill);
  else github.onRequest(({ bytes }) => void (bytes.includes(COMMIT) && kill()));
  return await running.finished.finally(() => github.idle());
}

const scene = () =>
  branchScene({ branch: { 'ask.md': earlierEntry('Before.') }, model: [text('It rains.'), text('Later.')] });

describe('C3 54: a run that is killed', () => {
  it('while the model works has nothing to save', async () => {
    const stalled = await branchScene({
      branch: { 'ask.md': earlierEntry('Before.') },
      model: [{ kind: 'stall' }],
    });
    const main = await killed(stalled, { signal: 'SIGKILL', at: 'thinking' });
    expect(main).toMatchObject({ signal: 'SIGKILL', outputs: {} });
    const post = await runPost(stalled.step({ env: NO_CACHE }), main);
    expect(post).toMatchObject({ exitCode: 0, annotations: [], summary: '' });
    expect(resultsIn(stalled.memory())).toEqual(['Before.']);
  });

  it.each([
    ['before its commit is made', { status: 'disconnect' }],
    ['after its commit is made', undefined],
  ] as const)('%s leaves one entry, from the post step', async (_, fault) => {
    const here = await scene();
    if (fault !== undefined) here.github.fail({ ...fault, route: 'POST /graphql', contains: COMMIT });
    const main = await killed(here, { signal: 'SIGKILL', at: 'commit' });
    expect(main).toMatchObject({ signal: 'SIGKILL', outputs: {} });
    expect(resultsIn(here.memory())).toEqual(fault === undefined ? ['Before.', 'It rains.'] : ['Before.']);

    const options = here.step({ env: NO_CACHE });
    const post = await runPost(options, main);
    expect(post).toMatchObject({ exitCode: 0, stderr: '', annotations: [], summary: '' });
    expect(post.log.trim()).toBe(
      'Memory: saved to octo-org/octo-repo@axe-memory:ask.md what the main step had left.',
    );
    await runPost(options, main);
    expect(resultsIn(here.memory())).toEqual(['Before.', 'It rains.']);
  });

  it('and is killed while it tries again leaves true outputs and a summary', async () => {
    const here = await scene();
    here.github.fail({ status: 502, times: 9, route: 'POST /graphql', contains: COMMIT });
    const running = startStep('main', here.step({ env: NO_CACHE }));
    const signals = ['SIGINT', 'SIGKILL'] as const;
    let commits = 0;
    here.github.onRequest(({ bytes }) => {
      const signal = bytes.includes(COMMIT) ? signals[commits++] : undefined;
      if (signal !== undefined) running.kill(signal);
    });
    const main = await running.finished.finally(() => here.github.idle());
    expect(main).toMatchObject({ signal: 'SIGKILL' });
    expect(main.outputs).toMatchObject({
      conclusion: 'success',
      response: 'It rains.',
      'memory-saved': 'false',
    });
    expect(main.summary).toContain('It rains.');
    expect(main.summary).toContain('cancelled while it saved; the end of the job tries again');
  });
});

describe('C3 54: a run that is asked to stop while it saves', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('by %s completes its save first', async (signal) => {
    const here = await scene();
    const main = await killed(here, { signal, at: 'commit' });
    expect(main).toMatchObject({ exitCode: 0, signal: null, stderr: '', annotations: [] });
    expect(main.outputs).toMatchObject({ conclusion: 'success', 'memory-saved': 'true' });
    const post = await runPost(here.step({ env: NO_CACHE }), main);
    expect(post.log.trim()).toBe('Memory: nothing is left to save.');
    expect(resultsIn(here.memory())).toEqual(['Before.', 'It rains.']);
  });
});
