import { expect, it } from '@jest/globals';
import * as v from 'valibot';
import { askGraphQl, askRest, fetchPages, unreadWarning } from '../../../src/github/client/ask.js';
import { GitHubError, graphqlError, httpError } from '../../../src/github/client/errors.js';
import { createFakeGitHubClient, noAbort } from '../../helpers/github-client-fake.js';

function refusal(type: string, message = 'no') {
  return graphqlError([{ type, message }], {});
}

const ADD = 'add `checks: read` under `permissions:` of the job.';

it.each([
  ['FORBIDDEN', refusal('FORBIDDEN'), ADD.replace('add', 'Add')],
  ['NOT_FOUND', refusal('NOT_FOUND'), `If it exists, the token cannot see it: ${ADD}`],
  ['RATE_LIMITED', refusal('RATE_LIMITED'), expect.stringContaining('asks for a pause of 60 s')],
  [
    'a 401',
    httpError('POST /graphql', { status: 401, headers: {}, body: {} }),
    expect.stringContaining('`github-token`'),
  ],
])('a query that is refused with %s keeps all but the remedy', async (_, error, remedy) => {
  const client = createFakeGitHubClient({
    graphql: () => {
      throw error;
    },
  });
  const { message, reason, status, retryAfterMs } = error;
  const asked = askGraphQl(
    client,
    { query: '', variables: {}, permission: 'checks: read' },
    v.unknown(),
    noAbort(),
  );
  await expect(asked).rejects.toMatchObject({ message, reason, status, retryAfterMs, remedy });
});

it.each([
  ['denied', ADD, { code: 'context-unread', message: 'the checks', remedy: ADD }],
  ['denied', undefined, { code: 'context-incomplete', message: 'the checks: no' }],
  ['unavailable', ADD, { code: 'context-incomplete', message: 'the checks: no', remedy: ADD }],
] as const)('a part that is %s, with the remedy %s, is told as %j', (reason, remedy, warning) => {
  expect(unreadWarning(new GitHubError('no', { reason, remedy }), 'the checks')).toEqual(warning);
});

it('an answer that does not fit is reported with the place and the mismatch', async () => {
  const route = 'GET /repos/{owner}/{repo}';
  const client = createFakeGitHubClient({ [route]: () => ({ id: 'x' }), graphql: () => null });
  const schema = v.object({ id: v.number() });
  await expect(
    askRest(client, { route, params: { owner: 'o', repo: 'r' } }, schema, noAbort()),
  ).rejects.toThrow("GitHub's answer to `GET /repos/o/r` is not understood");
  await expect(
    askGraphQl(client, { query: '', variables: {}, permission: '' }, schema, noAbort()),
  ).rejects.toThrow("GitHub's answer to `POST /graphql` is not understood");
});

const LABELS = 'GET /repos/{owner}/{repo}/labels';

it.each([
  [0, 0, true, 1],
  [99, 99, true, 1],
  [100, 100, true, 2],
  [300, 300, false, 3],
  [999, 300, false, 3],
])(
  'a list of %i items reads %i, completely: %s, in %i pages',
  async (total, length, isComplete, pages) => {
    const client = createFakeGitHubClient({
      [LABELS]: ({ params }) => {
        const page = Number(params['page']);
        const size = Number(params['per_page']);
        return Array.from({ length: total }, (_, index) => index).slice(
          (page - 1) * size,
          page * size,
        );
      },
    });
    const params = { owner: 'o', repo: 'r' };
    const listed = await fetchPages(
      client,
      { route: LABELS, params, maxPages: 3 },
      v.array(v.number()),
      noAbort(),
    );
    expect(client.requests).toHaveLength(pages);
    expect([listed.items.length, listed.isComplete]).toEqual([length, isComplete]);
  },
);
