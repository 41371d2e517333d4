import { createHash } from 'node:crypto';
import { afterEach } from '@jest/globals';
import { githubError, type RestAnswer } from './github-answers.js';
import { plainMediaType } from './github-openapi.js';
import { matchRoute, ROUTE_NAMES, requestedMedia } from './github-routes.js';
import { seedRepo } from './github-seed.js';
import { type Fault, mediaTypeOf, plain, send, sendFault } from './github-send.js';
import type { FileTree, Role, StoredIssue, StoredPull, StoredRepo } from './github-state.js';
import { type Peer, type RecordedRequest, startLoopback } from './loopback.js';
import { startPrism, validateExchange } from './prism.js';
import type { Payload } from './webhooks.js';

/** The token the fake expects unless a test says otherwise. */
export const GITHUB_TOKEN = 'ghs_0123456789abcdefghijABCDEFGHIJ0123456';

/** How the fake is set up. */
export interface GitHubOptions {
  /** Login of the account the token belongs to; default `github-actions[bot]`. */
  readonly viewer?: string;
  /** The only valid token; another one, but not a missing one, is answered with 401. */
  readonly token?: string;
  /** The token may read and not write. */
  readonly readOnly?: boolean;
}

/** A repository to start with. */
export interface RepoOptions {
  readonly isPrivate?: boolean;
  readonly defaultBranch?: string;
  readonly roles?: Readonly<Record<string, Role>>;
}

/** The fake GitHub. */
export interface GitHubServer extends Peer {
  /** The variables that lead a program to it. */
  readonly env: { readonly GITHUB_API_URL: string; readonly GITHUB_GRAPHQL_URL: string };
  /** Adds an empty repository. */
  addRepo(fullName: string, options?: RepoOptions): StoredRepo;
  repo(fullName: string): StoredRepo;
  /** Adds a commit and moves a branch to it. Returns its sha, which is made from the files unless it is given. */
  commit(fullName: string, files: FileTree, at?: { readonly branch?: string; readonly sha?: string }): string;
  addPull(fullName: string, pull: Partial<StoredPull> & Pick<StoredPull, 'number' | 'base' | 'head'>): void;
  addIssue(fullName: string, issue: Partial<StoredIssue> & Pick<StoredIssue, 'number'>): void;
  /** Adds a comment and returns its id. */
  addComment(fullName: string, comment: { issue: number; author: string; body: string }): number;
  /** Adds the repository and, where there is one, the pull request or issue that a webhook payload speaks of. */
  seed(payload: Payload, content?: { readonly base?: FileTree; readonly diff?: string }): StoredRepo;
  fail(fault: Fault): void;
  /** What did not fit GitHub's OpenAPI description or GraphQL schema so far; the test fails if any are left over. */
  takeViolations(): Promise<readonly string[]>;
}

const started = new Set<GitHubServer>();

afterEach(async () => {
  const servers = [...started];
  started.clear();
  const violations = (await Promise.all(servers.map((server) => server.takeViolations()))).flat();
  if (violations.length > 0) throw new Error(`not as GitHub describes it:\n  ${violations.join('\n  ')}`);
});

