import { describe, expect, it } from '@jest/globals';
import { type GitHubError, httpError, networkError } from '../../../src/github/client/errors.js';
import {
  dismissReviews,
  publishReview,
  type ReviewComment,
  type ReviewPayload,
  reviewRefusalReason,
  withUnplaced,
} from '../../../src/github/posting/review.js';
import { fetchPull } from '../../../src/github/reading/subject.js';
import { formatMark, type Mark } from '../../../src/safety/mark.js';
import { createFakeGitHubClient, failure, noAbort } from '../../helpers/github-client-fake.js';
import { ANSWER_LOST, BAD_GATEWAY, BAD_GATEWAY_AFTER_EFFECT } from '../../helpers/github-faults.js';
import { seedReview } from '../../helpers/github-review-seed.js';
import { denied, type Hello, NAME, sidesOf, startHello } from '../hello-fixture.js';

const POST = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
const BOT = 'github-actions[bot]';

function comment(changes: Partial<ReviewComment>): ReviewComment {
  return {
    path: 'src/a.ts',
    line: 2,
    side: 'RIGHT',
    body: 'Why second?',
    inText: 'text',
    ...changes,
  };
}

const second = comment({});
const outside = comment({ line: 10, body: 'Nobody sees this line.' });

function markOf(head: string): Mark {
  return { kind: 'review', agent: 'bot', head, part: 1 };
}

function markerOf(head: string): string {
  return formatMark(markOf(head));
}

function draftOf({ place, headSha }: Hello, changes: Partial<ReviewPayload> = {}): ReviewPayload {
  const marker = markerOf(headSha);
  const body = `${marker}\nTwo things.`;
  return {
    ...place,
    headSha,
    event: 'COMMENT',
    body,
    comments: [second],
    mark: markOf(headSha),
    ...changes,
  };
}

async function publish(hello: Hello, changes: Partial<ReviewPayload> = {}) {
  return await publishReview(hello.client, draftOf(hello, changes), noAbort());
}

function posts({ github }: Hello): number {
  return github.calls().filter((call) => call === POST).length;
}

describe('a review', () => {
  it('is posted with its comments on both sides of a line, and on ranges', async () => {
    const hello = await startHello();
    const comments = [second, comment({ side: 'LEFT' }), comment({ line: 3, startLine: 2 })];
    const result = await publish(hello, { comments, event: 'REQUEST_CHANGES' });
    const [review] = hello.repo.talk.reviews;
    const url = `https://github.com/octocat/hello/pull/42#pullrequestreview-${review?.id}`;
    expect(result).toEqual({ url, created: true, event: 'REQUEST_CHANGES' });
    expect(review).toMatchObject({
      author: BOT,
      state: 'CHANGES_REQUESTED',
      commit: hello.headSha,
    });
    const placed = hello.repo.talk.reviewComments.map((one) =>
      [one.path, one.side, one.line, one.startSide, one.startLine].join(' ').trim(),
    );
    expect(placed).toEqual(['src/a.ts RIGHT 2', 'src/a.ts LEFT 2', 'src/a.ts RIGHT 3 RIGHT 2']);
  });

  it('is not posted twice for the same head', async () => {
    const hello = await startHello();
    const first = await publish(hello, { event: 'REQUEST_CHANGES' });
    expect(await publish(hello, { event: 'REQUEST_CHANGES' })).toEqual({
      ...first,
      created: false,
    });
    expect(posts(hello)).toBe(1);
  });

  const ELSE = 'f'.repeat(40);
  it.each<[string, (headSha: string) => Partial<Parameters<typeof seedReview>[1]>]>([
    [
      'C8 98: somebody else’s with the marker',
      (head) => ({ author: 'monalisa', body: markerOf(head) }),
    ],
    ['ours for another head', () => ({ body: markerOf(ELSE), commit: ELSE })],
    ['ours that quotes the marker', (head) => ({ body: `> ${markerOf(head)}` })],
    ['ours with the marker on another commit', (head) => ({ body: markerOf(head), commit: ELSE })],
  ])('%s does not prevent it from being posted', async (_, seeded) => {
    const hello = await startHello();
    seedReview(hello.repo, { pull: 42, author: BOT, body: '', ...seeded(hello.headSha) });
    expect(await publish(hello)).toMatchObject({ created: true });
    expect(posts(hello)).toBe(1);
  });

  it('is not posted again after a person dismissed it', async () => {
    const hello = await startHello();
    seedReview(hello.repo, {
      pull: 42,
      author: BOT,
      body: markerOf(hello.headSha),
      state: 'DISMISSED',
    });
    expect(await publish(hello)).toMatchObject({ created: false });
    expect(posts(hello)).toBe(0);
  });

  it('replaces a draft of ours that was never submitted', async () => {
    const hello = await startHello();
    seedReview(hello.repo, {
      pull: 42,
      author: BOT,
      body: markerOf(hello.headSha),
      state: 'PENDING',
    });
    expect(await publish(hello)).toMatchObject({ created: true });
    expect(hello.repo.talk.reviews.map(({ state }) => state)).toEqual(['COMMENTED']);
  });

  it('leaves somebody’s draft under the same account alone, and reports it', async () => {
    const hello = await startHello({ viewer: 'hubot' });
    seedReview(hello.repo, { pull: 42, author: 'hubot', body: 'unfinished', state: 'PENDING' });
    await expect(publish(hello)).rejects.toThrow('one pending review');
    expect(hello.repo.talk.reviews).toHaveLength(1);
  });

  it('requests changes on our own pull request as a comment', async () => {
    const hello = await startHello({ viewer: 'octocat' });
    expect(await publish(hello, { event: 'REQUEST_CHANGES' })).toMatchObject({ event: 'COMMENT' });
    expect(hello.repo.talk.reviews.map(({ state }) => state)).toEqual(['COMMENTED']);
  });
});

