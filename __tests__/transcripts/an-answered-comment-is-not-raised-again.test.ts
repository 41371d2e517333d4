import { expect, it } from '@jest/globals';
import { seedReaction, seedReply } from '../helpers/github-review-seed.js';
import { text } from '../helpers/model-server.js';
import { loadWebhook } from '../helpers/webhooks.js';
import { CHANGE, calls, LOGGED, push, REVIEWER, submit, TIMING } from './review-scene.js';
import { comparisonOf, expectTranscript, type Stage, setStage, steady, troubles } from './stage.js';

const NEXT = '6dcb09b5b57875f334f61aebed695e2e4193db5e';
const BRANCH = { 'memory-store': 'repo' };
const STATE = 'reviewer.state.md';
const THREADS = 'reviewThreads(';

async function reviewed(roles: Readonly<Record<string, 'write' | 'read' | 'triage'>> = {}) {
  const stage = await setStage({
    base: { 'axe/agents/reviewer.toml': REVIEWER },
    diff: CHANGE,
    roles: { monalisa: 'write', ...roles },
    model: [
      calls(TIMING, LOGGED, submit('Two things to mend.')),
      text('Done.'),
      calls(TIMING, LOGGED, submit('Still two things.')),
      text('Done again.'),
    ],
  });
  stage.repo.contents = 'write';
  await stage.run({ inputs: BRANCH });
  const [timing, logged] = stage.repo.talk.reviewComments;
  if (timing === undefined || logged === undefined) throw new Error('nothing was posted');
  return { stage, timing: timing.id, logged: logged.id };
}

/** The next push, with the two lines as they were. */
async function again(stage: Stage) {
  const next = push(stage, NEXT, CHANGE);
  stage.repo.comparisons.set(comparisonOf(next.event.payload), CHANGE);
  return await stage.run({ ...next, runId: '1658821494', inputs: BRANCH });
}

function memory({ github }: Stage): Readonly<Record<string, string>> {
  return github.files('Codertocat/Hello-World', 'axe-memory');
}

function findingsIn(state = ''): string {
  return steady(state.match(/^- (?:finding|withdrawn) .*$/gm)?.join('\n') ?? '');
}

function lessonsIn(message: string): string {
  return message.slice(message.indexOf('Earlier findings of yours'));
}

/** The user message of the second run. */
function secondMessage({ model }: Stage): string {
  return model.prompts()[2]?.messages[0] ?? '';
}

it('keeps what a writer answered, tells the model, and drops what it raises all the same', async () => {
  const { stage, timing } = await reviewed();
  seedReply(stage.repo, timing, { author: 'monalisa', body: 'False positive: both sides are constants.' });
  const second = await again(stage);
  expect(second.exitCode).toBe(0);
  expect(stage.repo.talk.reviewComments.filter(({ inReplyTo }) => inReplyTo === undefined)).toHaveLength(2);
  expect(second.outputs['memory-entry']).toContain('Not repeated: 1 open, 1 withdrawn.');
  expect(secondMessage(stage)).toContain(
    '- src/auth.ts: timing-attack (withdrawn in a reply on pull request #2)',
  );
  expect(lessonsIn(secondMessage(stage))).not.toContain('constants');
  expectTranscript(
    'an-answered-comment-is-not-raised-again',
    [
      `=== the end of the user message\n${lessonsIn(secondMessage(stage))}\n`,
      `=== the second review\n${stage.repo.talk.reviews.at(-1)?.body}\n`,
      `=== summary\n${/\*\*Learned[^<]*/.exec(second.summary)?.[0]}`,
      `=== ${STATE}\n${findingsIn(memory(stage)[STATE])}\n`,
    ].join('\n'),
  );
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
])('learns nothing where %s', async (_, answer) => {
  const { stage, timing } = await reviewed({ hubot: 'triage' });
  answer(stage, timing);
  const second = await again(stage);
  expect(second.exitCode).toBe(0);
  expect(memory(stage)[STATE]).not.toContain('withdrawn');
  expect(secondMessage(stage)).not.toContain('have withdrawn');
});

it('keeps what was learnt though the run fails', async () => {
  const { stage, timing } = await reviewed();
  seedReaction(stage.repo, { on: 'review-comment', of: timing, author: 'monalisa', content: '-1' });
  const next = push(stage, NEXT, CHANGE);
  const failed = await stage.run({
    ...next,
    inputs: { ...BRANCH, model: 'openai/gpt-5' },
    env: { AXE_OPENAI_BASE_URL: 'http://127.0.0.1:9' },
  });
  expect(failed.outputs['conclusion']).toBe('failure');
  expect(memory(stage)[STATE]).toMatch(/^- withdrawn \w{16} pr=2 .*why=thumbs-down by=monalisa at=/m);
});

it('holds to an answer on a stranger’s pull request, of which no finding is kept', async () => {
  const patch = { 'pull_request.user.login': 'hubot' };
  const reply = [calls(TIMING, LOGGED, submit('Two things.')), text('Done.')];
  const stage = await setStage({
    event: { name: 'pull_request', action: 'opened', patch },
    base: { 'axe/agents/reviewer.toml': REVIEWER },
    diff: CHANGE,
    roles: { monalisa: 'write', hubot: 'read' },
    model: [...reply, ...reply],
  });
  stage.repo.contents = 'write';
  await stage.run({ inputs: BRANCH });
  const [timing, logged] = stage.repo.talk.reviewComments.map(({ id }) => id);
  stage.repo.talk.resolved.set(timing ?? 0, 'monalisa');
  stage.repo.talk.resolved.set(logged ?? 0, 'hubot');
  push(stage, NEXT, CHANGE);
  const payload = loadWebhook('pull_request', 'synchronize', { ...patch, 'pull_request.head.sha': NEXT });
  const second = await stage.run({ event: { name: 'pull_request', payload }, inputs: BRANCH });
  expect(second.summary).toContain('Not repeated: 1 withdrawn.');
  expect(stage.repo.talk.reviewComments.slice(2).map(({ line }) => line)).toEqual([11]);
  expect(memory(stage)[STATE]).not.toMatch(/^- (?:finding|withdrawn) /m);
});

it('says in the summary which permission is missing, and goes on', async () => {
  const { stage } = await reviewed();
  const next = push(stage, NEXT, CHANGE);
  stage.github.fail({
    route: 'POST /graphql',
    contains: THREADS,
    status: 200,
    body: { data: null, errors: [{ type: 'FORBIDDEN', message: 'Resource not accessible by integration' }] },
  });
  const second = await stage.run({ ...next, inputs: { ...BRANCH, context: 'commits' } });
  expect(second.exitCode).toBe(0);
  expect(second.summary).toContain('Answers to earlier findings were not read:');
  expect(second.summary).toContain('`pull-requests: read`');
  expect(troubles(second).map(({ title }) => title)).not.toContain('Context cut to fit');
});
