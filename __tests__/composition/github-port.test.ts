import { describe, expect, it } from '@jest/globals';
import { createGitHubPort } from '../../src/composition/github-port.js';
import { createFakeGitHubClient, failure, noAbort } from '../helpers/github-client-fake.js';
import { issue } from '../helpers/triggers.js';

describe('the permissions and commits that a run requests', () => {
  it('are none on somebody’s own machine', () => {
    expect(createGitHubPort(createFakeGitHubClient({}), { kind: 'local' })).toBeUndefined();
  });

  it('are requested from the repository of the event', async () => {
    const client = createFakeGitHubClient({
      'GET /repos/{owner}/{repo}/collaborators/{username}/permission': () => ({
        permission: 'write',
        role_name: 'maintain',
      }),
    });
    const github = createGitHubPort(client, issue());
    expect(await github?.permission('hubot', noAbort())).toEqual({ kind: 'known', permission: 'maintain' });
    expect(client.requests).toMatchObject([
      { params: { owner: 'octocat', repo: 'hello', username: 'hubot' } },
    ]);
  });

  it('are unknown, which is never trusted, if they cannot be read', async () => {
    const client = createFakeGitHubClient({
      'GET /repos/{owner}/{repo}/collaborators/{username}/permission': () => {
        throw failure(403);
      },
    });
    const github = createGitHubPort(client, issue());
    expect(await github?.permission('hubot', noAbort())).toMatchObject({ kind: 'unknown' });
  });
});