describe('C5 70: an answer that does not come after', () => {
  it.each<[string, typeof BAD_GATEWAY | typeof ANSWER_LOST, number]>([
    ['502 although the review was posted: it is not posted again', BAD_GATEWAY_AFTER_EFFECT, 1],
    ['a broken connection although it was posted: nor then', ANSWER_LOST, 1],
    ['502 and no review: it is posted once more', BAD_GATEWAY, 2],
  ])('%s', async (_, fault, times) => {
    const hello = await startHello();
    hello.github.fail({ route: POST, ...fault });
    expect(await publish(hello)).toMatchObject({ created: true });
    expect(hello.repo.talk.reviews).toHaveLength(1);
    expect(posts(hello)).toBe(times);
  });

  it('502 twice: the review is abandoned', async () => {
    const hello = await startHello();
    hello.github.fail({ route: POST, ...BAD_GATEWAY, times: 9 });
    await expect(publish(hello)).rejects.toMatchObject({
      remedy: expect.stringContaining('githubstatus'),
    });
    expect(posts(hello)).toBe(2);
  });
});

it('a comment that GitHub refuses on its line goes into the body, the others stay', async () => {
  const hello = await startHello();
  await publish(hello, { comments: [outside, second, { ...second, path: 'README.md' }] });
  expect(hello.repo.talk.reviewComments).toHaveLength(1);
  expect(hello.repo.talk.reviews.at(-1)?.body).toContain(
    '**Comments on lines that the diff does not',
  );
  expect(posts(hello)).toBe(2);
});

const replace = (hello: Hello, more: object) =>
  void hello.github.addPull(NAME, { number: 42, ...sidesOf(hello), ...more });
const refusal = denied(POST, 'pull_requests=write');
it.each<[string, (hello: Hello) => void, RegExp]>([
  ['without the permission', ({ github }) => github.fail(refusal), /Add `pull-requests: write`/],
  ['on a locked pull request', (hello) => replace(hello, { locked: true }), /lock prevents review/],
  [
    'on one that does not exist',
    ({ repo }) => void repo.pulls.clear(),
    /If it exists, the token cannot see it: add `pull-requests: read`/,
  ],
  [
    'on a commit that was pushed away',
    (hello) => replace(hello, sidesOf({ ...hello, headSha: hello.baseSha })),
    /is not part of the pull request/,
  ],
])('a review that cannot be posted %s is reported and not repeated', async (_, arrange, said) => {
  const hello = await startHello();
  arrange(hello);
  const failed: GitHubError = await publish(hello).catch((thrown) => thrown);
  expect(`${failed.message}. ${failed.remedy}`).toMatch(said);
  expect(posts(hello)).toBeLessThan(2);
});

