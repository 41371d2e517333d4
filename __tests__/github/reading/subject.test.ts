import { expect, it } from '@jest/globals';
import { fetchSubject, readSubjectsOnce } from '../../../src/github/reading/subject.js';
import { noAbort } from '../../helpers/github-client-fake.js';
import { seedReaction, seedReply, seedReview } from '../../helpers/github-review-seed.js';
import { DIFF, emptyPull, type Hello, NAME, sidesOf, startHello } from '../hello-fixture.js';

it('the issues that a pull request closes are found', async () => {
  const hello = await startHello();
  const { client, github, repo, place } = hello;
  github.addIssue(NAME, { number: 7, author: 'monalisa' });
  github.addIssue(NAME, { number: 8, author: 'hubot[bot]' });
  repo.talk.closedIssues.add(8);
  github.addPull(NAME, { number: 42, body: 'Fixes #7, closes #8, see #9', ...sidesOf(hello) });
  const { pull } = await fetchSubject(client, { ...place, isPull: true }, noAbort());
  expect(pull?.linkedIssues).toMatchObject([
    { repository: NAME, number: 7, isOpen: true, author: { login: 'monalisa', isBot: false } },
    { number: 8, isOpen: false, author: { login: 'hubot[bot]', isBot: true } },
  ]);
});

it('a pull request is told as it is now, from no repository where its fork is gone', async () => {
  const hello = await startHello();
  const { client, github, place } = hello;
  const ask = async () => await fetchSubject(client, { ...place, isPull: true }, noAbort());
  expect((await ask()).pull).toEqual({
    ...sidesOf(hello),
    changedFiles: 2,
    changedPaths: ['src/a.ts', 'docs/b.md'],
    threads: [],
    reviews: [],
    allReviews: [],
    linkedIssues: [],
    commits: [expect.objectContaining({ author: 'octocat' }), expect.anything()],
    commitsTotal: 2,
    checks: { checks: [], isComplete: true, refused: undefined, after: undefined },
  });
  const gone = { ref: 'x', sha: 'h', repository: null };
  github.addPull(NAME, { number: 42, ...sidesOf(hello), head: gone });
  expect((await ask()).pull?.head.repository).toBeNull();
});

it('the paths of a pull request with a renamed file are left to its diff, which has the old one', async () => {
  const hello = await startHello();
  const { client, github, place } = hello;
  const diff = `${DIFF}diff --git a/old.ts b/new.ts\nrename from old.ts\nrename to new.ts\n`;
  github.addPull(NAME, { number: 42, ...sidesOf(hello), diff });
  const { pull } = await fetchSubject(client, { ...place, isPull: true }, noAbort());
  expect(pull).toMatchObject({ changedFiles: 3, changedPaths: undefined });
});

it('linked issues that alone are refused cost nothing else', async () => {
  const { client, github, place, headSha } = await startHello();
  const error = { type: 'FORBIDDEN', message: 'no', path: ['repository', 'issueOrPullRequest'] };
  const issueOrPullRequest = emptyPull({ headRefOid: headSha, closingIssuesReferences: null });
  const refuse = (path: readonly string[]) =>
    github.fail({
      route: 'POST /graphql',
      status: 200,
      body: { data: { repository: { issueOrPullRequest } }, errors: [{ ...error, path }] },
    });
  refuse([...error.path, 'closingIssuesReferences']);
  const { pull } = await fetchSubject(client, { ...place, isPull: true }, noAbort());
  const linkedIssues = { remedy: expect.stringContaining('`issues: read`') };
  expect(pull).toMatchObject({ changedFiles: 1, linkedIssues });
  refuse([...error.path, 'comments']);
  await expect(fetchSubject(client, { ...place, isPull: true }, noAbort())).rejects.toThrow();
});

it('a pull request is read once for all callers in a run', async () => {
  const { client, place, github } = await startHello();
  const readSubject = readSubjectsOnce(client);
  const asked = { ...place, isPull: true };
  const [one, other] = await Promise.all([
    readSubject(asked, noAbort()),
    readSubject(asked, noAbort()),
  ]);
  expect(one).toBe(other);
  expect(github.calls()).toHaveLength(1);
  await expect(readSubject({ ...asked, number: 43 }, noAbort())).rejects.toThrow();
});

const BOT = 'github-actions[bot]';
const finding = { path: 'src/a.ts', line: 3, body: 'Third is wrong.' };

async function threadsOf({ client, place }: Hello) {
  const { pull, isComplete } = await fetchSubject(client, place, noAbort());
  return { threads: pull?.threads ?? [], isComplete };
}

