import { githubError, type RestAnswer, type RestCall } from './github-answers.js';
import { diffLines, type HunkLines, type Side } from './github-diff-lines.js';
import { reviewCommentJson, reviewJson } from './github-review-objects.js';
import { nextId, type StoredReview, type StoredReviewComment } from './github-review-state.js';
import type { StoredPull, StoredRepo } from './github-state.js';

const MAX_BODY_CHARS = 65_536;

interface ReviewBody {
  readonly commit_id?: string;
  readonly body?: string;
  readonly event?: 'APPROVE' | 'REQUEST_CHANGES' | 'COMMENT';
  readonly comments?: readonly CommentBody[];
}

interface CommentBody {
  readonly path: string;
  readonly body: string;
  readonly line?: number;
  readonly side?: Side;
  readonly start_line?: number;
  readonly start_side?: Side;
}

const STATES = { APPROVE: 'APPROVED', REQUEST_CHANGES: 'CHANGES_REQUESTED', COMMENT: 'COMMENTED' } as const;

/** `POST …/pulls/{pull_number}/reviews`: all of it or nothing. */
export function createReview({ repo, params, request, viewer, now }: RestCall): RestAnswer {
  const pull = repo.pulls.get(Number(params['pull_number']));
  if (pull === undefined) return githubError(404, 'Not Found');
  const { commit_id: commit = pull.head.sha, body = '', event, comments = [] } = request.body as ReviewBody;
  const refusal = refuseReview(repo, pull, { body, event, comments, viewer });
  if (refusal !== undefined) return unprocessable(refusal);
  const diff = diffAt(repo, pull, commit);
  if (diff === undefined) return unprocessable('The commitOID is not part of the pull request');
  const problems = comments.flatMap((comment) => misplaced(comment, diffLines(diff)));
  if (problems.length > 0) return unprocessable(sentence(problems));
  const review: StoredReview = {
    id: nextId(repo.talk.reviews),
    pull: pull.number,
    author: viewer,
    body,
    state: event === undefined ? 'PENDING' : STATES[event],
    commit,
    submittedAt: event === undefined ? null : now,
  };
  repo.talk.reviews.push(review);
  repo.talk.touched.set(pull.number, now);
  for (const comment of comments) addComment(repo, review, { comment, diff, now });
  return { status: 200, body: reviewJson(repo, review) };
}

/** `DELETE …/pulls/{pull_number}/reviews/{review_id}`: drafts only. */
export function deleteReview({ repo, params }: RestCall): RestAnswer {
  const review = findReview(repo, params);
  if (review === undefined) return githubError(404, 'Not Found');
  if (review.state !== 'PENDING') return unprocessable('Can not delete a non-pending pull request review');
  const { reviews, reviewComments } = repo.talk;
  reviews.splice(reviews.indexOf(review), 1);
  const kept = reviewComments.filter((comment) => comment.review !== review.id);
  reviewComments.splice(0, reviewComments.length, ...kept);
  return { status: 200, body: reviewJson(repo, review) };
}

/** `PUT …/pulls/{pull_number}/reviews/{review_id}/dismissals`. */
export function dismissReview({ repo, params, viewer, now }: RestCall): RestAnswer {
  const review = findReview(repo, params);
  if (review === undefined) return githubError(404, 'Not Found');
  if (review.state !== 'CHANGES_REQUESTED' && review.state !== 'APPROVED') {
    return unprocessable(`Can not dismiss a ${review.state.toLowerCase()} pull request review`);
  }
  review.state = 'DISMISSED';
  review.dismissedBy = viewer;
  repo.talk.touched.set(review.pull, now);
  return { status: 200, body: reviewJson(repo, review) };
}

/** `POST …/pulls/{pull_number}/comments`: a comment by itself, in a review of its own. */
export function createReviewComment({ repo, params, request, viewer, now }: RestCall): RestAnswer {
  const pull = repo.pulls.get(Number(params['pull_number']));
  if (pull === undefined) return githubError(404, 'Not Found');
  const { commit_id: commit = pull.head.sha, ...comment } = request.body as CommentBody & {
    readonly commit_id?: string;
  };
  const diff = diffAt(repo, pull, commit);
  if (diff === undefined) return unprocessable('The commitOID is not part of the pull request');
  const errors = misplaced(comment, diffLines(diff)).map((message) => ({ ...ON_LINE, message }));
  if (errors.length > 0) return githubError(422, 'Validation Failed', { errors });
  const review = addReview(repo, { pull: pull.number, author: viewer, commit, submittedAt: now });
  return { status: 201, body: reviewCommentJson(repo, addComment(repo, review, { comment, diff, now })) };
}

const ON_LINE = {
  resource: 'PullRequestReviewComment',
  code: 'custom',
  field: 'pull_request_review_thread.line',
};

