import { describe, expect, it } from '@jest/globals';
import { publishRequested, type RequestedRun } from '../../../src/actions/publish/publish-requested.js';
import type { GitHubClient } from '../../../src/adapters/github/client/client.js';
import { type Buffered, NOTHING_BUFFERED } from '../../../src/core/review/buffered.js';
import { readDiffLines } from '../../../src/core/review/diff-lines.js';
import type { Finding } from '../../../src/core/review/finding.js';
import { placeFinding } from '../../../src/core/review/place.js';
import type { ReviewFact } from '../../../src/core/review/state-facts.js';
import { DIFF, denied, type Hello, startHello } from '../../adapters/github/hello-fixture.js';
import { seedReview } from '../../helpers/github-review-seed.js';
import { comment, pullRequest, SCHEDULE } from '../../helpers/triggers.js';

const REVIEW = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';

/** A finding in its place in the change of the fixture. */
function placed(patch: Partial<Finding> = {}) {
  const finding = {
    path: 'src/a.ts',
    line: 2,
    side: 'RIGHT',
    body: 'Wrong.',
    rule: 'wrong',
    ...patch,
  } as const;
  return placeFinding(finding, readDiffLines(DIFF));
}

const REVIEWED: Partial<Buffered> = {
  findings: [placed()],
  review: { summary: 'One thing.', verdict: 'comment' },
};

interface Scene {
  readonly client?: GitHubClient | undefined;
  readonly when?: 'always' | 'findings';
  readonly facts?: readonly ReviewFact[];
}

async function publish(
  { client: own, headSha, baseSha }: Hello,
  buffered: Partial<Buffered>,
  { client = own, when = 'always', facts = [], ...run }: Scene & Partial<RequestedRun> = {},
) {
  const warnings: string[] = [];
  const commits = { head: headSha, base: baseSha, diff: DIFF };
  const wanted = { buffered: { ...NOTHING_BUFFERED, ...buffered }, commits, facts, isUntrusted: false };
  const part = await publishRequested(
    {
      trigger: pullRequest(),
      agent: 'bot',
      wanted,
      scope: undefined,
      unseen: [],
      remarks: [],
      end: 'completed',
      mayComment: true,
      ...run,
    },
    {
      client,
      when,
      maxComments: 20,
      reporter: { event: () => undefined, warn: ({ message }) => void warnings.push(message) },
      secrets: [],
      clean: (markdown) => markdown.replaceAll('@', ''),
      cleanTitle: (title) => title,
    },
  );
  return { part, warnings };
}

