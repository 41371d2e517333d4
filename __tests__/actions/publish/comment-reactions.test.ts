import { describe, expect, it } from '@jest/globals';
import { createCommentReactions } from '../../../src/actions/publish/comment-reactions.js';
import { AxeError } from '../../../src/core/errors.js';
import type { Trigger } from '../../../src/core/event/trigger.js';
import { createFakeGitHubClient, failure } from '../../helpers/github-client-fake.js';
import { comment, issue, pullRequest } from '../../helpers/triggers.js';

const ON_COMMENT = 'POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions';
const ON_LINE = 'POST /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions';

function stage(trigger: Trigger, { refuse = false, isSilent = false } = {}) {
  const answer = () => {
    if (refuse) throw failure(403, ON_COMMENT, 'Resource not accessible by integration');
    return { id: 1 };
  };
  const client = createFakeGitHubClient({ [ON_COMMENT]: answer, [ON_LINE]: answer });
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const reactions = createCommentReactions({ client, trigger, isSilent, log });
  const asked = () =>
    client.requests.map(({ route, params }) => [route, params['comment_id'], params['content']]);
  return { reactions, lines, asked };
}

describe('reactions to a comment', () => {
  it.each([
    ['issue_comment', ON_COMMENT],
    ['pull_request_review_comment', ON_LINE],
  ])('of %s tell that a run is at work and how it ended', async (event, route) => {
    for (const [isGood, last] of [
      [true, 'rocket'],
      [false, 'confused'],
    ] as const) {
      const { reactions, asked } = stage(comment({ event, commentId: 9 }));
      reactions.start();
      await reactions.end(isGood);
      expect(asked()).toEqual([
        [route, 9, 'eyes'],
        [route, 9, last],
      ]);
    }
  });

  it('are none where no run was started', async () => {
    const { reactions, asked } = stage(comment());
    await reactions.end(false);
    expect(asked()).toEqual([]);
  });

  it.each<[string, Trigger, { isSilent?: boolean }]>([
    ['a review as a whole', comment({ event: 'pull_request_review' }), {}],
    ['a pull request', pullRequest(), {}],
    ['an issue', issue(), {}],
    ['one’s own machine', { kind: 'local' }, {}],
    ['a comment where nothing is to be written', comment(), { isSilent: true }],
  ])('are none on %s', async (_, trigger, options) => {
    const { reactions, asked, lines } = stage(trigger, options);
    reactions.start();
    await reactions.end(true);
    expect([asked(), lines]).toEqual([[], []]);
  });

  it('that are refused are a line in the log, and are not tried again', async () => {
    const { reactions, asked, lines } = stage(comment(), { refuse: true });
    reactions.start();
    await reactions.end(true);
    expect(asked()).toHaveLength(1);
    expect(lines).toEqual([expect.stringMatching(/^No reaction on the comment: .*not accessible/)]);
  });

  it('need a token', async () => {
    const reactions = createCommentReactions({
      client: undefined,
      trigger: comment(),
      isSilent: false,
      log: (line) => {
        throw new AxeError(line);
      },
    });
    reactions.start();
    await expect(reactions.end(true)).resolves.toBeUndefined();
  });
});
