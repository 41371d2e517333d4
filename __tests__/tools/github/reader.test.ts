import { describe, expect, it } from '@jest/globals';
import type { Trigger } from '../../../src/event/trigger.js';
import { fetchPermission } from '../../../src/github/reading/permission.js';
import { subjectCommits } from '../../../src/github/reading/subject-commits.js';
import { emptyPull } from '../../github/hello-fixture.js';
import {
  type Answer,
  createFakeGitHubClient,
  failure,
  HELLO,
  noAbort,
} from '../../helpers/github-client-fake.js';
import {
  comment,
  issue,
  MERGE_GROUP,
  OCTOCAT,
  pullRequest,
  SCHEDULE,
  workflowRun,
} from '../../helpers/triggers.js';

const HEAD = 'a'.repeat(40);
const BASE = 'b'.repeat(40);
const ZEROS = '0'.repeat(40);
const { repository } = SCHEDULE;
const event = { action: '', repository, actor: OCTOCAT };
const base = { sha: BASE, ref: 'main' };
const heads = { head: { sha: HEAD, ref: 'fix', repository: 'Octocat/Hello' }, base };

const push = (before: string, after: string): Trigger => {
  return {
    kind: 'push',
    event: 'push',
    ...event,
    ref: 'refs/heads/main',
    before,
    after,
    commits: [],
  };
};

const pull = { number: 42, base };

const own = { head: HEAD, branch: 'fix', base: BASE, isForeign: false, isChange: true };
const main = { head: 'main', branch: 'main', base: 'main' };
const branch = { ...main, isForeign: false, pull: undefined, isChange: false };

it.each<[string, Trigger, object]>([
  ['a pull request', pullRequest(), { ...own, pull: 42 }],
  ['one from a fork', pullRequest({ isFork: true }), { ...own, isForeign: true, pull: 42 }],
  ['a review', comment({ on: 'pull_request', number: 42, commits: heads }), { ...own, pull: 42 }],
  ['a push', push(BASE, HEAD), { ...own, branch: 'main', pull: undefined }],
  ['the first push of a branch', push(ZEROS, HEAD), { ...branch, head: HEAD, isChange: true }],
  ['a workflow run', workflowRun({ pull }), { ...own, pull: 42 }],
  ['a merge queue', MERGE_GROUP, { ...own, branch: 'main', isForeign: true, pull: undefined }],
  ['an issue', issue(), branch],
  ['a schedule', SCHEDULE, branch],
])('the commits of %s are known from the event', async (_, trigger, expected) => {
  if (trigger.kind === 'local') throw new Error('not an event');
  const client = createFakeGitHubClient({});
  expect(await subjectCommits(client, trigger, noAbort())).toEqual(expected);
  expect(client.requests).toEqual([]);
});

it('the pull request of a workflow run is looked up where the payload names none, as for a fork', async () => {
  const open = {
    number: 12,
    state: 'open',
    head: { sha: HEAD },
    base: { ref: 'develop', sha: BASE },
  };
  const client = createFakeGitHubClient({
    'GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls': () => [open],
  });
  const found = await subjectCommits(client, workflowRun({ isFork: true }), noAbort());
  expect(found).toEqual({ ...own, isForeign: true, pull: 12 });
});

it('the commits of a tag and its release are those since the tag before it', async () => {
  const tag = (name: string, sha: string) => ({ name, commit: { sha } });
  const client = createFakeGitHubClient({
    'GET /repos/{owner}/{repo}/tags': () => [tag('v1.2.0', HEAD), tag('v1.1.0', BASE)],
    'GET /repos/{owner}/{repo}/commits': () => [{ sha: HEAD }, { sha: BASE }],
  });
  const words = { title: '', body: '', author: OCTOCAT, isPrerelease: false };
  const release = { kind: 'release', event: 'release', ...event, tag: 'v1.2.0', ...words } as const;
  const pushed = {
    kind: 'push',
    event: 'push',
    ...event,
    before: ZEROS,
    after: HEAD,
    commits: [],
  } as const;
  for (const trigger of [release, { ...pushed, ref: 'refs/tags/v1.2.0' }]) {
    const found = await subjectCommits(client, trigger, noAbort());
    expect(found).toMatchObject({ head: HEAD, base: BASE, isChange: true });
  }
  const hidden = createFakeGitHubClient({
    'GET /repos/{owner}/{repo}/tags': () => {
      throw failure(404);
    },
  });
  const named = await subjectCommits(hidden, { ...pushed, ref: 'refs/tags/v1.2.0' }, noAbort());
  expect(named).toMatchObject({ head: HEAD, isChange: false });
});

it.each([
  ['the repository', { nameWithOwner: 'Octocat/Hello' }, false],
  ['a fork', { nameWithOwner: 'hubot/hello' }, true],
  ['a fork that was deleted', null, true],
])(
  'the commits of a comment that names none are requested: a head of %s',
  async (_, headRepository, isForeign) => {
    const names = { headRefOid: HEAD, headRefName: 'fix', baseRefOid: BASE };
    const issueOrPullRequest = emptyPull({ ...names, headRepository });
    const client = createFakeGitHubClient({
      graphql: () => ({ repository: { issueOrPullRequest } }),
    });
    const trigger = comment({ on: 'pull_request', number: 42 });
    expect(await subjectCommits(client, trigger, noAbort())).toEqual({
      ...own,
      isForeign,
      pull: 42,
    });
  },
);

const ROUTE = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';

async function ask(answer: Answer) {
  const client = createFakeGitHubClient({ [ROUTE]: answer });
  return {
    result: await fetchPermission(client, { repository: HELLO, login: 'octocat' }, noAbort()),
  };
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

  it.each([[{ permission: 'owner' }], [null], ['text']])(
    'is unknown after the answer %j',
    async (body) => {
      expect((await ask(() => body)).result.kind).toBe('unknown');
    },
  );

  it('is none for an account that is not a user', async () => {
    const { result } = await ask(() => {
      throw failure(404, 'GET /permission', 'octocat is not a user');
    });
    expect(result).toEqual({ kind: 'known', permission: 'none' });
  });
});
