import { describe, expect, it } from '@jest/globals';
import { seedReaction, seedReply, seedReview } from '../helpers/github-review-seed.js';
import { text } from '../helpers/model-server.js';
import { onLaptop } from './memory-command-scene.js';
import {
  CHANGE,
  calls,
  commentOnPull,
  handleIn,
  LOGGED,
  numberHandles,
  push,
  QUIET,
  replyOnLine,
  reviewStage,
  SECOND,
  submit,
  TIMING,
} from './review-scene.js';
import {
  expectTranscript,
  REPO,
  type Stage,
  type StageOptions,
  setStage,
  steady,
  troubles,
} from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

const TWICE = ['Two things.', 'Still two things.'].flatMap((said) => [
  calls(TIMING, LOGGED, submit(said)),
  text('Done.'),
]);

/**
 * A review with two findings, for people to answer; the next run raises them again. Memory is on a
 * branch.
 */
async function reviewedForAnswers(options: StageOptions = {}, set = setStageInProcess) {
  const stage = await reviewStage(TWICE, options, set);
  await stage.run({ inputs: ON_BRANCH });
  const [logged, timing] = stage.repo.talk.reviewComments;
  if (timing === undefined || logged === undefined) throw new Error('nothing was posted');
  return { stage, timing, logged };
}

/** The next push, with the lines as they were. */
async function again(stage: Stage, sha = SECOND) {
  return await stage.run({ ...push(stage, sha, { diff: CHANGE }), inputs: ON_BRANCH });
}

/** Answers are learned from a memory that outlives the pull request. */
const ON_BRANCH = { 'memory-store': 'branch' };

function stateIn({ github }: Stage): string {
  return github.files(REPO, 'axe-memory')['reviewer.state.md'] ?? '';
}

