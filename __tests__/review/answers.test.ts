import { describe, expect, it } from '@jest/globals';
import {
  type AnsweredThread,
  answerOf,
  ownThreads,
  peopleToAsk,
  pullsToAsk,
  unanswered,
} from '../../src/review/answers.js';
import type { ReviewFact } from '../../src/review/state-facts.js';
import { answerLine, findingLine } from '../helpers/marks.js';
import { AT, ended, ID, LATER, NOW, OTHER, opening, PERMISSIONS, raised, said, thread } from './threads.js';

describe('people’s response to a finding', () => {
  it.each<[string, Partial<AnsweredThread>, string, string]>([
    ['a writer closed the conversation', { resolvedBy: 'octocat' }, 'closed', 'octocat'],
    [
      'a writer closed it with words that are no set phrase',
      { resolvedBy: 'octocat', replies: [said('octocat', 'We talked about this.')] },
      'closed',
      'octocat',
    ],
    [
      'a writer closed it after the line changed',
      { resolvedBy: 'octocat', isOutdated: true },
      'fixed',
      'octocat',
    ],
    [
      'a writer closed it and liked it',
      { resolvedBy: 'octocat', thumbsUp: ['monalisa'] },
      'fixed',
      'octocat',
    ],
    [
      'a writer closed it and agreed, though the fix is elsewhere',
      { resolvedBy: 'octocat', replies: [said('octocat', 'Done in 9c4d5e6.')] },
      'fixed',
      'octocat',
    ],
    ['a writer agreed and the line changed', { isOutdated: true, thumbsUp: ['hubot'] }, 'fixed', 'hubot'],
    ['a writer gave 👎', { thumbsDown: ['monalisa'] }, 'thumbs-down', 'monalisa'],
    [
      'a writer gave 👎 and the line changed',
      { thumbsDown: ['hubot'], isOutdated: true },
      'thumbs-down',
      'hubot',
    ],
    ['a writer said no', { replies: [said('monalisa', 'False positive.')] }, 'reply', 'monalisa'],
    [
      'a writer disagreed, whoever closed it',
      { resolvedBy: 'reader', replies: [said('monalisa', 'By design.')] },
      'reply',
      'monalisa',
    ],
    [
      'a writer changed their mind, the last word counts',
      { replies: [said('octocat', 'Good catch!'), said('octocat', 'No, this is intended.')] },
      'reply',
      'octocat',
    ],
    [
      'a writer said no whose token posts the reviews',
      {
        first: opening({ author: { login: 'octocat', isBot: false } }),
        replies: [said('octocat', 'Not a bug.', { isOurs: true })],
      },
      'reply',
      'octocat',
    ],
    [
      'a writer gave 👎 whose token posts the reviews',
      { first: opening({ author: { login: 'octocat', isBot: false } }), thumbsDown: ['octocat'] },
      'thumbs-down',
      'octocat',
    ],
    ['logins differ in case', { thumbsDown: ['OctoCat'] }, 'thumbs-down', 'OctoCat'],
  ])('counts if %s', (_, parts, why, by) => {
    const how = why === 'thumbs-down' || why === 'reply' ? 'dismissed' : 'settled';
    expect(answerOf(thread(parts), PERMISSIONS)).toEqual({ how, why, by });
  });

  it.each<[string, Partial<AnsweredThread>]>([
    ['nobody answered', {}],
    ['the line only changed', { isOutdated: true }],
    ['a reader gave 👎', { thumbsDown: ['reader'] }],
    ['somebody with triage rights gave 👎', { thumbsDown: ['triager'] }],
    ['somebody gave 👎 whose permission is unknown', { thumbsDown: ['nobody'] }],
    ['somebody gave 👎 whose permission was not requested', { thumbsDown: ['stranger'] }],
    ['as many liked it as did not', { thumbsDown: ['octocat'], thumbsUp: ['monalisa'] }],
    ['the author of the pull request closed it and cannot write', { resolvedBy: 'reader' }],
    ['a reader said no', { replies: [said('reader', 'Not a bug.')] }],
    [
      'a bot said no',
      { replies: [said('octocat', 'Not a bug.', { author: { login: 'octocat', isBot: true } })] },
    ],
    [
      'a run of ours said no',
      {
        replies: [said('octocat', `${answerLine('bot/reply-9')}\nNot a bug.`, { isOurs: true })],
      },
    ],
    [
      'the account itself closed it, a bot whose name GitHub shortens',
      { resolvedBy: 'octocat', first: opening({ author: { login: 'octocat[bot]', isBot: true } }) },
    ],
    [
      'somebody else put the words into the mouth of a writer',
      { replies: [said('octocat', 'Not a bug.', { isEditedByOther: true })] },
    ],
    ['a writer took the no back', { replies: [said('octocat', 'Not a bug.'), said('octocat', 'Agreed.')] }],
    [
      'the account itself closed the conversation',
      { resolvedBy: 'octocat', first: opening({ author: { login: 'octocat', isBot: false } }) },
    ],
  ])('is ignored if %s', (_, parts) => {
    expect(answerOf(thread(parts), PERMISSIONS)).toBeUndefined();
  });

  it('counts as a dismissal whatever else was done, and as a fix only then', () => {
    const fixed = { resolvedBy: 'octocat', isOutdated: true };
    expect(answerOf(thread(fixed), PERMISSIONS)).toMatchObject({ how: 'settled', why: 'fixed' });
    const both = thread({ ...fixed, thumbsDown: ['monalisa'], replies: [said('hubot', 'Done.')] });
    expect(answerOf(both, PERMISSIONS)).toEqual({ how: 'dismissed', why: 'thumbs-down', by: 'monalisa' });
  });
});

