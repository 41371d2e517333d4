import { expect, it } from '@jest/globals';
import { fetchDiscussion } from '../../../src/github/reading/discussion.js';
import { noAbort } from '../../helpers/github-client-fake.js';
import { seedReply, seedReview } from '../../helpers/github-review-seed.js';
import { NAME, startHello } from '../hello-fixture.js';

it('a discussion has comments and reviews by time, and no review without text', async () => {
  const { client, place, github, repo } = await startHello();
  github.addComment(NAME, { issue: 42, author: 'hubot', body: 'Second.' });
  const [comment] = repo.comments;
  if (comment !== undefined) comment.updatedAt = '2026-03-01T00:00:00Z';
  const review = { pull: 42, author: 'github-actions[bot]' };
  seedReview(repo, { ...review, body: 'First.', at: '2025-12-01T00:00:00Z' });
  seedReview(repo, { ...review, body: 'Third.', at: '2026-02-01T00:00:00Z', state: 'APPROVED' });
  const onLine = { path: 'docs/b.md', line: 1, body: 'On a line.' };
  const [id = 0] = seedReview(repo, { ...review, body: '', comments: [onLine] }).comments;
  seedReply(repo, id, { author: 'octocat', body: 'Because.' });
  repo.talk.resolved.set(id, 'octocat');
  seedReview(repo, { pull: 42, author: 'monalisa', body: 'A draft.', state: 'PENDING' });
  const { posts, ...about } = await fetchDiscussion(client, place, noAbort());
  expect(about).toMatchObject({ isPullRequest: true, isOpen: true, isComplete: true });
  expect(posts.map(({ what, author, body, isEdited }) => [what, author, body, isEdited]).slice(1)).toEqual([
    ['review (commented)', 'github-actions[bot]', 'First.', false],
    ['comment', 'hubot', 'Second.', true],
    ['review (approved)', 'github-actions[bot]', 'Third.', false],
    ['comment on line 1 of docs/b.md (resolved)', 'github-actions[bot]', 'On a line.', false],
    ['reply on line 1 of docs/b.md', 'octocat', 'Because.', false],
  ]);
});
