import { expect, it } from '@jest/globals';
import { markOutdated } from '../../../../src/adapters/github/posting/mark-outdated.js';
import { fetchReviewThreads } from '../../../../src/adapters/github/reading/review-threads.js';
import { findingMarker, isMarkedOutdated } from '../../../../src/core/review/markers.js';
import { noAbort } from '../../../helpers/github-client-fake.js';
import { ANSWER_LOST } from '../../../helpers/github-faults.js';
import { seedReview } from '../../../helpers/github-review-seed.js';
import { denied, type Hello, startHello } from '../hello-fixture.js';

const BOT = 'github-actions[bot]';
const PATCH = 'PATCH /repos/{owner}/{repo}/pulls/comments/{comment_id}';
const BODY = `${findingMarker({ fingerprint: '0123456789abcdef', agent: 'bot' })}\nThird is wrong.`;

async function helloWithTwo() {
  const hello = await startHello();
  hello.repo.contents = 'read';
  const comments = [3, 4].map((line) => ({ path: 'src/a.ts', line, body: BODY }));
  seedReview(hello.repo, { pull: 42, author: BOT, comments });
  return hello;
}

async function mark({ client, place }: Hello) {
  const { threads } = await fetchReviewThreads(client, place, noAbort());
  return await markOutdated(
    client,
    { repository: place.repository, threads, head: 'f'.repeat(40) },
    noAbort(),
  );
}

function marks({ repo: { talk } }: Hello) {
  return talk.reviewComments.map(({ id, body }) => [talk.resolved.get(id), isMarkedOutdated(body)]);
}

it('resolves the threads where the token may', async () => {
  const hello = await helloWithTwo();
  hello.repo.contents = 'write';
  expect(await mark(hello)).toEqual({ kind: 'marked', resolved: 2, edited: 0 });
  expect(marks(hello)).toEqual([
    [BOT, false],
    [BOT, false],
  ]);
});

it('says it in the comments where the token may not, once', async () => {
  const hello = await helloWithTwo();
  expect(await mark(hello)).toEqual({ kind: 'marked', resolved: 0, edited: 2 });
  const [first] = hello.repo.talk.reviewComments;
  expect(first?.body).toBe(
    `${findingMarker({ fingerprint: '0123456789abcdef', agent: 'bot' })}\n<!-- axe-action:outdated -->\n*Outdated: as of fffffff this line is no longer part of the change.*\n\nThird is wrong.`,
  );
  const said = first?.body;
  await mark(hello);
  expect(first?.body).toBe(said);
  expect(hello.github.calls().filter((call) => call === 'POST /graphql resolveReviewThread')).toHaveLength(2);
});

it('is done where the answer was lost', async () => {
  const hello = await helloWithTwo();
  hello.github.fail({ route: PATCH, ...ANSWER_LOST });
  expect(await mark(hello)).toEqual({ kind: 'marked', resolved: 0, edited: 2 });
});

it('tells what is missing', async () => {
  const hello = await helloWithTwo();
  hello.github.fail(denied(PATCH, 'pull_requests=write'));
  expect(await mark(hello)).toMatchObject({
    kind: 'failed',
    remedy: expect.stringContaining('pull-requests: write'),
  });
});
