import { describe, expect, it } from '@jest/globals';
import type { OwnFindings, OwnOpenThread } from '../../../src/actions/publish/known-findings.js';
import type { RequestedReview } from '../../../src/actions/publish/requested.js';
import type { MarkLane } from '../../../src/core/sanitize/mark.js';
import { type Buffered, NOTHING_BUFFERED } from '../../../src/review/buffered.js';
import { type EarlierFindings, endFacts, formatEarlier, sortEarlier } from '../../../src/review/earlier.js';
import type { Ended, FindingFact } from '../../../src/review/finding-facts.js';
import type { KnownFinding } from '../../../src/review/known.js';
import { endMarkOf } from '../../../src/review/markers.js';
import type { SettleWay } from '../../../src/review/settle.js';
import type { Severity } from '../../../src/review/terms.js';
import { type Hello, startHello } from '../../adapters/github/hello-fixture.js';
import { HELLO } from '../../helpers/github-client-fake.js';
import { answerLine, findingLine } from '../../helpers/marks.js';
import { CHANGE, finding } from '../../review/change.js';
import { AT, ID, known, NOW, OTHER, opening, raised, said, thread } from '../../review/threads.js';
import { placed, publish } from './publish-scene.js';

const HEAD = 'a'.repeat(40);
const GONE = { isOutdated: true, line: undefined, hunk: '@@ -1 +1 @@\n+exec(user.id);' } as const;

/** Times of a comment, which nothing here depends on. */
const WRITTEN = { createdAt: AT.toISOString(), editedAt: undefined };

function replied(login: string, body: string, parts: Parameters<typeof said>[2] = {}) {
  return { ...said(login, body, parts), ...WRITTEN };
}

function own(parts: Partial<OwnOpenThread> = {}): OwnOpenThread {
  const marker = { id: ID, agent: 'bot', severity: 'major', title: 'Built from [the] id' } as const;
  return {
    ...thread(),
    first: { ...opening(), ...WRITTEN },
    replies: [],
    startLine: undefined,
    originalLine: 10,
    reviewId: undefined,
    repliesTotal: parts.replies?.length ?? 0,
    marker,
    ...parts,
  };
}

function standing(...threads: readonly OwnOpenThread[]): OwnFindings {
  return { head: HEAD, open: [], threads, texts: [], reviews: [] };
}

function settlement(how: SettleWay, by = '') {
  return {
    finding: known({ title: 'Built from the id' }),
    how,
    reason: 'It is bound now.',
    evidence: [],
    by,
  };
}

function wantedOf(buffered: Partial<Buffered> = {}, parts: Partial<RequestedReview> = {}): RequestedReview {
  return {
    buffered: { ...NOTHING_BUFFERED, ...buffered },
    place: { repository: HELLO, number: 42 },
    agent: 'bot',
    commits: { head: HEAD, base: 'b'.repeat(40), diff: CHANGE },
    reach: 'whole',
    since: undefined,
    unseen: [],
    remarks: [],
    facts: [raised({ pull: 42 })],
    known: [],
    lane: 'trusted',
    now: NOW,
    isOver: true,
    isComplete: true,
    options: {
      client: undefined,
      maxComments: 20,
      extent: 'whole',
      blockOn: 'major',
      footer: '',
      signature: '',
      reporter: { event: () => undefined, warn: () => undefined },
      secrets: [],
      clean: (markdown) => markdown.replaceAll('@', ''),
      cleanTitle: (title) => title,
    },
    ...parts,
  };
}

function sorted(wanted: RequestedReview, ...threads: readonly OwnOpenThread[]) {
  const { removed, settled, claimed, back, open } = sortEarlier(wanted, standing(...threads));
  const all = { removed, settled, back, open };
  const sizes = Object.entries(all).map(([name, { length }]) => [name, length]);
  return { ...Object.fromEntries(sizes), ...(claimed.length === 0 ? {} : { claimed: claimed.length }) };
}

