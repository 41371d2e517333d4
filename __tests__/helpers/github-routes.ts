import type { RestCall, Routes } from './github-answers.js';
import { CHECK_ROUTES } from './github-checks.js';
import { GIT_ROUTES } from './github-git-rest.js';
import { ISSUE_ROUTES } from './github-issues.js';
import { PULL_ROUTES } from './github-pulls.js';
import { REVIEW_ROUTES } from './github-reviews.js';
import { SEARCH_ROUTES } from './github-search.js';
import type { RecordedRequest } from './loopback.js';

const REPO = '/repos/{owner}/{repo}';

const IN_REPO: Routes = {
  ...GIT_ROUTES,
  ...CHECK_ROUTES,
  ...ISSUE_ROUTES,
  ...PULL_ROUTES,
  ...REVIEW_ROUTES,
};

/** Last parameters that may hold slashes. */
const MULTI_SEGMENT = new Set(['path', 'tree_sha', 'ref', 'basehead']);

const ROUTES = [
  ...Object.entries(IN_REPO).map(([name, answer]) => ({
    name: name.replace(' ', ` ${REPO}`),
    answer,
  })),
  ...Object.entries(SEARCH_ROUTES).map(([name, answer]) => ({ name, answer })),
]
  .map((route) => ({ ...route, pattern: compile(route.name) }))
  // A longer route goes before one whose last parameter takes the rest of the path.
  .toSorted((a, b) => b.name.split('/').length - a.name.split('/').length);

/** Names of the routes, as tests give them: `GET /repos/{owner}/{repo}/contents/{path}`. */
export const ROUTE_NAMES: readonly string[] = ROUTES.map(({ name }) => name);

/** The route of a request with its parameters decoded; undefined if the fake has none. */
export function matchRoute({ method, path }: RecordedRequest) {
  for (const { name, answer, pattern } of ROUTES) {
    const match = pattern.exec(`${method} ${path}`);
    if (match === null) continue;
    const groups = Object.entries(match.groups ?? {});
    const params = Object.fromEntries(
      groups.map(([key, value]) => [key, decodeURIComponent(value)]),
    );
    return { name, answer, params };
  }
  return undefined;
}

/** Whether a route is about files and commits, which the permission `contents` is for. */
export function isAboutContents(name: string): boolean {
  const [, path = ''] = name.split(REPO);
  return (
    /^\/(?:contents|git|commits|compare|tarball)\b/.test(path) &&
    !/\/(?:check-runs|status)$/.test(path)
  );
}

/**
 * What a request asked for: `PATCH /repos/{owner}/{repo}/git/refs/{ref}`, `POST /graphql
 * createCommitOnBranch` with the first field of the query, or method and path of what the fake does
 * not know.
 */
export function requestName(request: RecordedRequest): string {
  if (request.path.endsWith('/graphql')) {
    const { query = '' } = (request.body ?? {}) as { query?: string };
    return `POST /graphql ${/\{\s*(?:\w+\s*:\s*)?(\w+)/.exec(query)?.[1] ?? ''}`.trim();
  }
  return matchRoute(request)?.name ?? `${request.method} ${request.path}`;
}

/**
 * The representation asked for: `application/vnd.github.diff` and the older `…v3.diff` are both
 * `diff`.
 */
export function requestedMedia({ headers }: RecordedRequest): {
  media: RestCall['media'];
  mediaType: string;
} {
  const { accept = '' } = headers;
  const match = /application\/vnd\.github\.(?:v3\.)?(diff|object|sha)(?:\+json)?/.exec(accept);
  if (match === null) return { media: 'json', mediaType: 'application/json' };
  return { media: match[1] as RestCall['media'], mediaType: match[0] };
}

function compile(name: string): RegExp {
  const source = name.replaceAll(/\{(\w+)\}/g, (_, param: string) =>
    MULTI_SEGMENT.has(param) ? `(?<${param}>.+)` : `(?<${param}>[^/]+)`,
  );
  return new RegExp(`^${source}$`);
}
