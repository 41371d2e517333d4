import { describe, expect, it } from '@jest/globals';
import {
  ANSWER_LOST,
  BAD_GATEWAY,
  BAD_GATEWAY_AFTER_EFFECT,
  type Fault,
  secondaryRateLimit,
  staleHead,
} from '../helpers/github-faults.js';
import { jumpEnv } from '../helpers/jump.js';
import { startStep } from '../helpers/run-action.js';
import { branchScene, earlierEntry, REPOSITORY } from './branch-scene.js';
import { resultsIn } from './memory-scene.js';

type Trouble = readonly [string, Omit<Fault, 'route' | 'contains'>];

const IN_DOUBT: readonly Trouble[] = [
  ['C3 47: a 502 for a commit that was made', BAD_GATEWAY_AFTER_EFFECT],
  ['C3 47: a connection that breaks after the commit', ANSWER_LOST],
  ['C3 47: a 502 for a commit that was not made', BAD_GATEWAY],
];

const PUT_OFF: readonly Trouble[] = [
  ['C3 46: a branch that others moved first five times', { ...staleHead(), times: 5 }],
  ['C3 49: a secondary rate limit', secondaryRateLimit(1)],
];

const BEFORE = { 'ask.md': earlierEntry('Before.') };

describe('a save after a failure', () => {
  // They wait, so they wait together.
  it(`${PUT_OFF.map(([name]) => name).join(', or ')} leaves one entry`, async () => {
    await Promise.all(PUT_OFF.map(([, fault]) => expectOneEntry(fault)));
  });

  it('a lost answer for the created branch leaves one branch with one entry', async () => {
    const scene = await branchScene();
    scene.github.fail({ ...BAD_GATEWAY_AFTER_EFFECT, route: 'POST /repos/{owner}/{repo}/git/refs' });
    const step = await scene.run();
    expect(step).toMatchObject({ exitCode: 0, outputs: { 'memory-saved': 'true' } });
    expect(resultsIn(scene.memory())).toEqual(['Answer 0.']);
    expect(scene.github.history(REPOSITORY, 'axe-memory')).toHaveLength(1);
  });
});

it.each(IN_DOUBT)('%s leaves one entry', async (_, fault) => {
  await expectOneEntry(fault);
});

async function expectOneEntry(fault: Trouble[1]): Promise<void> {
  const scene = await branchScene({ branch: BEFORE });
  scene.github.fail({ ...fault, route: 'POST /graphql', contains: 'createCommitOnBranch' });
  const running = startStep('main', scene.step({ env: jumpEnv(5_000) }));
  // The waits between attempts are up to 40 s: once it saves, time passes ten times as fast.
  let ticking: NodeJS.Timeout | undefined;
  scene.github.onRequest(({ bytes }) => {
    if (bytes.includes('createCommitOnBranch')) ticking ??= setInterval(() => running.kill('SIGUSR2'), 500);
  });
  const step = await running.finished.finally(() => clearInterval(ticking));
  expect(step).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
  expect(step.outputs).toMatchObject({ 'memory-saved': 'true' });
  expect(resultsIn(scene.memory())).toEqual(['Before.', 'Answer 0.']);
  expect(scene.github.history(REPOSITORY, 'axe-memory')).toHaveLength(2);
}
