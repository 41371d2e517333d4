import * as v from 'valibot';

/** The first comment by itself, with its reactions, and the newest ones, since only these matter of a long thread. */
export const THREADS_QUERY = `query ($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      headRefOid
      reviewThreads(first: 50, after: $after) {
        nodes {
          id isResolved isOutdated path diffSide line startLine originalLine
          resolvedBy { login }
          opening: comments(first: 1) {
            nodes {
              ...comment
              diffHunk
              thumbsUp: reactions(first: 50, content: THUMBS_UP) { nodes { user { login } } }
              thumbsDown: reactions(first: 50, content: THUMBS_DOWN) { nodes { user { login } } }
            }
          }
          latest: comments(last: 50) { totalCount nodes { ...comment } }
        }
        pageInfo { endCursor hasNextPage }
      }
    }
  }
}
fragment comment on PullRequestReviewComment {
  url body viewerDidAuthor createdAt lastEditedAt authorAssociation
  author { __typename login }
  editor { __typename login }
}`;

/** A comment of a thread. */
export const commentSchema = v.object({
  url: v.string(),
  body: v.string(),
  viewerDidAuthor: v.boolean(),
  createdAt: v.string(),
  lastEditedAt: v.nullable(v.string()),
  authorAssociation: v.string(),
  author: v.nullable(v.object({ __typename: v.string(), login: v.string() })),
  editor: v.nullable(v.object({ __typename: v.string(), login: v.string() })),
});

const reactionsSchema = v.object({
  nodes: v.array(v.nullable(v.object({ user: v.nullable(v.object({ login: v.string() })) }))),
});

/** The first comment of a thread. */
export const openingSchema = v.object({
  ...commentSchema.entries,
  diffHunk: v.string(),
  thumbsUp: reactionsSchema,
  thumbsDown: reactionsSchema,
});
