import { describe, expect, it } from '@jest/globals';
import { asking } from './github-ask.js';
import { seedReaction, seedReply, seedReview } from './github-review-seed.js';
import { type GitHubOptions, startGitHubServer } from './github-server.js';

const NAME = 'octocat/hello';
const PULL = `/repos/${NAME}/pulls/1`;
const DIFF = 'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n one\n-two\n+second\n';

async function start(options: GitHubOptions = {}) {
  const github = await startGitHubServer(options);
  const repo = github.addRepo(NAME, { contents: 'write' });
  const base = { ref: 'main', sha: github.commit(NAME, { 'a.ts': 'one\ntwo\n' }) };
  const head = {
    ref: 'topic',
    sha: github.commit(NAME, { 'a.ts': 'x' }, { branch: 'topic' }),
    repository: NAME,
  };
  const addPull = (more: { readonly locked?: boolean }) =>
    github.addPull(NAME, { number: 1, base, head, diff: DIFF, ...more });
  addPull({});
  return { github, repo, addPull, ...asking(github) };
}

const at = (path: string, line: number, more: Record<string, unknown> = {}) => ({
  path,
  line,
  body: 'x',
  ...more,
});

describe('a review', () => {
  it.each([
    ['a line outside', [at('a.ts', 9)], 'Line could not be resolved'],
    ['the other side', [at('a.ts', 3, { side: 'LEFT' })], 'Line could not be resolved'],
    [
      'an unknown path',
      [at('b.ts', 1), at('a.ts', 9)],
      'Path could not be resolved and Line could not be resolved',
    ],
    [
      'three mistakes',
      [at('b.ts', 1), at('a.ts', 9), at('a.ts', 1, { start_line: 1 })],
      'Path could not be resolved, Line could not be resolved, and Start line must precede the end line.',
    ],
    [
      'a start outside',
      [at('a.ts', 2, { start_line: 0 })],
      'Start line must be part of the same hunk as the line.',
    ],
  ])('with %s is refused whole', async (_, wrong, error) => {
    const { rest, repo } = await start();
    const comments = [at('a.ts', 2), ...wrong];
    const { status, body } = await rest(`POST ${PULL}/reviews`, { event: 'COMMENT', body: 'x', comments });
    expect([status, body.message, body.errors]).toEqual([422, 'Unprocessable Entity', [error]]);
    expect([repo.talk.reviews, repo.talk.reviewComments]).toEqual([[], []]);
  });

  it.each([
    ['approves', 'APPROVE', 'Review Can not approve your own pull request'],
    ['requests changes', 'REQUEST_CHANGES', 'Review Can not request changes on your own pull request'],
  ])('that %s is refused to the author', async (_, event, error) => {
    const { rest } = await start({ viewer: 'octocat' });
    expect((await rest(`POST ${PULL}/reviews`, { event, body: 'x' })).body.errors).toEqual([error]);
  });

  it('is refused if the conversation is locked, and next to a draft', async () => {
    const { rest, addPull } = await start();
    expect((await rest(`POST ${PULL}/reviews`, { body: 'x' })).body.state).toBe('PENDING');
    const { body } = await rest(`POST ${PULL}/reviews`, { event: 'COMMENT', body: 'x' });
    expect(body.errors).toEqual(['User can only have one pending review per pull request']);
    addPull({ locked: true });
    expect((await rest(`POST ${PULL}/reviews`, { event: 'COMMENT', body: 'x' })).body.errors).toEqual([
      'lock prevents review',
    ]);
  });

  it('is dismissed once, and only if it has a verdict about merging', async () => {
    const { rest, repo } = await start();
    const dismiss = (id: number) => rest(`PUT ${PULL}/reviews/${id}/dismissals`, { message: 'old' });
    const { id } = seedReview(repo, { pull: 1, author: 'hubot', state: 'CHANGES_REQUESTED' });
    expect((await dismiss(id)).body.state).toBe('DISMISSED');
    expect((await dismiss(id)).body.errors).toEqual(['Can not dismiss a dismissed pull request review']);
    const comment = seedReview(repo, { pull: 1, author: 'hubot' });
    expect((await dismiss(comment.id)).body.errors).toEqual([
      'Can not dismiss a commented pull request review',
    ]);
  });
});

it('a thread shows its answers and reactions, and drafts of others are not shown', async () => {
  const { graphql, repo } = await start();
  const comment = { path: 'a.ts', line: 2, body: 'Why?' };
  const { comments } = seedReview(repo, { pull: 1, author: 'hubot', comments: [comment] });
  seedReview(repo, { pull: 1, author: 'hubot', state: 'PENDING', comments: [comment] });
  const id = comments[0] ?? 0;
  seedReply(repo, id, { author: 'octocat', body: 'So.' });
  seedReaction(repo, { on: 'review-comment', of: id, author: 'octocat', content: '+1' });
  const { body } = await graphql(
    `query { repository(owner: "octocat", name: "hello") { pullRequest(number: 1) {
      reviews(first: 9) { totalCount }
      reviewThreads(first: 9) { nodes { line isOutdated comments(first: 9) { nodes {
        body reactions(first: 9, content: THUMBS_UP) { nodes { user { login } } } } } } } } } }`,
  );
  expect(body.data.repository.pullRequest).toEqual({
    reviews: { totalCount: 1 },
    reviewThreads: {
      nodes: [
        {
          line: 2,
          isOutdated: false,
          comments: {
            nodes: [
              { body: 'Why?', reactions: { nodes: [{ user: { login: 'octocat' } }] } },
              { body: 'So.', reactions: { nodes: [] } },
            ],
          },
        },
      ],
    },
  });
});

it('a label that does not exist is made by adding it, and a reaction is there once', async () => {
  const { rest, repo } = await start();
  const issue = `/repos/${NAME}/issues/1`;
  expect((await rest(`GET /repos/${NAME}/labels/new`)).status).toBe(404);
  await rest(`POST ${issue}/labels`, { labels: ['new'] });
  expect(repo.talk.labels).toEqual(['new']);
  expect((await rest(`DELETE ${issue}/labels/old`)).body.message).toBe('Label does not exist');
  const statuses = [
    await rest(`POST ${issue}/reactions`, { content: 'eyes' }),
    await rest(`POST ${issue}/reactions`, { content: 'eyes' }),
  ];
  expect(statuses.map(({ status }) => status)).toEqual([201, 200]);
});

it('the log of a job is on another server', async () => {
  const { rest, repo, github } = await start();
  repo.talk.jobLogs.set(7, 'text');
  const response = await fetch(`${github.url}/repos/${NAME}/actions/jobs/7/logs`, { redirect: 'manual' });
  const location = response.headers.get('location') ?? '';
  expect([response.status, new URL(location).host === new URL(github.url).host]).toEqual([302, false]);
  expect(await (await fetch(location)).text()).toBe('text');
  expect((await fetch(location, { headers: { authorization: 'token x' } })).status).toBe(401);
  expect((await rest(`GET /repos/${NAME}/actions/jobs/8/logs`)).status).toBe(404);
});

it('a search for issues requires its kind', async () => {
  const { rest } = await start();
  const search = (q: string) => rest(`GET /search/issues?q=${encodeURIComponent(q)}`);
  expect((await search(`change repo:${NAME}`)).body.message).toContain("must include 'is:issue'");
  expect((await search(`change is:pr repo:${NAME}`)).body.total_count).toBe(1);
});