describe('an earlier finding', () => {
  it.each<[string, Partial<OwnOpenThread>, RequestedReview, keyof EarlierFindings]>([
    ['stays open if nobody mentions it', {}, wantedOf(), 'open'],
    ['is closed with its line', GONE, wantedOf(), 'removed'],
    ['stays open if its line was only moved', { ...GONE, hunk: own().hunk }, wantedOf(), 'open'],
    [
      'stays open if somebody has answered',
      { ...GONE, replies: [replied('octocat', 'Hm.')] },
      wantedOf(),
      'open',
    ],
    ['stays open if not all answers were read', { ...GONE, repliesTotal: 60 }, wantedOf(), 'open'],
    [
      'is closed with its line even if a run of ours has answered',
      { ...GONE, replies: [replied('x', `${answerLine('bot')}\nSo.`, { isOurs: true })] },
      wantedOf(),
      'removed',
    ],
    [
      'stays open if the run raised it again',
      GONE,
      wantedOf({ repeated: [{ of: known(), finding: finding() }] }),
      'open',
    ],
    [
      'stays open if something was pushed meanwhile',
      GONE,
      wantedOf({}, { commits: { head: 'c'.repeat(40), base: HEAD, diff: CHANGE } }),
      'open',
    ],
    ['is settled by the model', {}, wantedOf({ settlements: [settlement('fixed')] }), 'settled'],
    [
      'is settled by the model before its line is removed',
      GONE,
      wantedOf({ settlements: [settlement('wrong')] }),
      'settled',
    ],
    [
      'is not settled if its conversation was closed meanwhile',
      { marker: { id: OTHER, agent: 'bot' } },
      wantedOf({ settlements: [settlement('fixed')] }),
      'open',
    ],
  ])('%s', (_, parts, wanted, place) => {
    expect(sorted(wanted, own(parts))).toEqual({ removed: 0, settled: 0, back: 0, open: 0, [place]: 1 });
  });

  it('stays open, next to the model’s statement, if the change comes from outside', () => {
    const wanted = wantedOf({ settlements: [settlement('fixed')] }, { lane: 'untrusted' });
    expect(sorted(wanted, own())).toEqual({ removed: 0, settled: 0, claimed: 1, back: 0, open: 1 });
  });

  it.each<[string, Partial<KnownFinding>, number]>([
    ['that was settled comes back', { state: 'settled' }, 1],
    ['whose line was removed comes back', { state: 'outdated' }, 1],
    ['that is open needs not', {}, 0],
    ['of another agent does not', { state: 'settled', isOwn: false }, 0],
  ])('%s when it is raised again', (_, parts, back) => {
    expect(sorted(wantedOf({ repeated: [{ of: known(parts), finding: finding() }] })).back).toBe(back);
  });

  it('that a stranger hid by resolving it is reopened when it is raised again', () => {
    const repeated = [{ of: known(), finding: finding() }];
    const hidden = own({ isResolved: true, resolvedBy: 'reader' });
    expect(sorted(wantedOf({ repeated }), hidden)).toEqual({ removed: 0, settled: 0, back: 1, open: 0 });
    expect(sorted(wantedOf(), hidden)).toEqual({ removed: 0, settled: 0, back: 0, open: 1 });
    expect(sorted(wantedOf({ repeated }), own())).toEqual({ removed: 0, settled: 0, back: 0, open: 1 });
  });

  it('after the thirtieth that ends is left open for the next run', () => {
    const threads = Array.from({ length: 40 }, () => own(GONE));
    expect(sorted(wantedOf(), ...threads)).toEqual({ removed: 30, settled: 0, back: 0, open: 10 });
  });
});

