import {
  created,
  githubError,
  invalid,
  notFound,
  page,
  type RestAnswer,
  type RestCall,
  type Routes,
} from './github-answers.js';
import {
  commentJson,
  issueJson,
  labelJson,
  labelsJson,
  reactionJson,
  userJson,
} from './github-json.js';
import { nextId, type StoredReaction, type StoredRepo } from './github-state.js';

const MAX_COMMENT_CHARS = 65_536;

/**
 * Issues, and what pull requests have in common with them: comments, labels, reactions; and what
 * people may do.
 */
export const ISSUE_ROUTES: Routes = {
  'GET /collaborators/{username}/permission': ({ repo, params }) => {
    const login = params['username'] ?? '';
    const role = repo.roles.get(login) ?? (repo.isPrivate ? 'none' : 'read');
    if (role === 'missing' || login.endsWith('[bot]'))
      return githubError(404, `${login} is not a user`);
    // The older field knows four levels only.
    const olderLevels: Readonly<Record<string, string>> = { maintain: 'write', triage: 'read' };
    const permission = olderLevels[role] ?? role;
    const user = { ...userJson(login), role_name: role };
    return { status: 200, body: { permission, role_name: role, user } };
  },
  'POST /issues': ({ repo, request, viewer, now }) => {
    const asked = request.body as { title: string; body?: string; labels?: readonly string[] };
    const number = nextNumber(repo);
    const issue = { number, title: asked.title, body: asked.body ?? null, author: viewer };
    repo.issues.set(number, issue);
    repo.talk.touched.set(number, now);
    addLabels(repo, number, asked.labels ?? []);
    return created(issueJson(repo, issue));
  },
  'PATCH /issues/{issue_number}': ({ repo, params, request, now }) => {
    const issue = repo.issues.get(Number(params['issue_number']));
    if (issue === undefined) return notFound();
    const { title = issue.title, body = issue.body } = request.body as {
      title?: string;
      body?: string;
    };
    Object.assign(issue, { title, body });
    repo.talk.touched.set(issue.number, now);
    return { status: 200, body: issueJson(repo, issue) };
  },
  'POST /issues/{issue_number}/comments': (call) => {
    const { repo, viewer, now } = call;
    const number = subjectOf(call);
    if (number === undefined) return notFound();
    if (repo.pulls.get(number)?.locked === true)
      return githubError(403, 'Unable to create comment because issue is locked.');
    const body = bodyOf(call);
    const refusal = refuseBody(body);
    if (refusal !== undefined) return refusal;
    const id = 1 + Math.max(0, ...repo.comments.map((one) => one.id));
    const comment = { id, issue: number, author: viewer, body, createdAt: now, updatedAt: now };
    repo.comments.push(comment);
    return created(commentJson(repo, comment));
  },
  'PATCH /issues/comments/{comment_id}': (call) => {
    const { repo, params, now } = call;
    const comment = repo.comments.find(({ id }) => id === Number(params['comment_id']));
    if (comment === undefined) return notFound();
    const body = bodyOf(call);
    const refusal = refuseBody(body);
    if (refusal !== undefined) return refusal;
    Object.assign(comment, { body, updatedAt: now });
    return { status: 200, body: commentJson(repo, comment) };
  },
  'GET /issues/{issue_number}/labels': (call) => {
    const number = subjectOf(call);
    return number === undefined ? notFound() : page(call, labelsJson(call.repo, number));
  },
  // A label that does not exist is made.
  'POST /issues/{issue_number}/labels': (call) => {
    const number = subjectOf(call);
    if (number === undefined) return notFound();
    addLabels(
      call.repo,
      number,
      (call.request.body as { labels?: readonly string[] }).labels ?? [],
    );
    return { status: 200, body: labelsJson(call.repo, number) };
  },
  'DELETE /issues/{issue_number}/labels/{name}': (call) => {
    const number = subjectOf(call);
    if (number === undefined) return notFound();
    const labels = call.repo.talk.labelsOf.get(number) ?? [];
    const index = labels.findIndex((label) => isSame(label, call.params['name']));
    if (index < 0) return githubError(404, 'Label does not exist');
    labels.splice(index, 1);
    return { status: 200, body: labelsJson(call.repo, number) };
  },
  'GET /labels/{name}': ({ repo, params }) => {
    const found = repo.talk.labels.find((name) => isSame(name, params['name']));
    return found === undefined ? notFound() : { status: 200, body: labelJson(repo, found) };
  },
  'POST /issues/{issue_number}/reactions': (call) => {
    const number = subjectOf(call);
    return number === undefined ? notFound() : react(call, { on: 'issue', of: number });
  },
  'POST /issues/comments/{comment_id}/reactions': (call) =>
    reactToComment(call, 'issue-comment', call.repo.comments),
  'POST /pulls/comments/{comment_id}/reactions': (call) =>
    reactToComment(call, 'review-comment', call.repo.talk.reviewComments),
};

/** The number of the next issue or pull request. */
export function nextNumber(repo: StoredRepo): number {
  return 1 + Math.max(0, ...repo.issues.keys(), ...repo.pulls.keys());
}

/** The number of an issue or pull request that exists. */
function subjectOf({ repo, params }: RestCall): number | undefined {
  const number = Number(params['issue_number']);
  return repo.issues.has(number) || repo.pulls.has(number) ? number : undefined;
}

function bodyOf({ request }: RestCall): string {
  const { body } = (request.body ?? {}) as { body?: unknown };
  return typeof body === 'string' ? body : '';
}

function refuseBody(body: string): RestAnswer | undefined {
  const about = { resource: 'IssueComment', code: 'unprocessable', field: 'data' };
  if (body.trim() === '') return invalid({ ...about, message: 'Body cannot be blank' });
  if ([...body].length <= MAX_COMMENT_CHARS) return undefined;
  return invalid({
    ...about,
    message: `body is too long (maximum is ${MAX_COMMENT_CHARS} characters)`,
  });
}

function addLabels(repo: StoredRepo, number: number, names: readonly string[]): void {
  const { labels, labelsOf } = repo.talk;
  const present = labelsOf.get(number) ?? [];
  for (const name of names) {
    const known = labels.find((one) => isSame(one, name));
    if (known === undefined) labels.push(name);
    if (!present.some((one) => isSame(one, name))) present.push(known ?? name);
  }
  labelsOf.set(number, present);
}

function isSame(one: string, other: string | undefined): boolean {
  return one.toLowerCase() === other?.toLowerCase();
}

function reactToComment(
  call: RestCall,
  on: 'issue-comment' | 'review-comment',
  comments: readonly { readonly id: number }[],
): RestAnswer {
  const of = Number(call.params['comment_id']);
  const isThere = call.repo.talk.eventComments.has(of) || comments.some(({ id }) => id === of);
  return isThere ? react(call, { on, of }) : notFound();
}

/**
 * An account has one reaction of a kind on a subject: 200 where it has reacted so before, 201 else.
 */
function react(
  { repo, request, viewer, now }: RestCall,
  { on, of }: Pick<StoredReaction, 'on' | 'of'>,
): RestAnswer {
  const { reactions } = repo.talk;
  const { content } = request.body as { content: string };
  const found = reactions.find(
    (one) => one.on === on && one.of === of && one.author === viewer && one.content === content,
  );
  if (found !== undefined) return { status: 200, body: reactionJson(found) };
  const reaction = { id: nextId(reactions), on, of, author: viewer, content, createdAt: now };
  reactions.push(reaction);
  return { status: 201, body: reactionJson(reaction) };
}
