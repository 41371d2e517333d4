import { describe, expect, it } from '@jest/globals';
import { type Answer, noAbort } from '../../../helpers/github-client-fake.js';
import {
  branchWith,
  drops,
  HEAD,
  NEXT,
  OTHER,
  PLACE,
  refuses,
  refusesQuery,
  repositoryAt,
  TREE,
} from './memory-branch-fixture.js';

const NEW_TREE = 'POST /repos/{owner}/{repo}/git/trees';
const NEW_COMMIT = 'POST /repos/{owner}/{repo}/git/commits';
const NEW_REF = 'POST /repos/{owner}/{repo}/git/refs';

const CHANGE = { files: new Map([['a.md', '# a\n']]), message: 'axe: remember [skip ci]' };
const CONFLICT = { kind: 'conflict' };
const UNKNOWN = { kind: 'unknown' };
const SPENT = {
  'x-ratelimit-remaining': '0',
  'x-ratelimit-reset': '1767229200',
  date: 'Thu, 01 Jan 2026 00:20:00 GMT',
};
const NO_BRANCH = refusesQuery('Could not resolve', 'NOT_FOUND');
const unknownFor = (message: string) => ({
  kind: 'unknown',
  message: expect.stringContaining(message),
});
const limitFor = (retryAfterMs: number) => ({
  kind: 'failed',
  reason: 'rate-limited',
  retryAfterMs,
});
const failedFor = (why: RegExp) => ({
  kind: 'failed',
  reason: 'error',
  message: expect.stringMatching(why),
});
/** Outside of a job. */
const LAPTOP = { isOwn: undefined, token: 'GITHUB_TOKEN' } as const;
const NOT_ACCESSIBLE = refusesQuery('Resource not accessible by integration', 'FORBIDDEN');
const UNSEEN = refusesQuery(
  "Could not resolve to a Repository with the name 'octocat/hello'.",
  'NOT_FOUND',
);
const UNARCHIVE = 'Unarchive octocat/hello, or name another repository with `memory-repo`.';
const NONE = () => ({ repository: null });
const denied = (why: string) => ({
  kind: 'failed',
  reason: 'denied',
  remedy: expect.stringContaining(why),
});
const OBJECTS = { [NEW_TREE]: () => ({ sha: TREE }), [NEW_COMMIT]: () => ({ sha: NEXT }) };

it('a memory branch has a name and addresses for people', () => {
  const { branch } = branchWith({}, { branch: 'memory/axe #1', serverUrl: 'https://ghes.example' });
  expect(branch.name).toBe('octocat/hello@memory/axe #1');
  const url = 'https://ghes.example/octocat/hello/blob/memory/axe%20%231/a%20b/%C3%BC.md';
  expect(branch.urlOf('a b/ü.md')).toBe(url);
});

