import { expect, it } from '@jest/globals';
import * as v from 'valibot';
import { fetchPages } from '../../../src/github/client/ask.js';
import { createFakeGitHubClient, noAbort } from '../../helpers/github-client-fake.js';

const route = 'GET /repos/{owner}/{repo}/labels';

async function read(total: number, wrap: (items: unknown) => unknown = (items) => items, field?: string) {
  const client = createFakeGitHubClient({
    [route]: ({ params }) => {
      const page = Number(params['page']);
      const size = Number(params['per_page']);
      return wrap(Array.from({ length: total }, (_, index) => index).slice((page - 1) * size, page * size));
    },
  });
  const list = {
    route,
    params: { owner: 'o', repo: 'r' },
    item: v.number(),
    what: 'the labels',
    maxPages: 3,
  };
  const listed = await fetchPages(client, { ...list, ...(field === undefined ? {} : { field }) }, noAbort());
  return { length: listed.items.length, isComplete: listed.isComplete, pages: client.requests.length };
}

it.each([
  [0, 0, true, 1],
  [99, 99, true, 1],
  [100, 100, true, 2],
  [250, 250, true, 3],
  [300, 300, false, 3],
  [999, 300, false, 3],
])('a list of %i items reads %i, completely: %s, in %i pages', async (total, length, isComplete, pages) => {
  expect(await read(total)).toEqual({ length, isComplete, pages });
});

it('a list inside an object is read', async () => {
  expect(await read(150, (check_runs) => ({ total_count: 150, check_runs }), 'check_runs')).toMatchObject({
    length: 150,
  });
});

it.each([
  ['an object without the list', () => ({ total_count: 1 }), 'check_runs'],
  ['no object', () => null, 'check_runs'],
  ['items of another kind', () => ['a'], undefined],
])('%s is not treated as an empty list', async (_, wrap, field) => {
  await expect(read(1, wrap, field)).rejects.toThrow(
    "GitHub's answer to `GET /repos/o/r/labels` does not hold the labels",
  );
});
