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
  /** False where it had been posted before. */
  readonly created: boolean;
  /** What it was posted as: changes cannot be requested on one's own pull request. */
  readonly event: ReviewEvent;
}

/**
 * Posts one review with all its comments, once: a review of ours with its mark for this head is
 * looked for before (among those that the caller has just read, if it has), and again after an
 * answer that did not come (memory-and-security C5 70). GitHub takes all of a review or nothing of
 * it; comments it does not take on their lines go into the body. Throws a GitHubError.
 */
export async function publishReview(
  client: GitHubClient,
  draft: ReviewPayload,
  signal: AbortSignal,
): Promise<PublishedReview> {
  const own = draft.own ?? (await fetchPull(client, draft, signal)).reviews;
  const posted = await clearPosted(client, draft, own, signal);
  if (posted !== undefined) {
    const event = posted.state === 'CHANGES_REQUESTED' ? 'REQUEST_CHANGES' : 'COMMENT';
    return { url: posted.url, created: false, event };
  }
  let { event, comments } = draft;
  let unplaced: readonly ReviewComment[] = [];
  let isLost = false;
  // Every further attempt asks for less than the one before, so there is a last one.
  for (;;) {
    try {
      const url = await create(client, { ...draft, event, comments }, unplaced, signal);
      return { url, created: true, event };
    } catch (thrown) {
      if (!(thrown instanceof GitHubError)) throw thrown;
      const refusal = reviewRefusalReason(thrown);
      if (refusal === 'lost') {
        const { reviews } = await fetchPull(client, draft, signal);
        const found = await clearPosted(client, draft, reviews, signal);
        if (found !== undefined) return { url: found.url, created: true, event };
        if (isLost) throw thrown;
        isLost = true;
      } else if (refusal === 'event' && event !== 'COMMENT') event = 'COMMENT';
      else if (refusal === 'line' && comments.length > 0) {
        unplaced = await postEach(client, draft, comments, signal);
        comments = [];
      } else throw thrown;
    }
  }
}

/**
 * GitHub does not say which comments it refuses, so each is posted by itself, outside of the
 * review; those that it refuses.
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
 * The review with the mark for this head, if it is out; a draft that an earlier attempt left is
 * removed, or it would block us.
 */
async function clearPosted(
  client: GitHubClient,
  draft: ReviewPayload,
  own: readonly OwnReview[],
  signal: AbortSignal,
): Promise<OwnReview | undefined> {
  const ours = own.filter(
    ({ headSha, body }) =>
      isMarked(body, draft.mark) && (headSha === undefined || headSha === draft.headSha),
  );
  for (const { id } of ours.filter(({ state }) => state === 'PENDING')) {
    const params = { ...pullParams(draft), review_id: id };
    const route = 'DELETE /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}';
    // The client asks again where the answer is lost, and finds nothing then.
    await orGitHubError(client.request(route, { params, signal }), 'missing');
  }
  return ours.find(({ state }) => state !== 'PENDING');
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
 * Why GitHub did not take a review: no answer came; changes cannot be requested here, on one's own
 * pull request, say; a comment's line is not in the diff; or something that another attempt would
 * not change. GitHub says it in words only, in a 422 whose `errors` are sentences, several of them
 * in one string.
 */
export function reviewRefusalReason({
  reason,
  status,
  message,
}: GitHubError): 'lost' | 'event' | 'line' | 'other' {
  if (reason === 'unavailable') return 'lost';
  if (status !== 422) return 'other';
  if (REQUEST_CHANGES.test(message)) return 'event';
  return LINE.test(message) && !COMMIT.test(message) ? 'line' : 'other';
}

const REQUEST_CHANGES = /can ?not request changes/i;

/**
 * Newer servers say "could not be resolved", older ones name the "review thread" and its fields.
 */
const LINE =
  /(?:line|path) could not be resolved|must be part of the (?:diff|same hunk)|must precede the end line|review[_ ]thread|review comments is invalid|position is invalid/i;

const COMMIT = /commit(?:[_ ]?id|[_ ]?oid)? is not part of the pull request/i;

/**
 * The body of a review with the comments that have no line below it; never longer than GitHub
 * takes.
 */
export function withUnplaced(body: string, unplaced: readonly ReviewComment[]): string {
  if (unplaced.length === 0) return body;
  let text = `${body.trimEnd()}\n\n${HEADING}`;
  for (const [index, comment] of unplaced.entries()) {
    const longer = `${text}\n\n${comment.inText}`;
    const left = unplaced.length - index;
    if (longer.length + MAX_NOTE + MAX_FOOTER > MAX_COMMENT_CHARACTERS)
      return `${text}\n\n*${left} more ${left === 1 ? 'comment does' : 'comments do'} not fit here.*`;
    text = longer;
  }
  return text;
}

const HEADING = '**Comments on lines that the diff does not show**';

/** Characters kept for the note on what does not fit. */
const MAX_NOTE = 60;

/** Characters kept for the last line. */
const MAX_FOOTER = 500;

/** A body with its last line, where there is room for it. */
function withFooter(body: string, footer = ''): string {
  const whole = footer === '' ? body : `${body.trimEnd()}\n\n${footer}`;
  return whole.length > MAX_COMMENT_CHARACTERS ? body : whole;
}

/**
 * Takes back reviews that request changes; `message` is shown in the pull request's timeline. One
 * that is dismissed already is fine. Throws a GitHubError.
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
    const done = await orGitHubError(client.request(route, { params, signal }));
    if (done instanceof GitHubError && !/dismiss a dismissed/i.test(done.message)) throw done;
  }
}

/** What a review says about merging. Approving is not ours to do (D23). */
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
  /** The same for the text of the review, where GitHub takes no comment on the line. */
  readonly inText: string;
}

/** The review to post. All texts went through outbound cleaning (D24). */
export interface ReviewPayload extends SubjectPlace {
  /** The commit that was reviewed. */
  readonly headSha: string;
  readonly event: ReviewEvent;
  readonly body: string;
  /** The last line of the body, below whatever is added to it; left out for none. */
  readonly footer?: string;
  readonly comments: readonly ReviewComment[];
  /** Tells this review of this head from all others. */
  readonly mark: Mark;
  /**
   * Our reviews of this pull request, as they were read just before; left out: they are looked for.
   */
  readonly own?: readonly OwnReview[];
}