describe('the report about earlier findings', () => {
  function told(buffered: Partial<Buffered>, threads: readonly OwnOpenThread[], lane: MarkLane = 'trusted') {
    const wanted = wantedOf(buffered, { lane });
    const frame = { ...wanted, clean: wanted.options.clean };
    return formatEarlier(sortEarlier(wanted, standing(...threads)), frame);
  }
  const STILL = `- 🟠 [Built from the id](${opening().url}) — still open`;
  const other = own({ marker: { id: OTHER, agent: 'bot', severity: 'major', title: 'Built from [the] id' } });

  it.each<[SettleWay, string]>([
    ['fixed', 'settled by `aaaaaaa`'],
    ['wrong', 'taken back'],
    ['dismissed', 'dismissed'],
  ])('lists what the model ended as %s, and what is still open', (how, what) => {
    expect(told({ settlements: [settlement(how)] }, [own(), other])).toEqual([
      `- ✅ Built from the id — ${what}`,
      STILL,
    ]);
  });

  it('lists what is removed and what was reopened', () => {
    const repeated = [
      { of: known({ id: OTHER, state: 'settled', title: 'Late\n@octocat' }), finding: finding() },
    ];
    expect(told({ repeated }, [own(GONE)])).toEqual([
      '- ✅ Built from [the] id — its line is gone',
      '- ↩️ Late octocat — back since `aaaaaaa`',
    ]);
  });

  it('names a finding of an older version by its path', () => {
    const former = own({ ...GONE, marker: { id: ID, agent: 'bot' } });
    expect(told({}, [former])).toEqual(['- ✅ src/auth.ts — its line is gone']);
  });

  it('is empty if no finding changed', () => {
    expect(told({}, [own(), other])).toEqual([]);
  });

  it('does not list ends that the model only claims', () => {
    expect(told({ settlements: [settlement('fixed')] }, [own()], 'untrusted')).toEqual([]);
  });
});

describe('the stored facts about ended findings', () => {
  function kept(buffered: Partial<Buffered>, thread: Partial<OwnOpenThread>, facts?: readonly FindingFact[]) {
    const wanted = wantedOf(buffered, facts === undefined ? {} : { facts });
    return endFacts(sortEarlier(wanted, standing(own(thread))), { ...wanted, pull: wanted.place.number });
  }
  const PLACE = { id: ID, pull: 42, path: 'src/auth.ts', category: 'security', at: NOW } as const;

  it.each<[string, Partial<Buffered>, Partial<OwnOpenThread>, Pick<Ended, 'how' | 'why' | 'by'>]>([
    ['a line that was deleted', {}, GONE, { how: 'outdated', why: 'gone', by: '' }],
    ['a fix', { settlements: [settlement('fixed')] }, {}, { how: 'settled', why: 'fixed', by: '' }],
    [
      'one that was taken back',
      { settlements: [settlement('wrong')] },
      {},
      { how: 'withdrawn', why: 'wrong', by: '' },
    ],
    [
      'one that a person dismissed in words',
      { settlements: [settlement('dismissed', 'octocat')] },
      {},
      { how: 'dismissed', why: 'words', by: 'octocat' },
    ],
  ])('hold the end of %s, and what a fix teaches', (_, buffered, parts, end) => {
    const [fact, ...others] = kept(buffered, parts);
    expect(fact).toEqual({ kind: 'ended', ...PLACE, ...end });
    // What was acted on is wanted.
    expect(others).toEqual(
      end.why === 'fixed' ? [{ kind: 'accepted', ...PLACE, sketch: expect.stringMatching(/./) }] : [],
    );
  });

  it('hold that a finding is open again', () => {
    const repeated = [{ of: known({ state: 'settled' }), finding: finding() }];
    expect(kept({ repeated }, { marker: { id: OTHER, agent: 'bot' } })).toEqual([
      raised({ pull: 42, at: NOW }),
    ]);
  });

  it('is nothing of an end that the model may only say', () => {
    const wanted = wantedOf({ settlements: [settlement('fixed')] }, { lane: 'untrusted' });
    expect(endFacts(sortEarlier(wanted, standing(own())), { ...wanted, pull: 42 })).toEqual([]);
  });

  it.each<[string, readonly FindingFact[]]>([
    ['of one that no trusted run has raised', []],
    ['of one that is kept of another pull request', [raised({ pull: 41, at: AT })]],
  ])('are empty %s', (_, facts) => {
    expect(kept({ settlements: [settlement('fixed')] }, {}, facts)).toEqual([]);
  });
});

