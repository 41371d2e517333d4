import { describe, expect, it } from '@jest/globals';
import {
  type AnsweredThread,
  newlyWithdrawn,
  openFindings,
  ownThreads,
  peopleToAsk,
  pullsToAsk,
  type ThreadRemark,
  unanswered,
  withdrawnHere,
} from '../../../src/core/review/answers.js';
import { findingMarker } from '../../../src/core/review/markers.js';
import type { Raised, ReviewFact, Withdrawn } from '../../../src/core/review/state-facts.js';

const FINGERPRINT = '0123456789abcdef';
const OTHER = 'fedcba9876543210';
const AT = new Date('2026-11-20T10:00:00Z');
const LATER = new Date('2026-11-21T10:00:00Z');
const NOW = new Date('2026-11-22T10:00:00Z');

function raised(parts: Partial<Raised> = {}): Raised {
  const place = { path: 'src/auth.ts', rule: 'timing-attack' };
  return { kind: 'finding', fingerprint: FINGERPRINT, pull: 41, ...place, at: AT, ...parts };
}

function withdrawn(parts: Partial<Withdrawn> = {}): Withdrawn {
  return { ...raised(), kind: 'withdrawn', why: 'reply', by: 'octocat', ...parts };
}

function said(login: string, body: string, parts: Partial<ThreadRemark> = {}): ThreadRemark {
  const about = { authorAssociation: 'NONE', isOurs: false, isEditedByOther: false };
  return { author: { login, isBot: false }, body, ...about, ...parts };
}

function opening(parts: Partial<ThreadRemark> = {}): ThreadRemark {
  const body = `${findingMarker({ fingerprint: FINGERPRINT, agent: 'bot' })}\nComparing with == tells the length.`;
  return {
    author: { login: 'github-actions', isBot: true },
    authorAssociation: 'NONE',
    isOurs: true,
    body,
    isEditedByOther: false,
    ...parts,
  };
}

function thread(parts: Partial<AnsweredThread> = {}): AnsweredThread {
  return {
    isResolved: parts.resolvedBy !== undefined,
    resolvedBy: undefined,
    isOutdated: false,
    first: opening(),
    thumbsUp: [],
    thumbsDown: [],
    replies: [],
    ...parts,
  };
}

/** octocat, monalisa and hubot may write; reader may only read. */
const PERMISSIONS = new Map([
  ['octocat', 'write'],
  ['monalisa', 'maintain'],
  ['hubot', 'admin'],
  ['reader', 'read'],
  ['triager', 'triage'],
  ['nobody', 'unknown'],
] as const);

function learn(
  threads: readonly AnsweredThread[],
  facts: readonly ReviewFact[] = [raised()],
): readonly Withdrawn[] {
  const found = facts.flatMap((fact) => (fact.kind === 'finding' ? [fact] : []));
  return newlyWithdrawn({
    threads: ownThreads(threads, { agent: 'bot', raised: found }),
    permissions: PERMISSIONS,
    facts,
    now: NOW,
  });
}

