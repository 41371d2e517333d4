import { githubError, type RestAnswer, type RestCall } from './github-answers.js';
import { commitComparison, MAX_COMPARED_FILES } from './github-comparisons.js';
import { api, commentJson, diffEntriesJson, userJson } from './github-objects.js';
import type { Role, StoredComment, StoredIssue, StoredPull, StoredRepo } from './github-state.js';

const MAX_COMMENT_CHARS = 65_536;

/** `GET …/pulls/{pull_number}/files`, in pages. */
export function pullFiles(call: RestCall): RestAnswer {
  const found = call.repo.pulls.get(Number(call.params['pull_number']));
  if (found === undefined) return githubError(404, 'Not Found');
  return page(call, diffEntriesJson(call.repo, found.diff, found.head.sha));
}

/** `GET …/compare/{basehead}`, as a diff or as JSON. */
export function comparison(call: RestCall): RestAnswer {
  const { repo, params, media } = call;
  if (media === 'json') return commitComparison(call);
  const diff = repo.comparisons.get(params['basehead'] ?? '');
  if (diff === undefined) return githubError(404, 'Not Found');
  if (diffEntriesJson(repo, diff, '').length > MAX_COMPARED_FILES) {
    return githubError(406, 'Sorry, the diff exceeded the maximum number of files (300).');
  }
  if (media !== 'diff') return githubError(415, 'the fake answers this route as a diff or as JSON only');
  return { status: 200, body: diff, mediaType: 'diff' };
}

/** `GET …/collaborators/{username}/permission`. */
export function collaboratorPermission({ repo, params }: RestCall): RestAnswer {
  const login = params['username'] ?? '';
  const role = repo.roles.get(login) ?? (repo.isPrivate ? 'none' : 'read');
  if (role === 'missing' || login.endsWith('[bot]')) return githubError(404, `${login} is not a user`);
  return {
    status: 200,
    body: {
      permission: legacyPermission(role),
      role_name: role,
      user: { ...userJson(login), role_name: role },
    },
  };
}

/** `POST …/issues/{issue_number}/comments`. */
export function createComment({ repo, params, request, viewer, now }: RestCall): RestAnswer {
  const subject = findIssue(repo, Number(params['issue_number']));
  if (subject === undefined) return githubError(404, 'Not Found');
  if (subject.locked) return githubError(403, 'Unable to create comment because issue is locked.');
  const body = commentBody(request.body);
  const refusal = refuseBody(body);
  if (refusal !== undefined) return refusal;
  const comment: StoredComment = {
    id: 1 + Math.max(0, ...repo.comments.map(({ id }) => id)),
    issue: subject.number,
    author: viewer,
    body,
    createdAt: now,
    updatedAt: now,
  };
  repo.comments.push(comment);
  return {
    status: 201,
    body: commentJson(repo, comment),
    headers: { location: `${api(repo)}/issues/comments/${comment.id}` },
  };
}

/** `PATCH …/issues/comments/{comment_id}`. */
export function updateComment({ repo, params, request, now }: RestCall): RestAnswer {
  const comment = repo.comments.find(({ id }) => id === Number(params['comment_id']));
  if (comment === undefined) return githubError(404, 'Not Found');
  const body = commentBody(request.body);
  const refusal = refuseBody(body);
  if (refusal !== undefined) return refusal;
  comment.body = body;
  comment.updatedAt = now;
  return { status: 200, body: commentJson(repo, comment) };
}

/** An issue or pull request by its number. */
export function findIssue(repo: StoredRepo, number: number): StoredIssue | StoredPull | undefined {
  return repo.issues.get(number) ?? repo.pulls.get(number);
}

/** The `permission` field knows four levels; `role_name` knows them all. */
function legacyPermission(role: Role): string {
  if (role === 'maintain') return 'write';
  return role === 'triage' ? 'read' : role;
}

function commentBody(body: unknown): string {
  const text = (body as { body?: unknown } | undefined)?.body;
  return typeof text === 'string' ? text : '';
}

function refuseBody(body: string): RestAnswer | undefined {
  if (body.trim() === '') {
    return githubError(422, 'Validation Failed', {
      errors: [
        { resource: 'IssueComment', code: 'unprocessable', field: 'data', message: 'Body cannot be blank' },
      ],
    });
  }
  if ([...body].length > MAX_COMMENT_CHARS) {
    const message = `body is too long (maximum is ${MAX_COMMENT_CHARS} characters)`;
    return githubError(422, 'Validation Failed', {
      errors: [{ resource: 'IssueComment', code: 'unprocessable', field: 'data', message }],
    });
  }
  return undefined;
}

/** One page of a list, with the `link` header that leads to the next and the last. */
export function page({ request }: RestCall, items: readonly unknown[]): RestAnswer {
  const size = Math.min(Math.max(Number(request.query.get('per_page') ?? 30), 1), 100);
  const number = Math.max(Number(request.query.get('page') ?? 1), 1);
  const last = Math.max(Math.ceil(items.length / size), 1);
  const body = items.slice((number - 1) * size, number * size);
  if (number >= last) return { status: 200, body };
  const link = (to: number, rel: string) => {
    const query = new URLSearchParams(request.query);
    query.set('page', String(to));
    return `<http://${request.headers['host']}${request.path}?${query}>; rel="${rel}"`;
  };
  return { status: 200, body, headers: { link: `${link(number + 1, 'next')}, ${link(last, 'last')}` } };
}
