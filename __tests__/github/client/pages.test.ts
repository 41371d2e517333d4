import { expect, it } from '@jest/globals';
import * as v from 'valibot';
import { fetchPages } from '../../../src/github/client/ask.js';
import { createFakeGitHubClient, noAbort } from '../../helpers/github-client-fake.js';

const route = 'GET /repos/{owner}/{repo}/labels';

it.each([
  [0, 0, true, 1],
  [99, 99, true, 1],
  [100, 100, true, 2],
  [300, 300, false, 3],
  [999, 300, false, 3],
])('a list of %i items reads %i, completely: %s, in %i pages', async (total, length, isComplete, pages) => {
  const client = createFakeGitHubClient({
    [route]: ({ params }) => {
      const page = Number(params['page']);
      const size = Number(params['per_page']);
      return Array.from({ length: total }, (_, index) => index).slice((page - 1) * size, page * size);
    },
  });
  const params = { owner: 'o', repo: 'r' };
  const listed = await fetchPages(client, route, params, v.array(v.number()), 3, noAbort());
  expect([listed.items.length, listed.isComplete, client.requests.length]).toEqual([
    length,
    isComplete,
    pages,
  ]);
});
