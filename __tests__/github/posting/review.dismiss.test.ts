import { expect, it } from '@jest/globals';
import { dismissReviews } from '../../../src/github/posting/review.js';
import { noAbort } from '../../helpers/github-client-fake.js';
import { BAD_GATEWAY_AFTER_EFFECT } from '../../helpers/github-faults.js';
import { seedReview } from '../../helpers/github-review-seed.js';
import { type Hello, startHello } from '../hello-fixture.js';

const PUT = 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals';
const OURS = { pull: 42, author: 'github-actions[bot]', state: 'CHANGES_REQUESTED' } as const;

async function dismiss({ client, place }: Hello, ids: readonly number[]) {
  return await dismissReviews(client, place, ids, 'Nothing left to change.', noAbort());
}

function states({ repo }: Hello): readonly string[] {
  return repo.talk.reviews.map(({ state }) => state);
}

it('only the given reviews are dismissed', async () => {
  const hello = await startHello();
  const [first, , third] = [OURS, OURS, OURS].map((one) => seedReview(hello.repo, one).id);
  await dismiss(hello, [first ?? 0, third ?? 0]);
  expect(states(hello)).toEqual(['DISMISSED', 'CHANGES_REQUESTED', 'DISMISSED']);
});

it('a dismissal is done if the answer was lost and GitHub confirms it the second time', async () => {
  const hello = await startHello();
  const { id } = seedReview(hello.repo, OURS);
  hello.github.fail({ route: PUT, ...BAD_GATEWAY_AFTER_EFFECT });
  await dismiss(hello, [id]);
  expect(states(hello)).toEqual(['DISMISSED']);
});
