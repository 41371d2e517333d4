import { expect, it } from '@jest/globals';
import { seedReview } from '../helpers/github-review-seed.js';
import { again, ON_BRANCH, reviewedForAnswers } from './answer-scene.js';
import { handleIn, numberHandles } from './handle-scene.js';
import { onLaptop } from './memory-command-scene.js';
import { commentOnPull, push, QUIET, replyOnLine, SECOND } from './review-scene.js';
import { expectTranscript, type Stage, setStage, steady, troubles } from './stage.js';

/** Somebody writes in the conversation that a comment began. */
async function answer(stage: Stage, to: number, body: string, author = 'monalisa', inputs = {}) {
  return await stage.run({ ...replyOnLine(stage, to, body, author), inputs: { ...ON_BRANCH, ...inputs } });
}

async function say(stage: Stage, body: string, commentId: number) {
  return await stage.run({ ...commentOnPull(stage, body, commentId), inputs: ON_BRANCH });
}

function repliesTo({ repo }: Stage, id: number): readonly string[] {
  return repo.talk.reviewComments.filter(({ inReplyTo }) => inReplyTo === id).map(({ body }) => body);
}

function stateOf({ github }: Stage): string {
  const state = github.files('Codertocat/Hello-World', 'axe-memory')['reviewer.state.md'] ?? '';
  return steady(state.match(/^- \{"kind":"(?:ended|back)".*$/gm)?.join('\n') ?? '');
}

/** What the state says last of a finding. */
function lastIn(stage: Stage): unknown {
  const marks = stateOf(stage)
    .split('\n')
    .map((line) => JSON.parse(line.slice(line.indexOf('{'))) as { readonly at: number });
  return marks.toSorted((a, b) => a.at - b.at).at(-1);
}

it('`/axe dismiss` in the conversation is stored, answered and resolved, and the finding is not raised again', async () => {
  const { stage, timing } = await reviewedForAnswers(setStage);
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
  expectTranscript(
    'people-end-findings-by-commands',
    [
      `=== the conversation\n${timing.body}\n\n${repliesTo(stage, timing.id).join('\n\n')}`,
      `=== the state\n${noted}`,
    ].join('\n\n'),
  );
});

it('the dismissal is reverted by `/axe reopen`, in the conversation or with the name that the answer gives', async () => {
  const { stage, timing } = await reviewedForAnswers();
  await answer(stage, timing.id, '/axe dismiss');
  await answer(stage, timing.id, '/axe reopen');
  expect(stage.repo.talk.resolved.has(timing.id)).toBe(false);
  expect(lastIn(stage)).toMatchObject({ kind: 'back', by: 'person', login: 'monalisa' });
  await answer(stage, timing.id, '/axe dismiss');
  expect(stage.repo.talk.resolved.has(timing.id)).toBe(true);
  expect(lastIn(stage)).toMatchObject({ kind: 'ended', state: 'dismissed' });
  const [, handle = ''] = /`\/axe reopen (F\w{4})`/.exec(repliesTo(stage, timing.id).at(-1) ?? '') ?? [];
  expect(handle).toBe(handleIn(timing));
  const step = await say(stage, `/axe reopen ${handle}`, 1001);
  expect(step.outputs['conclusion']).toBe('success');
  expect(stage.repo.talk.resolved.has(timing.id)).toBe(false);
  expect(lastIn(stage)).toMatchObject({ kind: 'back', by: 'person', login: 'Codertocat' });
});

it('commands with the name of a finding work below the pull request', async () => {
  const { stage, logged } = await reviewedForAnswers();
  const handle = handleIn(logged);
  const step = await say(stage, `/axe done ${handle.toLowerCase()}`, 1002);
  expect(step.outputs['conclusion']).toBe('success');
  expect(stage.repo.comments.map(({ body }) => body)).toEqual([
    expect.stringContaining(
      `Noted: ${handle} is settled. It is not raised again while its line stays as it is. Undo: \`/axe reopen ${handle}\`.`,
    ),
  ]);
  expect(stage.repo.talk.resolved.has(logged.id)).toBe(true);
  expect(lastIn(stage)).toMatchObject({
    kind: 'ended',
    state: 'settled',
    why: 'command',
    login: 'Codertocat',
    closed: true,
  });
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

it('a command by a person who cannot write has no effect', async () => {
  const { stage, timing } = await reviewedForAnswers();
  const asked = stage.model.requests().length;
  const step = await answer(stage, timing.id, '/axe dismiss', 'hubot');
  expect(step.outputs['reason']).toBe('permission');
  expect(stateOf(stage)).toBe('');
  expect(repliesTo(stage, timing.id)).toEqual(['/axe dismiss']);
  expect(stage.model.requests()).toHaveLength(asked);
});

it('the conversation stays open if the token cannot resolve it', async () => {
  const { stage, timing } = await reviewedForAnswers();
  const body = {
    data: null,
    errors: [{ type: 'FORBIDDEN', message: 'Resource not accessible by integration' }],
  };
  stage.github.fail({ route: 'POST /graphql', contains: 'resolveReviewThread', status: 200, body });
  const step = await answer(stage, timing.id, '/axe dismiss');
  expect(troubles(step)).toEqual([]);
  expect(stage.repo.talk.resolved.has(timing.id)).toBe(false);
  expect(lastIn(stage)).toMatchObject({
    state: 'dismissed',
    why: 'command',
    login: 'monalisa',
    closed: false,
  });
  expect(repliesTo(stage, timing.id).at(-1)).toContain(
    '\n\nThe conversation stays open: resolving it takes `contents: write`.\n\n',
  );
});

it('a finding that somebody else has written is not treated as ours', async () => {
  const { stage, timing } = await reviewedForAnswers();
  const [marker = ''] = timing.body.split('\n');
  const { comments } = seedReview(stage.repo, {
    pull: 2,
    author: 'hubot',
    comments: [{ path: 'src/auth.ts', line: 11, body: `${marker}\nA finding of somebody's own.` }],
  });
  const step = await answer(stage, comments[0] ?? 0, '/axe dismiss');
  expect(step.outputs['reason']).toBe('refused');
  expect(stateOf(stage)).toBe('');
  expect(stage.repo.talk.resolved.size).toBe(0);
});

it('a finding of another agent is left to that one', async () => {
  const { stage, timing } = await reviewedForAnswers();
  const asked = stage.model.requests().length;
  const step = await answer(stage, timing.id, '/axe dismiss', 'monalisa', { agent: 'builtin/pr-reviewer' });
  expect(step).toMatchObject({ exitCode: 0, outputs: { reason: 'not-found' } });
  expect(repliesTo(stage, timing.id)).toEqual(['/axe dismiss']);
  expect(stage.repo.talk.reactions).toEqual([]);
  expect(stage.model.requests()).toHaveLength(asked);
});

it('nothing changes in a dry run', async () => {
  const { stage, timing } = await reviewedForAnswers();
  const step = await answer(stage, timing.id, '/axe dismiss', 'monalisa', { 'dry-run': 'true' });
  expect(step.exitCode).toBe(0);
  expect([stateOf(stage), stage.repo.talk.resolved.size, stage.repo.talk.reactions]).toEqual(['', 0, []]);
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
    expect.stringMatching(
      /Noted: F\w{4} is dismissed, and not raised again on this line\. Undo: `\/axe reopen F\w{4}`\./,
    ),
  ]);
  expect(stage.repo.talk.resolved.has(timing.id)).toBe(true);
  expect(lastIn(stage)).toMatchObject({ state: 'dismissed', why: 'phrase', login: 'monalisa' });
  expect(stateOf(stage)).not.toContain('constants');
  const second = await again(stage);
  expect(second.outputs['memory-entry']).toContain('Not repeated: 1 open, 1 dismissed before.');
  expect(repliesTo(stage, timing.id)).toHaveLength(2);
});

it.each([
  ['a person who cannot write', 'Not a bug.', 'hubot', 'permission'],
  ['one that says something else', 'Not a bug in our code?', 'monalisa', 'no-mention'],
])('a phrase of %s has no effect', async (_, body, author, reason) => {
  const { stage, timing } = await reviewedForAnswers();
  const step = await answer(stage, timing.id, body, author, { 'trigger-phrase': '@axe' });
  expect(step).toMatchObject({ exitCode: 0, outputs: { reason: reason } });
  expect(stateOf(stage)).toBe('');
  expect(repliesTo(stage, timing.id)).toEqual([body]);
  expect(stage.repo.talk.reactions).toEqual([]);
});

it.each(['Fixed.', 'Done, thanks!', 'good catch', 'Will fix', 'agreed'])(
  'asks no model for %j, which ends nothing before the code or the conversation does',
  async (body) => {
    const { stage, timing } = await reviewedForAnswers();
    const asked = stage.model.requests().length;
    const before = stage.github.requests().length;
    const step = await answer(stage, timing.id, body, 'monalisa', { 'trigger-phrase': '/axe' });
    expect(step).toMatchObject({ exitCode: 0, outputs: { reason: 'no-mention' } });
    expect(stage.model.requests()).toHaveLength(asked);
    expect(stage.github.requests().length - before).toBe(0);
    expect([repliesTo(stage, timing.id), stateOf(stage)]).toEqual([[body], '']);
    // To resolve the conversation says something, and the next run reads it.
    stage.repo.talk.resolved.set(timing.id, 'monalisa');
    await again(stage);
    expect(lastIn(stage)).toMatchObject({ state: 'settled', why: 'resolved', login: 'monalisa' });
  },
);

it('what people made of findings is counted in `memory show`', async () => {
  const { stage, timing, logged } = await reviewedForAnswers();
  await answer(stage, timing.id, '/axe dismiss both sides are constants');
  stage.repo.talk.resolved.set(logged.id, 'monalisa');
  await stage.run({ ...push(stage, SECOND, QUIET), runId: '1658821494', inputs: ON_BRANCH });
  const { stdout } = await onLaptop(stage, ['show']);
  expect(stdout).toMatch(
    /^\| \d{4}-\d\d \| claude-sonnet-4-5 \| 1 \/ 0 \/ 0 +\| 0 \/ 1 \/ 0 .*\| \$[\d.]+ +\| \$[\d.]+ +\|$/m,
  );
});

it('the same phrase between people has no effect', async () => {
  const { stage } = await reviewedForAnswers();
  const { comments } = seedReview(stage.repo, {
    pull: 2,
    author: 'hubot',
    comments: [{ path: 'src/auth.ts', line: 11, body: 'Is this meant?' }],
  });
  const inputs = { 'trigger-phrase': '@axe' };
  const step = await answer(stage, comments[0] ?? 0, 'By design.', 'monalisa', inputs);
  expect(step).toMatchObject({ exitCode: 0, outputs: { reason: 'no-mention' } });
  expect(repliesTo(stage, comments[0] ?? 0)).toEqual(['By design.']);
  expect(stage.repo.talk.reactions).toEqual([]);
});
