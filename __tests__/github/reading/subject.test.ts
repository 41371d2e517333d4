import { expect, it } from '@jest/globals';
import { fetchSubject, readSubjectsOnce } from '../../../src/github/reading/subject.js';
import { noAbort } from '../../helpers/github-client-fake.js';
import { NAME, startHello } from '../hello-fixture.js';

it('the issues that a pull request closes are found', async () => {
  const { client, github, repo, place, baseSha, headSha } = await startHello();
  github.addIssue(NAME, { number: 7, title: 'It breaks', body: 'Always.', author: 'monalisa' });
  github.addIssue(NAME, { number: 8, author: 'hubot[bot]' });
  repo.talk.closedIssues.add(8);
  github.addPull(NAME, {
    number: 42,
    body: 'Fixes #7, closes #8, see #9',
    base: { ref: 'main', sha: baseSha },
    head: { ref: 'topic', sha: headSha, repository: NAME },
  });
  const { pull } = await fetchSubject(client, { ...place, isPull: true }, noAbort());
  expect(pull?.linkedIssues).toEqual([
    {
      repository: NAME,
      number: 7,
      title: 'It breaks',
      body: 'Always.',
      isOpen: true,
      author: { login: 'monalisa', isBot: false },
      changedAt: '2026-01-02T03:04:05Z',
    },
    expect.objectContaining({ number: 8, isOpen: false, author: { login: 'hubot[bot]', isBot: true } }),
  ]);
});

it('a pull request is told as it is now, from no repository where its fork is gone', async () => {
  const { client, github, place, headSha, baseSha } = await startHello();
  const ask = async () => await fetchSubject(client, { ...place, isPull: true }, noAbort());
  expect((await ask()).pull).toEqual({
    head: { sha: headSha, ref: 'topic', repository: 'octocat/hello' },
    base: { sha: baseSha, ref: 'main' },
    changedFiles: 2,
    threads: [],
    reviews: [],
    allReviews: [],
    linkedIssues: [],
  });
  const head = { ref: 'x', sha: 'h', repository: null };
  github.addPull(NAME, { number: 42, base: { ref: 'main', sha: 'b' }, head });
  expect((await ask()).pull?.head.repository).toBeNull();
});

it('linked issues that alone are refused cost nothing else', async () => {
  const { client, github, place, headSha } = await startHello();
  const error = { type: 'FORBIDDEN', message: 'no', path: ['repository', 'issueOrPullRequest'] };
  const nothing = { totalCount: 0, nodes: [] };
  const issueOrPullRequest = {
    __typename: 'PullRequest',
    title: 'A change',
    body: '',
    closed: false,
    createdAt: '2026-01-02T03:04:05Z',
    author: null,
    headRefOid: headSha,
    headRefName: 'topic',
    headRepository: null,
    baseRefOid: 'b',
    baseRefName: 'main',
    changedFiles: 1,
    comments: nothing,
    reviewThreads: { nodes: [], pageInfo: { endCursor: null, hasNextPage: false } },
    reviews: nothing,
    timelineItems: { nodes: [] },
    closingIssuesReferences: null,
  };
  const refuse = (path: readonly string[]) =>
    github.fail({
      route: 'POST /graphql',
      status: 200,
      body: { data: { repository: { issueOrPullRequest } }, errors: [{ ...error, path }] },
    });
  refuse([...error.path, 'closingIssuesReferences']);
  const { pull } = await fetchSubject(client, { ...place, isPull: true }, noAbort());
  expect(pull).toMatchObject({
    changedFiles: 1,
    linkedIssues: { remedy: expect.stringContaining('`issues: read`') },
  });
  refuse([...error.path, 'comments']);
  await expect(fetchSubject(client, { ...place, isPull: true }, noAbort())).rejects.toThrow();
});

it('a pull request is read once for all callers in a run', async () => {
  const { client, place, github } = await startHello();
  const readSubject = readSubjectsOnce(client);
  const asked = { ...place, isPull: true };
  const [one, other] = await Promise.all([readSubject(asked, noAbort()), readSubject(asked, noAbort())]);
  expect(one).toBe(other);
  expect(github.calls()).toHaveLength(1);
  await expect(readSubject({ ...asked, number: 43 }, noAbort())).rejects.toThrow();
});
