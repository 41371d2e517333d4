import { expect, it } from '@jest/globals';
import { idFromUrl, isMarked, listOwnReviews } from '../../../../src/adapters/github/reading/own-reviews.js';
import { noAbort } from '../../../helpers/github-client-fake.js';
import { seedReview } from '../../../helpers/github-review-seed.js';
import { deniedQuery, startHello } from '../hello-fixture.js';

const marker = '<!-- axe-action:review agent=bot ';

it('our reviews are listed, newest first, over all pages', async () => {
  const { client, repo, place, headSha } = await startHello();
  const body = `${marker}head=x -->\ntext`;
  const ids = [0, 1].map(() => {
    const { id } = seedReview(repo, { pull: 42, author: 'github-actions[bot]', body });
    for (let count = 0; count < 55; count += 1) seedReview(repo, { pull: 42, author: 'hubot', body });
    return id;
  });
  const reviews = await listOwnReviews(client, { ...place, marker }, noAbort());
  expect(reviews.map(({ id }) => id)).toEqual(ids.toReversed());
  expect(reviews[0]).toEqual({
    id: ids[1],
    url: `https://github.com/octocat/hello/pull/42#pullrequestreview-${ids[1]}`,
    state: 'COMMENTED',
    body,
    headSha,
  });
});

it('the missing permission is named', async () => {
  const { client, github, place } = await startHello();
  github.fail(deniedQuery());
  await expect(listOwnReviews(client, { ...place, marker }, noAbort())).rejects.toMatchObject({
    remedy: 'Add `pull-requests: read` under `permissions:` of the job.',
  });
});

it.each([
  [`${marker}head=1 -->`, true],
  [`text\n${marker}head=1 -->\ntext`, true],
  [`> ${marker}head=1 -->`, false],
  [`text ${marker}`, false],
  ['<!-- axe-action:review agent=bot-2 head=1 -->', false],
  ['', false],
])('%j is marked: %s', (text, isOurs) => {
  expect(isMarked(text, marker)).toBe(isOurs);
});

it.each([
  ['https://github.com/o/r/pull/1#discussion_r5029493795', 'discussion_r', 5_029_493_795],
  ['https://github.com/o/r/pull/1#pullrequestreview-7', 'discussion_r', undefined],
  ['', 'discussion_r', undefined],
])('the id in %j after %s is %s', (url, anchor, id) => {
  expect(idFromUrl(url, anchor)).toBe(id);
});
