import type { Media, RestAnswer, RestCall } from './github-answers.js';
import {
  caches,
  checkRuns,
  combinedStatus,
  createCheckRun,
  jobLogs,
  updateCheckRun,
} from './github-checks.js';
import { commits, pullCommits, tags } from './github-commit-lists.js';
import { createCommit } from './github-commits.js';
import { commit, contents, repository } from './github-contents.js';
import {
  collaboratorPermission,
  comparison,
  createComment,
  pullFiles,
  updateComment,
} from './github-discussions.js';
import { createBlob, createTree, gitBlob, tree } from './github-git-data.js';
import { createPull, listPulls, pullsOfCommit, updatePull } from './github-pulls.js';
import { createRef, deleteRef, gitRef } from './github-refs.js';
import {
  createReview,
  createReviewComment,
  deleteReview,
  dismissReview,
  replyToComment,
} from './github-reviews.js';
import { searchCode, searchedRepo, searchIssues } from './github-search.js';
import {
  addLabels,
  createIssue,
  issueLabels,
  label,
  reactToComment,
  reactToIssue,
  reactToReviewComment,
  removeLabel,
  updateIssue,
} from './github-triage.js';
import type { RecordedRequest } from './loopback.js';

interface Route {
  readonly method: string;
  readonly template: string;
  readonly answer: (call: RestCall) => RestAnswer;
}

const REPO = '/repos/{owner}/{repo}';

/** Of a repository, by method and path below it; the first that fits answers. */
const OF_REPOSITORY: Readonly<Record<string, Route['answer']>> = {
  'GET ': repository,
  'GET /contents/{path}': contents,
  'POST /git/trees': createTree,
  'GET /git/trees/{tree_sha}': tree,
  'POST /git/blobs': createBlob,
  'GET /git/blobs/{file_sha}': gitBlob,
  'POST /git/commits': createCommit,
  'GET /git/ref/{ref}': gitRef,
  'POST /git/refs': createRef,
  'DELETE /git/refs/{ref}': deleteRef,
  'GET /commits/{ref}/check-runs': checkRuns,
  'GET /commits/{ref}/status': combinedStatus,
  'GET /commits/{commit_sha}/pulls': pullsOfCommit,
  'GET /tags': tags,
  'GET /commits/{ref}': commit,
  'GET /commits': commits,
  'POST /check-runs': createCheckRun,
  'PATCH /check-runs/{check_run_id}': updateCheckRun,
  'GET /actions/caches': caches,
  'GET /actions/jobs/{job_id}/logs': jobLogs,
  'GET /pulls': listPulls,
  'POST /pulls': createPull,
  'PATCH /pulls/{pull_number}': updatePull,
  'GET /pulls/{pull_number}/files': pullFiles,
  'GET /pulls/{pull_number}/commits': pullCommits,
  'POST /pulls/{pull_number}/reviews': createReview,
  'DELETE /pulls/{pull_number}/reviews/{review_id}': deleteReview,
  'PUT /pulls/{pull_number}/reviews/{review_id}/dismissals': dismissReview,
  'POST /pulls/{pull_number}/comments': createReviewComment,
  'POST /pulls/{pull_number}/comments/{comment_id}/replies': replyToComment,
  'POST /pulls/comments/{comment_id}/reactions': reactToReviewComment,
  'GET /compare/{basehead}': comparison,
  'GET /collaborators/{username}/permission': collaboratorPermission,
  'POST /issues': createIssue,
  'PATCH /issues/{issue_number}': updateIssue,
  'GET /issues/{issue_number}/labels': issueLabels,
  'POST /issues/{issue_number}/labels': addLabels,
  'DELETE /issues/{issue_number}/labels/{name}': removeLabel,
  'GET /labels/{name}': label,
  'POST /issues/{issue_number}/reactions': reactToIssue,
  'POST /issues/comments/{comment_id}/reactions': reactToComment,
  'POST /issues/{issue_number}/comments': createComment,
  'PATCH /issues/comments/{comment_id}': updateComment,
};

const ROUTES: readonly Route[] = [
  ...Object.entries(OF_REPOSITORY).map(([name, answer]) => {
    const [method = '', path = ''] = name.split(' ');
    return { method, template: `${REPO}${path}`, answer };
  }),
  { method: 'GET', template: '/search/code', answer: searchCode },
  { method: 'GET', template: '/search/issues', answer: searchIssues },
];

/** Last parameters that may hold slashes. */
const MULTI_SEGMENT = new Set(['path', 'tree_sha', 'ref', 'basehead']);

const PATTERNS = ROUTES.map((route) => ({ route, pattern: compile(route.template) }));

/** Names of the routes, as tests give them: `GET /repos/{owner}/{repo}/contents/{path}`. */
export const ROUTE_NAMES: readonly string[] = ROUTES.map(({ method, template }) => `${method} ${template}`);

/** The route of a request with its parameters decoded; undefined if the fake has none. */
export function matchRoute(
  request: RecordedRequest,
): { route: Route; name: string; params: Record<string, string> } | undefined {
  for (const { route, pattern } of PATTERNS) {
    const match = route.method === request.method ? pattern.exec(request.path) : null;
    if (match === null) continue;
    const params = Object.fromEntries(
      Object.entries(match.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]),
    );
    return { route, name: `${route.method} ${route.template}`, params };
  }
  return undefined;
}

/** `owner/name` of the repository a request is about. */
export function repoNameOf(request: RecordedRequest, params: Readonly<Record<string, string>> = {}): string {
  return 'owner' in params ? `${params['owner']}/${params['repo']}` : searchedRepo(request);
}

/** Whether a route is about files and commits, which the permission `contents` is for. */
export function isAboutContents({ template }: Pick<Route, 'template'>): boolean {
  const path = template.slice(REPO.length);
  return /^\/(?:contents|git|commits|compare)\b/.test(path) && !/\/(?:check-runs|status)$/.test(path);
}

/**
 * What a request asked for: `PATCH /repos/{owner}/{repo}/git/refs/{ref}`, `POST /graphql createCommitOnBranch` with
 * the first field of the query, or method and path of what the fake does not know.
 */
export function requestName(request: RecordedRequest): string {
  if (request.path.endsWith('/graphql')) {
    const { query = '' } = (request.body ?? {}) as { query?: string };
    return `POST /graphql ${/\{\s*(?:\w+\s*:\s*)?(\w+)/.exec(query)?.[1] ?? ''}`.trim();
  }
  return matchRoute(request)?.name ?? `${request.method} ${request.path}`;
}

/** The representation asked for: `application/vnd.github.diff` and the older `…v3.diff` are both `diff`. */
export function requestedMedia(request: RecordedRequest): { media: Media; mediaType: string } {
  const accept = request.headers['accept'] ?? '';
  const match = /application\/vnd\.github\.(?:v3\.)?(diff|object|sha)(?:\+json)?/.exec(accept);
  return match === null
    ? { media: 'json', mediaType: 'application/json' }
    : { media: match[1] as Media, mediaType: match[0] };
}

function compile(template: string): RegExp {
  const source = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    MULTI_SEGMENT.has(name) ? `(?<${name}>.+)` : `(?<${name}>[^/]+)`,
  );
  return new RegExp(`^${source}$`);
}