it('the state of our comments is reported', async () => {
  const hello = await startHello();
  const { comments } = seedReview(hello.repo, { pull: 42, author: BOT, comments: [finding] });
  const id = comments[0] ?? 0;
  seedReply(hello.repo, id, {
    author: 'hubot',
    body: 'It is meant so.',
    editedAt: '2026-01-03T00:00:00Z',
  });
  seedReply(hello.repo, id, { author: BOT, body: 'I see.' });
  const on = { on: 'review-comment', of: id } as const;
  seedReaction(hello.repo, {
    ...on,
    author: 'monalisa',
    content: '-1',
    createdAt: '2026-02-03T04:05:06Z',
  });
  seedReaction(hello.repo, { ...on, author: 'hubot', content: '+1' });
  seedReaction(hello.repo, { ...on, author: 'hubot', content: 'heart' });
  hello.repo.talk.resolved.set(id, 'hubot');
  const { threads, isComplete } = await threadsOf(hello);
  expect(isComplete).toBe(true);
  const author = { login: 'hubot', isBot: false };
  const who = { author, authorAssociation: 'COLLABORATOR', isOurs: false };
  const theirs = { ...who, body: 'It is meant so.', changedAt: '2026-01-03T00:00:00Z' };
  expect(threads).toEqual([
    {
      id: `PRRT_${id}`,
      isResolved: true,
      canTurn: true,
      resolvedBy: 'hubot',
      isOutdated: false,
      path: 'src/a.ts',
      side: 'RIGHT',
      line: 3,
      originalLine: 3,
      reviewId: expect.any(Number),
      hunk: expect.stringMatching(/\n\+\S[^\n]*$/),
      first: {
        id,
        url: `https://github.com/octocat/hello/pull/42#discussion_r${id}`,
        author: { login: BOT, isBot: true },
        authorAssociation: 'NONE',
        isOurs: true,
        body: 'Third is wrong.',
        createdAt: '2026-01-02T03:04:05Z',
        changedAt: '2026-01-02T03:04:05Z',
        isEditedByOther: false,
        thumbsDown: [{ login: 'monalisa', at: '2026-02-03T04:05:06Z' }],
      },
      replies: [
        expect.objectContaining({ ...theirs, isEditedByOther: false }),
        expect.objectContaining({ isOurs: true, body: 'I see.' }),
      ],
      repliesTotal: 2,
    },
  ]);
});

it('a comment that somebody else has changed is recognized', async () => {
  const hello = await startHello();
  const { comments } = seedReview(hello.repo, { pull: 42, author: BOT, comments: [finding] });
  const editedAt = '2026-01-03T00:00:00Z';
  for (const author of ['hubot', 'monalisa'])
    seedReply(hello.repo, comments[0] ?? 0, { author, body: 'Not a bug.', editedAt });
  const last = hello.repo.talk.reviewComments.at(-1);
  if (last !== undefined) last.editor = 'octocat';
  const { threads } = await threadsOf(hello);
  expect(threads[0]?.replies.map(({ isEditedByOther }) => isEditedByOther)).toEqual([false, true]);
});

it('a moved line is followed, and an outdated one is recognized', async () => {
  const hello = await startHello();
  const comments = [finding, { ...finding, line: 22, body: 'More?' }];
  seedReview(hello.repo, { pull: 42, author: BOT, comments });
  const files = { 'src/a.ts': 'zero\none\nsecond\nthird\nfour\n' };
  const sha = hello.github.commit(NAME, files, { branch: 'topic' });
  const diff = DIFF.replace('@@ -1,3 +1,4 @@\n', '@@ -1,3 +1,5 @@\n+zero\n').replace(
    '+more',
    '+less',
  );
  hello.github.addPull(NAME, { number: 42, ...sidesOf({ ...hello, headSha: sha }), diff });
  const { threads } = await threadsOf(hello);
  expect(
    threads.map(({ isOutdated, line, originalLine }) => [isOutdated, line, originalLine]),
  ).toEqual([
    [false, 4, 3],
    [true, undefined, 22],
  ]);
});

it('all pages are read, and the newest replies of a long thread', async () => {
  const hello = await startHello();
  const many = Array.from({ length: 130 }, (_, index) => ({
    ...finding,
    body: `Finding ${index}`,
  }));
  const { comments } = seedReview(hello.repo, { pull: 42, author: BOT, comments: many });
  for (let count = 1; count <= 70; count += 1) {
    seedReply(hello.repo, comments[0] ?? 0, { author: 'hubot', body: `Reply ${count}` });
  }
  const { threads, isComplete } = await threadsOf(hello);
  expect([threads.length, isComplete]).toEqual([130, true]);
  expect(threads.at(-1)?.first.body).toBe('Finding 129');
  expect(threads[0]?.first.body).toBe('Finding 0');
  expect(threads[0]?.repliesTotal).toBe(70);
  expect(threads[0]?.replies).toHaveLength(50);
  expect(threads[0]?.replies.at(-1)?.body).toBe('Reply 70');
});
