import { expect, it } from '@jest/globals';
import { idFromUrl, listOwnReviews } from '../../../src/github/reading/own-reviews.js';
import { noAbort } from '../../helpers/github-client-fake.js';
import { seedReview } from '../../helpers/github-review-seed.js';
import { reviewLine } from '../../helpers/marks.js';
import { deniedQuery, startHello } from '../hello-fixture.js';

const mark = { kind: 'review', agent: 'bot' } as const;

it('our reviews are listed, newest first, over all pages', async () => {
  const { client, repo, place, headSha } = await startHello();
  const body = `${reviewLine({ agent: 'bot', head: 'x' })}\ntext`;
  const ids = [0, 1].map(() => {
    const { id } = seedReview(repo, { pull: 42, author: 'github-actions[bot]', body });
    for (let count = 0; count < 55; count += 1) seedReview(repo, { pull: 42, author: 'hubot', body });
    return id;
  });
  const reviews = await listOwnReviews(client, { ...place, mark }, noAbort());
  expect(reviews.map(({ id }) => id)).toEqual(ids.toReversed());
  expect(reviews[0]).toEqual({
    id: ids[1],
    url: `https://github.com/octocat/hello/pull/42#pullrequestreview-${ids[1]}`,
    state: 'COMMENTED',
    body,
    headSha,
    submittedAt: '2026-01-02T03:04:05Z',
  });
});

it('the missing permission is named', async () => {
  const { client, github, place } = await startHello();
  github.fail(deniedQuery());
  await expect(listOwnReviews(client, { ...place, mark }, noAbort())).rejects.toMatchObject({
    remedy: 'Add `pull-requests: read` under `permissions:` of the job.',
  });
});

it.each([
  ['https://github.com/o/r/pull/1#discussion_r5029493795', 'discussion_r', 5_029_493_795],
  ['https://github.com/o/r/pull/1#pullrequestreview-7', 'discussion_r', undefined],
  ['', 'discussion_r', undefined],
])('the id in %j after %s is %s', (url, anchor, id) => {
  expect(idFromUrl(url, anchor)).toBe(id);
});
