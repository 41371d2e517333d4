import * as v from 'valibot';
import type { Actor } from '../../event/trigger.js';
import type { Post, Thread } from '../../review/seen.js';
import { askGraphQl, type SubjectPlace } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';

/** The first comment by itself, and the newest ones, since only these matter of a long thread. */
export const THREAD_FIELDS = `nodes {
  id isResolved isOutdated path diffSide line originalLine
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
      reviewThreads(first: 50, after: $after) { ${THREAD_FIELDS} }
    }
  }
}
${THREAD_FRAGMENT}`;

/** An account, null where it was deleted. */
export const accountSchema = v.nullable(v.object({ __typename: v.string(), login: v.string() }));
const loginSchema = v.nullable(v.object({ login: v.string() }));

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
const postSchema = v.object(postEntries);

const commentSchema = v.object({
  ...postEntries,
  thumbsDown: v.object({
    nodes: v.array(v.nullable(v.object({ createdAt: v.string(), user: loginSchema }))),
  }),
});

const openingSchema = v.object({
  ...commentSchema.entries,
  diffHunk: v.string(),
  pullRequestReview: v.nullable(v.object({ url: v.string() })),
});

const threadSchema = v.object({
  id: v.string(),
  isResolved: v.boolean(),
  resolvedBy: loginSchema,
  isOutdated: v.boolean(),
  path: v.string(),
  diffSide: v.picklist(['LEFT', 'RIGHT']),
  line: v.nullable(v.number()),
  originalLine: v.nullable(v.number()),
  opening: v.object({ nodes: v.array(v.nullable(openingSchema)) }),
  latest: v.object({ totalCount: v.number(), nodes: v.array(v.nullable(commentSchema)) }),
});

export const threadsPageSchema = v.object({
  nodes: v.array(v.nullable(threadSchema)),
  pageInfo: v.object({ endCursor: v.nullable(v.string()), hasNextPage: v.boolean() }),
});

const threadsSchema = v.object({
  repository: v.object({ pullRequest: v.object({ reviewThreads: threadsPageSchema }) }),
});

/** A thousand threads. */
const MAX_PAGES = 20;

/** The review threads of a pull request in the order of their beginning, everybody's, after the first page. Throws a GitHubError. */
export async function readThreads(
  client: GitHubClient,
  { repository: { owner, name }, number }: SubjectPlace,
  first: v.InferOutput<typeof threadsPageSchema>,
  signal: AbortSignal,
) {
  const threads: ReviewThread[] = [];
  let page = first;
  for (let pages = 1; ; pages += 1) {
    const { nodes, pageInfo } = page;
    threads.push(...nodes.flatMap((node) => (node === null ? [] : threadOf(node))));
    if (!pageInfo.hasNextPage) return { threads, isComplete: true };
    if (pages === MAX_PAGES) return { threads, isComplete: false };
    const variables = { owner, name, number, after: pageInfo.endCursor };
    const permission = 'pull-requests: read';
    const answer = await askGraphQl(client, THREADS_QUERY, variables, threadsSchema, permission, signal);
    page = answer.repository.pullRequest.reviewThreads;
  }
}

/** A conversation on a line of a pull request. */
export interface ReviewThread extends Thread {
  /** The line was changed after the thread began. */
  readonly isOutdated: boolean;
  /** In the diff the thread began on. */
  readonly originalLine: number | undefined;
  readonly first: ThreadComment;
  readonly replies: readonly ThreadComment[];
  readonly repliesTotal: number;
}

/** What somebody wrote in a thread: their words, not to be trusted. */
interface ThreadComment extends Post {
  /** When it was last changed; undefined if never. */
  readonly editedAt: string | undefined;
}

/** None where the first comment is hidden from the token. */
function threadOf(node: v.InferOutput<typeof threadSchema>): readonly ReviewThread[] {
  const [opening] = node.opening.nodes;
  if (opening == null) return [];
  const first = commentOf(opening);
  const replies = node.latest.nodes.flatMap((reply) => (reply === null ? [] : commentOf(reply)));
  return [
    {
      id: node.id,
      isResolved: node.isResolved,
      resolvedBy: node.resolvedBy?.login,
      isOutdated: node.isOutdated,
      path: node.path,
      side: node.diffSide,
      line: node.line ?? undefined,
      originalLine: node.originalLine ?? undefined,
      hunk: opening.diffHunk,
      first,
      reviewId: opening.pullRequestReview ? idOf(opening.pullRequestReview.url) : undefined,
      replies: replies.filter(({ id }) => id !== first.id),
      repliesTotal: Math.max(0, node.latest.totalCount - 1),
    },
  ];
}

function commentOf(node: v.InferOutput<typeof commentSchema>): ThreadComment {
  const thumbsDown = node.thumbsDown.nodes.flatMap((one) =>
    one?.user == null ? [] : [{ login: one.user.login, at: one.createdAt }],
  );
  return { ...postOf(node), editedAt: node.lastEditedAt ?? undefined, thumbsDown };
}

export function postOf(node: v.InferOutput<typeof postSchema>): Post {
  const { url, authorAssociation, viewerDidAuthor, body, createdAt, lastEditedAt, author, editor } = node;
  // An editor whose account is gone is nobody we know.
  const isEditedByAuthor = author !== null && author.login === editor?.login;
  return {
    id: idOf(url),
    url,
    author: actorOf(author),
    authorAssociation,
    isOurs: viewerDidAuthor,
    body,
    createdAt,
    isEditedByOther: lastEditedAt !== null && !isEditedByAuthor,
    thumbsDown: [],
  };
}

/** The number at the end of a URL: `databaseId` is too small for today's, and older servers do not have `fullDatabaseId`. */
export function idOf(url: string): number {
  return Number(/\d+$/.exec(url)?.[0]);
}

/** As events and the REST API name accounts: GraphQL leaves out a bot's `[bot]`, and a deleted account. */
export function actorOf(author: v.InferOutput<typeof accountSchema>): Actor {
  if (author === null) return { login: 'ghost', isBot: false };
  const isBot = author.__typename === 'Bot';
  return { login: isBot ? `${author.login.replace(/\[bot\]$/, '')}[bot]` : author.login, isBot };
}
