import { api, fullName, html, stableId, userJson } from './github-objects.js';
import { githubExample } from './github-openapi.js';
import type {
  StoredCheckRun,
  StoredReaction,
  StoredReview,
  StoredReviewComment,
  StoredStatus,
} from './github-review-state.js';
import type { StoredRepo } from './github-state.js';

type Json = Record<string, unknown>;

/** A review as the REST API shows it. */
export function reviewJson(repo: StoredRepo, review: StoredReview): Json {
  const page = reviewPage(repo, review);
  const pull = `${api(repo)}/pulls/${review.pull}`;
  return {
    ...example('pull-request-review'),
    id: review.id,
    node_id: `PRR_${review.id}`,
    user: userJson(review.author),
    body: review.body,
    state: review.state,
    html_url: page,
    pull_request_url: pull,
    _links: { html: { href: page }, pull_request: { href: pull } },
    submitted_at: review.submittedAt ?? undefined,
    commit_id: review.commit,
    author_association: associationOf(repo, review.author),
  };
}

/** Address of a review in the browser. */
export function reviewPage(repo: StoredRepo, review: StoredReview): string {
  return `${html(repo)}/pull/${review.pull}#pullrequestreview-${review.id}`;
}

/** A comment on a line as the REST API shows it. */
export function reviewCommentJson(repo: StoredRepo, comment: StoredReviewComment): Json {
  const self = `${api(repo)}/pulls/comments/${comment.id}`;
  const page = reviewCommentPage(repo, comment);
  const pull = `${api(repo)}/pulls/${comment.pull}`;
  return {
    ...example('pull-request-review-comment'),
    url: self,
    id: comment.id,
    node_id: `PRRC_${comment.id}`,
    pull_request_review_id: comment.review,
    path: comment.path,
    commit_id: comment.commit,
    original_commit_id: comment.commit,
    in_reply_to_id: comment.inReplyTo,
    user: userJson(comment.author),
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.editedAt ?? comment.createdAt,
    html_url: page,
    pull_request_url: pull,
    author_association: associationOf(repo, comment.author),
    line: comment.line,
    side: comment.side,
    start_line: comment.startLine ?? null,
    start_side: comment.startSide ?? null,
    _links: { self: { href: self }, html: { href: page }, pull_request: { href: pull } },
  };
}

/** Address of a comment on a line in the browser. */
export function reviewCommentPage(repo: StoredRepo, comment: StoredReviewComment): string {
  return `${html(repo)}/pull/${comment.pull}#discussion_r${comment.id}`;
}

/** What GitHub shows next to the name of an account. */
export function associationOf(repo: StoredRepo, login: string): string {
  if (login === repo.owner) return 'OWNER';
  const role = repo.roles.get(login) ?? 'none';
  return role === 'none' || role === 'read' || role === 'missing' ? 'NONE' : 'COLLABORATOR';
}

/** A reaction as the REST API shows it. */
export function reactionJson(reaction: StoredReaction): Json {
  return {
    id: reaction.id,
    node_id: `REA_${reaction.id}`,
    user: userJson(reaction.author),
    content: reaction.content,
    created_at: reaction.createdAt,
  };
}

/** A label as the REST API shows it. */
export function labelJson(repo: StoredRepo, name: string): Json {
  return {
    id: stableId(`${fullName(repo)}/${name}`),
    node_id: `LA_${stableId(name)}`,
    url: `${api(repo)}/labels/${encodeURIComponent(name)}`,
    name,
    description: null,
    color: 'ededed',
    default: false,
  };
}

/** A check run as the REST API shows it. */
export function checkRunJson(repo: StoredRepo, run: StoredCheckRun): Json {
  const shown = example('check-run');
  const self = `${api(repo)}/check-runs/${run.id}`;
  const page = `${html(repo)}/runs/${run.id}`;
  return {
    ...shown,
    id: run.id,
    head_sha: run.headSha,
    external_id: run.externalId,
    url: self,
    html_url: page,
    details_url: run.job === undefined ? page : `${html(repo)}/actions/runs/${run.id}/job/${run.job}`,
    status: run.status,
    conclusion: run.conclusion,
    completed_at: run.status === 'completed' ? shown['completed_at'] : null,
    output: {
      title: run.title,
      summary: run.summary,
      text: null,
      annotations_count: run.annotations.length,
      annotations_url: `${self}/annotations`,
    },
    name: run.name,
    app: { ...(shown['app'] as Json), slug: run.app },
    pull_requests: [],
  };
}

/** A status as the REST API shows it in a combined one. */
export function statusJson(repo: StoredRepo, status: StoredStatus): Json {
  const [shown] = example('combined-commit-status')['statuses'] as Json[];
  return {
    ...shown,
    url: `${api(repo)}/statuses/${status.sha}`,
    id: status.id,
    state: status.state,
    description: status.description,
    target_url: status.targetUrl,
    context: status.context,
  };
}

function example(name: string): Json {
  return githubExample(name) as Json;
}
