import { expect, it } from '@jest/globals';
import { seedReaction, seedReply } from '../helpers/github-review-seed.js';
import { text } from '../helpers/model-server.js';
import { loadWebhook } from '../helpers/webhooks.js';
import { again, ON_BRANCH, reviewedForAnswers } from './answer-scene.js';
import { CHANGE, calls, LOGGED, push, REVIEWER, SECOND, submit, THIRD, TIMING } from './review-scene.js';
import { expectTranscript, type Stage, setStage, steady } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

const STATE = 'reviewer.state.md';

function memory({ github }: Stage): Readonly<Record<string, string>> {
  return github.files('Codertocat/Hello-World', 'axe-memory');
}

function findingsIn(state = ''): string {
  return steady(state.match(/^- \{"kind":"(?:raised|ended|back)".*$/gm)?.join('\n') ?? '');
}

function lessonsIn(message: string): string {
  return message.slice(message.indexOf('Findings of yours that are open'));
}

/** The user message of the second run. */
function secondMessage({ model }: Stage): string {
  return model.prompts()[2]?.messages[0] ?? '';
}

it('a writer’s answer is stored, the model learns it, and a repeated finding is dropped', async () => {
  const {
    stage,
    timing: { id: timing },
  } = await reviewedForAnswers(setStage);
  seedReply(stage.repo, timing, { author: 'monalisa', body: 'False positive: both sides are constants.' });
  const second = await again(stage);
  expect(second.exitCode).toBe(0);
  expect(stage.repo.talk.reviewComments.filter(({ inReplyTo }) => inReplyTo === undefined)).toHaveLength(2);
  expect(second.outputs['memory-entry']).toContain('Not repeated: 1 open, 1 dismissed before.');
  expect(secondMessage(stage)).toMatch(
    /^- F\w{4} src\/auth\.ts:12 major security — "The comparison of tokens leaks by time" \(dismissed\)$/m,
  );
  expect(lessonsIn(secondMessage(stage))).not.toContain('constants');
  expectTranscript(
    'an-answered-comment-is-not-raised-again',
    [
      `=== the end of the user message\n${lessonsIn(secondMessage(stage))}\n`,
      `=== every finding of the second run\n${/\| Finding [^*]*?\n\n/.exec(second.summary)?.[0]}`,
      `=== ${STATE}\n${findingsIn(memory(stage)[STATE])}\n`,
    ].join('\n'),
  );
});

it.each<[string, (stage: Stage, timing: number) => void]>([
  ['a reply', ({ repo }, id) => void seedReply(repo, id, { author: 'monalisa', body: 'By design 🙂' })],
  [
    '👎',
    ({ repo }, id) => seedReaction(repo, { on: 'review-comment', of: id, author: 'monalisa', content: '-1' }),
  ],
])('a reply states once that %s was understood', async (_, dismiss) => {
  const {
    stage,
    timing: { id: timing },
  } = await reviewedForAnswers();
  dismiss(stage, timing);
  await again(stage);
  const { reviewComments, resolved } = stage.repo.talk;
  const answers = () =>
    reviewComments.filter(
      ({ inReplyTo, body }) => inReplyTo === timing && body.startsWith('<!-- axe-action'),
    );
  expect(answers().map(({ body }) => body)).toEqual([
    expect.stringMatching(
      /^<!-- .* -->\nNoted: F\w{4} is dismissed, and not raised again on this line\. Undo: `\/axe reopen F\w{4}`\.$/,
    ),
  ]);
  expect(resolved.has(timing)).toBe(true);
  await again(stage, THIRD);
  expect(answers()).toHaveLength(1);
});

it('an answer counts and no reply is posted if comments are off', async () => {
  const {
    stage,
    timing: { id: timing },
  } = await reviewedForAnswers();
  seedReply(stage.repo, timing, { author: 'monalisa', body: 'False positive' });
  const next = push(stage, SECOND, CHANGE);
  const step = await stage.run({ ...next, inputs: { ...ON_BRANCH, comment: 'never' } });
  expect(step.outputs).toMatchObject({ 'findings-open': '1', 'findings-worst': 'critical' });
  expect(stage.repo.talk.reviewComments.filter(({ inReplyTo }) => inReplyTo === timing)).toHaveLength(1);
});

it.each<[string, (stage: Stage, timing: number) => void]>([
  [
    'a stranger disagrees',
    ({ repo }, id) => {
      seedReply(repo, id, { author: 'hubot', body: 'Not a bug.' });
      seedReaction(repo, { on: 'review-comment', of: id, author: 'hubot', content: '-1' });
      repo.talk.resolved.set(id, 'hubot');
    },
  ],
  [
    'somebody else has put the words there',
    ({ repo }, id) => {
      const reply = seedReply(repo, id, {
        author: 'monalisa',
        body: 'Not a bug.',
        editedAt: '2026-01-03T00:00:00Z',
      });
      const stored = repo.talk.reviewComments.find((one) => one.id === reply);
      if (stored !== undefined) stored.editor = 'octocat';
    },
  ],
])('nothing is learned if %s', async (_, answer) => {
  const {
    stage,
    timing: { id: timing },
  } = await reviewedForAnswers();
  stage.repo.roles.set('hubot', 'triage');
  answer(stage, timing);
  const second = await again(stage);
  expect(second.exitCode).toBe(0);
  expect(memory(stage)[STATE]).not.toContain('"state":"dismissed"');
  expect(secondMessage(stage)).not.toContain('have dismissed');
});

it('an answer is not lost if the run that reads it fails', async () => {
  const {
    stage,
    timing: { id: timing },
  } = await reviewedForAnswers();
  seedReaction(stage.repo, { on: 'review-comment', of: timing, author: 'monalisa', content: '-1' });
  const next = push(stage, SECOND, CHANGE);
  const failed = await stage.run({
    ...next,
    inputs: { ...ON_BRANCH, model: 'openai/gpt-5' },
    env: { AXE_OPENAI_BASE_URL: 'http://127.0.0.1:2' },
  });
  expect(failed.outputs['conclusion']).toBe('failure');
  expect(memory(stage)[STATE]).not.toMatch(/^- \{"kind":"ended",/m);
  const third = push(stage, 'd'.repeat(40), CHANGE);
  await stage.run({ ...third, runId: '1658821495', inputs: ON_BRANCH });
  expect(memory(stage)[STATE]).toMatch(
    /^- \{"kind":"ended",.*"state":"dismissed","by":"person","why":"thumbs-down","login":"monalisa",.*"pull":2\}/m,
  );
});

it('an answer counts on a stranger’s pull request, and a stranger’s gesture does not', async () => {
  const patch = { 'pull_request.user.login': 'hubot' };
  const reply = [calls(TIMING, LOGGED, submit('Two things.')), text('Done.')];
  const stage = await setStageInProcess({
    event: { name: 'pull_request', action: 'opened', patch },
    base: { 'axe/agents/reviewer.toml': REVIEWER },
    diff: CHANGE,
    roles: { monalisa: 'write', hubot: 'read' },
    model: [...reply, ...reply],
  });
  await stage.run({ inputs: ON_BRANCH });
  const [logged, timing] = stage.repo.talk.reviewComments.map(({ id }) => id);
  seedReaction(stage.repo, { on: 'review-comment', of: timing ?? 0, author: 'monalisa', content: '-1' });
  seedReaction(stage.repo, { on: 'review-comment', of: logged ?? 0, author: 'hubot', content: '-1' });
  stage.repo.talk.resolved.set(logged ?? 0, 'hubot');
  push(stage, SECOND, CHANGE);
  const payload = loadWebhook('pull_request', 'synchronize', { ...patch, 'pull_request.head.sha': SECOND });
  const second = await stage.run({ event: { name: 'pull_request', payload }, inputs: ON_BRANCH });
  expect(second.summary).toContain('1 earlier finding dismissed.');
  expect(second.summary).toContain('Not repeated: 1 open, 1 dismissed before.');
  expect(second.outputs).toMatchObject({ 'findings-open': '1', 'findings-worst': 'critical' });
  const ours = stage.repo.talk.reviewComments.slice(2).map(({ inReplyTo, body }) => [inReplyTo, body]);
  expect(ours).toEqual([[timing, expect.stringMatching(/\nNoted: F\w{4} is dismissed, .*`\.$/)]]);
  // A run that has read a stranger's text resolves nothing; it opens what a stranger has closed.
  expect([logged, timing].map((id) => stage.repo.talk.resolved.has(id ?? 0))).toEqual([false, false]);
});
