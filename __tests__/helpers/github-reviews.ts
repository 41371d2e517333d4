import {
  githubError,
  notFound,
  type RestAnswer,
  type RestCall,
  type Routes,
} from './github-answers.js';
import { diffLines, type Side, textAt } from './github-diff.js';
import { reviewCommentJson, reviewJson } from './github-json.js';
import { pullOf } from './github-pulls.js';
import {
  nextId,
  type StoredPull,
  type StoredRepo,
  type StoredReview,
  type StoredReviewComment,
} from './github-state.js';

const MAX_BODY_CHARS = 65_536;

interface CommentBody {
  readonly path: string;
  readonly body: string;
  readonly line?: number;
  readonly side?: Side;
  readonly start_line?: number;
  readonly start_side?: Side;
}

const STATES = {
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
  COMMENT: 'COMMENTED',
} as const;

interface ReviewBody {
  readonly commit_id?: string;
  readonly body?: string;
  readonly event?: keyof typeof STATES;
  readonly comments?: readonly CommentBody[];
}

/** Reviews and comments on lines. */
export const REVIEW_ROUTES: Routes = {
  // All of it or nothing.
  'POST /pulls/{pull_number}/reviews': (call) => {
    const { repo, viewer, now } = call;
    const pull = pullOf(call);
    if (pull === undefined) return notFound();
    const asked = call.request.body as ReviewBody;
    const { commit_id: commit = pull.head.sha, event, comments = [] } = asked;
    const diff = diffAt(repo, pull, commit);
    const refusal = refuseReview(call, pull, asked);
    if (refusal !== undefined) return unprocessable(refusal);
    if (diff === undefined) return unprocessable(NOT_PART);
    const problems = comments.flatMap((comment) => misplaced(comment, diff));
    if (problems.length > 0) return unprocessable(sentence(problems));
    const state = event === undefined ? 'PENDING' : STATES[event];
    const submittedAt = event === undefined ? null : now;
    const own = { pull: pull.number, author: viewer, body: asked.body ?? '' };
    const review = addReview(repo, { ...own, state, commit, submittedAt });
    for (const comment of comments) addComment(repo, review, comment, { diff, createdAt: now });
    return { status: 200, body: reviewJson(repo, review) };
  },
  // Drafts only.
  'DELETE /pulls/{pull_number}/reviews/{review_id}': (call) => {
    const review = reviewOf(call);
    if (review === undefined) return notFound();
    if (review.state !== 'PENDING')
      return unprocessable('Can not delete a non-pending pull request review');
    const { reviews, reviewComments } = call.repo.talk;
    reviews.splice(reviews.indexOf(review), 1);
    const kept = reviewComments.filter((comment) => comment.review !== review.id);
    reviewComments.splice(0, reviewComments.length, ...kept);
    return { status: 200, body: reviewJson(call.repo, review) };
  },
  'PUT /pulls/{pull_number}/reviews/{review_id}': (call) => {
    const review = reviewOf(call);
    if (review === undefined) return notFound();
    Object.assign(review, { body: (call.request.body as { readonly body: string }).body });
    return { status: 200, body: reviewJson(call.repo, review) };
  },
  'PUT /pulls/{pull_number}/reviews/{review_id}/dismissals': (call) => {
    const review = reviewOf(call);
    if (review === undefined) return notFound();
    if (review.state !== 'CHANGES_REQUESTED' && review.state !== 'APPROVED')
      return unprocessable(`Can not dismiss a ${review.state.toLowerCase()} pull request review`);
    Object.assign(review, { state: 'DISMISSED', dismissedBy: call.viewer });
    return { status: 200, body: reviewJson(call.repo, review) };
  },
  // A comment by itself is in a review of its own, without words.
  'POST /pulls/{pull_number}/comments': (call) => {
    const { repo, viewer, now } = call;
    const pull = pullOf(call);
    if (pull === undefined) return notFound();
    const comment = call.request.body as CommentBody & { readonly commit_id?: string };
    const { commit_id: commit = pull.head.sha } = comment;
    const diff = diffAt(repo, pull, commit);
    if (diff === undefined) return unprocessable(NOT_PART);
    const field = 'pull_request_review_thread.line';
    const about = { resource: 'PullRequestReviewComment', code: 'custom', field };
    const errors = misplaced(comment, diff).map((message) => ({ ...about, message }));
    if (errors.length > 0) return githubError(422, 'Validation Failed', { errors });
    const review = addReview(repo, { pull: pull.number, author: viewer, commit, submittedAt: now });
    return {
      status: 201,
      body: reviewCommentJson(repo, addComment(repo, review, comment, { diff, createdAt: now })),
    };
  },
  'POST /pulls/{pull_number}/comments/{comment_id}/replies': (call) => {
    const { repo, params, viewer, now } = call;
    const { reviewComments } = repo.talk;
    const pull = pullOf(call);
    const first = reviewComments.find(({ id }) => id === Number(params['comment_id']));
    if (pull === undefined || first === undefined || first.inReplyTo !== undefined)
      return notFound();
    if (pull.locked) return unprocessable('lock prevents review');
    const about = { pull: pull.number, author: viewer, commit: pull.head.sha, submittedAt: now };
    const reply: StoredReviewComment = {
      ...first,
      id: nextId(reviewComments),
      review: addReview(repo, about).id,
      author: viewer,
      body: (call.request.body as { body: string }).body,
      inReplyTo: first.id,
      createdAt: now,
      editedAt: null,
    };
    reviewComments.push(reply);
    return { status: 201, body: reviewCommentJson(repo, reply) };
  },
};

