import { describe, expect, it } from '@jest/globals';
import { noAbort } from '../../../helpers/github-client-fake.js';
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
const OBJECTS = { [NEW_TREE]: () => ({ sha: TREE }), [NEW_COMMIT]: () => ({ sha: NEXT }) };

describe('a memory branch', () => {
  it('has a name and addresses for people', () => {
    const { branch } = branchWith({}, { branch: 'memory/axe #1', serverUrl: 'https://ghes.example' });
    expect(branch.name).toBe('octocat/hello@memory/axe #1');
    expect(branch.urlOf('a b/ü.md')).toBe(
      'https://ghes.example/octocat/hello/blob/memory/axe%20%231/a%20b/%C3%BC.md',
    );
  });
});

describe('committing', () => {
  it('needs one call, based on the head that was read', async () => {
    const mutation = () => ({ createCommitOnBranch: { commit: { oid: NEXT } } });
    const { branch, client } = branchWith({ mutation });
    const change = { files: new Map([['ü/a.md', 'x\uDCE9']]), message: 'axe: remember [skip ci]\n\nRun 1' };
    expect(await branch.commit(HEAD, change, noAbort())).toEqual({ kind: 'committed', version: NEXT });
    expect(client.requests.map(({ params }) => params)).toEqual([
      {
        input: {
          branch: { repositoryNameWithOwner: 'octocat/hello', branchName: 'axe-memory' },
          expectedHeadOid: HEAD,
          message: { headline: 'axe: remember [skip ci]', body: 'Run 1' },
          fileChanges: {
            additions: [{ path: 'ü/a.md', contents: Buffer.from([0x78, 0xe9]).toString('base64') }],
          },
        },
      },
    ]);
  });

  it.each([
    {
      name: 'C3 46: a head that is no longer the newest is stale',
      mutation: refusesQuery(
        `Expected branch to point to "${HEAD}" but it did not.  Pull and try again.`,
        'STALE_DATA',
      ),
      result: { kind: 'conflict' },
    },
    {
      name: 'the other wording of a lost race is stale',
      mutation: refusesQuery(`axe-memory is at ${OTHER} but expected ${HEAD}`),
      result: { kind: 'conflict' },
    },
    {
      name: 'a refusal with an unknown message is stale if the branch has moved',
      mutation: refusesQuery('no'),
      query: repositoryAt(OTHER),
      result: { kind: 'conflict' },
    },
    {
      name: 'C3 51: a branch that was deleted is stale',
      mutation: refusesQuery('Could not resolve to a Ref', 'NOT_FOUND'),
      query: repositoryAt(undefined),
      result: { kind: 'conflict' },
    },
    {
      name: 'a refusal with an unknown message is an error if the branch has not moved',
      mutation: refusesQuery('A path was requested twice'),
      result: {
        kind: 'failed',
        reason: 'error',
        message: expect.stringContaining('A path was requested twice'),
      },
    },
    {
      name: 'C3 47: a server error leaves it open',
      mutation: refuses(502),
      result: { kind: 'unknown', message: expect.stringContaining('502') },
    },
    {
      name: 'C3 47: a dropped connection leaves it open',
      mutation: drops,
      result: { kind: 'unknown', message: expect.stringContaining('socket hang up') },
    },
    {
      name: 'a query GitHub gave up on leaves it open',
      mutation: refusesQuery('Something went wrong while executing your query. Please include `ABCD`'),
      result: { kind: 'unknown' },
    },
    {
      name: 'an answer that is not understood leaves it open',
      mutation: () => ({}),
      result: { kind: 'unknown' },
    },
    {
      name: 'C3 49: a secondary limit requires a wait',
      mutation: refuses(403, 'You have exceeded a secondary rate limit.', { 'retry-after': '30' }),
      result: { kind: 'failed', reason: 'rate-limited', retryAfterMs: 30_000 },
    },
    {
      name: 'C3 49: a spent primary limit requires a wait until it is renewed',
      mutation: refuses(403, 'API rate limit exceeded', {
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': '1767229200',
        date: 'Thu, 01 Jan 2026 00:20:00 GMT',
      }),
      result: { kind: 'failed', reason: 'rate-limited', retryAfterMs: 40 * 60_000 },
    },
    {
      name: 'C3 49: a limit in a GraphQL answer requires a wait of a minute',
      mutation: refusesQuery('API rate limit already exceeded for installation ID 1.', 'RATE_LIMIT'),
      result: { kind: 'failed', reason: 'rate-limited', retryAfterMs: 60_000 },
    },
  ])('$name', async ({ mutation, query = repositoryAt(HEAD), result }) => {
    const { branch } = branchWith({ mutation, query });
    expect(await branch.commit(HEAD, CHANGE, noAbort())).toMatchObject(result);
  });

  it.each([
    {
      name: 'a missing permission',
      mutation: refusesQuery('Resource not accessible by integration', 'FORBIDDEN'),
      remedy:
        'Add `contents: write` under `permissions:` of the job, or give a token that can write to octocat/hello as `repositories-token`.',
    },
    {
      name: 'a missing permission for another repository',
      place: { isOwn: false },
      mutation: refusesQuery('Resource not accessible by integration', 'FORBIDDEN'),
      remedy:
        "Give a token that can write to octocat/hello as `repositories-token`; the job's own token is for the workflow's repository only.",
    },
    {
      name: 'an invalid token',
      mutation: refuses(401, 'Bad credentials'),
      remedy:
        'The token is not valid (any more): check `repositories-token`, or `github-token` where that is not set.',
    },
    {
      name: 'a ruleset',
      mutation: refusesQuery(
        'Repository rule violations found\n\nChanges must be made through a pull request.\n\n',
      ),
      remedy:
        "In the repository's rulesets, exclude `axe-memory`, or let the app that the token belongs to bypass the rules for branch `axe-memory`.",
    },
    {
      name: 'a protected branch of code',
      place: { branch: 'main' },
      mutation: refusesQuery('GH006: Protected branch update failed', 'BRANCH_PROTECTION_RULE_VIOLATION'),
      remedy:
        "Set `memory-branch: axe-memory`, a branch of memory's own, or let the app that the token belongs to bypass the rules for branch `main` in the repository's settings.",
    },
    {
      name: 'an archived repository, recognized by the message',
      mutation: refusesQuery('Repository was archived so is read-only.', 'FORBIDDEN'),
      remedy: 'Unarchive octocat/hello, or name another repository with `memory-repo`.',
    },
    {
      name: 'an archived repository by its state',
      mutation: refusesQuery('You may not do this', 'FORBIDDEN'),
      query: repositoryAt(HEAD, { isArchived: true }),
      remedy: 'Unarchive octocat/hello, or name another repository with `memory-repo`.',
    },
    {
      name: 'a repository the token cannot see',
      mutation: refusesQuery("Could not resolve to a Repository with the name 'octocat/hello'.", 'NOT_FOUND'),
      query: () => ({ repository: null }),
      remedy:
        "Check its name, and give a token that can write to octocat/hello as `repositories-token`; the job's own token is for the workflow's repository only.",
    },
    {
      name: "the workflow's own repository, which the token cannot see",
      place: { isOwn: true },
      mutation: refusesQuery("Could not resolve to a Repository with the name 'octocat/hello'.", 'NOT_FOUND'),
      query: () => ({ repository: null }),
      remedy: expect.stringMatching(/^Add `contents: write` under `permissions:` of the job/),
    },
    {
      name: 'a token without single sign-on',
      mutation: refuses(403, 'Resource protected by organization SAML enforcement.'),
      remedy: 'Authorize the token of `repositories-token` for the single sign-on of octocat.',
    },
  ])('C3 48: names the remedy of $name', async ({ mutation, query = repositoryAt(HEAD), place, remedy }) => {
    const { branch } = branchWith({ mutation, query }, place);
    expect(await branch.commit(HEAD, CHANGE, noAbort())).toMatchObject({
      kind: 'failed',
      reason: 'denied',
      message: expect.stringMatching(/^saving to octocat\/hello@(?:axe-memory|main) failed: /),
      remedy,
    });
  });

  it('reports for a secret in the file that the file is the problem, not the rules', async () => {
    const mutation = refusesQuery('Repository rule violations found\n\nSecret detected in content');
    const { branch } = branchWith({ mutation, query: repositoryAt(HEAD) });
    expect(await branch.commit(HEAD, CHANGE, noAbort())).toMatchObject({
      reason: 'error',
      remedy: expect.stringContaining('remove it'),
    });
  });
});

