import { describe, expect, it } from '@jest/globals';
import { createGitHubClient } from '../../../src/github/client/client.js';
import { fetchSubject } from '../../../src/github/reading/subject.js';
import { noAbort } from '../../helpers/github-client-fake.js';
import { queryCost } from '../../helpers/github-points.js';
import { seedReply, seedReview } from '../../helpers/github-review-seed.js';
import { createFakeClock } from '../../memory/stores/fake-clock.js';
import { emptyPull, type Hello, startHello } from '../hello-fixture.js';

/** Conversations of so many comments. */
function converse({ repo }: Hello, conversations: number, comments: number, words = 5): void {
  const line = { path: 'src/a.ts', line: 3, body: 'Why is it so? '.repeat(5) };
  const { comments: openings } = seedReview(repo, {
    pull: 42,
    author: 'monalisa',
    comments: Array.from({ length: conversations }, () => line),
  });
  for (const id of openings)
    for (let reply = 1; reply < comments; reply += 1)
      seedReply(repo, id, { author: 'monalisa', body: `no, since ${reply} `.repeat(words) });
}

async function read({ client, place }: Hello) {
  return await fetchSubject(client, { ...place, isPull: true }, noAbort());
}

it.each([
  [0, 1],
  [40, 1],
  [41, 2],
  [120, 3],
])('a pull request of %i conversations costs %i points', async (conversations, points) => {
  const hello = await startHello();
  converse(hello, conversations, 2);
  const { pull, isComplete } = await read(hello);
  expect([pull?.threads.length, isComplete]).toEqual([conversations, true]);
  expect(hello.github.billed().points).toBe(points);
  expect(hello.github.billed().maxConnections).toBeLessThanOrEqual(140);
});

it('the price of a query counts every page at its limit', () => {
  const query = `query ($size: Int!) { a(first: $size) { nodes { ...f } } }
    fragment f on A { b(last: 50) { nodes { c(first: 20) { nodes { d } } } } }`;
  expect(queryCost(query, { size: 50 })).toEqual({
    connections: 1 + 50 + 2500,
    nodes: 50 + 2500 + 50_000,
    points: 26,
  });
});

describe('if GitHub gives up on so much', () => {
  it.each([
    [60, 5, 60_000, 1],
    [120, 10, 60_000, 2],
    [30, 20, 20_000, 3],
  ])(
    '%i conversations of %i comments are read in smaller pages, at %i characters',
    async (...[conversations, comments, characters, refusals]) => {
      const hello = await startHello();
      converse(hello, conversations, comments);
      const refused = hello.github.limitAnswers(characters);
      const { pull, openingsOnly } = await read(hello);
      expect(openingsOnly).toBeUndefined();
      expect(pull?.threads).toHaveLength(conversations);
      expect(refused.length).toBeLessThanOrEqual(refusals + 1);
      const sizes = refused.map(({ threads }) => threads);
      expect(sizes).toEqual([40, 20, 10, 5, 2].slice(0, sizes.length));
    },
  );

  it('the size that worked is kept for the next reading', async () => {
    const hello = await startHello();
    converse(hello, 60, 5);
    hello.github.limitAnswers(40_000);
    await read(hello);
    const refused = hello.github.limitAnswers(40_000);
    await read(hello);
    expect(refused).toEqual([]);
  });

  it('the openings are read where replies do not come at any size', async () => {
    const hello = await startHello();
    converse(hello, 25, 4, 400);
    hello.github.limitAnswers(12_000);
    const { pull, openingsOnly, comments, isComplete } = await read(hello);
    expect(openingsOnly?.reason).toBe('too-much');
    expect(pull?.threads.map(({ replies }) => replies.length)).toEqual(Array(25).fill(0));
    expect([comments, isComplete]).toEqual([[], false]);
  });

  it('the reading fails with a remedy where not even two openings come', async () => {
    const hello = await startHello();
    converse(hello, 5, 2);
    hello.github.limitAnswers(2_000);
    await expect(read(hello)).rejects.toMatchObject({
      reason: 'too-much',
      remedy: expect.stringContaining('continue in a new pull request'),
    });
  });

  it('an error inside the answer and a gateway that gave up are the same', async () => {
    for (const fault of [
      { status: 502, body: '<html>Bad Gateway</html>' },
      { status: 504, body: '<html>Gateway Timeout</html>' },
      {
        status: 200,
        body: {
          data: { repository: null },
          errors: [{ message: 'Something went wrong while executing your query.' }],
        },
      },
    ]) {
      const hello = await startHello();
      hello.github.fail({ route: 'POST /graphql', ...fault });
      await read(hello);
      const sizes = hello.github
        .requests()
        .map(({ body }) => (body as { variables: { threads: number } }).variables.threads);
      expect(sizes).toEqual([40, 20]);
    }
  });
});