describe('a conversation of ours', () => {
  it.each<[string, Partial<AnsweredThread>, string | undefined]>([
    ['a finding of ours began', {}, 'bot'],
    [
      'another agent of ours began',
      { first: opening({ body: `${findingLine({ id: OTHER, agent: 'bot-2' })}\nWrong.` }) },
      'bot-2',
    ],
    ['somebody else began', { first: opening({ isOurs: false }) }, undefined],
    ['somebody else has changed', { first: opening({ isEditedByOther: true }) }, undefined],
    ['only quotes the marker', { first: opening({ body: `> ${opening().body}` }) }, undefined],
    ['has no marker', { first: opening({ body: 'Wrong.' }) }, undefined],
  ])('is classified by its first comment: one that %s', (_, parts, agent) => {
    expect(ownThreads([thread(parts)]).map(({ marker }) => marker.agent)).toEqual(
      agent === undefined ? [] : [agent],
    );
  });
});

describe('the questions to GitHub', () => {
  it.each<[string, readonly ReviewFact[], readonly string[]]>([
    ['a finding without an answer', [raised()], [ID]],
    ['no finding that was dismissed', [raised(), ended()], []],
    ['no finding that was settled', [raised(), ended({ how: 'settled', why: 'closed', at: LATER })], []],
    ['one that is back', [raised({ at: NOW }), ended({ how: 'settled', why: 'fixed', at: LATER })], [ID]],
    ['one that ended on another pull request', [raised({ pull: 44 }), ended({ at: LATER })], [ID]],
    ['nothing that was forgotten', [raised({ id: OTHER })], []],
    ['no end of a finding that nobody keeps', [ended()], []],
  ])('are about %s', (_, facts, expected) => {
    expect(unanswered(facts, new Set([OTHER])).map(({ id }) => id)).toEqual(expected);
  });

  it('cover the own pull request, and those with the latest findings', () => {
    const all = [40, 42, 41, 43].map((pull) => raised({ pull, at: new Date(AT.getTime() + pull) }));
    expect(pullsToAsk(all, { own: 40, asksOwn: false, limit: 2 })).toEqual([40, 43, 42]);
    expect(pullsToAsk([...all, ...all], { own: 99, asksOwn: false, limit: 3 })).toEqual([43, 42, 41]);
    expect(pullsToAsk([], { own: 42, asksOwn: false, limit: 3 })).toEqual([]);
    expect(pullsToAsk([], { own: 42, asksOwn: true, limit: 3 })).toEqual([42]);
  });

  it('cover everybody who can have responded, each once, a crowd of strangers last', () => {
    const crowd = Array.from({ length: 20 }, (_, index) => `reader-${index}`);
    const threads = [
      thread({ thumbsUp: ['hubot', 'Octocat'], thumbsDown: crowd, replies: [said('reader', 'Hello!')] }),
      thread({ resolvedBy: 'octocat', replies: [said('monalisa', 'Not a bug.'), said('ghost', 'Fixed.')] }),
    ];
    expect(peopleToAsk(ownThreads(threads))).toEqual(['octocat', 'monalisa', ...crowd, 'hubot']);
  });

  it('put people who belong here and wrote their own words last', () => {
    const replies = [
      said('monalisa', 'Let us keep it so.', { authorAssociation: 'MEMBER' }),
      said('stranger', 'Me too.', { authorAssociation: 'CONTRIBUTOR' }),
      said('hubot', 'Hm.', { authorAssociation: 'OWNER', isEditedByOther: true }),
    ];
    expect(peopleToAsk(ownThreads([thread({ replies, thumbsUp: ['reader'] })]))).toEqual([
      'reader',
      'monalisa',
    ]);
  });

  it('put people whom GitHub calls members before a crowd that repeats the same words', () => {
    const crowd = Array.from({ length: 40 }, (_, n) => said(`stranger-${n}`, 'Not a bug.'));
    const member = said('octocat', 'Not a bug.', { authorAssociation: 'MEMBER' });
    const threads = [
      thread({ replies: crowd }),
      thread({ replies: [...crowd, member], resolvedBy: 'hubot' }),
    ];
    expect(peopleToAsk(ownThreads(threads)).slice(0, 3)).toEqual(['hubot', 'octocat', 'stranger-0']);
  });
});
