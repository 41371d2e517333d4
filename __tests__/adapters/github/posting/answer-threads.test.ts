import { expect, it } from '@jest/globals';
import type { GitHubClient } from '../../../../src/adapters/github/client/client.js';
import { fetchReviewThreads } from '../../../../src/adapters/github/reading/review-threads.js';
import { answerThreads, type ReadThreads } from '../../../../src/composition/github-port.js';
import { noAbort } from '../../../helpers/github-client-fake.js';
import { seedReview } from '../../../helpers/github-review-seed.js';
import { deniedQuery, startHello } from '../hello-fixture.js';

const reader =
  (client: GitHubClient): ReadThreads =>
  async (place, signal) =>
    (await fetchReviewThreads(client, place, signal)).threads;

it('the conversations of a pull request are read', async () => {
  const { client, place, repo } = await startHello();
  const comments = [{ path: 'src/a.ts', line: 3, body: 'Third is wrong.' }];
  seedReview(repo, { pull: 42, author: 'github-actions[bot]', comments });
  expect(await answerThreads(reader(client), place, noAbort())).toMatchObject({
    kind: 'read',
    threads: [{ isResolved: false, first: { isOurs: true, body: 'Third is wrong.' } }],
  });
});

it('a failed read of the conversations is reported with the remedy', async () => {
  const { client, place, github } = await startHello();
  github.fail(deniedQuery());
  expect(await answerThreads(reader(client), place, noAbort())).toEqual({
    kind: 'unread',
    message: expect.stringContaining('Add `pull-requests: read` under `permissions:` of the job.'),
  });
});

it('reading the conversations ends with the signal', async () => {
  const { client, place } = await startHello();
  const reason = new Error('time is up');
  await expect(answerThreads(reader(client), place, AbortSignal.abort(reason))).rejects.toBe(reason);
});
