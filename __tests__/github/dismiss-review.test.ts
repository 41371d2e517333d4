import { expect, it } from '@jest/globals';
import { dismissReview } from '../../src/github/dismiss-review.js';
import { noAbort } from '../helpers/github-client-fake.js';
import { BAD_GATEWAY_AFTER_EFFECT } from '../helpers/github-faults.js';
import { seedReview } from '../helpers/github-review-seed.js';
import { denied, type Hello, startHello } from './hello-fixture.js';

const PUT = 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals';
const BOT = 'github-actions[bot]';
const OLD = 'e'.repeat(40);
const marker = '<!-- axe-action:review agent=bot ';
const ours = {
  pull: 42,
  author: BOT,
  body: `${marker}head=x -->`,
  commit: OLD,
  state: 'CHANGES_REQUESTED',
} as const;

async function dismiss({ client, place }: Hello, exceptHead?: string) {
  const stale = { ...place, marker, message: 'Nothing left to change.' };
  return await dismissReview(
    client,
    { ...stale, ...(exceptHead === undefined ? {} : { exceptHead }) },
    noAbort(),
  );
}

function states({ repo }: Hello): readonly string[] {
  return repo.talk.reviews.map(({ state }) => state);
}

it('dismisses every review of ours that requests changes', async () => {
  const hello = await startHello();
  const ids = [seedReview(hello.repo, ours).id, seedReview(hello.repo, ours).id];
  expect(await dismiss(hello)).toEqual({ kind: 'dismissed', ids: ids.toReversed() });
  expect(states(hello)).toEqual(['DISMISSED', 'DISMISSED']);
  expect(await dismiss(hello)).toEqual({ kind: 'dismissed', ids: [] });
});

it.each([
  ['somebody else’s with our marker', { author: 'hubot' }],
  ['another agent’s', { body: '<!-- axe-action:review agent=bot-2 head=x -->' }],
  ['one of ours that only comments', { state: 'COMMENTED' as const }],
])('leaves %s alone', async (_, other) => {
  const hello = await startHello();
  seedReview(hello.repo, { ...ours, ...other });
  expect(await dismiss(hello)).toEqual({ kind: 'dismissed', ids: [] });
  expect(hello.github.calls()).not.toContain(PUT);
});

it('keeps the one of the head it is told', async () => {
  const hello = await startHello();
  seedReview(hello.repo, ours);
  seedReview(hello.repo, { ...ours, commit: hello.headSha });
  await dismiss(hello, hello.headSha);
  expect(states(hello)).toEqual(['DISMISSED', 'CHANGES_REQUESTED']);
});

it('is done where the answer was lost and GitHub says so the second time', async () => {
  const hello = await startHello();
  const { id } = seedReview(hello.repo, ours);
  hello.github.fail({ route: PUT, ...BAD_GATEWAY_AFTER_EFFECT });
  expect(await dismiss(hello)).toEqual({ kind: 'dismissed', ids: [id] });
});

it.each([
  ['the permission', denied(PUT, 'pull_requests=write'), /Add `pull-requests: write`/],
  [
    'the right by the branch’s protection',
    { route: PUT, status: 422, body: { message: 'Unprocessable Entity', errors: ['Can not dismiss'] } },
    /protected branch/,
  ],
])('tells what is missing: %s', async (_, fault, remedy) => {
  const hello = await startHello();
  seedReview(hello.repo, ours);
  hello.github.fail(fault);
  expect(await dismiss(hello)).toMatchObject({ kind: 'failed', remedy: expect.stringMatching(remedy) });
});
