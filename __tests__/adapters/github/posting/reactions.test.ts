import { expect, it } from '@jest/globals';
import {
  type ReactionSubject,
  react,
  replaceReaction,
} from '../../../../src/adapters/github/posting/reactions.js';
import { noAbort } from '../../../helpers/github-client-fake.js';
import { BAD_GATEWAY_AFTER_EFFECT } from '../../../helpers/github-faults.js';
import { seedReview } from '../../../helpers/github-review-seed.js';
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

it.each(SUBJECTS.slice(1))(
  'a reaction takes the place of another with one request on %s',
  async (_, subjectOf) => {
    const hello = await startHello();
    const subject = subjectOf(hello);
    const id = 'id' in subject ? subject.id : 0;
    const nodeId = `${subject.kind === 'issue-comment' ? 'IC' : 'PRRC'}_${id}`;
    await react(hello.client, { repository: hello.place.repository, subject, content: 'eyes' }, noAbort());
    const before = hello.github.calls().length;
    const replacement = { nodeId, from: 'eyes', to: 'rocket' } as const;
    expect(await replaceReaction(hello.client, replacement, noAbort())).toEqual({ kind: 'replaced' });
    expect(hello.repo.talk.reactions).toMatchObject([{ of: id, content: 'rocket' }]);
    expect(hello.github.calls()).toHaveLength(before + 1);
  },
);

it('a reaction to what GitHub does not know is refused', async () => {
  const hello = await startHello();
  const replacement = { nodeId: 'IC_1', from: 'eyes', to: 'rocket' } as const;
  expect(await replaceReaction(hello.client, replacement, noAbort())).toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('Could not resolve to a node'),
  });
});

it.each(SUBJECTS)('a reaction exists once on %s, even after a lost answer', async (_, subjectOf, route) => {
  const hello = await startHello();
  const reaction = {
    repository: hello.place.repository,
    subject: subjectOf(hello),
    content: 'eyes',
  } as const;
  hello.github.fail({ route, ...BAD_GATEWAY_AFTER_EFFECT });
  const result = await react(hello.client, reaction, noAbort());
  expect(result).toMatchObject({ kind: 'reacted', id: hello.repo.talk.reactions[0]?.id });
  expect(await react(hello.client, reaction, noAbort())).toEqual(result);
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
    expect(await react(hello.client, reaction, noAbort())).toMatchObject({
      kind: 'failed',
      remedy: expect.stringMatching(/`pull-requests: write`/),
    });
  },
);