describe('commands', () => {
  async function answer(stage: Stage, to: number, body: string, inputs = {}) {
    return await stage.run({
      ...replyOnLine(stage, to, body, 'monalisa'),
      inputs: { ...ON_BRANCH, ...inputs },
    });
  }

  async function say(stage: Stage, body: string, commentId: number) {
    return await stage.run({ ...commentOnPull(stage, body, commentId), inputs: ON_BRANCH });
  }

  function repliesTo({ repo }: Stage, id: number): readonly string[] {
    return repo.talk.reviewComments
      .filter(({ inReplyTo }) => inReplyTo === id)
      .map(({ body }) => body);
  }

  function stateOf(stage: Stage): string {
    const marks = stateIn(stage).match(/^- \{"kind":"finding".*"rev":(?!1,).*$/gm) ?? [];
    return steady(marks.join('\n'));
  }

  /** What the state says last of a finding. */
  function lastIn(stage: Stage): unknown {
    const marks = stateOf(stage)
      .split('\n')
      .map((line) => JSON.parse(line.slice(line.indexOf('{'))) as { readonly at: number });
    return marks.toSorted((a, b) => a.at - b.at).at(-1);
  }

  it('`/axe dismiss` in the conversation is stored, answered and resolved, and the finding is not raised again', async () => {
    const { stage, timing } = await reviewedForAnswers({}, setStage);
    const asked = stage.model.requests().length;
    const step = await answer(stage, timing.id, '/axe dismiss both sides are constants');
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success' } });
    expect(troubles(step)).toEqual([]);
    expect(stage.model.requests()).toHaveLength(asked);
    expect(stage.repo.talk.resolved.has(timing.id)).toBe(true);
    expect(stage.repo.talk.reactions.map(({ content }) => content)).toEqual(['eyes']);
    const noted = stateOf(stage);
    expect(noted).not.toContain('constants');
    const second = await again(stage);
    expect(second.outputs['memory-entry']).toContain('Not repeated: 1 open, 1 dismissed before.');
    const conversation = [timing.body, ...repliesTo(stage, timing.id)].join('\n\n');
    const shown = `=== the conversation\n${conversation}\n\n=== the state\n${noted}`;
    expectTranscript('people-end-findings-by-commands', shown);
  });

  it('the dismissal is reverted by `/axe reopen`, in the conversation or with the name that the answer gives', async () => {
    const { stage, timing } = await reviewedForAnswers();
    await answer(stage, timing.id, '/axe dismiss');
    await answer(stage, timing.id, '/axe reopen');
    expect(stage.repo.talk.resolved.has(timing.id)).toBe(false);
    expect(lastIn(stage)).toMatchObject({ state: 'open', by: 'person', login: 'monalisa' });
    await answer(stage, timing.id, '/axe dismiss');
    expect(stage.repo.talk.resolved.has(timing.id)).toBe(true);
    expect(lastIn(stage)).toMatchObject({ state: 'dismissed' });
    const [, handle = ''] =
      /`\/axe reopen (F\w{4})`/.exec(repliesTo(stage, timing.id).at(-1) ?? '') ?? [];
    expect(handle).toBe(handleIn(timing));
    const step = await say(stage, `/axe reopen ${handle}`, 1001);
    expect(step.outputs['conclusion']).toBe('success');
    expect(stage.repo.talk.resolved.has(timing.id)).toBe(false);
    expect(lastIn(stage)).toMatchObject({ state: 'open', by: 'person', login: 'Codertocat' });
  });

  it('the open findings are listed if the command is ambiguous, and none is reported if there is none', async () => {
    const { stage } = await reviewedForAnswers();
    const unnamed = await say(stage, '/axe dismiss', 1003);
    expect(unnamed.outputs['reason']).toBe('refused');
    const listed = stage.repo.comments.at(-1)?.body ?? '';
    expect(numberHandles(listed).match(/^- .*$/gm)).toEqual([
      '- `/axe dismiss F1` — The token is written to the log (`src/auth.ts:11`)',
      '- `/axe dismiss F2` — The comparison of tokens leaks by time (`src/auth.ts:12`)',
    ]);
    const unknown = await say(stage, '/axe dismiss F0000', 1004);
    expect(unknown.outputs['reason']).toBe('not-found');
    expect(stateOf(stage)).toBe('');
  });

  it('a set phrase is a dismissal at once, and no model is called', async () => {
    const { stage, timing } = await reviewedForAnswers();
    const asked = stage.model.requests().length;
    const step = await answer(stage, timing.id, 'Not a bug: both sides are constants.');
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success' } });
    expect(troubles(step)).toEqual([]);
    expect(stage.model.requests()).toHaveLength(asked);
    expect(repliesTo(stage, timing.id)).toEqual([
      'Not a bug: both sides are constants.',
      expect.stringMatching(/Noted: F\w{4} is dismissed, and not raised again on this line\.\n/),
    ]);
    expect(stage.repo.talk.resolved.has(timing.id)).toBe(true);
    expect(lastIn(stage)).toMatchObject({ state: 'dismissed', why: 'phrase', login: 'monalisa' });
    expect(stateOf(stage)).not.toContain('constants');
    const second = await again(stage);
    expect(second.outputs['memory-entry']).toContain('Not repeated: 1 open, 1 dismissed before.');
    expect(repliesTo(stage, timing.id)).toHaveLength(2);
  });

  it('`Fixed.` asks no model, and ends nothing before the code or the conversation does', async () => {
    const { stage, timing } = await reviewedForAnswers();
    const asked = stage.model.requests().length;
    const before = stage.github.requests().length;
    const step = await answer(stage, timing.id, 'Fixed.', { 'trigger-phrase': '/axe' });
    expect(step).toMatchObject({ exitCode: 0, outputs: { reason: 'no-mention' } });
    expect(stage.model.requests()).toHaveLength(asked);
    expect(stage.github.requests().length - before).toBe(0);
    expect([repliesTo(stage, timing.id), stateOf(stage)]).toEqual([['Fixed.'], '']);
    // To resolve the conversation says something, and the next run reads it.
    stage.repo.talk.resolved.set(timing.id, 'monalisa');
    await again(stage);
    expect(lastIn(stage)).toMatchObject({ state: 'settled', why: 'resolved', login: 'monalisa' });
  });

  it('the same phrase between people has no effect', async () => {
    const { stage } = await reviewedForAnswers();
    const { comments } = seedReview(stage.repo, {
      pull: 2,
      author: 'hubot',
      comments: [{ path: 'src/auth.ts', line: 11, body: 'Is this meant?' }],
    });
    const inputs = { 'trigger-phrase': '@axe' };
    const step = await answer(stage, comments[0] ?? 0, 'By design.', inputs);
    expect(step).toMatchObject({ exitCode: 0, outputs: { reason: 'no-mention' } });
    expect(repliesTo(stage, comments[0] ?? 0)).toEqual(['By design.']);
    expect(stage.repo.talk.reactions).toEqual([]);
  });

  it('what people made of findings is counted in `memory show`', async () => {
    const { stage, timing, logged } = await reviewedForAnswers();
    await answer(stage, timing.id, '/axe dismiss both sides are constants');
    stage.repo.talk.resolved.set(logged.id, 'monalisa');
    await stage.run({ ...push(stage, SECOND, { diff: QUIET }), inputs: ON_BRANCH });
    const { stdout } = await onLaptop(stage, ['show']);
    expect(stdout).toMatch(
      /^\| \d{4}-\d\d \| claude-sonnet-4-5 \| 1 \/ 0 \/ 0 \| 0 \/ 1 \/ 0 .*\| \$[\d.]+ \| \$[\d.]+ \|$/m,
    );
  });
});

function lessonsIn(message: string): string {
  return message.slice(message.indexOf('Findings of yours that are open'));
}

it('a writer’s answer is stored, the model learns it, and a repeated finding is dropped', async () => {
  const { stage, timing } = await reviewedForAnswers({}, setStage);
  const body = 'False positive: both sides are constants.';
  seedReply(stage.repo, timing.id, { author: 'monalisa', body });
  const second = await again(stage);
  expect(second.exitCode).toBe(0);
  expect(
    stage.repo.talk.reviewComments.filter(({ inReplyTo }) => inReplyTo === undefined),
  ).toHaveLength(2);
  expect(second.outputs['memory-entry']).toContain('Not repeated: 1 open, 1 dismissed before.');
  const told = lessonsIn(stage.model.prompts()[2]?.messages[0] ?? '');
  expect(told).not.toContain('constants');
  const kept = stateIn(stage).match(/^- \{"kind":"finding".*$/gm) ?? [];
  expectTranscript(
    'an-answered-comment-is-not-raised-again',
    [
      `=== the end of the user message\n${told}\n`,
      `=== every finding of the second run\n${/\| Finding [^*]*?\n\n/.exec(second.summary)?.[0]}`,
      `=== reviewer.state.md\n${steady(kept.join('\n'))}\n`,
    ].join('\n'),
  );
});

it('an answer is not lost if the run that reads it fails', async () => {
  const { stage, timing } = await reviewedForAnswers();
  seedReaction(stage.repo, {
    on: 'review-comment',
    of: timing.id,
    author: 'monalisa',
    content: '-1',
  });
  const failed = await stage.run({
    ...push(stage, SECOND, { diff: CHANGE }),
    inputs: { ...ON_BRANCH, model: 'openai/gpt-5' },
    env: { AXE_OPENAI_BASE_URL: 'http://127.0.0.1:2' },
  });
  expect(failed.outputs['conclusion']).toBe('failure');
  expect(stateIn(stage)).not.toContain('"state":"dismissed"');
  await again(stage, 'd'.repeat(40));
  expect(stateIn(stage)).toMatch(
    /^- \{"kind":"finding",.*"pull":2,.*"state":"dismissed","by":"person","why":"thumbs-down","login":"monalisa",/m,
  );
});

it('an answer counts on a stranger’s pull request, and a stranger’s gesture does not', async () => {
  const patch = { 'pull_request.user.login': 'hubot' };
  const event = { name: 'pull_request', action: 'opened', patch };
  const { stage, ...found } = await reviewedForAnswers({ event });
  const [logged, timing] = [found.logged.id, found.timing.id];
  seedReaction(stage.repo, { on: 'review-comment', of: timing, author: 'monalisa', content: '-1' });
  seedReaction(stage.repo, { on: 'review-comment', of: logged, author: 'hubot', content: '-1' });
  stage.repo.talk.resolved.set(logged, 'hubot');
  const second = await stage.run({
    ...push(stage, SECOND, { diff: CHANGE, fresh: CHANGE }, patch),
    inputs: ON_BRANCH,
  });
  expect(second.summary).toContain('1 earlier finding dismissed.');
  expect(second.summary).toContain('Not repeated: 1 open, 1 dismissed before.');
  expect(second.outputs).toMatchObject({ 'findings-open': '1', 'findings-worst': 'critical' });
  const ours = stage.repo.talk.reviewComments
    .slice(2)
    .map(({ inReplyTo, body }) => [inReplyTo, body]);
  expect(ours).toEqual([
    [
      timing,
      expect.stringMatching(/\nNoted: F\w{4} is dismissed, and not raised again on this line\.$/),
    ],
  ]);
  // What a writer has dismissed is resolved; what a stranger has closed is opened.
  expect([logged, timing].map((id) => stage.repo.talk.resolved.has(id))).toEqual([false, true]);
});