describe('what became of a finding', () => {
  it.each<[string, Partial<AnsweredThread>, string, string]>([
    ['a writer closed the conversation', { resolvedBy: 'octocat' }, 'resolved', 'octocat'],
    [
      'a writer closed it with words that are no set phrase',
      { resolvedBy: 'octocat', replies: [said('octocat', 'We talked about this.')] },
      'resolved',
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
      'a writer said no, whoever closed it',
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
  ])('is kept where %s', (_, parts, why, by) => {
    expect(learn([thread(parts)])).toEqual([
      {
        kind: 'withdrawn',
        fingerprint: FINGERPRINT,
        pull: 41,
        path: 'src/auth.ts',
        rule: 'timing-attack',
        why,
        by,
        at: NOW,
      },
    ]);
  });

  it.each<[string, Partial<AnsweredThread>]>([
    ['nobody answered', {}],
    ['the line only changed', { isOutdated: true }],
    ['a reader gave 👎', { thumbsDown: ['reader'] }],
    ['somebody with triage rights gave 👎', { thumbsDown: ['triager'] }],
    ['somebody gave 👎 whose permission is unknown', { thumbsDown: ['nobody'] }],
    ['somebody gave 👎 who was not asked for', { thumbsDown: ['stranger'] }],
    ['as many liked it as did not', { thumbsDown: ['octocat'], thumbsUp: ['monalisa'] }],
    ['the author of the pull request closed it and may not write', { resolvedBy: 'reader' }],
    ['a reader said no', { replies: [said('reader', 'Not a bug.')] }],
    [
      'a bot said no',
      { replies: [said('octocat', 'Not a bug.', { author: { login: 'octocat', isBot: true } })] },
    ],
    [
      'a run of ours said no',
      {
        replies: [
          said('octocat', '<!-- axe-action sticky agent=bot/reply-9 -->\nNot a bug.', { isOurs: true }),
        ],
      },
    ],
    [
      'another agent of ours wrote the comment',
      {
        resolvedBy: 'octocat',
        first: opening({ body: `${findingMarker({ fingerprint: FINGERPRINT, agent: 'bot-2' })}\nWrong.` }),
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
    ['somebody else wrote the comment', { resolvedBy: 'octocat', first: opening({ isOurs: false }) }],
    [
      'somebody else changed the comment',
      { resolvedBy: 'octocat', first: opening({ isEditedByOther: true }) },
    ],
    [
      'the comment names no finding of ours',
      {
        resolvedBy: 'octocat',
        first: opening({ body: findingMarker({ fingerprint: OTHER, agent: 'bot' }) }),
      },
    ],
    [
      'the marker is only quoted',
      {
        resolvedBy: 'octocat',
        first: opening({ body: `> ${findingMarker({ fingerprint: FINGERPRINT, agent: 'bot' })}` }),
      },
    ],
  ])('is not known where %s', (_, parts) => {
    expect(learn([thread(parts)])).toEqual([]);
  });

  it('is kept once, and what withdraws it counts more than what fixed it', () => {
    const fixed = thread({ resolvedBy: 'octocat', isOutdated: true });
    const wrong = thread({ thumbsDown: ['monalisa'] });
    for (const threads of [
      [fixed, wrong],
      [wrong, fixed],
    ]) {
      expect(learn(threads).map(({ why }) => why)).toEqual(['thumbs-down']);
    }
  });

  it('is not kept again where it was fixed before', () => {
    const facts = [raised({ pull: 44 }), withdrawn({ why: 'fixed' })];
    expect(learn([thread({ resolvedBy: 'octocat', isOutdated: true })], facts)).toEqual([]);
    expect(learn([thread({ thumbsDown: ['octocat'] })], facts)).toMatchObject([
      { pull: 44, why: 'thumbs-down' },
    ]);
  });
});

describe('a finding that is not kept', () => {
  const here = (parts: Partial<AnsweredThread>, found: readonly Raised[] = []) =>
    withdrawnHere(ownThreads([thread(parts)], { agent: 'bot', raised: found }), PERMISSIONS);

  it('is withdrawn where it stands by who may write', () => {
    expect(here({ thumbsDown: ['octocat'] })).toEqual([FINGERPRINT]);
    expect(here({ resolvedBy: 'octocat' })).toEqual([FINGERPRINT]);
  });

  it('is not withdrawn by anybody else, nor once it was fixed, nor twice where it is kept', () => {
    expect(here({ resolvedBy: 'reader' })).toEqual([]);
    expect(here({ resolvedBy: 'octocat', isOutdated: true })).toEqual([]);
    expect(here({ thumbsDown: ['octocat'] }, [raised()])).toEqual([]);
  });
});

describe('what is asked', () => {
  it.each<[string, readonly ReviewFact[], readonly string[]]>([
    ['a finding without an answer', [raised()], [FINGERPRINT]],
    ['no finding that was withdrawn anywhere', [raised(), withdrawn({ pull: 9 })], []],
    ['no finding that was fixed', [raised(), withdrawn({ why: 'fixed', at: LATER })], []],
    ['one that is back', [raised({ at: NOW }), withdrawn({ why: 'fixed', at: LATER })], [FINGERPRINT]],
    [
      'one that is back elsewhere',
      [raised({ pull: 44 }), withdrawn({ why: 'fixed', at: LATER })],
      [FINGERPRINT],
    ],
    ['nothing that was forgotten', [raised({ fingerprint: OTHER })], []],
  ])('is about %s', (_, facts, expected) => {
    const found = unanswered({ facts, forgotten: new Set([OTHER]) });
    expect(found.map(({ fingerprint }) => fingerprint)).toEqual(expected);
  });

  it('goes to the own pull request, and to those where something was found last', () => {
    const all = [40, 42, 41, 43].map((pull) => raised({ pull, at: new Date(AT.getTime() + pull) }));
    expect(pullsToAsk(all, { own: 40, asksOwn: false, limit: 2 })).toEqual([40, 43, 42]);
    expect(pullsToAsk([...all, ...all], { own: 99, asksOwn: false, limit: 3 })).toEqual([43, 42, 41]);
    expect(pullsToAsk([], { own: 42, asksOwn: false, limit: 3 })).toEqual([]);
    expect(pullsToAsk([], { own: 42, asksOwn: true, limit: 3 })).toEqual([42]);
  });

  it('is who can have said something, each once, a crowd of strangers last', () => {
    const crowd = Array.from({ length: 20 }, (_, index) => `reader-${index}`);
    const threads = [
      thread({ thumbsUp: ['hubot', 'Octocat'], thumbsDown: crowd, replies: [said('reader', 'Hello!')] }),
      thread({ resolvedBy: 'octocat', replies: [said('monalisa', 'Not a bug.'), said('ghost', 'Fixed.')] }),
    ];
    expect(peopleToAsk(ownThreads(threads, { agent: 'bot', raised: [raised()] }))).toEqual([
      'octocat',
      'monalisa',
      ...crowd,
      'hubot',
    ]);
  });

  it('puts those whom GitHub calls members before a crowd that says the same words', () => {
    const crowd = Array.from({ length: 40 }, (_, n) => said(`stranger-${n}`, 'Not a bug.'));
    const member = said('octocat', 'Not a bug.', { authorAssociation: 'MEMBER' });
    const threads = [
      thread({ replies: crowd }),
      thread({ replies: [...crowd, member], resolvedBy: 'hubot' }),
    ];
    expect(peopleToAsk(ownThreads(threads, { agent: 'bot', raised: [raised()] })).slice(0, 3)).toEqual([
      'hubot',
      'octocat',
      'stranger-0',
    ]);
  });

  it('knows which conversations nobody has closed', () => {
    const threads = ownThreads([thread(), thread({ resolvedBy: 'octocat' })], {
      agent: 'bot',
      raised: [raised()],
    });
    expect(openFindings(threads)).toEqual([FINGERPRINT]);
  });
});
