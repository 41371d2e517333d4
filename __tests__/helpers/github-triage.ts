import { githubError, type RestAnswer, type RestCall } from './github-answers.js';
import { findIssue, page } from './github-discussions.js';
import { api, issueJson } from './github-objects.js';
import { labelJson, reactionJson } from './github-review-objects.js';
import { nextId, type StoredReaction } from './github-review-state.js';
import type { StoredRepo } from './github-state.js';

/** `POST …/issues`. */
export function createIssue({ repo, request, viewer, now }: RestCall): RestAnswer {
  const {
    title,
    body = null,
    labels = [],
  } = request.body as {
    title: string;
    body?: string | null;
    labels?: readonly string[];
  };
  const number = 1 + Math.max(0, ...repo.issues.keys(), ...repo.pulls.keys());
  const issue = { number, title, body, author: viewer, locked: false };
  repo.issues.set(number, issue);
  repo.talk.touched.set(number, now);
  addTo(repo, number, labels);
  return {
    status: 201,
    body: issueJson(repo, issue),
    headers: { location: `${api(repo)}/issues/${number}` },
  };
}

/** `PATCH …/issues/{issue_number}`: title and body. */
export function updateIssue({ repo, params, request, now }: RestCall): RestAnswer {
  const issue = repo.issues.get(Number(params['issue_number']));
  if (issue === undefined) return githubError(404, 'Not Found');
  const { title, body } = request.body as { title?: string; body?: string };
  if (title !== undefined) issue.title = title;
  if (body !== undefined) issue.body = body;
  repo.talk.touched.set(issue.number, now);
  return { status: 200, body: issueJson(repo, issue) };
}

/** `GET …/issues/{issue_number}/labels`, in pages. */
export function issueLabels(call: RestCall): RestAnswer {
  const number = subjectOf(call);
  if (number === undefined) return githubError(404, 'Not Found');
  return page(call, labelsOf(call.repo, number));
}

/** `POST …/issues/{issue_number}/labels`; a label that does not exist is made. */
export function addLabels(call: RestCall): RestAnswer {
  const number = subjectOf(call);
  if (number === undefined) return githubError(404, 'Not Found');
  const { labels = [] } = call.request.body as { labels?: readonly string[] };
  addTo(call.repo, number, labels);
  return { status: 200, body: labelsOf(call.repo, number) };
}

/** `DELETE …/issues/{issue_number}/labels/{name}`. */
export function removeLabel(call: RestCall): RestAnswer {
  const number = subjectOf(call);
  if (number === undefined) return githubError(404, 'Not Found');
  const labels = call.repo.talk.labelsOf.get(number) ?? [];
  const index = labels.findIndex((label) => isSame(label, call.params['name']));
  if (index < 0) return githubError(404, 'Label does not exist');
  labels.splice(index, 1);
  return { status: 200, body: labelsOf(call.repo, number) };
}

/** `GET …/labels/{name}`. */
export function label({ repo, params }: RestCall): RestAnswer {
  const found = repo.talk.labels.find((name) => isSame(name, params['name']));
  return found === undefined ? githubError(404, 'Not Found') : { status: 200, body: labelJson(repo, found) };
}

/** `POST …/issues/{issue_number}/reactions`. */
export function reactToIssue(call: RestCall): RestAnswer {
  const number = subjectOf(call);
  return number === undefined ? githubError(404, 'Not Found') : react(call, { on: 'issue', of: number });
}

/** `POST …/issues/comments/{comment_id}/reactions`. */
export function reactToComment(call: RestCall): RestAnswer {
  const id = Number(call.params['comment_id']);
  const isThere =
    call.repo.talk.eventComments.has(id) || call.repo.comments.some((comment) => comment.id === id);
  if (!isThere) return githubError(404, 'Not Found');
  return react(call, { on: 'issue-comment', of: id });
}

/** `POST …/pulls/comments/{comment_id}/reactions`. */
export function reactToReviewComment(call: RestCall): RestAnswer {
  const id = Number(call.params['comment_id']);
  const { eventComments, reviewComments } = call.repo.talk;
  if (!eventComments.has(id) && !reviewComments.some((comment) => comment.id === id))
    return githubError(404, 'Not Found');
  return react(call, { on: 'review-comment', of: id });
}

/** 200 where the account has reacted so before, 201 else. */
function react(
  { repo, request, viewer, now }: RestCall,
  subject: Pick<StoredReaction, 'on' | 'of'>,
): RestAnswer {
  const { content } = request.body as { content: string };
  const { reaction, isNew } = addReaction({ repo, viewer, now, subject }, content);
  return { status: isNew ? 201 : 200, body: reactionJson(reaction) };
}

/** Where somebody reacts. */
interface ReactionPlace extends Pick<RestCall, 'repo' | 'viewer' | 'now'> {
  readonly subject: Pick<StoredReaction, 'on' | 'of'>;
}

/** An account has one reaction of a kind on a subject. */
export function addReaction(
  { repo, viewer, now, subject }: ReactionPlace,
  content: string,
): { readonly reaction: StoredReaction; readonly isNew: boolean } {
  const { reactions } = repo.talk;
  const found = findReaction({ repo, viewer, now, subject }, content);
  if (found !== undefined) return { reaction: found, isNew: false };
  const reaction = { id: nextId(reactions), ...subject, author: viewer, content, createdAt: now };
  reactions.push(reaction);
  return { reaction, isNew: true };
}

function findReaction({ repo, viewer, subject }: ReactionPlace, content: string): StoredReaction | undefined {
  return repo.talk.reactions.find(
    ({ on, of, author, content: own }) =>
      on === subject.on && of === subject.of && author === viewer && own === content,
  );
}

/** The number of an issue or pull request that exists. */
function subjectOf({ repo, params }: RestCall): number | undefined {
  return findIssue(repo, Number(params['issue_number']))?.number;
}

function addTo(repo: StoredRepo, number: number, names: readonly string[]): void {
  const { labels, labelsOf: all } = repo.talk;
  const present = all.get(number) ?? [];
  for (const name of names) {
    const known = labels.find((one) => isSame(one, name));
    if (known === undefined) labels.push(name);
    if (!present.some((one) => isSame(one, name))) present.push(known ?? name);
  }
  all.set(number, present);
}

function labelsOf(repo: StoredRepo, number: number): unknown[] {
  return (repo.talk.labelsOf.get(number) ?? []).map((name) => labelJson(repo, name));
}

function isSame(one: string, other: string | undefined): boolean {
  return one.toLowerCase() === other?.toLowerCase();
}
