import { describe, expect, it } from '@jest/globals';
import type { RequestedRun } from '../../../src/actions/publish/publish-requested.js';
import type { Buffered } from '../../../src/review/buffered.js';
import type { KnownFinding } from '../../../src/review/known.js';
import { denied, type Hello, startHello } from '../../adapters/github/hello-fixture.js';
import { seedReview } from '../../helpers/github-review-seed.js';
import { findingLine } from '../../helpers/marks.js';
import { comment, pullRequest, SCHEDULE } from '../../helpers/triggers.js';
import { known } from '../../review/threads.js';
import { placed, publish } from './publish-scene.js';

const REVIEW = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';

const REVIEWED: Partial<Buffered> = {
  findings: [placed()],
  review: { summary: 'One thing.', verdict: 'comment' },
};

describe('what a run asks to publish', () => {
  it('is one review, then labels and other side effects, reported in one line', async () => {
    const hello = await startHello();
    hello.repo.talk.labels.push('bug');
    const labels = { add: ['bug'], remove: [] };
    const { part, warnings } = await publish(hello, { ...REVIEWED, labels });
    expect(warnings).toEqual([]);
    expect(part).toMatchObject({
      isReview: true,
      line: 'Posted 1 comment on #42: src/a.ts:2. Added the label `bug`.',
      url: expect.stringMatching(/#pullrequestreview-\d+$/),
      findings: [{ finding: { body: 'Wrong.' } }],
      review: { findings: 1, verdict: 'comment', unposted: [] },
    });
    expect(hello.repo.talk.reviews).toMatchObject([{ state: 'COMMENTED', commit: hello.headSha }]);
  });

  it('is not repeated if it was posted already, whatever the review was called', async () => {
    const hello = await startHello();
    await publish(hello, REVIEWED);
    const again = { ...REVIEWED, review: { summary: 'Again.', verdict: 'comment' } } as const;
    const { part } = await publish(hello, again);
    expect(part).toMatchObject({ isReview: true, line: 'Not repeated: 1 open.', review: { findings: 1 } });
    expect(hello.repo.talk.reviews).toHaveLength(1);
  });

  it('is posted even if a stranger has posted it with our marker', async () => {
    const hello = await startHello();
    const body = `${findingLine({ id: placed().id, agent: 'bot' })}\nWrong.`;
    seedReview(hello.repo, { pull: 42, author: 'monalisa', comments: [{ path: 'src/a.ts', line: 2, body }] });
    await publish(hello, REVIEWED);
    expect(hello.repo.talk.reviewComments).toHaveLength(2);
  });

  it('after a mention is a review of its own, next to that of the pull request', async () => {
    const hello = await startHello();
    const trigger = comment({ on: 'pull_request', number: 42, commentId: 9 });
    await publish(hello, { review: { summary: 'Asked.', verdict: 'comment' } }, { trigger });
    expect(hello.repo.talk.reviews[0]?.body).toContain('"agent":"bot/reply\\u002d9"');
  });

  it.each<[string, Partial<RequestedRun>]>([
    ['`comment: never`', { mayComment: false }],
    ['a run that failed', { end: 'failed' }],
    ['a run that was refused', { end: 'refused' }],
  ])('stays in the summary with %s', async (_, run) => {
    const hello = await startHello();
    const { part, warnings } = await publish(hello, REVIEWED, run);
    expect([warnings, hello.repo.talk.reviews]).toEqual([[], []]);
    expect(part).toMatchObject({
      isReview: false,
      isReviewLost: true,
      details: expect.stringContaining('Wrong.'),
    });
    // Only what a run has come to is anything for a check.
    expect(part.review?.unposted.length).toBe(run.end === undefined ? 1 : undefined);
  });

  it.each(['exhausted', 'incomplete'] as const)('is only the review if the run is %s', async (end) => {
    const hello = await startHello();
    hello.repo.talk.labels.push('bug');
    await publish(hello, { ...REVIEWED, labels: { add: ['bug'], remove: [] } }, { end });
    expect(hello.repo.talk.reviews).toHaveLength(1);
    expect(hello.repo.talk.labelsOf.get(42) ?? []).toEqual([]);
  });

  it('is a warning with the line to add if it cannot be posted, and is shown on the lines instead', async () => {
    const hello = await startHello();
    hello.github.fail(denied(REVIEW, 'pull_requests=write'));
    const { part, warnings } = await publish(hello, REVIEWED);
    expect(warnings).toEqual([expect.stringMatching(/^the review was not posted: .*`pull-requests: write`/)]);
    expect(part).toMatchObject({ isReview: true, review: { findings: 1, unposted: [{}] } });
    expect(part.details).toMatch(/^One thing\.\n\n\*\*Findings not posted as comments\*\*/);
  });

  it('leaves its suggestions to the summary if it cannot be posted', async () => {
    const hello = await startHello();
    hello.github.fail(denied(REVIEW, 'pull_requests=write'));
    const findings = [placed({ suggestion: 'return 1' })];
    const { part } = await publish(hello, { ...REVIEWED, findings });
    expect(part.details).toMatch(/: It is wrong\n\nWrong\.\n\nSuggested:\n\n```\nreturn 1\n```$/);
  });

  it('is reported if the workflow does not allow it', async () => {
    const hello = await startHello();
    const refusals = [{ tool: 'set_labels', why: 'Not taken: "x".' }];
    const { part } = await publish(hello, { refusals });
    expect(part).toEqual({
      isReview: false,
      line: undefined,
      url: undefined,
      details: '**Refused**\n\n- `set_labels`: Not taken: "x".',
    });
  });

  it('is empty without an event, and has no review without a pull request', async () => {
    const hello = await startHello();
    expect((await publish(hello, REVIEWED, { trigger: { kind: 'local' } })).part).toEqual({
      isReview: false,
    });
    const { part } = await publish(hello, REVIEWED, { trigger: SCHEDULE });
    expect([part.isReview, hello.repo.talk.reviews]).toEqual([false, []]);
  });
});

describe('a review with nothing new', () => {
  const QUIET: Partial<Buffered> = { review: { summary: 'Again.', verdict: 'comment' } };

  it('is posted once', async () => {
    const hello = await startHello();
    await publish(hello, QUIET);
    const { part } = await publish(hello, QUIET, {
      trigger: comment({ on: 'pull_request', number: 42, commentId: 9 }),
    });
    expect(hello.repo.talk.reviews).toHaveLength(1);
    expect(part).toMatchObject({ isReview: true, details: expect.stringContaining('Again.') });
  });

  it('is posted if only another agent has said the same', async () => {
    const hello = await startHello();
    await publish(hello, QUIET, { agent: 'bot-2' });
    await publish(hello, QUIET);
    expect(hello.repo.talk.reviews).toHaveLength(2);
  });
});

describe('a finding on a line that has a conversation', () => {
  it('is a reply in it, and blocks a merge from there', async () => {
    const hello = await startHello();
    await publish(hello, {
      findings: [placed({ severity: 'minor' })],
      review: { summary: 'One.', verdict: 'comment' },
    });
    const other = placed({ title: 'Rows are lost', body: 'A retry drops them.', severity: 'critical' });
    const mine = known({ id: placed().id });
    const { part, warnings } = await publish(
      hello,
      { findings: [other], review: { summary: 'Stop.', verdict: 'request-changes' } },
      { known: [mine] },
    );
    expect(warnings).toEqual([]);
    expect(part.line).toContain('Added 1 finding to open conversations.');
    expect(part.findings).toEqual([other]);
    const [first, reply, ...more] = hello.repo.talk.reviewComments;
    expect([reply?.inReplyTo, more]).toEqual([first?.id, []]);
    expect(reply?.body).toMatch(new RegExp(`^<!-- axe-action .*"id":"${other.id}".*"severity":"critical"`));
    await publish(hello, { review: { summary: 'Fine.', verdict: 'comment' } }, { known: [mine] });
    expect(hello.repo.talk.reviews.map(({ state }) => state)).toContain('CHANGES_REQUESTED');
    const { part: again } = await publish(hello, {
      findings: [other],
      review: { summary: 'Stop.', verdict: 'comment' },
    });
    expect(again.review?.findings).toBe(1);
    expect(hello.repo.talk.reviewComments).toHaveLength(2);
  });
});

describe('the verdict of a review', () => {
  const STRICT = { ...REVIEWED, review: { summary: 'Stop.', verdict: 'request-changes' } } as const;
  const CLEAR = { findings: [], review: { summary: 'All fixed.', verdict: 'comment' } } as const;

  function resolve({ repo: { talk } }: Hello): void {
    talk.resolved.set(talk.reviewComments[0]?.id ?? 0, 'hubot');
  }

  function first({ repo: { talk } }: Hello) {
    return talk.reviews[0]?.state;
  }

  it('that requested changes stays while a finding is open that nobody ended', async () => {
    const hello = await startHello();
    expect((await publish(hello, STRICT)).part.review?.verdict).toBe('request-changes');
    const { part } = await publish(hello, CLEAR);
    expect(part.review).toMatchObject({ findings: 1, verdict: 'comment' });
    expect(first(hello)).toBe('CHANGES_REQUESTED');
  });

  it('is taken back once the finding is resolved, by a run that completed', async () => {
    const hello = await startHello();
    await publish(hello, STRICT);
    resolve(hello);
    await publish(hello, CLEAR, { end: 'exhausted' });
    expect(first(hello)).toBe('CHANGES_REQUESTED');
    expect((await publish(hello, CLEAR)).part.review?.findings).toBe(0);
    expect(first(hello)).toBe('DISMISSED');
  });

  it.each<[string, Parameters<typeof publish>[2]]>([
    ['a question', { trigger: comment({ on: 'pull_request', number: 42, commentId: 9 }) }],
    ['a run that was not shown all files', { unseen: ['src/a.ts'] }],
    ['another agent', { agent: 'bot-2' }],
  ])('is not taken back by %s', async (_, scene) => {
    const hello = await startHello();
    await publish(hello, STRICT);
    resolve(hello);
    await publish(hello, CLEAR, scene);
    expect(first(hello)).toBe('CHANGES_REQUESTED');
  });

  it.each<[string, Partial<KnownFinding>, boolean]>([
    ['a finding that is not bad enough is open', { severity: 'minor' }, true],
    ['one that is bad enough is open', { severity: 'critical' }, false],
  ])('depends on severity: %s', async (_, { severity = 'nit' }, isTakenBack) => {
    const hello = await startHello();
    const mild = placed({ line: 3, title: 'Another', body: 'Rows are counted twice.', severity });
    await publish(hello, { ...STRICT, findings: [placed(), mild] });
    resolve(hello);
    await publish(hello, CLEAR);
    expect(first(hello)).toBe(isTakenBack ? 'DISMISSED' : 'CHANGES_REQUESTED');
  });

  it('stays for a finding of an older version, whose severity is not known', async () => {
    const hello = await startHello();
    await publish(hello, STRICT);
    for (const one of hello.repo.talk.reviewComments) one.body = one.body.replace(/"severity":"\w+",/, '');
    await publish(hello, CLEAR, { blockOn: 'critical' });
    expect(first(hello)).toBe('CHANGES_REQUESTED');
  });

  it('is left to the run for the commits pushed meanwhile', async () => {
    const hello = await startHello();
    await publish(hello, STRICT);
    resolve(hello);
    const scene = { trigger: pullRequest() };
    const { baseSha, repo } = hello;
    const pull = repo.pulls.get(42);
    if (pull === undefined) throw new Error('no pull request');
    const stale = { ...hello, repo: { ...repo, pulls: new Map([[42, pull]]) }, baseSha };
    hello.github.commit('octocat/hello', { 'src/a.ts': 'one\nfour\n' }, { branch: 'topic' });
    const sha = repo.branches.get('topic') ?? '';
    repo.pulls.set(42, { ...pull, head: { ...pull.head, sha } });
    await publish(stale, CLEAR, scene);
    expect(first(hello)).toBe('CHANGES_REQUESTED');
  });

  it('is not taken back for a review that could not be posted', async () => {
    const hello = await startHello();
    await publish(hello, STRICT);
    resolve(hello);
    hello.github.fail(denied(REVIEW, 'pull_requests=write'));
    const more = { ...CLEAR, findings: [placed({ line: 3, title: 'Another', severity: 'nit' })] };
    expect((await publish(hello, more)).warnings).toHaveLength(1);
    expect(first(hello)).toBe('CHANGES_REQUESTED');
  });
});