describe('a review after a push', () => {
  const STRICT: Partial<Buffered> = {
    findings: [placed()],
    review: { summary: 'Stop.', verdict: 'request-changes' },
  };
  const CLEAR: Partial<Buffered> = { review: { summary: 'All fixed.', verdict: 'comment' } };
  const FACT = raised({ id: placed().id, pull: 42, path: 'src/a.ts', category: 'correctness' });

  async function reviewed(severity: Severity = 'major'): Promise<Hello> {
    const hello = await startHello();
    await publish(hello, { ...STRICT, findings: [placed({ severity })] }, { blockOn: severity });
    return hello;
  }

  /** The next commit of the pull request. */
  function push({ github, repo }: Hello): string {
    const pull = repo.pulls.get(42);
    if (pull === undefined) throw new Error('no pull request');
    const sha = github.commit('octocat/hello', { 'docs/b.md': `${pull.head.sha}\n` }, { branch: 'topic' });
    repo.pulls.set(42, { ...pull, head: { ...pull.head, sha } });
    return sha.slice(0, 7);
  }

  /** The finding as the next run knows it. */
  function one({ repo: { talk } }: Hello, parts: Partial<KnownFinding> = {}): KnownFinding {
    const first = talk.reviewComments[0];
    const place = { id: `PRRT_${first?.id}`, commentId: first?.id ?? 0, url: '', body: first?.body ?? '' };
    return known({ id: placed().id, title: 'It is wrong', people: ['hubot'], thread: place, ...parts });
  }

  function end(hello: Hello, how: SettleWay, by = ''): Partial<Buffered> {
    const reason = 'It is @bound now.';
    return { ...CLEAR, settlements: [{ finding: one(hello), how, reason, evidence: [], by }] };
  }

  function bodies({ repo }: Hello): string {
    return repo.talk.reviews.map(({ body }) => body).join('\n');
  }

  function state({ repo: { talk } }: Hello) {
    const [first, reply] = talk.reviewComments;
    return {
      review: talk.reviews[0]?.state,
      isResolved: talk.resolved.has(first?.id ?? 0),
      reply: reply?.body.split('\n').slice(1).join('\n'),
    };
  }

  it.each<[SettleWay, string, string]>([
    ['fixed', '', 'Settled by HEAD: It is bound now.'],
    ['wrong', '', 'I take this back: It is bound now.'],
    ['dismissed', 'hubot', 'Not raised again on this pull request, as `hubot` said: It is bound now.'],
  ])('answers and resolves what the model ended as %s, and unblocks the merge', async (how, by, reply) => {
    const hello = await reviewed();
    const head = push(hello);
    const { part, warnings } = await publish(hello, end(hello, how, by), { facts: [FACT] });
    expect(warnings).toEqual([]);
    const told = reply.replace('HEAD', head);
    expect(state(hello)).toEqual({ review: 'DISMISSED', isResolved: true, reply: told });
    expect(part).toMatchObject({
      line: expect.stringContaining('Settled 1 earlier finding.'),
      review: { findings: 0 },
      ends: [{ kind: 'ended', id: placed().id, by }, ...(how === 'fixed' ? [{ kind: 'accepted' }] : [])],
    });
    expect(bodies(hello)).toContain('- ✅ It is wrong — ');
  });

  it('only repeats the model’s opinion if the change comes from outside', async () => {
    const hello = await reviewed();
    const head = push(hello);
    const scene = { facts: [FACT], lane: 'untrusted' as const };
    const { part } = await publish(hello, end(hello, 'fixed'), scene);
    expect(state(hello)).toEqual({
      review: 'CHANGES_REQUESTED',
      isResolved: false,
      reply: `Settled by ${head}: It is bound now.\n\nA person with write access has to resolve it: the change comes from outside.`,
    });
    expect(part.review?.findings).toBe(1);
    expect(bodies(hello)).not.toContain('✅');
    await publish(hello, end(hello, 'fixed'), scene);
    expect(hello.repo.talk.reviewComments).toHaveLength(2);
  });

  it('states the end in the comment if the token cannot resolve conversations', async () => {
    const hello = await reviewed();
    hello.repo.contents = 'read';
    await publish(hello, end(hello, 'wrong'), { facts: [FACT] });
    expect(state(hello)).toMatchObject({ review: 'DISMISSED', isResolved: false });
    expect(endMarkOf(hello.repo.talk.reviewComments[0]?.body ?? '')).toBe('withdrawn');
  });

  it('reopens the conversation of a finding that is back, which blocks the merge', async () => {
    const hello = await reviewed();
    const head = push(hello);
    const first = hello.repo.talk.reviewComments[0]?.id ?? 0;
    hello.repo.talk.resolved.set(first, 'hubot');
    const repeated = [{ of: one(hello, { state: 'settled' }), finding: placed().finding }];
    const { part } = await publish(hello, { ...CLEAR, repeated }, { facts: [FACT] });
    expect(state(hello)).toEqual({
      review: 'CHANGES_REQUESTED',
      isResolved: false,
      reply: `Back since ${head}.`,
    });
    expect(part).toMatchObject({
      line: expect.stringContaining('1 earlier finding came back.'),
      review: { findings: 1 },
      ends: [{ kind: 'finding', id: placed().id }],
    });
    expect(bodies(hello)).toContain('- ↩️ It is wrong — back since');
  });

  it.each<[Severity, Severity, string]>([
    ['major', 'major', 'CHANGES_REQUESTED'],
    ['critical', 'major', 'CHANGES_REQUESTED'],
    ['minor', 'major', 'DISMISSED'],
    ['minor', 'nit', 'CHANGES_REQUESTED'],
  ])(
    'with a %s finding still open, and a workflow that blocks on %s, leaves the first one %s',
    async (severity, blockOn, expected) => {
      const hello = await reviewed(severity);
      await publish(hello, CLEAR, { facts: [FACT], blockOn });
      expect(state(hello).review).toBe(expected);
    },
  );

  it('ends findings even if there is no review to post', async () => {
    const hello = await reviewed();
    const { settlements = [] } = end(hello, 'fixed');
    const { part } = await publish(hello, { settlements }, { facts: [FACT] });
    expect(state(hello)).toMatchObject({ review: 'DISMISSED', isResolved: true });
    expect(part.ends?.map(({ kind }) => kind)).toEqual(['ended', 'accepted']);
    expect(hello.repo.talk.reviews.filter(({ body }) => body !== '')).toHaveLength(1);
  });

  it('reports what has ended on a commit that was reviewed before', async () => {
    const hello = await reviewed();
    await publish(hello, end(hello, 'fixed'), { facts: [FACT] });
    expect(bodies(hello)).toMatch(
      /"part":2,"findings":\[\],"lane":"trusted"\} -->\n\n\*\*Nothing new\.\*\* All fixed\.\n\n- ✅ It is wrong — settled by/,
    );
  });

  it('reports what could not be ended, and goes on', async () => {
    const hello = await reviewed();
    const route = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies';
    hello.github.fail({ route, status: 422, body: { message: 'Locked' }, times: 1 });
    const { warnings } = await publish(hello, end(hello, 'fixed'), { facts: [FACT] });
    expect(warnings).toEqual([
      expect.stringMatching(/^1 earlier finding could not all be marked as ended: .*Resolve them by hand/s),
    ]);
    expect(bodies(hello)).toContain('All fixed.');
  });

  it('finds its comments by their markers', async () => {
    const hello = await reviewed();
    expect(hello.repo.talk.reviewComments[0]?.body).toContain(
      findingLine({ ...placed().finding, id: placed().id, agent: 'bot' }),
    );
  });
});
