import * as v from 'valibot';
import { MAX_COMMENT_CHARACTERS } from '../../lib/defaults.js';
import { isMarked, type Mark, withMark } from '../../safety/mark.js';
import { askRest, orGitHubError, repositoryParams, type SubjectPlace } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';
import type { OwnReview } from '../reading/conversation.js';
import { fetchPull } from '../reading/subject.js';

export interface PublishedReview {
  readonly url: string;
  /** False if it had been posted before. */
  readonly created: boolean;
  /** The event that GitHub accepted: changes cannot be requested on one's own pull request. */
  readonly event: ReviewEvent;
}

/**
 * Posts one review with all its comments, once. We look for our review with its mark for this head
 * before (among those that the caller has just read, if it has), and again if an answer was lost.
 * GitHub takes all of a review or nothing of it; comments that it refuses on their lines go into
 * the body. Throws a GitHubError.
 */
export async function publishReview(
  client: GitHubClient,
  draft: ReviewPayload,
  signal: AbortSignal,
): Promise<PublishedReview> {
  const ownReviews = draft.own ?? (await fetchPull(client, draft, signal)).reviews;
  const posted = await findPosted(client, draft, ownReviews, signal);
  if (posted !== undefined) {
    const event = posted.state === 'CHANGES_REQUESTED' ? 'REQUEST_CHANGES' : 'COMMENT';
    return { url: posted.url, created: false, event };
  }

  let { event, comments } = draft;
  let unplaced: readonly ReviewComment[] = [];
  let wasAnswerLost = false;
  // Each attempt asks for less than the one before it, so the loop ends.
  for (;;) {
    try {
      const url = await create(client, { ...draft, event, comments }, unplaced, signal);
      return { url, created: true, event };
    } catch (thrown) {
      if (!(thrown instanceof GitHubError)) throw thrown;
      const refusal = reviewRefusalReason(thrown);
      if (refusal === 'lost') {
        const { reviews } = await fetchPull(client, draft, signal);
        const lost = await findPosted(client, draft, reviews, signal);
        if (lost !== undefined) return { url: lost.url, created: true, event };
        if (wasAnswerLost) throw thrown;
        wasAnswerLost = true;
      } else if (refusal === 'event' && event !== 'COMMENT') event = 'COMMENT';
      else if (refusal === 'line' && comments.length > 0) {
        unplaced = await postEach(client, draft, comments, signal);
        comments = [];
      } else throw thrown;
    }
  }
}

/**
 * GitHub does not say which comments of a review it refuses, so each is posted by itself. Returns
 * those that it refuses.
 */
async function postEach(
  client: GitHubClient,
  draft: ReviewPayload,
  comments: readonly ReviewComment[],
  signal: AbortSignal,
): Promise<readonly ReviewComment[]> {
  const refused: ReviewComment[] = [];
  for (const comment of comments) {
    const params = { ...pullParams(draft), commit_id: draft.headSha, ...commentParams(comment) };
    const route = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments';
    const posted = await orGitHubError(client.request(route, { params, signal }));
    if (!(posted instanceof GitHubError)) continue;
    if (posted.status !== 422) throw posted;
    refused.push(comment);
  }
  return refused;
}

/**
 * The review with the mark for this head, if it was posted. A draft that an earlier attempt left
 * behind is deleted: GitHub would refuse a second one.
 */
async function findPosted(
  client: GitHubClient,
  draft: ReviewPayload,
  ownReviews: readonly OwnReview[],
  signal: AbortSignal,
): Promise<OwnReview | undefined> {
  const marked = ownReviews.filter(
    ({ headSha, body }) =>
      isMarked(body, draft.mark) && (headSha === undefined || headSha === draft.headSha),
  );
  for (const { id } of marked.filter(({ state }) => state === 'PENDING')) {
    const params = { ...pullParams(draft), review_id: id };
    const route = 'DELETE /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}';
    // The client repeats a request whose answer was lost, and the draft is gone by then.
    await orGitHubError(client.request(route, { params, signal }), 'missing');
  }
  return marked.find(({ state }) => state !== 'PENDING');
}

const createdSchema = v.object({ html_url: v.string() });

async function create(
  client: GitHubClient,
  draft: ReviewPayload,
  unplaced: readonly ReviewComment[],
  signal: AbortSignal,
): Promise<string> {
  const body = withUnplaced(withMark(draft.body, draft.mark), unplaced);
  const params = {
    ...pullParams(draft),
    commit_id: draft.headSha,
    event: draft.event,
    body: withFooter(body, draft.footer),
    comments: draft.comments.map(commentParams),
  };
  const route = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
  return (await askRest(client, { route, params }, createdSchema, signal)).html_url;
}

