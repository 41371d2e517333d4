import { expect, it } from '@jest/globals';
import { resolveCommit } from '../../../../src/adapters/github/reading/resolve-commit.js';
import { createFakeGitHubClient, HELLO, noAbort } from '../../../helpers/github-client-fake.js';
import { startHello } from '../hello-fixture.js';

it('names the commit that a branch or a sha stands for', async () => {
  const { client, headSha } = await startHello();
  for (const ref of ['topic', headSha]) {
    expect(await resolveCommit({ client, repository: HELLO, ref }, noAbort())).toBe(headSha);
  }
});

it('tells a ref that is not there from a repository that is not', async () => {
  const { client } = await startHello();
  await expect(resolveCommit({ client, repository: HELLO, ref: 'v9' }, noAbort())).rejects.toMatchObject({
    reason: 'invalid',
  });
  const repository = { ...HELLO, name: 'nothing' };
  await expect(resolveCommit({ client, repository, ref: 'main' }, noAbort())).rejects.toMatchObject({
    reason: 'missing',
  });
});

it('takes nothing for a commit that is none', async () => {
  const client = createFakeGitHubClient({
    'GET /repos/{owner}/{repo}/commits/{ref}': () => '<html>',
  });
  await expect(resolveCommit({ client, repository: HELLO, ref: 'main' }, noAbort())).rejects.toMatchObject({
    reason: 'unavailable',
  });
});
