import { describe, expect, it } from '@jest/globals';
import { fetchPermission } from '../../../src/github/reading/permissions.js';
import {
  type Answer,
  createFakeGitHubClient,
  failure,
  HELLO,
  noAbort,
} from '../../helpers/github-client-fake.js';

const ROUTE = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';

async function ask(answer: Answer) {
  const client = createFakeGitHubClient({ [ROUTE]: answer });
  return { result: await fetchPermission(client, { repository: HELLO, login: 'octocat' }, noAbort()) };
}

describe('an account’s permission', () => {
  it.each([
    ['admin', 'admin', 'admin'],
    ['write', 'maintain', 'maintain'],
    ['write', 'write', 'write'],
    ['read', 'triage', 'triage'],
    ['read', 'read', 'read'],
    ['none', 'none', 'none'],
    ['write', undefined, 'write'],
    ['read', 'maintain', 'read'],
    ['read', 'Security Reviewer', 'read'],
    ['none', 'admin', 'none'],
  ])('%s with the role %s is %s', async (permission, role_name, expected) => {
    const { result } = await ask(() => ({ permission, role_name, user: null }));
    expect(result).toEqual({ kind: 'known', permission: expected });
  });

  it.each([
    ['C5 72: a 404', 404, 'Not Found'],
    ['C5 72: a 403', 403, 'Resource not accessible by integration'],
  ])('%s leaves it unknown, with what GitHub said', async (_, status, message) => {
    const { result } = await ask(() => {
      throw failure(status, 'GET /permission', message);
    });
    expect(result).toMatchObject({ kind: 'unknown' });
    expect(result.kind === 'unknown' && result.message).toContain(message);
  });

  it.each([[{ permission: 'owner' }], [null], ['text']])('is unknown after the answer %j', async (body) => {
    expect((await ask(() => body)).result.kind).toBe('unknown');
  });

  it('is none for an account that is not a user', async () => {
    const { result } = await ask(() => {
      throw failure(404, 'GET /permission', 'octocat is not a user');
    });
    expect(result).toEqual({ kind: 'known', permission: 'none' });
  });
});
