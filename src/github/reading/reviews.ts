import * as v from 'valibot';
import type { Actor } from '../../event/trigger.js';
import type { OwnReview, Post, Thread } from '../../review/seen.js';
import { isMarked, type MarkFields } from '../../safety/mark.js';
import { askGraphQl, type SubjectPlace } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';

export const REVIEW_NODES =
  'nodes { url body state submittedAt viewerDidAuthor author { __typename login } commit { oid } }';

const REVIEWS_QUERY = `query ($owner: String!, $name: String!, $number: Int!, $before: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviews(last: 50, before: $before) {
        ${REVIEW_NODES}
        pageInfo { startCursor hasPreviousPage }
      }
    }
  }
}`;

/** A thousand reviews or threads. */
const MAX_PAGES = 20;

export const accountSchema = v.nullable(v.object({ __typename: v.string(), login: v.string() }));

export const reviewSchema = v.object({
  url: v.string(),
  body: v.string(),
  state: v.picklist(['APPROVED', 'CHANGES_REQUESTED', 'COMMENTED', 'DISMISSED', 'PENDING']),
  submittedAt: v.nullable(v.string()),
  viewerDidAuthor: v.boolean(),
  author: accountSchema,
  commit: v.nullable(v.object({ oid: v.string() })),
});

const ownReviewsSchema = v.object({
  repository: v.object({
    pullRequest: v.object({
      reviews: v.object({
        nodes: v.array(v.nullable(reviewSchema)),
        pageInfo: v.object({ startCursor: v.nullable(v.string()), hasPreviousPage: v.boolean() }),
      }),
    }),
  }),
});

/**
 * The reviews of a pull request that the current token wrote and that are marked so, newest first, among the last
 * thousand. Nobody else's review is ever taken for one of ours, whatever it says (memory-and-security C8 98). Throws
 * a GitHubError.
 */
export async function listOwnReviews(
  client: GitHubClient,
  { repository, number, mark }: SubjectPlace & { readonly mark: MarkFields },
  signal: AbortSignal,
): Promise<readonly OwnReview[]> {
  const found: OwnReview[] = [];
  let before: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer: v.InferOutput<typeof ownReviewsSchema> = await askGraphQl(
      client,
      {
        query: REVIEWS_QUERY,
        variables: { owner: repository.owner, name: repository.name, number, before },
        schema: ownReviewsSchema,
        what: 'the reviews',
        permission: 'pull-requests: read',
      },
      signal,
    );
    const { nodes, pageInfo } = answer.repository.pullRequest.reviews;
    found.push(...nodes.flatMap((node) => ownReview(node, mark)).reverse());
    before = pageInfo.startCursor;
    if (!pageInfo.hasPreviousPage || before === null) break;
  }
  return found;
}

