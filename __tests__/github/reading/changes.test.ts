import { describe, expect, it } from '@jest/globals';
import { httpError } from '../../../src/github/client/errors.js';
import { fetchComparedDiff, fetchNewSince } from '../../../src/github/reading/changes.js';
import { parseDiff } from '../../../src/lib/text/diff.js';
import {
  createFakeGitHubClient,
  failure,
  HELLO,
  noAbort,
} from '../../helpers/github-client-fake.js';
import { emptyPull } from '../hello-fixture.js';

const COMPARE = 'GET /repos/{owner}/{repo}/compare/{basehead}';
const DIFF = 'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-a\n+b\n';
const PATCH = '@@ -1 +1 @@\n-a\n+b';
const FILE = { filename: 'a.ts', status: 'modified', additions: 1, deletions: 1, patch: PATCH };
const COMMIT = { sha: 'h', commit: { message: 'm' }, parents: [{}] };
const AHEAD = { status: 'ahead', total_commits: 1, commits: [COMMIT], files: [FILE] };

/** What is new, with GitHub's answers: an error by its status. */
async function newSince(comparison: unknown, diff: string | number = DIFF) {
  const client = createFakeGitHubClient({
    [COMPARE]: ({ accept }) => {
      const answer = accept?.endsWith('.diff') === true ? diff : comparison;
      if (typeof answer === 'number') throw failure(answer);
      return answer;
    },
  });
  return await fetchNewSince(client, { repository: HELLO, base: 'b', head: 'h' }, noAbort());
}

describe('the changes since a commit', () => {
  it('are its diff and its files', async () => {
    const file = { path: 'a.ts', status: 'modified', additions: 1, deletions: 1 };
    expect(await newSince(AHEAD)).toEqual({
      kind: 'ahead',
      change: { diff: DIFF, files: [file], filesTotal: 1 },
      warnings: [],
    });
  });

  it.each([
    [
      'a commit with two parents',
      { commits: [COMMIT, { ...COMMIT, parents: [{}, {}] }], total_commits: 2 },
    ],
    ['more commits than are listed', { total_commits: 300 }],
  ])('might include what a merge brought: %s', async (_, patch) => {
    expect(await newSince({ ...AHEAD, ...patch })).toEqual({ kind: 'rewritten' });
  });

  it.each(['diverged', 'behind', 'identical'])('are empty if the head is %s', async (status) => {
    expect(await newSince({ ...AHEAD, status })).toEqual({ kind: 'rewritten' });
  });

  it.each([
    ['the commit was removed', 404, 404, 'rewritten'],
    ['the token cannot read it', 403, 403, 'unread'],
    ['GitHub is down', 500, 500, 'unread'],
    [
      'there are more files than GitHub lists',
      { ...AHEAD, files: Array(300).fill(FILE) },
      406,
      'unread',
    ],
    ['the answer is invalid', 'x', DIFF, 'unread'],
  ])('are unknown if %s', async (_, comparison, diff, kind) => {
    expect(await newSince(comparison, diff)).toEqual({ kind });
  });
});

/**
 * The changed files where GitHub makes no diff of a comparison of these, of a pull request with
 * this head.
 */
async function compare(files: readonly object[], refusal: Error, headRefOid?: string) {
  const client = createFakeGitHubClient({
    graphql: () => ({ repository: { issueOrPullRequest: emptyPull({ headRefOid }) } }),
    'GET /repos/{owner}/{repo}/pulls/{pull_number}/files': () => [
      { ...FILE, filename: 'pushed-later.ts' },
    ],
    [COMPARE]: ({ accept }) => {
      if (accept?.endsWith('.diff') === true) throw refusal;
      return { files };
    },
  });
  const pull = headRefOid === undefined ? undefined : 42;
  const pair = { repository: HELLO, base: 'b', head: 'h', pull };
  const { diff, isComplete } = await fetchComparedDiff(client, pair, noAbort());
  return { files: parseDiff(diff).map(({ path, hunks }) => [path, hunks.length]), isComplete };
}

/** As GitHub answers a diff that takes it too long. */
const NOT_AVAILABLE = httpError('GET /', {
  status: 422,
  headers: {},
  body: {
    message: 'Server Error: Sorry, this diff is taking too long to generate.',
    errors: [{ resource: 'PullRequest', field: 'diff', code: 'not_available' }],
  },
});

it.each<[string, Error, string | undefined]>([
  ['after a 406', failure(406), undefined],
  ['after a 422', NOT_AVAILABLE, undefined],
  ['after a 500', failure(500), undefined],
  ['and not those of a commit that was pushed since the event', failure(406), 'newer'],
])('the changed files are listed if GitHub produces no diff, %s', async (_, refusal, head) => {
  expect(await compare([FILE, { filename: 'logo.png' }], refusal, head)).toEqual({
    files: [
      ['a.ts', 1],
      ['logo.png', 0],
    ],
    isComplete: true,
  });
});