it.each([
  ['one check', 'first', ['ci']],
  ['all checks', 'all', []],
] as const)(
  '%s that GitHub refuses inside an answer cost nothing else',
  async (_, refusedChecks, names) => {
    const hello = await startHello();
    const { repo, client, place, headSha: head } = hello;
    repo.talk.statuses.push(
      ...['ci', 'test'].map((context, index) => ({
        id: index,
        sha: head,
        context,
        state: 'failure' as const,
        description: null,
      })),
    );
    repo.talk.refusedChecks = refusedChecks;
    const { pull } = await fetchSubject(client, { ...place, isPull: true, head }, noAbort());
    expect(pull?.checks.checks.map(({ name }) => name)).toEqual(names);
    expect(pull?.checks.refused?.remedy).toContain('`checks: read` and `statuses: read`');
    expect(pull?.commits).toHaveLength(2);
  },
);

const THREAD = {
  id: 'PRRT_1',
  isResolved: false,
  resolvedBy: null,
  isOutdated: false,
  path: 'src/a.ts',
  diffSide: 'RIGHT',
  line: 3,
  originalLine: 3,
  opening: { nodes: [] },
  latest: { totalCount: 0, nodes: [] },
};

describe('a list of conversations', () => {
  /** A pull request whose pages of conversations are these, as a broken server gives them. */
  async function paged(
    ...pages: readonly { nodes: readonly object[]; endCursor: string | null }[]
  ) {
    let asked = 0;
    const client = await createGitHubClient({
      token: 't',
      apiUrl: 'http://github.test',
      graphqlUrl: 'http://github.test/graphql',
      fetch: async () => {
        const { nodes, endCursor } = pages[Math.min(asked, pages.length - 1)] ?? pages[0] ?? {};
        asked += 1;
        const reviewThreads = { nodes, pageInfo: { endCursor, hasNextPage: true } };
        const pull = emptyPull({ reviewThreads });
        const repository = { issueOrPullRequest: pull, pullRequest: { reviewThreads } };
        return Response.json({ data: { repository } });
      },
      userAgent: 'test',
      clock: createFakeClock(),
    });
    const repository = { owner: 'o', name: 'r', defaultBranch: 'main', isPrivate: false };
    const place = { repository, number: 42, isPull: true };
    const { isComplete } = await fetchSubject(client, place, noAbort());
    return { isComplete, asked };
  }

  it.each([
    ['a cursor that repeats', [{ nodes: [], endCursor: 'a' }], 2],
    ['a cursor that is missing', [{ nodes: [], endCursor: null }], 1],
    [
      'cursors that lead in a circle',
      [
        { nodes: [], endCursor: 'a' },
        { nodes: [THREAD], endCursor: 'b' },
        { nodes: [THREAD], endCursor: 'a' },
      ],
      3,
    ],
    [
      'pages without anything',
      [
        { nodes: [], endCursor: 'a' },
        { nodes: [], endCursor: 'b' },
        { nodes: [], endCursor: 'c' },
      ],
      2,
    ],
  ])('ends at %s, and is incomplete', async (_, pages, requests) => {
    expect(await paged(...pages)).toEqual({ isComplete: false, asked: requests });
  });
});