describe('what a run wants published', () => {
  it('is one review, then labels and the like, told in one line', async () => {
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

  it('is not repeated where it stands, whatever the review was called', async () => {
    const hello = await startHello();
    await publish(hello, REVIEWED);
    const again = { ...REVIEWED, review: { summary: 'Again.', verdict: 'comment' } } as const;
    const { part } = await publish(hello, again, { when: 'findings' });
    expect(part).toMatchObject({ isReview: true, line: 'Not repeated: 1 open.', review: { findings: 1 } });
    expect(hello.repo.talk.reviews).toHaveLength(1);
  });

  it('is said although a stranger has said it with our marker', async () => {
    const hello = await startHello();
    const body = `<!-- axe-action:finding ${placed().fingerprint} agent=bot -->\nWrong.`;
    seedReview(hello.repo, { pull: 42, author: 'monalisa', comments: [{ path: 'src/a.ts', line: 2, body }] });
    await publish(hello, REVIEWED);
    expect(hello.repo.talk.reviewComments).toHaveLength(2);
  });

  it('of a mention is a review of its own, beside that of the pull request', async () => {
    const hello = await startHello();
    const trigger = comment({ on: 'pull_request', number: 42, commentId: 9 });
    await publish(hello, { review: { summary: 'Asked.', verdict: 'comment' } }, { trigger });
    expect(hello.repo.talk.reviews[0]?.body).toContain('agent=bot/reply-9 ');
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

  it.each(['exhausted', 'incomplete'] as const)(
    'of a run that is %s is its review, and nothing else',
    async (end) => {
      const hello = await startHello();
      hello.repo.talk.labels.push('bug');
      await publish(hello, { ...REVIEWED, labels: { add: ['bug'], remove: [] } }, { end });
      expect(hello.repo.talk.reviews).toHaveLength(1);
      expect(hello.repo.talk.labelsOf.get(42) ?? []).toEqual([]);
    },
  );

  it('and may not be posted is a warning with the line to add, and left to be shown on the lines', async () => {
    const hello = await startHello();
    hello.github.fail(denied(REVIEW, 'pull_requests=write'));
    const { part, warnings } = await publish(hello, REVIEWED);
    expect(warnings).toEqual([expect.stringMatching(/^the review was not posted: .*`pull-requests: write`/)]);
    expect(part).toMatchObject({ isReview: true, review: { findings: 1, unposted: [{}] } });
    expect(part.details).toMatch(/^One thing\.\n\n\*\*Findings that stand in no comment\*\*/);
  });

  it('and may not be posted leaves what it suggests to the summary', async () => {
    const hello = await startHello();
    hello.github.fail(denied(REVIEW, 'pull_requests=write'));
    const findings = [placed({ suggestion: 'return 1' })];
    const { part } = await publish(hello, { ...REVIEWED, findings });
    expect(part.details).toMatch(/: Wrong\.\n\nSuggested:\n\n```\nreturn 1\n```$/);
  });

  it('tells what the model wanted and may not have', async () => {
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

  it('is nothing without an event, and no review without a pull request', async () => {
    const hello = await startHello();
    expect((await publish(hello, REVIEWED, { trigger: { kind: 'local' } })).part).toEqual({
      isReview: false,
    });
    const { part } = await publish(hello, REVIEWED, { trigger: SCHEDULE });
    expect([part.isReview, hello.repo.talk.reviews]).toEqual([false, []]);
  });
});

describe('the verdict of a review', () => {
  it('that asked for changes is dismissed by the next review that does not', async () => {
    const hello = await startHello();
    const strict = { ...REVIEWED, review: { summary: 'Stop.', verdict: 'request-changes' } } as const;
    const { part } = await publish(hello, strict);
    expect(part.review?.verdict).toBe('request-changes');
    const clear = { findings: [], review: { summary: 'All mended.', verdict: 'comment' } } as const;
    await publish(hello, clear, { end: 'exhausted' });
    expect(hello.repo.talk.reviews[0]?.state).toBe('CHANGES_REQUESTED');
    await publish(hello, clear);
    expect(hello.repo.talk.reviews[0]?.state).toBe('DISMISSED');
  });

  const STRICT = { ...REVIEWED, review: { summary: 'Stop.', verdict: 'request-changes' } } as const;
  const CLEAR = { findings: [], review: { summary: 'All mended.', verdict: 'comment' } } as const;

  function told(): ReviewFact {
    const { fingerprint } = placed();
    return { kind: 'finding', fingerprint, pull: 42, path: 'src/a.ts', rule: 'wrong', at: new Date(0) };
  }

  it('stands while a finding is open that the run was told not to repeat, and counts it', async () => {
    const hello = await startHello();
    await publish(hello, STRICT);
    const { part } = await publish(hello, CLEAR, { facts: [told()] });
    expect(part.review).toMatchObject({ findings: 1, verdict: 'comment' });
    expect(hello.repo.talk.reviews[0]?.state).toBe('CHANGES_REQUESTED');
    hello.repo.talk.resolved.set(hello.repo.talk.reviewComments[0]?.id ?? 0, 'hubot');
    expect((await publish(hello, CLEAR, { facts: [told()] })).part.review?.findings).toBe(0);
    expect(hello.repo.talk.reviews[0]?.state).toBe('DISMISSED');
  });

  it('is left to the run of what was pushed meanwhile', async () => {
    const hello = await startHello();
    await publish(hello, STRICT);
    hello.github.commit('octocat/hello', { 'src/a.ts': 'one\nfour\n' }, { branch: 'topic' });
    const pull = hello.repo.pulls.get(42);
    if (pull === undefined) throw new Error('no pull request');
    const sha = hello.repo.branches.get('topic') ?? '';
    hello.repo.pulls.set(42, { ...pull, head: { ...pull.head, sha } });
    await publish(hello, CLEAR);
    expect(hello.repo.talk.reviews[0]?.state).toBe('CHANGES_REQUESTED');
  });

  it('is not taken back for a review that could not be posted', async () => {
    const hello = await startHello();
    await publish(hello, STRICT);
    hello.github.fail(denied(REVIEW, 'pull_requests=write'));
    const more = { ...CLEAR, findings: [placed({ rule: 'other' })] };
    expect((await publish(hello, more)).warnings).toHaveLength(1);
    expect(hello.repo.talk.reviews[0]?.state).toBe('CHANGES_REQUESTED');
  });
});