/** Starts a GitHub with no repositories. Every exchange with it is validated, and so fails the test that made it. */
export async function startGitHubServer(options: GitHubOptions = {}): Promise<GitHubServer> {
  startPrism();
  const repos = new Map<string, StoredRepo>();
  const faults: (Fault & { left: number })[] = [];
  const violations: Promise<readonly string[]>[] = [];
  const viewer = options.viewer ?? 'github-actions[bot]';
  const findRepo = (fullName: string) => repos.get(fullName.toLowerCase());

  const peer = await startLoopback(async (request, response) => {
    const isGraphQl = request.path === '/graphql';
    const route = isGraphQl ? undefined : matchRoute(request);
    const name = isGraphQl ? 'POST /graphql' : route?.name;
    const fault = faults.find(
      (one) =>
        one.left > 0 && one.route === name && (request.headers['accept'] ?? '').includes(one.accept ?? ''),
    );
    if (fault !== undefined) fault.left -= 1;
    const own = fault === undefined || fault.afterEffect === true;
    const answer = own ? await answerOf(request) : undefined;
    if (!isGraphQl) validate(request, fault === undefined ? answer : undefined);
    if (fault !== undefined) sendFault(response, fault);
    else if (answer !== undefined) send(response, request, answer);
  });

  async function answerOf(request: RecordedRequest): Promise<RestAnswer> {
    const refusal = refuse(request);
    if (refusal !== undefined) return refusal;
    if (request.path === '/graphql') {
      const { answerGraphQl } = await import('./github-graphql.js');
      const result = await answerGraphQl(request.body, { findRepo, viewer });
      violations.push(Promise.resolve(result.violations));
      return { status: 200, body: result.body };
    }
    const match = matchRoute(request);
    const repo = findRepo(`${match?.params['owner']}/${match?.params['repo']}`);
    if (match === undefined || repo === undefined) return githubError(404, 'Not Found');
    const { media } = requestedMedia(request);
    return match.route.answer({
      repo,
      params: match.params,
      request,
      media,
      viewer,
      now: new Date().toISOString(),
    });
  }

  function refuse(request: RecordedRequest): RestAnswer | undefined {
    const given = request.headers['authorization']?.replace(/^(?:token|bearer) /i, '');
    if (given !== undefined && given !== (options.token ?? GITHUB_TOKEN))
      return githubError(401, 'Bad credentials');
    const writes = request.method !== 'GET' && request.path !== '/graphql';
    if (!writes || (given !== undefined && options.readOnly !== true)) return undefined;
    return given === undefined
      ? githubError(401, 'Requires authentication')
      : githubError(403, 'Resource not accessible by integration');
  }

  function validate(request: RecordedRequest, answer: RestAnswer | undefined): void {
    const response = answer && {
      status: answer.status,
      headers: { 'content-type': plainMediaType(mediaTypeOf(request, answer)), ...answer.headers },
      body: plain(answer.describedAs ?? answer.body),
    };
    violations.push(validateExchange({ ...request, ...(response === undefined ? {} : { response }) }));
  }

  const server: GitHubServer = {
    ...peer,
    env: { GITHUB_API_URL: peer.url, GITHUB_GRAPHQL_URL: `${peer.url}/graphql` },
    addRepo(fullName, { isPrivate = false, defaultBranch = 'main', roles = {} } = {}) {
      const [owner = '', name = ''] = fullName.split('/');
      const repo: StoredRepo = {
        owner,
        name,
        isPrivate,
        defaultBranch,
        branches: new Map(),
        commits: new Map(),
        pulls: new Map(),
        issues: new Map(),
        comments: [],
        roles: new Map(Object.entries(roles)),
        comparisons: new Map(),
        maxTreeEntries: 100_000,
      };
      repos.set(fullName.toLowerCase(), repo);
      return repo;
    },
    repo(fullName) {
      const repo = findRepo(fullName);
      if (repo === undefined) throw new Error(`the fake has no repository ${fullName}`);
      return repo;
    },
    commit(fullName, files, at = {}) {
      const repo = server.repo(fullName);
      const sha = at.sha ?? createHash('sha1').update(JSON.stringify(files)).digest('hex');
      repo.commits.set(sha, files);
      repo.branches.set(at.branch ?? repo.defaultBranch, sha);
      return sha;
    },
    addPull(fullName, pull) {
      const defaults = {
        title: 'A change',
        body: null,
        author: 'octocat',
        draft: false,
        locked: false,
        diff: '',
      };
      server.repo(fullName).pulls.set(pull.number, { ...defaults, state: 'open', ...pull });
    },
    addIssue(fullName, issue) {
      const defaults = { title: 'Found a bug', body: null, author: 'octocat', locked: false };
      server.repo(fullName).issues.set(issue.number, { ...defaults, ...issue });
    },
    addComment(fullName, { issue, author, body }) {
      const { comments } = server.repo(fullName);
      const id = 1 + Math.max(1000, ...comments.map((comment) => comment.id));
      comments.push({
        id,
        issue,
        author,
        body,
        createdAt: '2026-01-02T03:04:05Z',
        updatedAt: '2026-01-02T03:04:05Z',
      });
      return id;
    },
    seed: (payload, content) => seedRepo(server, payload, content ?? {}),
    fail(fault) {
      if (fault.route !== 'POST /graphql' && !ROUTE_NAMES.includes(fault.route)) {
        throw new Error(`the fake has no route ${fault.route}; it has: ${ROUTE_NAMES.join(', ')}`);
      }
      faults.push({ ...fault, left: fault.times ?? 1 });
    },
    takeViolations: async () => (await Promise.all(violations.splice(0))).flat(),
  };
  started.add(server);
  return server;
}