/** `POST …/pulls/{pull_number}/comments/{comment_id}/replies`. */
export function replyToComment({ repo, params, request, viewer, now }: RestCall): RestAnswer {
  const { reviewComments } = repo.talk;
  const first = reviewComments.find(({ id }) => id === Number(params['comment_id']));
  const pull = repo.pulls.get(Number(params['pull_number']));
  if (first === undefined || pull === undefined || first.inReplyTo !== undefined)
    return githubError(404, 'Not Found');
  if (pull.locked) return unprocessable('lock prevents review');
  const { number, head } = pull;
  const review = addReview(repo, { pull: number, author: viewer, commit: head.sha, submittedAt: now });
  const reply: StoredReviewComment = {
    ...first,
    id: nextId(reviewComments),
    review: review.id,
    author: viewer,
    body: (request.body as { body: string }).body,
    inReplyTo: first.id,
    createdAt: now,
    editedAt: null,
  };
  reviewComments.push(reply);
  return { status: 201, body: reviewCommentJson(repo, reply) };
}

/** A comment that comes alone brings a review without words. */
function addReview(
  repo: StoredRepo,
  parts: Pick<StoredReview, 'pull' | 'author' | 'commit' | 'submittedAt'>,
): StoredReview {
  const review: StoredReview = { id: nextId(repo.talk.reviews), body: '', state: 'COMMENTED', ...parts };
  repo.talk.reviews.push(review);
  return review;
}

/** The diff that a commit of a pull request is reviewed in. */
export function diffAt(repo: StoredRepo, pull: StoredPull, commit: string): string | undefined {
  return commit === pull.head.sha ? pull.diff : repo.comparisons.get(`${pull.base.sha}...${commit}`);
}

/** The text of a line of a diff; undefined if the diff does not show it. */
export function textAt(diff: string, place: { path: string; side: Side; line: number }): string | undefined {
  const hunks = diffLines(diff).get(place.path) ?? [];
  return hunks.map((hunk) => hunk[place.side].get(place.line)).find((text) => text !== undefined);
}

function refuseReview(
  repo: StoredRepo,
  pull: StoredPull,
  {
    body,
    event,
    comments,
    viewer,
  }: {
    readonly body: string;
    readonly event: ReviewBody['event'] | undefined;
    readonly comments: readonly CommentBody[];
    readonly viewer: string;
  },
): string | undefined {
  if (pull.locked || repo.isArchived) return 'lock prevents review';
  const isOwn = pull.author === viewer;
  if (isOwn && event === 'REQUEST_CHANGES') return 'Review Can not request changes on your own pull request';
  if (isOwn && event === 'APPROVE') return 'Review Can not approve your own pull request';
  if ([...body].length > MAX_BODY_CHARS) return `Body is too long (maximum is ${MAX_BODY_CHARS} characters)`;
  if (body === '' && comments.length === 0) return "Body can't be blank";
  const hasDraft = repo.talk.reviews.some(
    (one) => one.pull === pull.number && one.author === viewer && one.state === 'PENDING',
  );
  return hasDraft ? 'User can only have one pending review per pull request' : undefined;
}

/** GitHub's words for what is wrong with a comment's place. */
function misplaced(
  comment: CommentBody,
  files: ReadonlyMap<string, readonly HunkLines[]>,
): readonly string[] {
  const hunks = files.get(comment.path);
  if (hunks === undefined) return ['Path could not be resolved'];
  const { side = 'RIGHT', line = 0, start_line: start, start_side: startSide = side } = comment;
  const hunk = hunks.find((one) => one[side].has(line));
  if (hunk === undefined) return ['Line could not be resolved'];
  if (start === undefined) return [];
  if (side === startSide && start >= line) return ['Start line must precede the end line.'];
  return hunk[startSide].has(start) ? [] : ['Start line must be part of the same hunk as the line.'];
}

function addComment(
  repo: StoredRepo,
  review: StoredReview,
  { comment, diff, now }: { readonly comment: CommentBody; readonly diff: string; readonly now: string },
): StoredReviewComment {
  const { path, body, line = 0, side = 'RIGHT', start_line: startLine, start_side: startSide } = comment;
  const stored: StoredReviewComment = {
    id: nextId(repo.talk.reviewComments),
    review: review.id,
    pull: review.pull,
    author: review.author,
    body,
    path,
    side,
    line,
    ...(startLine === undefined ? {} : { startLine, startSide: startSide ?? side }),
    text: textAt(diff, { path, side, line }) ?? '',
    commit: review.commit,
    createdAt: now,
    editedAt: null,
  };
  repo.talk.reviewComments.push(stored);
  return stored;
}

function findReview(repo: StoredRepo, params: RestCall['params']): StoredReview | undefined {
  return repo.talk.reviews.find(
    ({ id, pull }) => id === Number(params['review_id']) && pull === Number(params['pull_number']),
  );
}

function unprocessable(error: string): RestAnswer {
  return githubError(422, 'Unprocessable Entity', { errors: [error] });
}

/** `a`, `a and b`, `a, b, and c`: GitHub puts all its sentences into one string. */
function sentence(problems: readonly string[]): string {
  if (problems.length < 3) return problems.join(' and ');
  return `${problems.slice(0, -1).join(', ')}, and ${problems.at(-1)}`;
}
