import * as v from 'valibot';
import type { Discussion, DiscussionPost } from '../../tools/github/github-port.js';
import { askGraphQl, askRest, fetchPages, inRepo, type Listed, type SubjectPlace } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { actorOf, fetchReviewThreads, type ReviewThread, type ThreadComment } from './reviews.js';

const userSchema = v.nullable(v.object({ login: v.string() }));

const subjectSchema = v.object({
  title: v.string(),
  body: v.nullish(v.string(), ''),
  state: v.string(),
  user: userSchema,
  created_at: v.string(),
  pull_request: v.optional(v.unknown()),
});

const commentSchema = v.pipe(
  v.object({
    body: v.nullish(v.string(), ''),
    user: userSchema,
    created_at: v.string(),
    updated_at: v.string(),
  }),
  v.transform(({ body, user, created_at, updated_at }): DiscussionPost => {
    const isEdited = updated_at !== created_at;
    return { what: 'comment', author: loginOf(user), at: created_at, isEdited, body };
  }),
);

/** A thousand comments. */
const MAX_PAGES = 10;

/**
 * What was said about an issue or pull request: the description, comments and reviews by time, then the conversations
 * on lines. Throws a GitHubError.
 */
export async function fetchDiscussion(
  client: GitHubClient,
  place: SubjectPlace,
  signal: AbortSignal,
): Promise<Discussion> {
  const { repository, number } = place;
  const params = { ...inRepo(repository), issue_number: number };
  const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}';
  const [subject, comments] = await Promise.all([
    askRest(client, route, params, subjectSchema, signal),
    fetchPages(client, `${route}/comments`, params, v.array(commentSchema), MAX_PAGES, signal),
  ]);
  const isPullRequest = subject.pull_request !== undefined;
  const said = isPullRequest ? await fetchReviewTalk(client, place, signal) : undefined;
  const { title, body, user, created_at } = subject;
  const posts = [...comments.items, ...(said?.reviews ?? [])];
  return {
    title,
    isPullRequest,
    isOpen: subject.state === 'open',
    posts: [
      { what: 'description', author: loginOf(user), at: created_at, isEdited: false, body },
      ...posts.sort((one, other) => one.at.localeCompare(other.at)),
      ...(said?.threads ?? []),
    ],
    isComplete: comments.isComplete && said?.isComplete !== false,
  };
}

/** A review without words of its own is its comments on lines. */
async function fetchReviewTalk(client: GitHubClient, place: SubjectPlace, signal: AbortSignal) {
  const [listed, { threads, isComplete }] = await Promise.all([
    fetchReviews(client, place, signal),
    fetchReviewThreads(client, place, signal),
  ]);
  const reviews = listed.items.filter(({ body }) => body.trim() !== '');
  return { reviews, threads: threads.flatMap(threadPosts), isComplete: isComplete && listed.isComplete };
}

function threadPosts(thread: ReviewThread): readonly DiscussionPost[] {
  const { path, line, originalLine, isResolved, isOutdated, first, replies, repliesTotal } = thread;
  const at = line ?? originalLine;
  const marks = [...(isResolved ? ['resolved'] : []), ...(isOutdated ? ['outdated'] : [])];
  const place = `${at === undefined ? '' : `line ${at} of `}${path}`;
  const left = repliesTotal - replies.length;
  const head = `comment on ${place}${marks.length === 0 ? '' : ` (${marks.join(', ')})`}`;
  const reply = `reply on ${place}${left > 0 ? ` (${left} older replies are left out)` : ''}`;
  return [postOf(first, head), ...replies.map((comment) => postOf(comment, reply))];
}

function postOf({ author, createdAt, editedAt, body }: ThreadComment, what: string): DiscussionPost {
  return { what, author: author.login, at: createdAt, isEdited: editedAt !== undefined, body };
}

/** A deleted account is `ghost`. */
function loginOf(user: v.InferOutput<typeof userSchema>): string {
  return user?.login ?? 'ghost';
}

const REVIEWS_QUERY = `query ($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviews(last: 100) {
        nodes { body state submittedAt author { __typename login } }
        pageInfo { hasPreviousPage }
      }
    }
  }
}`;

const reviewSchema = v.object({
  body: v.string(),
  state: v.picklist(['APPROVED', 'CHANGES_REQUESTED', 'COMMENTED', 'DISMISSED', 'PENDING']),
  submittedAt: v.nullable(v.string()),
  author: v.nullable(v.object({ __typename: v.string(), login: v.string() })),
});

const reviewsSchema = v.object({
  repository: v.object({
    pullRequest: v.object({
      reviews: v.object({
        nodes: v.array(v.nullable(reviewSchema)),
        pageInfo: v.object({ hasPreviousPage: v.boolean() }),
      }),
    }),
  }),
});

/** The newest hundred reviews of a pull request, oldest first, without drafts. Throws a GitHubError. */
async function fetchReviews(
  client: GitHubClient,
  { repository, number }: SubjectPlace,
  signal: AbortSignal,
): Promise<Listed<DiscussionPost>> {
  const answer = await askGraphQl(
    client,
    {
      query: REVIEWS_QUERY,
      variables: { owner: repository.owner, name: repository.name, number },
      schema: reviewsSchema,
      what: 'the reviews',
      permission: 'pull-requests: read',
    },
    signal,
  );
  const { nodes, pageInfo } = answer.repository.pullRequest.reviews;
  return { items: nodes.flatMap(reviewOf), isComplete: !pageInfo.hasPreviousPage };
}

function reviewOf(node: v.InferOutput<typeof reviewSchema> | null): readonly DiscussionPost[] {
  if (node?.submittedAt == null) return [];
  const { state, author, submittedAt: at, body } = node;
  const what = `review (${state.toLowerCase().replaceAll('_', ' ')})`;
  return [{ what, author: actorOf(author).login, at, isEdited: false, body }];
}