describe('creating the branch', () => {
  it('stores one commit without a parent and points the branch to it', async () => {
    const { branch, client } = branchWith({ ...OBJECTS, [NEW_REF]: () => ({}) });
    expect(await branch.create(CHANGE, noAbort())).toEqual({ kind: 'committed', version: NEXT });
    const [tree, commit, ref] = client.requests;
    expect(tree?.params).not.toHaveProperty('base_tree');
    expect(commit?.params).toMatchObject({ message: CHANGE.message, tree: TREE, parents: [] });
    expect(ref?.params).toMatchObject({ ref: 'refs/heads/axe-memory', sha: NEXT });
  });

  it.each([
    {
      name: 'C3 45: a branch somebody else created is stale',
      answer: refuses(422, 'Reference already exists'),
      result: { kind: 'conflict' },
    },
    { name: 'C3 47: a lost answer leaves it open', answer: drops, result: { kind: 'unknown' } },
    {
      name: 'C3 48: a rule against new branches is denied',
      answer: refuses(422, 'Reference update failed'),
      result: { kind: 'failed', reason: 'denied', remedy: expect.stringContaining('rulesets') },
    },
    {
      name: 'a refusal with an unknown message is stale if the branch exists by now',
      answer: refuses(422, 'Reference update failed'),
      query: repositoryAt(OTHER),
      result: { kind: 'conflict' },
    },
    {
      name: 'C3 48: a read-only token is denied',
      answer: refuses(403, 'Resource not accessible by integration'),
      result: { kind: 'failed', reason: 'denied', remedy: expect.stringContaining('`contents: write`') },
    },
  ])('$name', async ({ answer, query = repositoryAt(undefined), result }) => {
    const { branch } = branchWith({ ...OBJECTS, query, [NEW_REF]: answer });
    expect(await branch.create(CHANGE, noAbort())).toMatchObject(result);
  });

  it('reports that an empty repository needs a first commit', async () => {
    const { branch } = branchWith({
      query: repositoryAt(undefined),
      [NEW_TREE]: refuses(409, 'Git Repository is empty.'),
    });
    expect(await branch.create(CHANGE, noAbort())).toMatchObject({
      kind: 'failed',
      reason: 'error',
      remedy: 'Give octocat/hello a first commit, a README for example: an empty repository has no branches.',
    });
  });
});

