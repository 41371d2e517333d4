import { expect, it } from '@jest/globals';
import { type ReactionSubject, react } from '../../../src/github/posting/reactions.js';
import { noAbort } from '../../helpers/github-client-fake.js';
import { BAD_GATEWAY_AFTER_EFFECT } from '../../helpers/github-faults.js';
import { seedReview } from '../../helpers/github-review-seed.js';
import { denied, type Hello, NAME, startHello } from '../hello-fixture.js';

type Table = [string, (hello: Hello) => ReactionSubject, string];

const SUBJECTS: Table[] = [
  [
    'a pull request',
    () => ({ kind: 'issue', number: 42 }),
    'POST /repos/{owner}/{repo}/issues/{issue_number}/reactions',
  ],
  [
    'a comment',
    ({ github }) => ({
      kind: 'issue-comment',
      id: github.addComment(NAME, { issue: 42, author: 'hubot', body: '@axe go' }),
    }),
    'POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions',
  ],
  [
    'a comment on a line',
    ({ repo }) => {
      const comments = [{ path: 'src/a.ts', line: 2, body: '@axe go' }];
      return {
        kind: 'review-comment',
        id: seedReview(repo, { pull: 42, author: 'hubot', comments }).comments[0] ?? 0,
      };
    },
    'POST /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions',
  ],
];

it.each(SUBJECTS)('a reaction exists once on %s, even after a lost answer', async (_, subjectOf, route) => {
  const hello = await startHello();
  const reaction = {
    repository: hello.place.repository,
    subject: subjectOf(hello),
    content: 'eyes',
  } as const;
  hello.github.fail({ route, ...BAD_GATEWAY_AFTER_EFFECT });
  for (const _ of [1, 2]) await react(hello.client, reaction, noAbort());
  expect(hello.repo.talk.reactions).toHaveLength(1);
});

it.each(SUBJECTS)(
  'the missing permission is reported on %s, even without the header',
  async (_, subjectOf, route) => {
    const hello = await startHello();
    hello.github.fail({ ...denied(route, ''), headers: {} });
    const reaction = {
      repository: hello.place.repository,
      subject: subjectOf(hello),
      content: 'eyes',
    } as const;
    await expect(react(hello.client, reaction, noAbort())).rejects.toMatchObject({
      remedy: expect.stringMatching(/`pull-requests: write`/),
    });
  },
);