const NOT_PART = 'The commitOID is not part of the pull request';

/** The diff that a commit of a pull request is reviewed in. */
export function diffAt(repo: StoredRepo, pull: StoredPull, commit: string): string | undefined {
  return commit === pull.head.sha
    ? pull.diff
    : repo.comparisons.get(`${pull.base.sha}...${commit}`);
}

/** Keeps a review; without words and submitted as a comment unless said otherwise. */
export function addReview(
  repo: StoredRepo,
  parts: Pick<StoredReview, 'pull' | 'author' | 'commit' | 'submittedAt'> & Partial<StoredReview>,
): StoredReview {
  const { reviews } = repo.talk;
  const review: StoredReview = { id: nextId(reviews), body: '', state: 'COMMENTED', ...parts };
  reviews.push(review);
  return review;
}

/** Keeps a comment on a line, wherever it is. */
export function addComment(
  repo: StoredRepo,
  review: StoredReview,
  comment: CommentBody,
  { diff, createdAt }: { readonly diff: string; readonly createdAt: string },
): StoredReviewComment {
  const {
    path,
    body,
    line = 0,
    side = 'RIGHT',
    start_line: startLine,
    start_side: startSide,
  } = comment;
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
    createdAt,
    editedAt: null,
  };
  repo.talk.reviewComments.push(stored);
  return stored;
}

function refuseReview(
  { repo, viewer }: RestCall,
  pull: StoredPull,
  asked: ReviewBody,
): string | undefined {
  const { body = '', event, comments = [] } = asked;
  if (pull.locked) return 'lock prevents review';
  const isOwn = pull.author === viewer;
  if (isOwn && event === 'REQUEST_CHANGES')
    return 'Review Can not request changes on your own pull request';
  if (isOwn && event === 'APPROVE') return 'Review Can not approve your own pull request';
  if ([...body].length > MAX_BODY_CHARS)
    return `Body is too long (maximum is ${MAX_BODY_CHARS} characters)`;
  if (body === '' && comments.length === 0) return "Body can't be blank";
  const own = repo.talk.reviews.filter((one) => one.pull === pull.number && one.author === viewer);
  const hasDraft = own.some(({ state }) => state === 'PENDING');
  return hasDraft ? 'User can only have one pending review per pull request' : undefined;
}

/** GitHub's words for what is wrong with a comment's place. */
function misplaced(comment: CommentBody, diff: string): readonly string[] {
  const hunks = diffLines(diff).get(comment.path);
  if (hunks === undefined) return ['Path could not be resolved'];
  const { side = 'RIGHT', line = 0, start_line: start, start_side: startSide = side } = comment;
  const hunk = hunks.find((one) => one[side].has(line));
  if (hunk === undefined) return ['Line could not be resolved'];
  if (start === undefined) return [];
  if (side === startSide && start >= line) return ['Start line must precede the end line.'];
  return hunk[startSide].has(start)
    ? []
    : ['Start line must be part of the same hunk as the line.'];
}

function reviewOf({ repo, params }: RestCall): StoredReview | undefined {
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