describe('squashing', () => {
  it('replaces the head with a commit without a parent', async () => {
    const { branch, client } = branchWith({
      ...OBJECTS,
      query: repositoryAt(HEAD),
      mutation: () => ({ updateRefs: { clientMutationId: null } }),
    });
    expect(await branch.squash(HEAD, 'axe: drop history', noAbort())).toEqual({
      kind: 'committed',
      version: NEXT,
    });
    const [, commit, update] = client.requests;
    expect(commit?.params).toMatchObject({ message: 'axe: drop history', tree: TREE, parents: [] });
    expect(update?.params['input']).toEqual({
      repositoryId: 'R_1',
      refUpdates: [{ name: `refs/heads/${PLACE.branch}`, beforeOid: HEAD, afterOid: NEXT, force: true }],
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
    const asked = { ...OBJECTS, query: repositoryAt(HEAD) };
    const lost = branchWith({ ...asked, mutation: drops });
    expect(await lost.branch.squash(HEAD, 'm', noAbort())).toMatchObject({ kind: 'unknown' });
    const denied = branchWith({ ...asked, mutation: refusesQuery('Cannot force-push to this branch') });
    expect(await denied.branch.squash(HEAD, 'm', noAbort())).toMatchObject({
      kind: 'failed',
      reason: 'denied',
      remedy: expect.stringContaining('bypass'),
    });
  });
});