describe('committing', () => {
  it('needs one call, based on the head that was read', async () => {
    const mutation = () => ({ createCommitOnBranch: { commit: { oid: NEXT } } });
    const { branch, client } = branchWith({ mutation });
    const contents = Buffer.from([0x78, 0xe9]).toString('base64');
    const change = {
      files: new Map([['ü/a.md', 'x\uDCE9']]),
      message: 'axe: remember [skip ci]\n\nRun 1',
    };
    expect(await branch.commit(HEAD, change, noAbort())).toEqual({
      kind: 'committed',
      version: NEXT,
    });
    expect(client.requests.map(({ params }) => params)).toEqual([
      {
        input: {
          branch: { repositoryNameWithOwner: 'octocat/hello', branchName: 'axe-memory' },
          expectedHeadOid: HEAD,
          message: { headline: 'axe: remember [skip ci]', body: 'Run 1' },
          fileChanges: { additions: [{ path: 'ü/a.md', contents }] },
        },
      },
    ]);
  });

  it.each<[string, Answer, object, Answer?]>([
    ['C3 46: an old head', refusesQuery(`Expected branch to point to "${HEAD}"`), CONFLICT],
    [
      'C3 46: an old head in other words',
      refusesQuery(`is at ${OTHER} but expected ${HEAD}`),
      CONFLICT,
    ],
    [
      'an unknown refusal if the branch has moved',
      refusesQuery('no'),
      CONFLICT,
      repositoryAt(OTHER),
    ],
    ['C3 51: a deleted branch', NO_BRANCH, CONFLICT, repositoryAt(undefined)],
    [
      'an unknown refusal if it has not moved',
      refusesQuery('A path twice'),
      failedFor(/A path twice/),
    ],
    ['C3 47: a server error', refuses(502), unknownFor('502')],
    ['C3 47: a dropped connection', drops, unknownFor('socket hang up')],
    [
      'a query GitHub gave up on',
      refusesQuery('Something went wrong while executing your query.'),
      UNKNOWN,
    ],
    ['an answer that is not understood', () => ({}), UNKNOWN],
    [
      'C3 49: a secondary limit',
      refuses(403, 'a secondary limit', { 'retry-after': '9' }),
      limitFor(9_000),
    ],
    [
      'C3 49: a spent primary limit',
      refuses(403, 'API rate limit exceeded', SPENT),
      limitFor(40 * 60_000),
    ],
    [
      'C3 49: a limit in a GraphQL answer',
      refusesQuery('API rate limit', 'RATE_LIMIT'),
      limitFor(60_000),
    ],
  ])('%s has its own result', async (_, mutation, result, query = repositoryAt(HEAD)) => {
    const { branch } = branchWith({ mutation, query });
    expect(await branch.commit(HEAD, CHANGE, noAbort())).toMatchObject(result);
  });

  it.each<[string, Answer, unknown, Parameters<typeof branchWith>[1]?, Answer?]>([
    [
      'a missing permission',
      NOT_ACCESSIBLE,
      'Add `contents: write` under `permissions:` of the job, or give a token that can write to octocat/hello as `github-token`.',
    ],
    [
      'a missing permission for another repository',
      NOT_ACCESSIBLE,
      "Check its name, and give a token that can write to octocat/hello as `repositories-token`; the job's own token is for the workflow's repository only.",
      { isOwn: false, token: 'repositories-token' },
    ],
    [
      'a missing permission on a laptop',
      NOT_ACCESSIBLE,
      /^Give a token .* as `GITHUB_TOKEN`\.$/,
      LAPTOP,
    ],
    ['a bad token', refuses(401, 'Bad credentials'), /check `github-token`\.$/],
    [
      'a ruleset',
      refusesQuery(
        'Repository rule violations found\n\nChanges must be made through a pull request.\n\n',
      ),
      "In the repository's rulesets, exclude `axe-memory`, or let the app that the token belongs to bypass the rules for branch `axe-memory`.",
    ],
    [
      'a protected branch of code',
      refusesQuery('GH006: Protected branch update failed', 'BRANCH_PROTECTION_RULE_VIOLATION'),
      /^Set `memory-branch: axe-memory`, a branch of memory's own, or let the app .* for branch `main`/,
      { branch: 'main' },
    ],
    ['an archived repository', refusesQuery('Repository was archived', 'FORBIDDEN'), UNARCHIVE],
    [
      'single sign-on',
      refusesQuery('Resource protected by organization SAML enforcement.', 'FORBIDDEN'),
      'Authorize the token of `github-token` for the single sign-on of octocat.',
    ],
    [
      'a repository the token cannot see',
      UNSEEN,
      /^Check its name, and give a token .* as `GITHUB_TOKEN`\.$/,
      LAPTOP,
      NONE,
    ],
    ['the own repository, unseen', UNSEEN, /^Add `contents: write` under/, {}, NONE],
  ])(
    'C3 48: names the remedy of %s',
    async (_, ...[mutation, remedy, place = {}, query = repositoryAt(HEAD)]) => {
      const { branch } = branchWith({ mutation, query }, place);
      expect(await branch.commit(HEAD, CHANGE, noAbort())).toMatchObject({
        kind: 'failed',
        reason: 'denied',
        message: expect.stringMatching(/^saving to octocat\/hello@(?:axe-memory|main) failed: /),
        remedy: remedy instanceof RegExp ? expect.stringMatching(remedy) : remedy,
      });
    },
  );

  it('reports for a secret in the file that the file is the problem, not the rules', async () => {
    const mutation = refusesQuery('Repository rule violations found\n\nSecret detected in content');
    const { branch } = branchWith({ mutation, query: repositoryAt(HEAD) });
    const told = { reason: 'error', remedy: expect.stringContaining('remove it') };
    expect(await branch.commit(HEAD, CHANGE, noAbort())).toMatchObject(told);
  });
});

