import { describe, expect, it } from '@jest/globals';
import type { Trigger } from '../../src/event/trigger.js';
import { createCommentReactions } from '../../src/publish/comment-reactions.js';
import { createFakeGitHubClient, failure } from '../helpers/github-client-fake.js';
import { comment, issue, pullRequest } from '../helpers/triggers.js';

const ON_COMMENT = 'POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions';
const ON_LINE = 'POST /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions';

function stage(trigger: Trigger, { refuse = false, isSilent = false, hasToken = true } = {}) {
  const answer = () => {
    if (refuse) throw failure(403, ON_COMMENT, 'Resource not accessible by integration');
    return { id: 1 };
  };
  const client = createFakeGitHubClient({ [ON_COMMENT]: answer, [ON_LINE]: answer });
  const lines: string[] = [];
  const answers: string[] = [];
  const reactions = createCommentReactions({
    client: hasToken ? client : undefined,
    trigger,
    isSilent,
    answer: async (line) => void answers.push(line),
    log: (line) => void lines.push(line),
  });
  const asked = () =>
    client.requests.map(({ route, params }) => [route, params['comment_id'], params['content']]);
  return { reactions, lines, asked, answers };
}

describe('the reaction to a comment', () => {
  it.each([
    ['issue_comment', ON_COMMENT],
    ['pull_request_review_comment', ON_LINE],
  ])('on %s shows once that it was seen, and stays', async (event, route) => {
    const { reactions, asked, answers } = stage(comment({ event, commentId: 9 }));
    reactions.start();
    reactions.start();
    await reactions.end();
    expect(asked()).toEqual([[route, 9, 'eyes']]);
    expect(answers).toEqual([]);
  });

  it.each<[string, Trigger, { isSilent?: boolean; hasToken?: boolean }]>([
    ['on a review as a whole', comment({ event: 'pull_request_review' }), {}],
    ['on a pull request', pullRequest(), {}],
    ['on an issue', issue(), {}],
    ['on one’s own machine', { kind: 'local' }, {}],
    ['in a silent run', comment(), { isSilent: true }],
    ['without a token', comment(), { hasToken: false }],
  ])('is absent %s', async (_, trigger, options) => {
    const { reactions, asked, lines } = stage(trigger, options);
    reactions.start();
    await reactions.end();
    expect([asked(), lines]).toEqual([[], []]);
  });

  it('that is refused is logged and not tried again', async () => {
    const { reactions, asked, lines } = stage(comment(), { refuse: true });
    reactions.start();
    await reactions.end();
    expect(asked()).toHaveLength(1);
    expect(lines).toEqual([expect.stringMatching(/^No reaction on the comment: .*not accessible/)]);
  });
});

describe('the line for the sender', () => {
  it('is posted if what was started has no answer, even if the reaction is refused', async () => {
    const { reactions, answers } = stage(comment(), { refuse: true });
    reactions.start();
    await reactions.end('There is no answer.');
    expect(answers).toEqual(['There is no answer.']);
  });

  it('is not posted if nothing was started', async () => {
    const { reactions, asked, answers } = stage(comment());
    await reactions.end('There is no answer.');
    expect([asked(), answers]).toEqual([[], []]);
  });
});
