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
import { createCommit, gitCommit } from './github-commits.js';
import { commit, contents, repository } from './github-contents.js';
import {
  collaboratorPermission,
  comparison,
  createComment,
  issue,
  listComments,
  pull,
  pullFiles,
  updateComment,
} from './github-discussions.js';
import { createBlob, createTree, gitBlob, tree } from './github-git-data.js';
import { createPull, listPulls, pullsOfCommit, updatePull } from './github-pulls.js';
import { createRef, deleteRef, gitRef, updateRef } from './github-refs.js';
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
  /** Where GitHub describes it, below `https://docs.github.com/rest/`. */
  readonly docs: string;
}

const REPO = '/repos/{owner}/{repo}';

const ROUTES: readonly Route[] = [
  get('', repository, 'repos/repos#get-a-repository'),
  get('/contents/{path}', contents, 'repos/contents#get-repository-content'),
  change('POST', '/git/trees', { answer: createTree, docs: 'git/trees#create-a-tree' }),
  get('/git/trees/{tree_sha}', tree, 'git/trees#get-a-tree'),
  change('POST', '/git/blobs', { answer: createBlob, docs: 'git/blobs#create-a-blob' }),
  get('/git/blobs/{file_sha}', gitBlob, 'git/blobs#get-a-blob'),
  change('POST', '/git/commits', { answer: createCommit, docs: 'git/commits#create-a-commit' }),
  get('/git/commits/{commit_sha}', gitCommit, 'git/commits#get-a-commit-object'),
  get('/git/ref/{ref}', gitRef, 'git/refs#get-a-reference'),
  change('POST', '/git/refs', { answer: createRef, docs: 'git/refs#create-a-reference' }),
  change('PATCH', '/git/refs/{ref}', { answer: updateRef, docs: 'git/refs#update-a-reference' }),
  change('DELETE', '/git/refs/{ref}', { answer: deleteRef, docs: 'git/refs#delete-a-reference' }),
  get('/commits/{ref}/check-runs', checkRuns, 'checks/runs#list-check-runs-for-a-git-reference'),
  get(
    '/commits/{ref}/status',
    combinedStatus,
    'commits/statuses#get-the-combined-status-for-a-specific-reference',
  ),
  get(
    '/commits/{commit_sha}/pulls',
    pullsOfCommit,
    'commits/commits#list-pull-requests-associated-with-a-commit',
  ),
  get('/tags', tags, 'repos/repos#list-repository-tags'),
  get('/commits/{ref}', commit, 'commits/commits#get-a-commit'),
  get('/commits', commits, 'commits/commits#list-commits'),
  change('POST', '/check-runs', { answer: createCheckRun, docs: 'checks/runs#create-a-check-run' }),
  change('PATCH', '/check-runs/{check_run_id}', {
    answer: updateCheckRun,
    docs: 'checks/runs#update-a-check-run',
  }),
  get('/actions/caches', caches, 'actions/cache#list-github-actions-caches-for-a-repository'),
  get('/actions/jobs/{job_id}/logs', jobLogs, 'actions/workflow-jobs#download-job-logs-for-a-workflow-run'),
  get('/pulls', listPulls, 'pulls/pulls#list-pull-requests'),
  change('POST', '/pulls', { answer: createPull, docs: 'pulls/pulls#create-a-pull-request' }),
  change('PATCH', '/pulls/{pull_number}', {
    answer: updatePull,
    docs: 'pulls/pulls#update-a-pull-request',
  }),
  get('/pulls/{pull_number}', pull, 'pulls/pulls#get-a-pull-request'),
  get('/pulls/{pull_number}/files', pullFiles, 'pulls/pulls#list-pull-requests-files'),
  get('/pulls/{pull_number}/commits', pullCommits, 'pulls/pulls#list-commits-on-a-pull-request'),
  change('POST', '/pulls/{pull_number}/reviews', {
    answer: createReview,
    docs: 'pulls/reviews#create-a-review-for-a-pull-request',
  }),
  change('DELETE', '/pulls/{pull_number}/reviews/{review_id}', {
    answer: deleteReview,
    docs: 'pulls/reviews#delete-a-pending-review-for-a-pull-request',
  }),
  change('PUT', '/pulls/{pull_number}/reviews/{review_id}/dismissals', {
    answer: dismissReview,
    docs: 'pulls/reviews#dismiss-a-review-for-a-pull-request',
  }),
  change('POST', '/pulls/{pull_number}/comments', {
    answer: createReviewComment,
    docs: 'pulls/comments#create-a-review-comment-for-a-pull-request',
  }),
  change('POST', '/pulls/{pull_number}/comments/{comment_id}/replies', {
    answer: replyToComment,
    docs: 'pulls/comments#create-a-reply-for-a-review-comment',
  }),
  change('POST', '/pulls/comments/{comment_id}/reactions', {
    answer: reactToReviewComment,
    docs: 'reactions/reactions#create-reaction-for-a-pull-request-review-comment',
  }),
  get('/compare/{basehead}', comparison, 'commits/commits#compare-two-commits'),
  get(
    '/collaborators/{username}/permission',
    collaboratorPermission,
    'collaborators/collaborators#get-repository-permissions-for-a-user',
  ),
  change('POST', '/issues', { answer: createIssue, docs: 'issues/issues#create-an-issue' }),
  change('PATCH', '/issues/{issue_number}', { answer: updateIssue, docs: 'issues/issues#update-an-issue' }),
  get('/issues/{issue_number}/labels', issueLabels, 'issues/labels#list-labels-for-an-issue'),
  change('POST', '/issues/{issue_number}/labels', {
    answer: addLabels,
    docs: 'issues/labels#add-labels-to-an-issue',
  }),
  change('DELETE', '/issues/{issue_number}/labels/{name}', {
    answer: removeLabel,
    docs: 'issues/labels#remove-a-label-from-an-issue',
  }),
  get('/labels/{name}', label, 'issues/labels#get-a-label'),
  change('POST', '/issues/{issue_number}/reactions', {
    answer: reactToIssue,
    docs: 'reactions/reactions#create-reaction-for-an-issue',
  }),
  change('POST', '/issues/comments/{comment_id}/reactions', {
    answer: reactToComment,
    docs: 'reactions/reactions#create-reaction-for-an-issue-comment',
  }),
  get('/issues/{issue_number}', issue, 'issues/issues#get-an-issue'),
  get('/issues/{issue_number}/comments', listComments, 'issues/comments#list-issue-comments'),
  change('POST', '/issues/{issue_number}/comments', {
    answer: createComment,
    docs: 'issues/comments#create-an-issue-comment',
  }),
  change('PATCH', '/issues/comments/{comment_id}', {
    answer: updateComment,
    docs: 'issues/comments#update-an-issue-comment',
  }),
  { method: 'GET', template: '/search/code', answer: searchCode, docs: 'search/search#search-code' },
  {
    method: 'GET',
    template: '/search/issues',
    answer: searchIssues,
    docs: 'search/search#search-issues-and-pull-requests',
  },
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

/** The representation asked for: `application/vnd.github.raw+json` and the older `…v3.raw` are both `raw`. */
export function requestedMedia(request: RecordedRequest): { media: Media; mediaType: string } {
  const accept = request.headers['accept'] ?? '';
  const match = /application\/vnd\.github\.(?:v3\.)?(raw|diff|object|sha)(?:\+json)?/.exec(accept);
  return match === null
    ? { media: 'json', mediaType: 'application/json' }
    : { media: match[1] as Media, mediaType: match[0] };
}

function get(path: string, answer: Route['answer'], docs: string): Route {
  return { method: 'GET', template: `${REPO}${path}`, answer, docs };
}

function change(method: string, path: string, rest: Pick<Route, 'answer' | 'docs'>): Route {
  return { method, template: `${REPO}${path}`, ...rest };
}

function compile(template: string): RegExp {
  const source = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    MULTI_SEGMENT.has(name) ? `(?<${name}>.+)` : `(?<${name}>[^/]+)`,
  );
  return new RegExp(`^${source}$`);
}
