import { describe, expect, it } from '@jest/globals';
import { postComment } from '../../src/publish/post-comment.js';
import { answerMark, framedBody } from '../../src/review/publication.js';
import { denied, startHello } from '../github/hello-fixture.js';
import { noAbort } from '../helpers/github-client-fake.js';
import { seedReview } from '../helpers/github-review-seed.js';
import { comment, pullRequest } from '../helpers/triggers.js';

const REPLY = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies';

async function start() {
  const hello = await startHello();
  const question = { path: 'src/a.ts', line: 2, body: '@axe why?' };
  const { comments } = seedReview(hello.repo, { pull: 42, author: 'octocat', comments: [question] });
  const commentId = comments[0] ?? 0;
  const agent = `bot/reply-${commentId}`;
  const mark = answerMark(agent, 'trusted');
  const sticky = { ...hello.place, mark, body: framedBody({ mark, text: 'Because.', footer: '' }) };
  const onLine = comment({
    event: 'pull_request_review_comment',
    on: 'pull_request',
    number: 42,
    commentId,
  });
  return { ...hello, commentId, sticky, onLine };
}

describe('a comment', () => {
  it('on a line is answered in its thread, once', async () => {
    const { client, repo, onLine, sticky, commentId } = await start();
    const post = () => postComment(client, { trigger: onLine, comment: sticky }, noAbort());
    const first = await post();
    expect(first).toMatchObject({ line: 'Answered in a thread of #42.' });
    expect(await post()).toEqual({ ...first, line: 'The answer in the thread of #42 is there already.' });
    const answers = repo.talk.reviewComments.filter(({ inReplyTo }) => inReplyTo === commentId);
    expect(answers.map(({ body }) => body)).toEqual([sticky.body]);
    expect(repo.comments).toEqual([]);
  });

  it('on a line is answered with one request where nothing can have answered before', async () => {
    const { client, github, repo, onLine, sticky, commentId } = await start();
    const before = github.calls().length;
    const question = { ...onLine, commentId: commentId + 1, inReplyTo: commentId };
    await postComment(client, { trigger: question, comment: { ...sticky, isNew: true } }, noAbort());
    expect(github.calls().slice(before)).toEqual([REPLY]);
    expect(repo.talk.reviewComments.at(-1)).toMatchObject({ inReplyTo: commentId, body: sticky.body });
  });

  it('on a line is answered in its thread even if the first comment there was deleted', async () => {
    const { client, repo, onLine, sticky, commentId } = await start();
    const question = { ...onLine, inReplyTo: commentId + 100 };
    const post = () =>
      postComment(client, { trigger: question, comment: { ...sticky, isNew: true } }, noAbort());
    expect(await post()).toMatchObject({ line: 'Answered in a thread of #42.' });
    expect(repo.talk.reviewComments.at(-1)).toMatchObject({ inReplyTo: commentId, body: sticky.body });
    expect(repo.comments).toEqual([]);
  });

  it('on a line is answered in the conversation if its thread cannot be used', async () => {
    const { client, github, repo, onLine, sticky } = await start();
    github.fail({ ...denied(REPLY, 'pull_requests=write'), times: 1 });
    const result = await postComment(client, { trigger: onLine, comment: sticky }, noAbort());
    expect(result).toMatchObject({ line: 'Posted a comment on #42.' });
    expect(repo.comments.map(({ body }) => body)).toEqual([sticky.body]);
  });

  it('on a pull request is sticky', async () => {
    const { client, repo, sticky } = await start();
    const post = () => postComment(client, { trigger: pullRequest(), comment: sticky }, noAbort());
    expect(await post()).toMatchObject({ line: 'Posted a comment on #42.' });
    expect(await post()).toMatchObject({ line: 'Updated the comment on #42.' });
    expect(repo.comments).toHaveLength(1);
  });
});
