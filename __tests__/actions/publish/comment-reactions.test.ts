import { describe, expect, it } from '@jest/globals';
import { createCommentReactions } from '../../../src/actions/publish/comment-reactions.js';
import { AxeError } from '../../../src/core/errors.js';
import type { Trigger } from '../../../src/core/event/trigger.js';
import { createFakeGitHubClient, failure } from '../../helpers/github-client-fake.js';
import { comment, issue, pullRequest } from '../../helpers/triggers.js';

const ON_COMMENT = 'POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions';
const ON_LINE = 'POST /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions';

function stage(
  trigger: Trigger,
  { refuse = false, refuseGraphQl = false, isSilent = false, isNew = true } = {},
) {
  const answer = () => {
    if (refuse) throw failure(403, ON_COMMENT, 'Resource not accessible by integration');
    return { id: 1 };
  };
  const client = createFakeGitHubClient({
    graphql: () => {
      if (refuseGraphQl) throw failure(403, 'POST /graphql', 'Resource not accessible by integration');
      return { set: {}, gone: {} };
    },
    [ON_COMMENT]: answer,
    [ON_LINE]: answer,
    [`DELETE ${ON_COMMENT.slice('POST '.length)}/{reaction_id}`]: () => undefined,
    [`DELETE ${ON_LINE.slice('POST '.length)}/{reaction_id}`]: () => undefined,
  });
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const answers: string[] = [];
  const answerLine = async (line: string) => void answers.push(line);
  const options = { client, trigger, isSilent, isNew, answer: answerLine, log };
  const reactions = createCommentReactions(options);
  const asked = () =>
    client.requests.flatMap(({ route, params }) =>
      route === 'graphql' ? [] : [[route, params['comment_id'], params['content'] ?? params['reaction_id']]],
    );
  const graphql = () => client.requests.flatMap(({ route, params }) => (route === 'graphql' ? [params] : []));
  return { reactions, lines, asked, graphql, answers };
}

describe('reactions to a comment', () => {
  it.each([
    ['issue_comment', ON_COMMENT],
    ['pull_request_review_comment', ON_LINE],
  ])('on %s show that a run is at work and how it ended', async (event, route) => {
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
        [`DELETE ${route.slice('POST '.length)}/{reaction_id}`, 9, 1],
      ]);
    }
  });

  it('end with one request where the event names the comment for GraphQL', async () => {
    const { reactions, asked, graphql } = stage(comment({ commentId: 9, nodeId: 'IC_9' }));
    reactions.start();
    await reactions.end(true);
    expect(asked()).toEqual([[ON_COMMENT, 9, 'eyes']]);
    expect(graphql()).toEqual([{ subject: 'IC_9', to: 'ROCKET', from: 'EYES' }]);
  });

  it.each(['start', 'startCommand'] as const)(
    'take back what an earlier run said if there is an answer now: %s',
    async (begin) => {
      const trigger = comment({ commentId: 9, nodeId: 'IC_9' });
      const last = begin === 'start' ? 'ROCKET' : 'THUMBS_UP';
      const taken = { subject: 'IC_9', to: last, from: 'CONFUSED' };
      const good = stage(trigger, { isNew: false });
      good.reactions[begin]();
      await good.reactions.end(true);
      expect(good.graphql().at(-1)).toEqual(taken);
      const bad = stage(trigger, { isNew: false });
      bad.reactions[begin]();
      await bad.reactions.end(false);
      expect(bad.graphql()).not.toContainEqual(expect.objectContaining({ from: 'CONFUSED' }));
      const idle = stage(trigger, { isNew: false });
      await idle.reactions.end(true);
      expect(idle.graphql()).toEqual([]);
    },
  );

  it('end by REST, without a line, if GraphQL refuses that', async () => {
    const { reactions, asked, lines } = stage(comment({ commentId: 9, nodeId: 'IC_9' }), {
      refuseGraphQl: true,
    });
    reactions.start();
    await reactions.end(true);
    expect(asked()).toEqual([
      [ON_COMMENT, 9, 'eyes'],
      [ON_COMMENT, 9, 'rocket'],
      [`DELETE ${ON_COMMENT.slice('POST '.length)}/{reaction_id}`, 9, 1],
    ]);
    expect(lines).toEqual([]);
  });

  it('are absent if no run was started', async () => {
    const { reactions, asked } = stage(comment());
    await reactions.end(false);
    expect(asked()).toEqual([]);
  });

  it.each<[string, Trigger, { isSilent?: boolean }]>([
    ['a review as a whole', comment({ event: 'pull_request_review' }), {}],
    ['a pull request', pullRequest(), {}],
    ['an issue', issue(), {}],
    ['one’s own machine', { kind: 'local' }, {}],
    ['a comment in a silent run', comment(), { isSilent: true }],
  ])('are absent on %s', async (_, trigger, options) => {
    const { reactions, asked, lines } = stage(trigger, options);
    reactions.start();
    await reactions.end(true);
    expect([asked(), lines]).toEqual([[], []]);
  });

  it('to a command are added once, at its end', async () => {
    for (const [isGood, last] of [
      [true, '+1'],
      [false, 'confused'],
    ] as const) {
      const { reactions, asked } = stage(comment({ commentId: 9 }));
      reactions.startCommand();
      await reactions.end(isGood);
      expect(asked()).toEqual([[ON_COMMENT, 9, last]]);
    }
  });

  it('come with a line for the sender if a started run or command failed', async () => {
    const idle = stage(comment());
    await idle.reactions.end(false, 'There is no answer.');
    expect(idle.answers).toEqual([]);
    for (const begin of ['start', 'startCommand'] as const) {
      const { reactions, answers } = stage(comment(), { refuse: true });
      reactions[begin]();
      await reactions.end(false, 'There is no answer.');
      expect(answers).toEqual(['There is no answer.']);
    }
  });

  it('that are refused are logged and not tried again', async () => {
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
      isNew: true,
      answer: async () => undefined,
      log: (line) => {
        throw new AxeError(line);
      },
    });
    reactions.start();
    await expect(reactions.end(true)).resolves.toBeUndefined();
  });
});