/** The number at the end of a URL: `databaseId` is too small for today's, and older servers do not have `fullDatabaseId`. */
function idFromUrl(url: string, anchor: string): number | undefined {
  const [, digits] = new RegExp(`#${anchor}(\\d+)$`).exec(url) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** A review as one that the current token wrote; none for anybody else's, or without the mark. */
export function ownReview(
  node: v.InferOutput<typeof reviewSchema> | null,
  mark: MarkFields,
): readonly OwnReview[] {
  const id = idFromUrl(node?.url ?? '', 'pullrequestreview-');
  if (node === null || id === undefined || !node.viewerDidAuthor || !isMarked(node.body, mark)) return [];
  const { url, state, body, commit, submittedAt } = node;
  return [{ id, url, state, body, headSha: commit?.oid, submittedAt: submittedAt ?? undefined }];
}

/** The first comment by itself, and the newest ones, since only these matter of a long thread. */
export const THREAD_FIELDS = `nodes {
  id isResolved isOutdated path diffSide line startLine originalLine
  resolvedBy { login }
  opening: comments(first: 1) {
    nodes {
      ...comment
      diffHunk
      pullRequestReview { url }
    }
  }
  latest: comments(last: 50) { totalCount nodes { ...comment } }
}
pageInfo { endCursor hasNextPage }`;

export const THREAD_FRAGMENT = `fragment comment on PullRequestReviewComment {
  url body viewerDidAuthor createdAt lastEditedAt authorAssociation
  author { __typename login }
  editor { __typename login }
  thumbsDown: reactions(first: 20, content: THUMBS_DOWN) { nodes { createdAt user { login } } }
}`;

const THREADS_QUERY = `query ($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      headRefOid
      reviewThreads(first: 50, after: $after) { ${THREAD_FIELDS} }
    }
  }
}
${THREAD_FRAGMENT}`;

/** What is read of everything that somebody wrote. */
export const postEntries = {
  url: v.string(),
  body: v.string(),
  viewerDidAuthor: v.boolean(),
  createdAt: v.string(),
  lastEditedAt: v.nullable(v.string()),
  authorAssociation: v.string(),
  author: accountSchema,
  editor: accountSchema,
};

const commentSchema = v.object({
  ...postEntries,
  thumbsDown: v.object({
    nodes: v.array(
      v.nullable(v.object({ createdAt: v.string(), user: v.nullable(v.object({ login: v.string() })) })),
    ),
  }),
});

const openingSchema = v.object({
  ...commentSchema.entries,
  diffHunk: v.string(),
  pullRequestReview: v.nullable(v.object({ url: v.string() })),
});

/** What somebody wrote in a thread: their words, not to be trusted. */
export interface ThreadComment extends Post {
  /** When it was last changed; undefined if never. */
  readonly editedAt: string | undefined;
}

/** A conversation on a line of a pull request. */
export interface ReviewThread extends Thread {
  /** The line was changed after the thread began. */
  readonly isOutdated: boolean;
  readonly startLine: number | undefined;
  /** In the diff the thread began on. */
  readonly originalLine: number | undefined;
  readonly first: ThreadComment;
  readonly replies: readonly ThreadComment[];
  readonly repliesTotal: number;
}

/** The threads of a pull request as far as they were read. */
export interface ReviewThreads {
  /** Sha of the pull request's newest commit, against which threads are outdated. */
  readonly head: string;
  /** In the order of their beginning. */
  readonly threads: readonly ReviewThread[];
  /** False where there are more than a thousand. */
  readonly isComplete: boolean;
}

const threadSchema = v.object({
  id: v.string(),
  isResolved: v.boolean(),
  resolvedBy: v.nullable(v.object({ login: v.string() })),
  isOutdated: v.boolean(),
  path: v.string(),
  diffSide: v.picklist(['LEFT', 'RIGHT']),
  line: v.nullable(v.number()),
  startLine: v.nullable(v.number()),
  originalLine: v.nullable(v.number()),
  opening: v.object({ nodes: v.array(v.nullable(openingSchema)) }),
  latest: v.object({ totalCount: v.number(), nodes: v.array(v.nullable(commentSchema)) }),
});

export const threadsPageSchema = v.object({
  nodes: v.array(v.nullable(threadSchema)),
  pageInfo: v.object({ endCursor: v.nullable(v.string()), hasNextPage: v.boolean() }),
});

const pullSchema = v.object({ headRefOid: v.string(), reviewThreads: threadsPageSchema });
const threadsSchema = v.object({ repository: v.object({ pullRequest: pullSchema }) });
type PullOfThreads = v.InferOutput<typeof pullSchema>;

/** All review threads of a pull request, everybody's; `first` is the first page, where it is known. Throws a GitHubError. */
export async function fetchReviewThreads(
  client: GitHubClient,
  place: SubjectPlace,
  signal: AbortSignal,
  first?: PullOfThreads,
): Promise<ReviewThreads> {
  const threads: ReviewThread[] = [];
  let pull = first ?? (await fetchPage(client, place, null, signal));
  for (let page = 1; ; page += 1) {
    const { headRefOid: head, reviewThreads } = pull;
    const { endCursor, hasNextPage } = reviewThreads.pageInfo;
    threads.push(...reviewThreads.nodes.flatMap((node) => (node === null ? [] : threadOf(node))));
    if (!hasNextPage || endCursor === null) return { head, threads, isComplete: true };
    if (page === MAX_PAGES) return { head, threads, isComplete: false };
    pull = await fetchPage(client, place, endCursor, signal);
  }
}

async function fetchPage(
  client: GitHubClient,
  { repository, number }: SubjectPlace,
  after: string | null,
  signal: AbortSignal,
): Promise<PullOfThreads> {
  const answer = await askGraphQl(
    client,
    {
      query: THREADS_QUERY,
      variables: { owner: repository.owner, name: repository.name, number, after },
      schema: threadsSchema,
      what: 'the review threads',
      permission: 'pull-requests: read',
    },
    signal,
  );
  return answer.repository.pullRequest;
}

/** None where the first comment is hidden from the token. */
function threadOf(node: v.InferOutput<typeof threadSchema>): readonly ReviewThread[] {
  const [opening = null] = node.opening.nodes;
  const [first] = commentOf(opening);
  if (opening === null || first === undefined) return [];
  const { id, isResolved, isOutdated, path } = node;
  return [
    {
      id,
      isResolved,
      resolvedBy: node.resolvedBy?.login,
      isOutdated,
      path,
      side: node.diffSide,
      line: node.line ?? undefined,
      startLine: node.startLine ?? undefined,
      originalLine: node.originalLine ?? undefined,
      hunk: opening.diffHunk,
      first,
      reviewId: idFromUrl(opening.pullRequestReview?.url ?? '', 'pullrequestreview-'),
      replies: node.latest.nodes.flatMap(commentOf).filter((comment) => comment.id !== first.id),
      repliesTotal: Math.max(0, node.latest.totalCount - 1),
    },
  ];
}

function commentOf(node: v.InferOutput<typeof commentSchema> | null): readonly ThreadComment[] {
  if (node === null) return [];
  const thumbsDown = node.thumbsDown.nodes.flatMap((one) =>
    one?.user == null ? [] : [{ login: one.user.login, at: one.createdAt }],
  );
  const editedAt = node.lastEditedAt ?? undefined;
  return postOf(node, 'discussion_r').map((post) => ({ ...post, editedAt, thumbsDown }));
}

const postSchema = v.object(postEntries);

/** None where its address has no number behind the anchor. */
export function postOf(
  node: v.InferOutput<typeof postSchema>,
  anchor: string,
): readonly Omit<Post, 'thumbsDown'>[] {
  const { url, authorAssociation, viewerDidAuthor, body, createdAt, lastEditedAt, author, editor } = node;
  const id = idFromUrl(url, anchor);
  if (id === undefined) return [];
  // An editor whose account is gone is nobody we know.
  const isEditedByAuthor = author !== null && author.login === editor?.login;
  const isEditedByOther = lastEditedAt !== null && !isEditedByAuthor;
  return [
    {
      id,
      url,
      author: actorOf(author),
      authorAssociation,
      isOurs: viewerDidAuthor,
      body,
      createdAt,
      isEditedByOther,
    },
  ];
}

/** As events and the REST API name accounts: GraphQL leaves out a bot's `[bot]`, and a deleted account. */
export function actorOf(author: { readonly __typename: string; readonly login: string } | null): Actor {
  if (author === null) return { login: 'ghost', isBot: false };
  const isBot = author.__typename === 'Bot';
  return { login: isBot ? `${author.login.replace(/\[bot\]$/, '')}[bot]` : author.login, isBot };
}
