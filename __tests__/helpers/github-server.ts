import type { ServerResponse } from 'node:http';
import { type Caller, findRepo, githubError, notFound, type RestAnswer } from './github-answers.js';
import { createFaults, type Fault } from './github-faults.js';
import {
  type GitCommit,
  historyOf,
  listTree,
  resolveCommit,
  writeCommit,
  writeFiles,
} from './github-git.js';
import { POINTS_AN_HOUR, queryCost } from './github-points.js';
import { isAboutContents, matchRoute, requestedMedia, requestName } from './github-routes.js';
import { searchedRepo } from './github-search.js';
import {
  type ContentsRight,
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
import { type Payload, payloadField, withWorld } from './webhooks.js';

/** The token the fake expects. */
export const GITHUB_TOKEN = 'ghs_q7Zk2Pv9Xw4Lm8Rt3Ns6Bd1Fh5Jc0GyT4mB8v';

/** How the fake is set up. */
export interface GitHubOptions {
  /** Login of the account the token belongs to; default `github-actions[bot]`. */
  readonly viewer?: string;
  /** The token may read and not write, whatever a repository allows. */
  readonly readOnly?: boolean;
  /** Whether REST exchanges are validated by Prism; default true. */
  readonly validate?: boolean;
}

/**
 * The fake GitHub. Another token that no repository names, but not a missing one, is answered with
 * 401.
 */
export interface GitHubServer extends Peer {
  /** The variables that lead a program to it. */
  readonly env: { readonly GITHUB_API_URL: string; readonly GITHUB_GRAPHQL_URL: string };
  /** Adds an empty repository. */
  addRepo(fullName: string, options?: RepoOptions): StoredRepo;
  repo(fullName: string): StoredRepo;
  /**
   * Adds a commit on top of a branch and returns its sha; the branch is created where it is
   * missing.
   */
  commit(
    fullName: string,
    files: FileTree,
    at?: { readonly branch?: string; readonly sha?: string },
  ): string;
  /** The commits that a branch leads to, newest first; none where there is no branch. */
  history(fullName: string, branch?: string): readonly GitCommit[];
  /** The files of a branch by path, with links as their targets and without submodules. */
  files(fullName: string, branch?: string): Readonly<Record<string, string>>;
  addPull(
    fullName: string,
    pull: Partial<StoredPull> & Pick<StoredPull, 'number' | 'base' | 'head'>,
  ): void;
  addIssue(fullName: string, issue: Partial<StoredIssue> & Pick<StoredIssue, 'number'>): void;
  /** Adds a comment and returns its id. */
  addComment(fullName: string, comment: { issue: number; author: string; body: string }): number;
  /**
   * Adds the repository and, where there is one, the pull request or issue that a webhook payload
   * speaks of.
   */
  seed(
    payload: Payload,
    content?: { readonly base?: FileTree; readonly diff?: string },
  ): StoredRepo;
  fail(fault: Fault): void;
  /** No fault from now on. */
  recover(): void;
  /**
   * GitHub gives up on answers to queries that have more characters than this. The sizes that were
   * asked for and refused are in the result.
   */
  limitAnswers(characters: number): readonly Readonly<Record<string, unknown>>[];
  /** The points that GitHub has billed so far by its formula, and the dearest query. */
  billed(): { readonly points: number; readonly maxConnections: number };
  /**
   * From now on, holds answers until no request has come for a while, and then gives all of them:
   * the number of these rounds is how often somebody waits for GitHub, one after the other.
   */
  answerInRounds(): { rounds(): number };
  /** What every request so far asked for, in order: `POST /graphql createCommitOnBranch`. */
  calls(): readonly string[];
  /**
   * What did not fit GitHub's OpenAPI description or GraphQL schema so far; the test fails if any
   * are left over.
   */
  takeViolations(): Promise<readonly string[]>;
}

/** When everything happened that a test puts there. */
const TEST_TIME = '2026-01-02T03:04:05Z';

const started = new Set<GitHubServer>();

afterEachTest(async () => {
  const servers = [...started];
  started.clear();
  const violations = (await Promise.all(servers.map((server) => server.takeViolations()))).flat();
  if (violations.length > 0)
    throw new Error(`not as GitHub describes it:\n  ${violations.join('\n  ')}`);
});

/**
 * Starts a GitHub with no repositories. Every exchange with it is validated, and so fails the test
 * that made it.
 */
export async function startGitHubServer({
  viewer = 'github-actions[bot]',
  readOnly = false,
  validate = true,
}: GitHubOptions = {}): Promise<GitHubServer> {
  if (validate) startPrism();
  const repos = new Set<StoredRepo>();
  const faults = createFaults();
  const violations: Promise<readonly string[]>[] = [];
  const keepElsewhere = createElsewhere();
  let maxCharacters = Number.POSITIVE_INFINITY;
  let refusedQueries: Readonly<Record<string, unknown>>[] = [];
  let points = 0;
  let maxConnections = 0;
  let waitForRound: (() => Promise<void>) | undefined;

  const peer = await startLoopback(async (request, response) => {
    const isGraphQl = request.path === '/graphql';
    await waitForRound?.();
    if (isGraphQl) bill(request.body);
    const fault = faults.take(request, isGraphQl ? 'POST /graphql' : matchRoute(request)?.name);
    const answer =
      fault === undefined || fault.afterEffect === true ? await answerOf(request) : undefined;
    if (!isGraphQl && validate) {
      const own = fault === undefined ? answer : undefined;
      violations.push(validateExchange(request, own && asReceived(request, own)));
    }
    if (fault !== undefined) sendFault(response, fault);
    else if (answer !== undefined) send(response, request, answer);
  });

  /** GitHub bills what it refuses, too. */
  function bill(body: unknown): void {
    const { query, variables } = (body ?? {}) as {
      query?: string;
      variables?: Record<string, unknown>;
    };
    if (query === undefined) return;
    const cost = queryCost(query, variables);
    points += cost.points;
    maxConnections = Math.max(maxConnections, cost.connections);
  }

  async function answerOf(request: RecordedRequest): Promise<RestAnswer> {
    const token = request.headers['authorization']?.replace(/^(?:token|bearer) /i, '');
    const isKnown = (repo: StoredRepo) =>
      typeof repo.contents !== 'string' && `${token}` in repo.contents;
    if (token !== undefined && token !== GITHUB_TOKEN && ![...repos].some(isKnown)) {
      return githubError(401, 'Bad credentials');
    }
    const caller = callerOf(token);
    if (request.path === '/graphql') {
      const { answerGraphQl } = await import('./github-graphql.js');
      const result = await answerGraphQl(request.body, caller);
      violations.push(Promise.resolve(result.violations));
      const remaining = String(Math.max(1, POINTS_AN_HOUR - points));
      const headers = { 'x-ratelimit-remaining': remaining };
      const { variables = {} } = request.body as { variables?: Record<string, unknown> };
      const isTooMuch = JSON.stringify(result.body).length > maxCharacters;
      if (isTooMuch) refusedQueries.push(variables);
      return { status: 200, headers, body: isTooMuch ? TOO_MUCH : result.body };
    }
    const writes = request.method !== 'GET';
    if (writes && token === undefined) return githubError(401, 'Requires authentication');
    const match = matchRoute(request);
    if (match === undefined) return notFound();
    const { name, params } = match;
    const wanted =
      'owner' in params ? `${params['owner']}/${params['repo']}` : searchedRepo(request);
    const repo = findRepo(caller.repos, wanted);
    if (repo === undefined) return notFound();
    const right = caller.rightOf(repo);
    if (isAboutContents(name)) {
      if (repo.git.commits.size === 0 && !name.includes('/contents/'))
        return githubError(409, 'Git Repository is empty.');
      if (writes && right !== 'write') return notAccessible('contents=write');
      if (right === 'none' && repo.isPrivate) return notAccessible('contents=read');
    } else if (writes && readOnly) {
      return githubError(403, 'Resource not accessible by integration');
    }
    const { media } = requestedMedia(request);
    const answer = match.answer({ ...caller, repo, params, request, media });
    if (answer.elsewhere === undefined) return answer;
    return { ...answer, headers: { location: await keepElsewhere(answer.elsewhere) } };
  }

  /** What a token sees: a private repository only if it has a right in it. */
  function callerOf(token: string | undefined): Caller {
    const given = ({ contents, isPrivate }: StoredRepo): ContentsRight | undefined => {
      const rights = typeof contents === 'string' ? { [GITHUB_TOKEN]: contents } : contents;
      return rights[token ?? ''] ?? (isPrivate ? undefined : 'read');
    };
    return {
      viewer,
      now: new Date().toISOString(),
      repos: [...repos].filter((repo) => given(repo) !== undefined),
      rightOf(repo) {
        const right = given(repo) ?? 'none';
        return right === 'write' && readOnly ? 'read' : right;
      },
    };
  }

  const repoNamed = (name: string) => {
    const repo = findRepo(repos, name);
    if (repo === undefined) throw new Error(`the fake has no repository ${name}`);
    return repo;
  };
  const server: GitHubServer = {
    ...peer,
    env: { GITHUB_API_URL: peer.url, GITHUB_GRAPHQL_URL: `${peer.url}/graphql` },
    addRepo(name, options = {}) {
      const repo = newRepo(name, options);
      const old = findRepo(repos, name);
      if (old !== undefined) repos.delete(old);
      repos.add(repo);
      return repo;
    },
    repo: repoNamed,
    commit(name, files, { branch, sha } = {}) {
      const { git, branches, defaultBranch } = repoNamed(name);
      const person = {
        name: 'octocat',
        email: 'octocat@users.noreply.github.com',
        date: TEST_TIME,
      };
      const parent = branches.get(branch ?? defaultBranch);
      const parents = parent === undefined ? [] : [parent];
      const about = { parents, author: person, committer: person, message: 'Change files' };
      const commit = writeCommit(git, { tree: writeFiles(git, files), ...about }, sha);
      branches.set(branch ?? defaultBranch, commit.sha);
      return commit.sha;
    },
    history(name, branch) {
      const { git, branches, defaultBranch } = repoNamed(name);
      return historyOf(git, branches.get(branch ?? defaultBranch) ?? '');
    },
    files(name, branch) {
      const repo = repoNamed(name);
      const head = resolveCommit(repo, `refs/heads/${branch ?? repo.defaultBranch}`);
      const objects = head === undefined ? [] : listTree(repo.git, head.tree);
      const blobs = objects.filter(({ kind }) => kind === 'blob');
      return Object.fromEntries(blobs.map(({ path, bytes }) => [path, bytes.toString()]));
    },
    addPull(name, pull) {
      const defaults = { title: 'A change', body: null, author: 'octocat', locked: false } as const;
      repoNamed(name).pulls.set(pull.number, { ...defaults, diff: '', state: 'open', ...pull });
    },
    addIssue(name, issue) {
      const defaults = { title: 'Found a bug', body: null, author: 'octocat' };
      repoNamed(name).issues.set(issue.number, { ...defaults, ...issue });
    },
    addComment(name, comment) {
      const { comments } = repoNamed(name);
      const id = 1 + Math.max(1000, ...comments.map((one) => one.id));
      comments.push({ id, ...comment, createdAt: TEST_TIME, updatedAt: TEST_TIME });
      return id;
    },
    seed: (payload, content = {}) => seedRepo(server, payload, content),
    fail: faults.add,
    recover: faults.clear,
    limitAnswers(characters) {
      maxCharacters = characters;
      refusedQueries = [];
      return refusedQueries;
    },
    billed: () => ({ points, maxConnections }),
    answerInRounds() {
      const { wait, rounds } = createRounds();
      waitForRound = wait;
      return { rounds };
    },
    calls: () => peer.requests().map(requestName),
    takeViolations: async () => (await Promise.all(violations.splice(0))).flat(),
  };
  started.add(server);
  return server;
}

/** GitHub's words if a query asks for more than it gives at once. */
const TOO_MUCH = {
  data: { repository: null },
  errors: [
    {
      type: 'RESOURCE_LIMITS_EXCEEDED',
      path: ['repository', 'issueOrPullRequest', 'reviewThreads'],
      message: 'Resource limits for this query exceeded.',
    },
  ],
};

/** How long no request has to come before a round is over. */
const QUIET_MS = 250;

function createRounds() {
  let waiting: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;
  let count = 0;
  return {
    rounds: () => count,
    wait: () =>
      new Promise<void>((resolve) => {
        waiting.push(resolve);
        clearTimeout(timer);
        timer = setTimeout(() => {
          count += 1;
          const released = waiting;
          waiting = [];
          for (const release of released) release();
        }, QUIET_MS);
      }),
  };
}

/** A refusal for want of a permission. */
function notAccessible(permission: string): RestAnswer {
  const headers = { 'x-accepted-github-permissions': permission };
  return { ...githubError(403, 'Resource not accessible by integration'), headers };
}

/** The answer as a receiver has it: without what JSON leaves out. */
function asReceived(
  request: RecordedRequest,
  { status, headers, body, describedAs, mediaType }: RestAnswer,
) {
  const shown = describedAs ?? body;
  return {
    statusCode: status,
    headers: { 'content-type': contentType(request, mediaType), ...headers },
    body: shown === undefined ? undefined : JSON.parse(JSON.stringify(shown)),
  };
}

/** The media type of an answer: the one the request named where it is not JSON. */
function contentType(request: RecordedRequest, mediaType: string | undefined): string {
  const type = mediaType === undefined ? 'application/json' : requestedMedia(request).mediaType;
  return `${type}; charset=utf-8`;
}

/** Sends an answer with the headers GitHub adds to all of them. */
function send(response: ServerResponse, request: RecordedRequest, answer: RestAnswer): void {
  const isEmpty = answer.status === 204 || answer.status === 302;
  const body = answer.mediaType === undefined ? JSON.stringify(answer.body) : String(answer.body);
  const content = {
    'content-type': contentType(request, answer.mediaType),
    'content-length': String(Buffer.byteLength(body ?? '')),
  };
  response
    .writeHead(answer.status, {
      ...(isEmpty ? {} : content),
      'x-github-request-id': 'ABCD:1234:5678:9ABC:DEF01234',
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': '4999',
      ...answer.headers,
    })
    .end(isEmpty ? undefined : body);
}

/** Answers as the fault says, or does not answer. */
function sendFault(response: ServerResponse, { status, headers, body }: Fault): void {
  if (status === 'stall') return;
  if (status === 'disconnect') return void response.destroy();
  const isText = typeof body === 'string';
  response
    .writeHead(status, {
      'content-type': isText ? 'text/html' : 'application/json; charset=utf-8',
      ...headers,
    })
    .end(isText ? body : JSON.stringify(body ?? { message: `error ${status}` }));
}

/**
 * Keeps files on a server of their own, as GitHub keeps logs and archives, and gives their
 * addresses. It starts with the first file and takes no request that carries a token.
 */
function createElsewhere(): (file: string | Uint8Array) => Promise<string> {
  const files: (string | Uint8Array)[] = [];
  let peer: Promise<Peer> | undefined;
  return async (file) => {
    peer ??= startLoopback(({ path, headers }, response) => {
      const isRefused = headers['authorization'] !== undefined;
      const found = files[Number(path.slice(1))];
      const statusOfFile = found === undefined ? 404 : 200;
      const status = isRefused ? 401 : statusOfFile;
      response.writeHead(status, { 'content-type': typeOf(found) }).end(isRefused ? '' : found);
    });
    files.push(file);
    return `${(await peer).url}/${files.length - 1}`;
  };
}

function typeOf(file: string | Uint8Array | undefined): string {
  return file instanceof Uint8Array ? 'application/x-gzip' : 'text/plain; charset=utf-8';
}

/** Adds to the fake what a payload speaks of: the repository, and its pull request or issue. */
function seedRepo(
  server: GitHubServer,
  event: Payload,
  { base: files = {}, diff = '' }: { readonly base?: FileTree; readonly diff?: string },
): StoredRepo {
  const payload = withWorld(event);
  const field = (path: string) => payloadField(payload, path);
  const name = String(field('repository.full_name'));
  const repo = server.addRepo(name, {
    isPrivate: field('repository.private') === true,
    defaultBranch: String(field('repository.default_branch')),
  });
  const about = (kind: string) => ({
    number: Number(field(`${kind}.number`)),
    title: String(field(`${kind}.title`)),
    body: field(`${kind}.body`) as string | null,
    author: String(field(`${kind}.user.login`)),
  });
  if ('comment' in payload) repo.talk.eventComments.add(Number(field('comment.id')));
  if ('pull_request' in payload) {
    const side = (path: string) => ({
      ref: String(field(`${path}.ref`)),
      sha: String(field(`${path}.sha`)),
    });
    const base = side('pull_request.base');
    const fork = field('pull_request.head.repo') as { full_name: string } | null;
    const head = { ...side('pull_request.head'), repository: fork?.full_name ?? null };
    server.commit(name, files, { branch: base.ref, sha: base.sha });
    server.addPull(name, { ...about('pull_request'), base, head, diff });
    return repo;
  }
  server.commit(name, files);
  if ('issue' in payload) server.addIssue(name, about('issue'));
  return repo;
}
