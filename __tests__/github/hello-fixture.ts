import { createGitHubClient, type GitHubClient } from '../../src/github/client/client.js';
import { HELLO } from '../helpers/github-client-fake.js';
import {
  GITHUB_TOKEN,
  type GitHubOptions,
  type GitHubServer,
  startGitHubServer,
} from '../helpers/github-server.js';
import type { StoredRepo } from '../helpers/github-state.js';
import { createFakeClock } from '../memory/stores/fake-clock.js';

/** The repository of the tests as the fake names it. */
export const NAME = 'octocat/hello';

/** Lines 1 to 4 and 21 to 23 of one file, and a new file of one line. */
export const DIFF = `diff --git a/src/a.ts b/src/a.ts
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,3 +1,4 @@
 one
-two
+second
+third
 four
@@ -20,2 +21,3 @@
 twenty
+more
 last
diff --git a/docs/b.md b/docs/b.md
new file mode 100644
--- /dev/null
+++ b/docs/b.md
@@ -0,0 +1 @@
+hello
`;

/**
 * A pull request number 42 of octocat's with two commits, on a GitHub whose every answer is held
 * against its own description.
 */
export interface Hello {
  readonly github: GitHubServer;
  readonly repo: StoredRepo;
  readonly client: GitHubClient;
  readonly place: { readonly repository: typeof HELLO; readonly number: 42 };
  readonly headSha: string;
  readonly baseSha: string;
}

/** Starts it. `viewer` is who our token belongs to. */
export async function startHello(options: GitHubOptions = {}): Promise<Hello> {
  const github = await startGitHubServer(options);
  const repo = github.addRepo(NAME, {
    contents: 'write',
    roles: { hubot: 'write', monalisa: 'read' },
  });
  const baseSha = github.commit(NAME, { 'src/a.ts': 'one\ntwo\nfour\n' });
  repo.branches.set('topic', baseSha);
  github.commit(NAME, { 'src/a.ts': 'one\nsecond\nfour\n' }, { branch: 'topic' });
  const files = { 'src/a.ts': 'one\nsecond\nthird\nfour\n', 'docs/b.md': 'hello\n' };
  const headSha = github.commit(NAME, files, { branch: 'topic' });
  github.addPull(NAME, { number: 42, ...sidesOf({ headSha, baseSha }), diff: DIFF });
  const client = await createGitHubClient({
    token: GITHUB_TOKEN,
    apiUrl: github.env.GITHUB_API_URL,
    graphqlUrl: github.env.GITHUB_GRAPHQL_URL,
    fetch: globalThis.fetch,
    userAgent: 'axe-action/test',
    clock: createFakeClock(),
  });
  return { github, repo, client, place: { repository: HELLO, number: 42 }, headSha, baseSha };
}

/** The two sides of its pull request. */
export function sidesOf({
  headSha,
  baseSha,
}: {
  readonly headSha: string;
  readonly baseSha: string;
}) {
  return {
    base: { ref: 'main', sha: baseSha },
    head: { ref: 'topic', sha: headSha, repository: NAME },
  };
}

/** A pull request of which nobody has said anything, as GraphQL has it. */
export function emptyPull(patch: object = {}) {
  const nothing = { totalCount: 0, nodes: [] };
  return {
    __typename: 'PullRequest',
    title: 'A change',
    body: '',
    closed: false,
    createdAt: '2026-01-02T03:04:05Z',
    author: null,
    headRefOid: 'h',
    headRefName: 'topic',
    headRepository: null,
    baseRefOid: 'b',
    baseRefName: 'main',
    changedFiles: 1,
    comments: nothing,
    reviewThreads: { nodes: [], pageInfo: { endCursor: null, hasNextPage: false } },
    reviews: nothing,
    timelineItems: nothing,
    closingIssuesReferences: nothing,
    commits: nothing,
    files: nothing,
    ...patch,
  };
}

/** GitHub's refusal for want of a permission, for as many requests as are made. */
export function denied(route: string, permission: string) {
  return {
    route,
    status: 403,
    body: { message: 'Resource not accessible by integration' },
    headers: { 'x-accepted-github-permissions': permission },
    times: 100,
  };
}

/** The same from GraphQL, which names no permission. */
export function deniedQuery(contains = '') {
  const error = { type: 'FORBIDDEN', message: 'Resource not accessible by integration' };
  return {
    route: 'POST /graphql',
    contains,
    status: 200,
    body: { data: null, errors: [error] },
    times: 100,
  };
}
