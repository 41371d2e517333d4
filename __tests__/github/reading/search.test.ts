import { describe, expect, it } from '@jest/globals';
import { searchCode, searchIssues } from '../../../src/github/reading/search.js';
import { createFakeGitHubClient, HELLO, noAbort } from '../../helpers/github-client-fake.js';
import { NAME, startHello } from '../hello-fixture.js';

describe('a search', () => {
  it('finds issues, or pull requests', async () => {
    const { client, github } = await startHello();
    github.addIssue(NAME, { number: 7, title: 'A change breaks', author: 'monalisa' });
    const search = (kind: 'issue' | 'pull_request') =>
      searchIssues(client, { repository: HELLO, query: 'change is:pr is:issue', limit: 10, kind }, noAbort());
    expect((await search('issue')).items).toEqual([
      {
        number: 7,
        title: 'A change breaks',
        isOpen: true,
        author: 'monalisa',
        updatedAt: expect.any(String),
      },
    ]);
    expect((await search('pull_request')).items).toMatchObject([{ number: 42 }]);
  });

  it.each([
    ['the repository', 'The listed users and repositories cannot be searched either because the', 'missing'],
    ['an account of the query', 'The listed users cannot be searched either because the', 'invalid'],
  ])('that GitHub refuses for %s names the permission if that can be the cause', async (_, said, reason) => {
    const { client, github } = await startHello();
    const message = `${said} resources do not exist or you do not have permission to view them.`;
    const errors = [{ message, resource: 'Search', field: 'q', code: 'invalid' }];
    github.fail({
      route: 'GET /search/code',
      status: 422,
      body: { message: 'Validation Failed', errors },
      times: 1,
    });
    await expect(
      searchCode(client, { repository: HELLO, query: 'author:monalisa a', limit: 1 }, noAbort()),
    ).rejects.toMatchObject({
      reason,
      message: expect.stringContaining('do not have permission to view them'),
      remedy: reason === 'missing' ? expect.stringContaining('`contents: read`') : undefined,
    });
  });
});

describe('a query from the model', () => {
  async function sent(query: string): Promise<unknown> {
    const answer = { total_count: 0, incomplete_results: false, items: [] };
    const client = createFakeGitHubClient({ 'GET /search/code': () => answer });
    await searchCode(client, { repository: HELLO, query, limit: 500 }, noAbort());
    return client.requests[0]?.params;
  }

  it.each([
    ['secret', 'secret repo:octocat/hello'],
    ['secret repo:octocat/private -org:github (user:hubot owner:x', 'secret repo:octocat/hello'],
    ['REPO:octocat/private', 'repo:octocat/hello'],
    ['organizer:me userName: path:src', 'organizer:me userName: path:src repo:octocat/hello'],
    [` ${'x'.repeat(300)}`, `${'x'.repeat(256)} repo:octocat/hello`],
  ])('%j stays in the repository', async (query, q) => {
    expect(await sent(query)).toEqual({ q, per_page: 100 });
  });

  it('finds nothing in other repositories, whatever it contains', async () => {
    const file = (full_name: string) => ({ path: 'a', repository: { full_name } });
    const items = [file('octocat/private'), file('Octocat/Hello')];
    const client = createFakeGitHubClient({
      'GET /search/code': () => ({ total_count: 2, incomplete_results: true, items }),
      'GET /search/issues': () => ({
        total_count: 1,
        incomplete_results: false,
        items: [
          {
            number: 1,
            title: '',
            state: 'open',
            html_url: '',
            repository_url: 'https://api.github.com/repos/octocat/private',
            updated_at: '',
            user: null,
          },
        ],
      }),
    });
    const request = { repository: HELLO, query: '"repo:octocat/private"', limit: 5 };
    expect(await searchCode(client, request, noAbort())).toEqual({
      items: [{ path: 'a', fragments: [] }],
      isComplete: false,
    });
    expect((await searchIssues(client, { ...request, kind: 'issue' }, noAbort())).items).toEqual([]);
  });
});
