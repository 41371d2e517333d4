import { githubError, type RestAnswer } from './github-answers.js';
import { createElsewhere } from './github-elsewhere.js';
import { createFaults, type Fault } from './github-faults.js';
import { type GitCommit, writeCommit } from './github-git-objects.js';
import { listTree, writeFiles } from './github-git-trees.js';
import { historyOf, resolveCommit } from './github-history.js';
import { fullName, stableId } from './github-objects.js';
import { isAboutContents, matchRoute, repoNameOf, requestedMedia, requestName } from './github-routes.js';
import { isNamedToken, refuseAccess, rightOf } from './github-rules.js';
import { seedRepo } from './github-seed.js';
import { mediaTypeOf, plain, send, sendFault } from './github-send.js';
import {
  type FileTree,
  newRepo,
  type RepoOptions,
  type StoredIssue,
  type StoredPull,
  type StoredRepo,
} from './github-state.js';
import { type Peer, type RecordedRequest, startLoopback } from './loopback.js';
import { startPrism, validateExchange } from './prism.js';
import { afterEachTest } from './test-end.js';
import type { Payload } from './webhooks.js';

/** The token the fake expects unless a test says otherwise. */
export const GITHUB_TOKEN = 'ghs_0123456789abcdefghijABCDEFGHIJ0123456';

/** How the fake is set up. */
export interface GitHubOptions {
  /** Login of the account the token belongs to; default `github-actions[bot]`. */
  readonly viewer?: string;
  /** The expected token; another one that no repository names, but not a missing one, is answered with 401. */
  readonly token?: string;
  /** The token may read and not write, whatever a repository allows. */
  readonly readOnly?: boolean;
  /** The API lies below `/api`, as on GitHub Enterprise Server. */
  readonly isEnterprise?: boolean;
  /** Whether REST exchanges are validated by Prism; default true. */
  readonly validate?: boolean;
}

/** The fake GitHub. */
export interface GitHubServer extends Peer {
  /** The variables that lead a program to it. */
  readonly env: { readonly GITHUB_API_URL: string; readonly GITHUB_GRAPHQL_URL: string };
  /** Adds an empty repository. */
  addRepo(fullName: string, options?: RepoOptions): StoredRepo;
  repo(fullName: string): StoredRepo;
  /** Adds a commit on top of a branch and returns its sha; the branch is created where it is missing. */
  commit(fullName: string, files: FileTree, at?: { readonly branch?: string; readonly sha?: string }): string;
  /** The commits that a branch leads to, newest first; none where there is no branch. */
  history(fullName: string, branch?: string): readonly GitCommit[];
  /** The files of a branch by path, with links as their targets and without submodules. */
  files(fullName: string, branch?: string): Readonly<Record<string, string>>;
  addPull(fullName: string, pull: Partial<StoredPull> & Pick<StoredPull, 'number' | 'base' | 'head'>): void;
  addIssue(fullName: string, issue: Partial<StoredIssue> & Pick<StoredIssue, 'number'>): void;
  /** Adds a comment and returns its id. */
  addComment(fullName: string, comment: { issue: number; author: string; body: string }): number;
  /** Adds the repository and, where there is one, the pull request or issue that a webhook payload speaks of. */
  seed(payload: Payload, content?: { readonly base?: FileTree; readonly diff?: string }): StoredRepo;
  fail(fault: Fault): void;
  /** What every request so far asked for, in order: `POST /graphql createCommitOnBranch`. */
  calls(): readonly string[];
  /** What did not fit GitHub's OpenAPI description or GraphQL schema so far; the test fails if any are left over. */
  takeViolations(): Promise<readonly string[]>;
}

const started = new Set<GitHubServer>();

afterEachTest(async () => {
  const servers = [...started];
  started.clear();
  const violations = (await Promise.all(servers.map((server) => server.takeViolations()))).flat();
  if (violations.length > 0) throw new Error(`not as GitHub describes it:\n  ${violations.join('\n  ')}`);
});

