import { expect, it } from '@jest/globals';
import type { GitHubClient } from '../../../src/github/client/client.js';
import { fetchReviewRemarks } from '../../../src/github/reading/review-remarks.js';
import {
  createFakeGitHubClient,
  failure,
  HELLO,
  noAbort,
} from '../../helpers/github-client-fake.js';
import { queryCost } from '../../helpers/github-points.js';

const PERMISSIONS: Readonly<Record<string, string | undefined>> = {
  mary: 'admin',
  omar: 'write',
  lena: 'read',
};
const SINCE = new Date('2026-11-01T00:00:00Z');

interface Comment {
  readonly login?: string | null;
  readonly type?: string;
  readonly association?: string;
  readonly isOurs?: boolean;
  readonly at?: string;
  readonly body?: string;
}

function threads(state: string, isOutdated: boolean, comments: readonly Comment[]) {
  const nodes = comments.map(
    ({
      login = 'mary',
      type = 'User',
      association = 'MEMBER',
      isOurs = false,
      at,
      body = 'Say why.',
    }) => ({
      url: `https://github.com/octocat/hello/pull/1#${body}`,
      body,
      createdAt: at ?? '2026-11-02T10:00:00Z',
      authorAssociation: association,
      viewerDidAuthor: isOurs,
      author: login === null ? null : { __typename: type, login },
    }),
  );
  const thread = { isOutdated, path: 'src/a.ts', comments: { nodes } };
  return { number: 1, state, reviewThreads: { nodes: [thread] } };
}

async function remarksOf(...pulls: readonly object[]) {
  const client = createFakeGitHubClient({
    graphql: () => ({ repository: { pullRequests: { nodes: pulls } } }),
    'GET /repos/{owner}/{repo}/collaborators/{username}/permission': ({ params }) => {
      const permission = PERMISSIONS[String(params['username'])];
      if (permission === undefined) throw failure(500);
      return { permission };
    },
  });
  const request = { repository: HELLO, since: SINCE };
  const remarks = await fetchReviewRemarks(client, request, noAbort());
  return { remarks, requests: client.requests.length };
}

it.each<[string, Comment]>([
  ['a stranger', { login: 'passerby', association: 'NONE' }],
  ['a bot, whatever its association', { login: 'dependabot', type: 'Bot' }],
  ['this token’s account', { isOurs: true }],
  ['a member who can only read', { login: 'lena' }],
  ['an account that is gone', { login: null, association: 'OWNER' }],
  ['an account without an answer', { login: 'nobody-answers' }],
  ['a writer before the last weeks', { at: '2026-10-31T23:59:59Z' }],
])('a comment by %s is left out', async (_name, comment) => {
  expect((await remarksOf(threads('MERGED', true, [comment]))).remarks).toEqual([]);
});

it('comments of writers have their place, and whether the line was changed after them', async () => {
  const { remarks, requests } = await remarksOf(
    threads('MERGED', true, [
      { body: 'one' },
      { body: 'two', login: 'omar', association: 'COLLABORATOR' },
    ]),
    threads('MERGED', false, [{ body: 'three' }]),
    threads('CLOSED', true, [{ body: 'four' }]),
  );
  expect(remarks.map(({ body, isActedOn }) => [body, isActedOn])).toEqual([
    ['one', true],
    ['two', true],
    ['three', false],
    ['four', false],
  ]);
  expect(remarks[0]).toMatchObject({
    pull: 1,
    path: 'src/a.ts',
    url: 'https://github.com/octocat/hello/pull/1#one',
  });
  // One for the comments, and one for each account.
  expect(requests).toBe(3);
});

it('the comments cost at most six points', async () => {
  let points = 0;
  const client: GitHubClient = {
    ...createFakeGitHubClient({}),
    async graphql(query) {
      ({ points } = queryCost(query));
      return { repository: { pullRequests: { nodes: [] } } };
    },
  };
  await fetchReviewRemarks(client, { repository: HELLO, since: SINCE }, noAbort());
  expect(points).toBeGreaterThan(0);
  expect(points).toBeLessThanOrEqual(6);
});