function pullParams({ repository, number }: SubjectPlace) {
  return { ...repositoryParams(repository), pull_number: number };
}

function commentParams({ path, line, side, startLine, body }: ReviewComment) {
  const range = startLine === undefined ? {} : { start_line: startLine, start_side: side };
  return { path, line, side, ...range, body };
}

/**
 * Why GitHub refused a review. `lost`: no answer came; `event`: changes cannot be requested here,
 * for example on one's own pull request; `line`: a comment's line is not in the diff; `other`:
 * another attempt would fail too. GitHub gives no codes, only a 422 whose `errors` are sentences.
 * @internal
 */
export function reviewRefusalReason({
  reason,
  status,
  about,
}: GitHubError): 'lost' | 'event' | 'line' | 'other' {
  if (reason === 'unavailable') return 'lost';
  if (status !== 422) return 'other';
  if (about === 'changes-request') return 'event';
  return about === 'line' ? 'line' : 'other';
}

/**
 * Appends comments that have no line in the diff to the body of a review, within GitHub's limit.
 * @internal
 */
export function withUnplaced(body: string, unplaced: readonly ReviewComment[]): string {
  if (unplaced.length === 0) return body;
  let text = `${body.trimEnd()}\n\n${HEADING}`;
  for (const [index, comment] of unplaced.entries()) {
    const longer = `${text}\n\n${comment.inText}`;
    if (longer.length + MAX_NOTE + MAX_FOOTER > MAX_COMMENT_CHARACTERS) {
      const leftOut = unplaced.length - index;
      const commentsDo = leftOut === 1 ? 'comment does' : 'comments do';
      return `${text}\n\n*${leftOut} more ${commentsDo} not fit here.*`;
    }
    text = longer;
  }
  return text;
}

const HEADING = '**Comments on lines that the diff does not show**';

/** Characters kept for the note on the comments that do not fit. */
const MAX_NOTE = 60;

/** Characters kept for the last line. */
const MAX_FOOTER = 500;

/** A body with its last line, if that fits. */
function withFooter(body: string, footer = ''): string {
  const whole = footer === '' ? body : `${body.trimEnd()}\n\n${footer}`;
  return whole.length > MAX_COMMENT_CHARACTERS ? body : whole;
}

/**
 * Dismisses reviews that request changes; `message` is shown in the pull request's timeline. Can be
 * repeated. Throws a GitHubError.
 */
export async function dismissReviews(
  client: GitHubClient,
  dismissal: SubjectPlace & { readonly ids: readonly number[]; readonly message: string },
  signal: AbortSignal,
): Promise<void> {
  const { ids, message } = dismissal;
  for (const id of ids) {
    const params = { ...pullParams(dismissal), review_id: id, message, event: 'DISMISS' };
    const route = 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals';
    const answer = await orGitHubError(client.request(route, { params, signal }));
    if (answer instanceof GitHubError && answer.about !== 'done') throw answer;
  }
}

/** Changes the text of a review of ours; nobody gets a mail. Throws a GitHubError. */
export async function editReview(
  client: GitHubClient,
  edit: SubjectPlace & { readonly id: number; readonly body: string },
  signal: AbortSignal,
): Promise<void> {
  const params = { ...pullParams(edit), review_id: edit.id, body: edit.body };
  const route = 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}';
  await client.request(route, { params, signal });
}

/** GitHub's event of a review. We never approve: that is left to people. */
type ReviewEvent = 'COMMENT' | 'REQUEST_CHANGES';

/** A comment on a line of the diff, or on several. Lines count from 1. */
export interface ReviewComment {
  readonly path: string;
  readonly line: number;
  /** Before (`LEFT`) or after the change. */
  readonly side: 'LEFT' | 'RIGHT';
  /** Above `line`; GitHub refuses a range of one line. */
  readonly startLine?: number;
  readonly body: string;
  /** The body to use in the text of the review if GitHub takes no comment on the line. */
  readonly inText: string;
}

/** The review to post. All its texts are sanitized already. @internal */
export interface ReviewPayload extends SubjectPlace {
  /** The commit that was reviewed. */
  readonly headSha: string;
  readonly event: ReviewEvent;
  readonly body: string;
  /** The last line of the body, below the comments that are appended to it. */
  readonly footer?: string;
  readonly comments: readonly ReviewComment[];
  /** Identifies this agent's review of this head. */
  readonly mark: Mark;
  /** Our reviews of this pull request, if the caller has just read them. */
  readonly own?: readonly OwnReview[];
}