/** Starts a GitHub with no repositories. Every exchange with it is validated, and so fails the test that made it. */
export async function startGitHubServer(options: GitHubOptions = {}): Promise<GitHubServer> {
  const validates = options.validate ?? true;
  if (validates) startPrism();
  const repos = new Map<string, StoredRepo>();
  const faults = createFaults();
  const elsewhere = createElsewhere();
  const violations: Promise<readonly string[]>[] = [];
  const expected = options.token ?? GITHUB_TOKEN;
  const viewer = options.viewer ?? 'github-actions[bot]';

  const peer = await startLoopback(async (received, response) => {
    const request = { ...received, path: pathOf(received) };
    const isGraphQl = request.path === '/graphql';
    const fault = faults.take(request, isGraphQl ? 'POST /graphql' : matchRoute(request)?.name);
    const own = fault === undefined || fault.afterEffect === true;
    const answer = own ? await answerOf(request) : undefined;
    if (!isGraphQl && validates) validate(request, fault === undefined ? answer : undefined);
    if (fault !== undefined) sendFault(response, fault);
    else if (answer !== undefined) send(response, request, answer);
  });

  function pathOf({ path }: RecordedRequest): string {
    if (options.isEnterprise !== true) return path;
    return /^\/api(?:\/v3(\/.+)|(\/graphql))$/.exec(path)?.slice(1).join('') ?? `/not-the-api${path}`;
  }

  async function answerOf(request: RecordedRequest): Promise<RestAnswer> {
    const token = request.headers['authorization']?.replace(/^(?:token|bearer) /i, '');
    if (token !== undefined && token !== expected && !isNamedToken(repos.values(), token)) {
      return githubError(401, 'Bad credentials');
    }
    const deps = depsOf(token);
    if (request.path === '/graphql') {
      const { answerGraphQl } = await import('./github-graphql.js');
      const result = await answerGraphQl(request.body, deps);
      violations.push(Promise.resolve(result.violations));
      return { status: 200, body: result.body };
    }
    const writes = request.method !== 'GET';
    if (writes && token === undefined) return githubError(401, 'Requires authentication');
    const match = matchRoute(request);
    const repo = deps.findRepo(repoNameOf(request, match?.params));
    if (match === undefined || repo === undefined) return githubError(404, 'Not Found');
    const { route, params } = match;
    const permission = isAboutContents(route) ? 'contents' : 'other';
    if (writes && permission === 'other' && options.readOnly === true) {
      return githubError(403, 'Resource not accessible by integration');
    }
    const answer =
      refuseAccess(repo, { permission, writes }, deps.rightOf(repo)) ??
      route.answer({ ...deps, repo, params, request, media: requestedMedia(request).media });
    if (answer.elsewhere !== undefined) {
      return { ...answer, headers: { location: await elsewhere.keep(answer.elsewhere) } };
    }
    return answer;
  }

  /** What a token sees. */
  function depsOf(token: string | undefined) {
    const right = (repo: StoredRepo) => rightOf(repo, { token, expected });
    const visible = (repo: StoredRepo | undefined) =>
      repo === undefined || right(repo) === 'invisible' ? undefined : repo;
    return {
      viewer,
      now: new Date().toISOString(),
      findRepo: (name: string) => visible(repos.get(name.toLowerCase())),
      repos: () => [...repos.values()].flatMap((repo) => visible(repo) ?? []),
      findRepoById: (id: string) =>
        visible([...repos.values()].find((repo) => String(stableId(fullName(repo))) === id)),
      rightOf: (repo: StoredRepo) => {
        const given = right(repo);
        if (given === 'invisible') return 'none';
        return given === 'write' && options.readOnly === true ? 'read' : given;
      },
    } as const;
  }

  function validate(request: RecordedRequest, answer: RestAnswer | undefined): void {
    const response = answer && {
      status: answer.status,
      headers: { 'content-type': mediaTypeOf(request, answer), ...answer.headers },
      body: plain(answer.describedAs ?? answer.body),
    };
    violations.push(validateExchange({ ...request, ...(response === undefined ? {} : { response }) }));
  }

  const api = options.isEnterprise === true ? '/api' : '';
  const server: GitHubServer = {
    ...peer,
    env: {
      GITHUB_API_URL: `${peer.url}${api === '' ? '' : `${api}/v3`}`,
      GITHUB_GRAPHQL_URL: `${peer.url}${api}/graphql`,
    },
    addRepo(name, repoOptions = {}) {
      const repo = newRepo(name, repoOptions);
      repos.set(name.toLowerCase(), repo);
      return repo;
    },
    repo(name) {
      const repo = repos.get(name.toLowerCase());
      if (repo === undefined) throw new Error(`the fake has no repository ${name}`);
      return repo;
    },
    commit(name, files, at = {}) {
      return addTestCommit(server.repo(name), files, at);
    },
    history(name, branch) {
      const repo = server.repo(name);
      const head = repo.branches.get(branch ?? repo.defaultBranch);
      return head === undefined ? [] : historyOf(repo.git, head);
    },
    files(name, branch) {
      const repo = server.repo(name);
      const head = resolveCommit(repo, `refs/heads/${branch ?? repo.defaultBranch}`);
      const objects = head === undefined ? [] : listTree(repo.git, head.tree);
      return Object.fromEntries(
        objects.filter(({ kind }) => kind === 'blob').map(({ path, bytes }) => [path, bytes.toString()]),
      );
    },
    addPull(name, pull) {
      const defaults = { title: 'A change', body: null, author: 'octocat', draft: false, locked: false };
      server.repo(name).pulls.set(pull.number, { ...defaults, diff: '', state: 'open', ...pull });
    },
    addIssue(name, issue) {
      const defaults = { title: 'Found a bug', body: null, author: 'octocat', locked: false };
      server.repo(name).issues.set(issue.number, { ...defaults, ...issue });
    },
    addComment(name, comment) {
      const { comments } = server.repo(name);
      const id = 1 + Math.max(1000, ...comments.map((one) => one.id));
      comments.push({ id, ...comment, createdAt: TEST_TIME, updatedAt: TEST_TIME });
      return id;
    },
    seed: (payload, content) => seedRepo(server, payload, content ?? {}),
    fail: faults.add,
    calls: () => peer.requests().map((request) => requestName({ ...request, path: pathOf(request) })),
    takeViolations: async () => (await Promise.all(violations.splice(0))).flat(),
  };
  started.add(server);
  return server;
}

/** When everything happened that a test puts there. */
const TEST_TIME = '2026-01-02T03:04:05Z';

function addTestCommit(
  repo: StoredRepo,
  files: FileTree,
  { branch = repo.defaultBranch, sha }: { readonly branch?: string; readonly sha?: string },
): string {
  const person = { name: 'octocat', email: 'octocat@users.noreply.github.com', date: TEST_TIME };
  const tree = writeFiles(repo.git, files);
  const parent = repo.branches.get(branch);
  const content = { tree, parents: parent === undefined ? [] : [parent], author: person, committer: person };
  const commit = writeCommit(repo.git, { ...content, message: 'Change files' }, sha);
  repo.branches.set(branch, commit.sha);
  return commit.sha;
}
