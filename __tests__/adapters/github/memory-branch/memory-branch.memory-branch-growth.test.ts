import { describe, expect, it } from '@jest/globals';
import { noAbort } from '../../../helpers/github-client-fake.js';
import { branchWith, HEAD, NEXT, refuses } from './memory-branch-fixture.js';

const COMPARE = 'GET /repos/{owner}/{repo}/compare/{basehead}';

describe('the relation of a branch to an earlier commit of it', () => {
  it.each([
    ['ahead', 'grown'],
    ['identical', 'grown'],
    ['behind', 'replaced'],
    ['diverged', 'replaced'],
  ])('is known from the comparison of both: %s is %s', async (status, kind) => {
    const { branch, client } = branchWith({ [COMPARE]: () => ({ status }) });
    expect(await branch.growth(HEAD, NEXT, noAbort())).toEqual({ kind });
    expect(client.requests.map(({ params }) => params)).toEqual([
      { owner: 'octocat', repo: 'hello', basehead: `${HEAD}...${NEXT}`, per_page: 1, page: 2 },
    ]);
  });

  it('is replaced if the commits have no common ancestor (C3 51)', async () => {
    const { branch } = branchWith({ [COMPARE]: refuses(404, 'No common ancestor between a and b') });
    expect(await branch.growth(HEAD, NEXT, noAbort())).toEqual({ kind: 'replaced' });
  });

  it.each([
    [502, '', {}, 'unavailable'],
    [403, 'Resource not accessible by integration', {}, 'denied'],
    [403, 'You have exceeded a secondary rate limit', { 'retry-after': '7' }, 'rate-limited'],
  ])('is unknown after a %d %s', async (status, message, headers, reason) => {
    const { branch } = branchWith({ [COMPARE]: refuses(status, message, headers) });
    expect(await branch.growth(HEAD, NEXT, noAbort())).toMatchObject({ kind: 'failed', reason });
  });

  it('is unknown after an answer with an unexpected shape', async () => {
    const { branch } = branchWith({ [COMPARE]: () => ({ status: 'sideways' }) });
    expect(await branch.growth(HEAD, NEXT, noAbort())).toMatchObject({
      kind: 'failed',
      reason: 'unavailable',
    });
  });

  it('rejects when it is aborted', async () => {
    const { branch } = branchWith({
      [COMPARE]: () => {
        throw new Error('over');
      },
    });
    await expect(branch.growth(HEAD, NEXT, noAbort())).rejects.toThrow('over');
  });
});
