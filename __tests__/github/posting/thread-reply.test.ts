import { expect, it } from '@jest/globals';
import { replyInThread } from '../../../src/github/posting/thread-reply.js';
import { formatMark } from '../../../src/safety/mark.js';
import { noAbort } from '../../helpers/github-client-fake.js';
import { BAD_GATEWAY, BAD_GATEWAY_AFTER_EFFECT } from '../../helpers/github-faults.js';
import { seedReply, seedReview } from '../../helpers/github-review-seed.js';
import { denied, startHello } from '../hello-fixture.js';

const POST = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies';
const mark = { kind: 'reply', run: '1/1', lane: 'trusted' } as const;
const marker = formatMark(mark);

async function start() {
  const hello = await startHello();
  const comment = { path: 'src/a.ts', line: 2, body: 'Why?' };
  const { comments } = seedReview(hello.repo, { pull: 42, author: 'hubot', comments: [comment] });
  const first = comments[0] ?? 0;
  const question = seedReply(hello.repo, first, { author: 'hubot', body: '@axe why?' });
  const reply = (commentId = question) =>
    replyInThread(hello.client, { ...hello.place, commentId, mark, body: 'Because.' }, noAbort());
  const answers = () => hello.repo.talk.reviewComments.filter(({ body }) => body.startsWith(marker));
  return { ...hello, first, reply, answers };
}

it('a reply is posted in the thread of any of its comments, once', async () => {
  const { reply, answers, first } = await start();
  const result = await reply();
  expect(result).toMatchObject({ kind: 'published', created: true });
  expect(answers()).toMatchObject([{ inReplyTo: first, body: `${marker}\nBecause.` }]);
  expect(await reply(first)).toEqual({ ...result, created: false });
  expect(answers()).toHaveLength(1);
});

it('C8 98: somebody else’s answer with the marker does not count', async () => {
  const { repo, first, reply, answers } = await start();
  seedReply(repo, first, { author: 'monalisa', body: marker });
  expect(await reply()).toMatchObject({ created: true });
  expect(answers().map(({ author }) => author)).toEqual(['monalisa', 'github-actions[bot]']);
});

it.each([
  ['is not repeated if it exists', BAD_GATEWAY_AFTER_EFFECT],
  ['is repeated if it is not', BAD_GATEWAY],
])('C5 70: an answer that was lost %s', async (_, fault) => {
  const { github, reply, answers } = await start();
  github.fail({ route: POST, ...fault });
  expect(await reply()).toMatchObject({ kind: 'published', created: true });
  expect(answers()).toHaveLength(1);
});

it('the missing permission is reported', async () => {
  const { github, reply } = await start();
  github.fail(denied(POST, 'pull_requests=write'));
  expect(await reply()).toMatchObject({
    kind: 'failed',
    remedy: expect.stringContaining('pull-requests: write'),
  });
});