it('a review that cannot be posted is not posted if nobody can tell whether it exists already', async () => {
  const client = createFakeGitHubClient({
    graphql: () => {
      throw failure(502, 'POST /graphql');
    },
  });
  const draft = draftOf(await startHello());
  await expect(publishReview(client, draft, noAbort())).rejects.toMatchObject({ status: 502 });
  expect(client.requests.map(({ route }) => route)).toEqual(['graphql']);
});

describe('a body with comments that have no line', () => {
  it('has them below a heading', () => {
    const text = withUnplaced('text', [
      comment({ inText: 'First.' }),
      comment({ inText: 'Second.' }),
    ]);
    const heading = '**Comments on lines that the diff does not show**';
    expect(text).toBe(['text', heading, 'First.', 'Second.'].join('\n\n'));
  });

  it('never exceeds GitHub’s limit, and reports how many comments it leaves out', () => {
    const long = comment({ inText: 'x'.repeat(30_000) });
    const text = withUnplaced('text', [long, long, long, long]);
    expect(text.length).toBeLessThanOrEqual(65_536);
    expect(text).toMatch(/\*2 more comments do not fit here\.\*$/);
  });
});

const PUT = 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals';
const OURS = { pull: 42, author: BOT, state: 'CHANGES_REQUESTED', body: markerOf('h') } as const;

async function dismiss({ client, place }: Hello, ids: readonly number[]) {
  return await dismissReviews(
    client,
    { ...place, ids, message: 'Nothing left to change.' },
    noAbort(),
  );
}

function states({ repo }: Hello): readonly string[] {
  return repo.talk.reviews.map(({ state }) => state);
}

it('only the given reviews are dismissed', async () => {
  const hello = await startHello();
  const [first, , third] = [OURS, OURS, OURS].map((one) => seedReview(hello.repo, one).id);
  await dismiss(hello, [first ?? 0, third ?? 0]);
  expect(states(hello)).toEqual(['DISMISSED', 'CHANGES_REQUESTED', 'DISMISSED']);
  const { reviews } = await fetchPull(hello.client, hello.place, noAbort());
  expect(reviews.map(({ isOverruled }) => isOverruled)).toEqual([false, false, false]);
});

it('a dismissal is done if the answer was lost and GitHub confirms it the second time', async () => {
  const hello = await startHello();
  const { id } = seedReview(hello.repo, OURS);
  hello.github.fail({ route: PUT, ...BAD_GATEWAY_AFTER_EFFECT });
  await dismiss(hello, [id]);
  expect(states(hello)).toEqual(['DISMISSED']);
});

const asked = 'POST /repos/octocat/hello/pulls/42/reviews';

function refused(error: unknown, status = 422) {
  return httpError(asked, {
    status,
    headers: {},
    body: { message: 'Validation Failed', errors: [error] },
  });
}

it.each<[unknown, string]>([
  ['Line could not be resolved', 'line'],
  [
    'Line could not be resolved, Path could not be resolved, and Line could not be resolved',
    'line',
  ],
  [
    "Pull request review thread line must be part of the diff and Pull request review thread diff hunk can't be blank",
    'line',
  ],
  ['Start line must be part of the same hunk as the line.', 'line'],
  ['Pull request review thread start line must precede the end line.', 'line'],
  ['Review comments is invalid and Review threads is invalid', 'line'],
  // As older servers say it.
  [{ field: 'pull_request_review_thread.line', message: 'must be part of the diff' }, 'line'],
  ['Review Can not request changes on your own pull request', 'event'],
  ['lock prevents review', 'other'],
  ['User can only have one pending review per pull request', 'other'],
  ['The commitOID is not part of the pull request', 'other'],
])('a 422 that says %j is %s', (error, kind) => {
  expect(reviewRefusalReason(refused(error))).toBe(kind);
});

it.each([
  ['a 502', refused('', 502), 'lost'],
  ['no answer', networkError(asked, { code: undefined, message: 'socket hang up' }), 'lost'],
  ['a 403 with the same words', refused('Line could not be resolved', 403), 'other'],
])('%s is %s', (_, error, kind) => {
  expect(reviewRefusalReason(error)).toBe(kind);
});
