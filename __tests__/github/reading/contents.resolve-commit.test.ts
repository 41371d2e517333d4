import { expect, it } from '@jest/globals';
import { resolveCommit } from '../../../src/github/reading/contents.js';
import { createFakeGitHubClient, HELLO, noAbort } from '../../helpers/github-client-fake.js';
import { startHello } from '../hello-fixture.js';

it('a branch or a sha resolves to its commit', async () => {
  const { client, headSha } = await startHello();
  for (const ref of ['topic', headSha]) {
    expect(await resolveCommit({ client, repository: HELLO, ref }, noAbort())).toBe(headSha);
  }
});

it('a missing ref is distinguished from a missing repository', async () => {
  const { client } = await startHello();
  await expect(resolveCommit({ client, repository: HELLO, ref: 'v9' }, noAbort())).rejects.toMatchObject({
    reason: 'invalid',
  });
  const repository = { ...HELLO, name: 'nothing' };
  await expect(resolveCommit({ client, repository, ref: 'main' }, noAbort())).rejects.toMatchObject({
    reason: 'missing',
  });
});

it('an object that is not a commit is not treated as one', async () => {
  const client = createFakeGitHubClient({
    'GET /repos/{owner}/{repo}/commits/{ref}': () => '<html>',
  });
  await expect(resolveCommit({ client, repository: HELLO, ref: 'main' }, noAbort())).rejects.toMatchObject({
    reason: 'unavailable',
  });
});