describe('creating the branch', () => {
  it('stores one commit without a parent and points the branch to it', async () => {
    const { branch, client } = branchWith({
      ...OBJECTS,
      [NEW_REF]: () => ({ object: { sha: NEXT } }),
    });
    expect(await branch.create(CHANGE, noAbort())).toEqual({ kind: 'committed', version: NEXT });
    const [tree, commit, ref] = client.requests;
    expect(tree?.params).not.toHaveProperty('base_tree');
    expect(commit?.params).toMatchObject({ message: CHANGE.message, tree: TREE, parents: [] });
    expect(ref?.params).toMatchObject({ ref: 'refs/heads/axe-memory', sha: NEXT });
  });

  it.each<[string, Answer, object, Answer?]>([
    ['C3 45: a branch somebody else created', refuses(422, 'Reference already exists'), CONFLICT],
    ['C3 47: a lost answer', drops, UNKNOWN],
    ['an answer that is not understood', () => 'Welcome', UNKNOWN],
    [
      'C3 48: a rule against new branches',
      refuses(422, 'Reference update failed'),
      denied('rulesets'),
    ],
    [
      'an unknown refusal of a branch by now',
      refuses(422, 'Failed'),
      CONFLICT,
      repositoryAt(OTHER),
    ],
    [
      'C3 48: a read-only token',
      refuses(403, 'Resource not accessible'),
      denied('`contents: write`'),
    ],
  ])('has for %s its own result', async (_, answer, result, query = repositoryAt(undefined)) => {
    const { branch } = branchWith({ ...OBJECTS, query, [NEW_REF]: answer });
    expect(await branch.create(CHANGE, noAbort())).toMatchObject(result);
  });

  it('reports that an empty repository needs a first commit', async () => {
    const isEmpty = refuses(409, 'Git Repository is empty.');
    const { branch } = branchWith({ query: repositoryAt(undefined), [NEW_TREE]: isEmpty });
    const remedy = expect.stringMatching(
      /^Give octocat\/hello a first commit, a README for example/,
    );
    expect(await branch.create(CHANGE, noAbort())).toMatchObject({
      kind: 'failed',
      reason: 'error',
      remedy,
    });
  });
});

describe('squashing', () => {
  it('replaces the head with a commit without a parent', async () => {
    const mutation = () => ({ updateRefs: { clientMutationId: null } });
    const { branch, client } = branchWith({ ...OBJECTS, query: repositoryAt(HEAD), mutation });
    const done = { kind: 'committed', version: NEXT };
    expect(await branch.squash(HEAD, 'axe: drop history', noAbort())).toEqual(done);
    const [, commit, update] = client.requests;
    expect(commit?.params).toMatchObject({ message: 'axe: drop history', tree: TREE, parents: [] });
    expect(update?.params['input']).toEqual({
      repositoryId: 'R_1',
      refUpdates: [
        { name: `refs/heads/${PLACE.branch}`, beforeOid: HEAD, afterOid: NEXT, force: true },
      ],
    });
  });

  it.each([OTHER, undefined])('is stale if the branch is at %s before', async (head) => {
    const { branch, client } = branchWith({ query: repositoryAt(head) });
    expect(await branch.squash(HEAD, 'axe: drop history', noAbort())).toEqual({ kind: 'conflict' });
    expect(client.requests).toHaveLength(1);
  });

  it('is stale if the branch moves meanwhile', async () => {
    let head = HEAD;
    const { branch } = branchWith({
      ...OBJECTS,
      query: (request) => repositoryAt(head)(request),
      mutation(request) {
        head = OTHER;
        return refusesQuery('Reference cannot be updated')(request);
      },
    });
    expect(await branch.squash(HEAD, 'axe: drop history', noAbort())).toEqual({ kind: 'conflict' });
  });

  it('reports an unknown result if the answer is lost, and a denial if it is denied', async () => {
    for (const [mutation, result] of [
      [drops, UNKNOWN],
      [() => ({}), UNKNOWN],
      [refusesQuery('Cannot force-push to this branch'), denied('bypass')],
    ] as const) {
      const { branch } = branchWith({ ...OBJECTS, query: repositoryAt(HEAD), mutation });
      expect(await branch.squash(HEAD, 'm', noAbort())).toMatchObject(result);
    }
  });
});
