import { expect, it } from '@jest/globals';
import { linkedIssues } from '../../../../src/adapters/github/reading/linked-issues.js';
import { noAbort } from '../../../helpers/github-client-fake.js';
import { deniedQuery, NAME, startHello } from '../hello-fixture.js';

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
  expect(await linkedIssues(client, place, noAbort())).toEqual([
    {
      repository: NAME,
      number: 7,
      title: 'It breaks',
      body: 'Always.',
      isOpen: true,
      author: 'monalisa',
      url: 'https://github.com/octocat/hello/issues/7',
      changedAt: '2026-01-02T03:04:05Z',
    },
    expect.objectContaining({ number: 8, isOpen: false, author: 'hubot' }),
  ]);
});

it('no issues are found if there are none, and a missing permission is named', async () => {
  const { client, github, place } = await startHello();
  expect(await linkedIssues(client, place, noAbort())).toEqual([]);
  github.fail(deniedQuery());
  await expect(linkedIssues(client, place, noAbort())).rejects.toMatchObject({
    remedy: 'Add `issues: read` under `permissions:` of the job.',
  });
});
