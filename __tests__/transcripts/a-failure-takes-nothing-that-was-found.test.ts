import { describe, expect, it } from '@jest/globals';
import { main } from '../../src/action/main.js';
import type { Runner } from '../../src/runner/runner.js';
import { type ModelReply, text } from '../helpers/model-server.js';
import type { StepOptions } from '../helpers/run-action.js';
import { runMainHere } from '../helpers/run-main.js';
import { BRANCH } from './branch-scene.js';
import { nameOf } from './memory-command-scene.js';
import { calls, conversations, reviewStage, submit, TIMING } from './review-scene.js';
import { expectNoEntry, setStage } from './stage.js';

const INPUTS = { 'check-run': 'true', 'memory-store': 'file' };

const REVIEWS = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';

const COMMIT = { route: 'POST /graphql', contains: 'createCommitOnBranch' } as const;
const MOVED = {
  status: 200,
  body: {
    data: null,
    errors: [{ type: 'STALE_DATA', message: 'Expected branch to point to "a" but it did not.' }],
  },
} as const;

/** A provider that refuses the key, which no retry changes. */
const NO_KEY: ModelReply = { kind: 'raw', status: 401, body: { error: { message: 'no' } } };

/** A refusal as Anthropic gives it, without a word. */
const NO_ANSWER: ModelReply = {
  kind: 'raw',
  status: 200,
  body: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude',
    content: [],
    stop_reason: 'refusal',
    usage: { input_tokens: 812, output_tokens: 40 },
  },
};

/** The main step, which can be cancelled as by a runner. */
function cancellable() {
  let cancel: Parameters<Runner['onCancel']>[0] = () => undefined;
  const program = (runner: Runner) =>
    main({
      ...runner,
      onCancel(cancelled) {
        cancel = cancelled;
      },
    });
  const runStep = (options: StepOptions) => runMainHere(options, program);
  return { runStep, cancel: () => cancel('SIGINT') };
}

describe('a run that ends in the middle of its review', () => {
  it.each<[string, ModelReply, string, string]>([
    ['fails', NO_KEY, 'failure', 'auth: '],
    ['is refused', NO_ANSWER, 'refused', 'the model refused to answer'],
  ])('and %s posts what it has found, and is not green', async (_, reply, conclusion, reason) => {
    const stage = await reviewStage([calls(TIMING), reply]);
    const step = await stage.run({ inputs: INPUTS });
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion, coverage: 'part' } });
    expect(conversations(stage)).toMatchObject([{ at: 'src/auth.ts:12' }]);
    expect(stage.repo.talk.reviews[0]?.body).toContain(`*Cut short: ${reason}`);
    expect(stage.repo.talk.checkRuns).toMatchObject([
      { conclusion: 'neutral', title: '1 open: 1 major, cut short' },
    ]);
    expectNoEntry(step);
  });

  it('and is cancelled posts what it has found, and is not green', async () => {
    const { runStep, cancel } = cancellable();
    const stage = await reviewStage([calls(TIMING), { kind: 'stall' }], { runStep }, setStage);
    stage.model.onRequest(() => {
      if (stage.model.requests().length === 2) cancel();
    });
    const step = await stage.run({ inputs: INPUTS });
    expect(step).toMatchObject({
      exitCode: 1,
      outputs: { conclusion: 'cancelled', coverage: 'part', 'findings-open': '1' },
    });
    expect(conversations(stage)).toMatchObject([{ at: 'src/auth.ts:12' }]);
    expect(stage.repo.talk.reviews[0]?.body).toContain('*Cut short: the run was cancelled.');
    expect(stage.repo.talk.checkRuns).toMatchObject([
      { conclusion: 'neutral', title: '1 open: 1 major, cut short' },
    ]);
    expectNoEntry(step);
  });

  it('before it has found anything posts nothing', async () => {
    const stage = await reviewStage([NO_KEY]);
    const step = await stage.run({ inputs: INPUTS });
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
    expect(stage.repo.talk.reviews).toEqual([]);
    expect(stage.repo.talk.checkRuns).toMatchObject([{ title: 'The run failed' }]);
  });
});

it('a pull request that takes no review any more has its findings in the job summary', async () => {
  const stage = await reviewStage([calls(TIMING, submit('One finding.'))]);
  const body = { message: 'Unprocessable Entity' };
  stage.github.fail({ route: REVIEWS, status: 422, body, times: 9 });
  const step = await stage.run({ inputs: INPUTS });
  expect(step.summary).toContain('**Findings not posted as comments**');
  expect(step.summary).toContain('The comparison of tokens leaks by time');
  expect(stage.repo.talk.checkRuns).toMatchObject([{ conclusion: 'neutral' }]);
});

it('a run that is cancelled while its save waits reports at once, and its post step saves', async () => {
  const { runStep, cancel } = cancellable();
  const stage = await setStage({ model: [text('Nothing to say.')], runStep });
  const { github } = stage;
  github.commit(nameOf(stage), { 'README.md': 'Memory.' }, { branch: BRANCH });
  // Another run has saved, both since this one has read and again.
  github.fail({ ...COMMIT, ...MOVED, times: 2 });
  let commits = 0;
  github.onRequest(({ bytes }) => {
    if (!bytes.includes(COMMIT.contains)) return;
    commits += 1;
    if (commits === 2) cancel();
  });
  const options = { inputs: { 'memory-store': 'branch' } };
  const step = await stage.run(options);
  expect(step.outputs).toMatchObject({ 'memory-saved': 'false' });
  expect(step.outputs['memory-save-error']).toMatch(
    /^the run was cancelled before another attempt/,
  );
  expect(step.summary).toContain('Nothing to say.');
  expect(commits).toBe(2);

  const post = await stage.post(step, options);
  expect(post.log).toMatch(/^Memory: saved to .* as the main step could not\.$/m);
  expect(commits).toBe(3);
});
