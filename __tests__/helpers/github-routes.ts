import type { Media, RestAnswer, RestCall } from './github-answers.js';
import { commit, contents, gitBlob, gitRef, repository, tree } from './github-contents.js';
import {
  collaboratorPermission,
  comparison,
  createComment,
  issue,
  issueComment,
  listComments,
  pull,
  pullFiles,
  updateComment,
} from './github-discussions.js';
import type { RecordedRequest } from './loopback.js';

interface Route {
  readonly method: string;
  readonly template: string;
  readonly answer: (call: RestCall) => RestAnswer;
}

const REPO = '/repos/{owner}/{repo}';

const ROUTES: readonly Route[] = [
  { method: 'GET', template: REPO, answer: repository },
  { method: 'GET', template: `${REPO}/contents/{path}`, answer: contents },
  { method: 'GET', template: `${REPO}/git/trees/{tree_sha}`, answer: tree },
  { method: 'GET', template: `${REPO}/git/blobs/{file_sha}`, answer: gitBlob },
  { method: 'GET', template: `${REPO}/git/ref/{ref}`, answer: gitRef },
  { method: 'GET', template: `${REPO}/commits/{ref}`, answer: commit },
  { method: 'GET', template: `${REPO}/pulls/{pull_number}`, answer: pull },
  { method: 'GET', template: `${REPO}/pulls/{pull_number}/files`, answer: pullFiles },
  { method: 'GET', template: `${REPO}/compare/{basehead}`, answer: comparison },
  { method: 'GET', template: `${REPO}/collaborators/{username}/permission`, answer: collaboratorPermission },
  { method: 'GET', template: `${REPO}/issues/{issue_number}`, answer: issue },
  { method: 'GET', template: `${REPO}/issues/{issue_number}/comments`, answer: listComments },
  { method: 'POST', template: `${REPO}/issues/{issue_number}/comments`, answer: createComment },
  { method: 'GET', template: `${REPO}/issues/comments/{comment_id}`, answer: issueComment },
  { method: 'PATCH', template: `${REPO}/issues/comments/{comment_id}`, answer: updateComment },
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

/** The representation asked for: `application/vnd.github.raw+json` and the older `…v3.raw` are both `raw`. */
export function requestedMedia(request: RecordedRequest): { media: Media; mediaType: string } {
  const accept = request.headers['accept'] ?? '';
  const match = /application\/vnd\.github\.(?:v3\.)?(raw|diff|object|sha)(?:\+json)?/.exec(accept);
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
